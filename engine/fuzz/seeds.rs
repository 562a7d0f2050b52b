//! Inputs kept from fuzzing (`.ci/fuzz keep`), in hexadecimal, one a line, for tests.

/// Runs `body` on the kept inputs of one target, from the fuzz folder of the crate in `folder`.
///
/// # Panics
/// If there are no inputs, or they are not hexadecimal.
pub(crate) fn run(folder: &str, target: &str, body: impl Fn(&[u8])) {
    let file = format!("{folder}/fuzz/seeds/{target}.hex");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let byte = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.len() == 2);
        digits
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .unwrap_or_else(|| panic!("{file}: not hexadecimal"))
    };
    let seeds: Vec<Vec<u8>> = text.lines().map(|line| line.as_bytes().chunks(2).map(byte).collect()).collect();
    assert!(!seeds.is_empty(), "{file} is empty");
    seeds.iter().for_each(|seed| body(seed));
}
