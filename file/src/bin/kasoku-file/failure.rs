//! Errors for the user: a message and an exit status.

use std::fmt::Display;
use std::io::{self, Write as _};

const ERROR: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();
/// Exit status of a process that Ctrl-C stopped, as shells report it.
const STOPPED_BY_CTRL_C: u8 = 128 + 2;

/// Reason why a subcommand did not finish.
///
/// A message says what happened, where, and what to do, without a full stop.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    status: u8,
}

impl Failure {
    /// Creates a failure because of wrong usage or bad input (exit status 2).
    pub(crate) fn usage(message: impl Display) -> Self {
        Failure { message: escaped(&message.to_string()), status: 2 }
    }

    /// Creates a failure of work that was requested correctly (exit status 1).
    pub(crate) fn work(message: impl Display) -> Self {
        Failure { status: 1, ..Failure::usage(message) }
    }

    /// Creates a failure because Ctrl-C stopped the work (exit status 130).
    pub(crate) fn stopped(message: impl Display) -> Self {
        Failure { status: STOPPED_BY_CTRL_C, ..Failure::usage(message) }
    }

    pub(crate) fn status(&self) -> u8 {
        self.status
    }

    /// Prints the message to standard error, after "error:" unless Ctrl-C stopped the work.
    pub(crate) fn report(&self) {
        let label = if self.status == STOPPED_BY_CTRL_C { String::new() } else { format!("{ERROR}error:{ERROR:#} ") };
        let _ = writeln!(anstream::stderr(), "{label}{}", self.message);
    }
}

/// Describes why the system refused to start a thread. Names the limit to raise if a limit was the reason.
pub(crate) fn thread_refusal(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::WouldBlock => format!(
            "{error}; no more processes and threads are allowed here: raise the limit (ulimit -u, or the pids limit of \
             the container)"
        ),
        _ => error.to_string(),
    }
}

/// Escapes characters that a terminal would interpret or hide, such as control characters in file names. Keeps quotes
/// and backslashes.
pub(crate) fn escaped(text: &str) -> String {
    const KEPT: [char; 3] = ['\'', '"', '\\'];
    let mut escaped = String::new();
    for part in text.split_inclusive(KEPT) {
        let before = part.trim_end_matches(KEPT);
        escaped.extend(before.escape_debug());
        escaped.push_str(&part[before.len()..]);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_hides_control_characters_and_keeps_names() {
        for name in ["it's \"a\" name\\", "加速.tar", "e\u{301}t\u{e9}"] {
            assert_eq!(escaped(name), name);
        }
        assert_eq!(escaped("a\u{1b}[31m'\u{202e}"), "a\\u{1b}[31m'\\u{202e}");
    }
}
