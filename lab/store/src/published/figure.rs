//! Figures as they are printed.

/// Text that is neither a figure nor a way to say that there is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no figure as published tables print them: digits with one point, and `k` for thousands")]
pub struct UnreadableFigure(pub String);

/// The figure in a cell: `12225.40k` is 12225400. `None` where the source says that it knows none, or leaves it out.
///
/// # Errors
/// [`UnreadableFigure`] if it is something else.
///
/// ```
/// # use kasoku_store::published::figure;
/// assert_eq!(figure("12225.40k"), Ok(Some(12_225_400.0)));
/// assert_eq!(figure("602.1"), Ok(Some(602.1)));
/// assert_eq!(figure("unknown"), Ok(None));
/// assert!(figure("2881/td>").is_err());
/// ```
pub fn figure(printed: &str) -> Result<Option<f64>, UnreadableFigure> {
    if printed.is_empty() || printed == "unknown" {
        return Ok(None);
    }
    // The exponent is read with the digits, so that nothing is rounded twice.
    let (digits, exponent) = printed.strip_suffix('k').map_or((printed, "e0"), |digits| (digits, "e3"));
    let is_plain = digits.chars().all(|character| character.is_ascii_digit() || character == '.');
    let value = format!("{digits}{exponent}").parse::<f64>().ok().filter(|value| is_plain && value.is_finite());
    value.map(Some).ok_or_else(|| UnreadableFigure(printed.to_owned()))
}
