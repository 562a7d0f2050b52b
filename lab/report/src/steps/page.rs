//! Steps as the page shows them: the same sentences and tables, a curve at a time.

use super::{Messages, NAMED, grid, messages, name, told};
use crate::table::Table;
use kasoku_model::language::Language;
use kasoku_model::steps::Curve;

/// What a page says of a curve with steps.
pub(crate) struct SteppedCurve {
    /// Task, library and state.
    pub(crate) name: String,
    /// Of each step where it is and why.
    pub(crate) steps: Vec<Vec<String>>,
    pub(crate) pieces: Table,
}

pub(crate) fn about(curve: &Curve, language: Language) -> SteppedCurve {
    let messages = messages(language);
    let steps = curve.steps.iter().enumerate().map(|(index, step)| told(curve, index, step, messages)).collect();
    SteppedCurve { name: name(curve, messages), steps, pieces: grid(curve, messages) }
}

/// That none of these curves has a step, or that there is none.
pub(crate) fn none(curves: &[Curve], language: Language) -> String {
    let messages = messages(language);
    if curves.is_empty() { messages.steps.nothing.to_owned() } else { (messages.steps.none_at_all)(curves.len()) }
}

/// Why there is no step where the same code has one elsewhere.
pub(crate) fn absences(curves: &[Curve], language: Language) -> Vec<String> {
    let messages: &Messages = messages(language);
    let told = |curve: &Curve| {
        let reason = curve.absence.as_ref()?.reason(messages.language);
        Some(format!("{}: {reason}", name(curve, messages)))
    };
    curves.iter().filter_map(told).take(NAMED).collect()
}
