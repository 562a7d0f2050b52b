//! The command that a transcript shows before its output, where somebody kept it: what it changes about the figures.

/// What the command says that the output does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// The command itself.
    pub(super) text: String,
    /// Whether `-decrypt` was asked for.
    pub(super) is_decrypting: bool,
    /// Whether `-aead` was asked for.
    pub(super) is_with_aead: bool,
    /// How many processes worked at once, if `-multi` was asked for.
    pub(super) processes: Option<u64>,
    /// What `OPENSSL_ia32cap` or `OPENSSL_armcap` was set to for it.
    pub(super) environment: Option<String>,
}

/// The most that is kept of a command.
const MAX: usize = 400;

impl Command {
    /// Out of a line that is a command and nothing else, after a prompt or none: `$ openssl speed -evp aes-128-gcm`.
    pub(super) fn read(line: &str) -> Option<Command> {
        let line = line.trim_start_matches("# run:").trim().trim_matches('`');
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.windows(2).position(|pair| is_openssl(pair[0]) && pair[1] == "speed")?;
        let (before, arguments) = (words.get(..at)?, words.get(at + 2..)?);
        if !before.iter().all(|word| is_before_a_command(word)) || !arguments.iter().all(|word| is_argument(word)) {
            return None;
        }
        // openssl takes two dashes too.
        let has = |option: &str| {
            arguments.iter().any(|word| word.strip_prefix("--").or(word.strip_prefix('-')) == Some(option))
        };
        let value_after = |name: &str| {
            let at = arguments.iter().position(|argument| argument.trim_start_matches('-') == name)?;
            arguments.get(at + 1).copied()
        };
        let environment = before.iter().find_map(|word| {
            let value = word.strip_prefix("OPENSSL_ia32cap=").or_else(|| word.strip_prefix("OPENSSL_armcap="))?;
            Some(value.trim_matches(['"', '\'']).to_owned())
        });
        let start = before.iter().rposition(|word| word.ends_with(['$', '#', '%', '>'])).map_or(0, |prompt| prompt + 1);
        Some(Command {
            text: words.get(start..)?.join(" ").chars().take(MAX).collect(),
            is_decrypting: has("decrypt"),
            is_with_aead: has("aead"),
            processes: value_after("multi").and_then(|count| count.parse().ok()),
            environment,
        })
    }
}

fn is_openssl(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    matches!(name.trim_matches('"'), "openssl" | "openssl.exe" | "openssl3" | "openssl11")
}

/// Prompts, variables, and commands that run another one.
fn is_before_a_command(word: &str) -> bool {
    let is_prompt = word.ends_with(['$', '#', '%', '>']);
    let is_variable = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b',' || byte == b'-');
    is_prompt
        || is_variable
        || is_number
        || matches!(word, "env" | "time" | "sudo" | "nice" | "taskset" | "-c" | "-n" | "&")
}

/// Algorithms, options, redirections: a sentence that goes on has other words.
fn is_argument(word: &str) -> bool {
    word.is_ascii() && !word.ends_with(['.', ':', '!', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_says_what_its_output_does_not() {
        let command = Command::read(
            "user@host:~$ OPENSSL_ia32cap=\"~0x200000200000000\" openssl speed -elapsed -multi 4 -decrypt -evp \
             aes-128-gcm",
        )
        .unwrap();
        assert_eq!(command.environment.as_deref(), Some("~0x200000200000000"));
        assert_eq!((command.processes, command.is_decrypting), (Some(4), true));
        assert!(command.text.starts_with("OPENSSL_ia32cap="), "{}", command.text);
        for line in
            ["openssl speed rsa", "# openssl speed", "% time /usr/bin/openssl speed rsa", "`openssl speed -evp sha1`"]
        {
            let command = Command::read(line).unwrap();
            assert_eq!((command.processes, command.environment), (None, None), "{line}");
        }
    }

    #[test]
    fn a_sentence_is_no_command() {
        for line in [
            "openssl speed is a benchmark.",
            "コマンドは`openssl speed -elapsed -evp`を使用しています。",
            "run openssl speed with -decrypt",
            "openssl version",
            "speed openssl",
            "",
        ] {
            assert_eq!(Command::read(line), None, "{line}");
        }
    }
}
