//! The command as the run document has it.

/// The command as it was typed, with the program's folder left out: it says something of a person, nothing of a run.
pub(super) fn command_line() -> String {
    let is_plain = |character: char| !character.is_whitespace() && !"'\"\\".contains(character);
    let quoted = |argument: String| match argument.chars().all(is_plain) {
        true => argument,
        false => shell_words::quote(&argument).into_owned(),
    };
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once("kasoku".to_owned()).chain(arguments.map(quoted)).collect::<Vec<_>>().join(" ")
}
