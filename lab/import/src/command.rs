//! Commands that a transcript shows before their output: what they change about the figures, and the environment
//! variables set for them.

use super::mask::{self, Mask};

/// Maximum number of characters kept of a command.
const MAX: usize = 400;

/// A call of `openssl speed`, as far as its output does not show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// The command with the variables set in front of it.
    pub(super) text: String,
    /// Whether the command has `-decrypt`.
    pub(super) is_decrypting: bool,
    /// Whether the command has `-aead`.
    pub(super) is_with_aead: bool,
    /// The value of `-multi`: a number of processes, or `None` if it is not a number (`$(nproc)`).
    pub(super) multi: Option<Option<u64>>,
    /// Options and variables because of which the figures are not OpenSSL's own: `engine devcrypto`, `mb`.
    pub(super) apart: Vec<String>,
    /// The capability mask in force.
    pub(super) mask: Option<Mask>,
}

/// Variables that a shell keeps for later commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Environment {
    mask: Option<Mask>,
    /// A configuration file, which may load engines and providers.
    configuration: Option<String>,
}

/// Options of `openssl speed` in all versions that do not change what the figures mean.
const FLAGS: [&str; 5] = ["elapsed", "mr", "mlock", "kem-algorithms", "signature-algorithms"];
/// Such options with a value.
const VALUES: [&str; 8] = ["evp", "hmac", "cmac", "seconds", "bytes", "rand", "writerand", "provider-path"];
/// Options without a value because of which the figures are not OpenSSL's own throughput.
const APART_FLAGS: [&str; 2] = ["mb", "testmode"];
/// Such options with a value.
const APART_VALUES: [&str; 8] =
    ["engine", "provider", "provparam", "propquery", "config", "async_jobs", "misalign", "primes"];

/// Providers that are part of `libcrypto` or shipped with it.
const OWN_PROVIDERS: [&str; 3] = ["default", "legacy", "base"];

/// Algorithms and groups of algorithms whose names are plain words.
const WORDS: &str = "aes blowfish bf camellia cast des dsa ecdh ecdsa eddsa ffdh ghash hmac idea rsa seed whirlpool";

impl Environment {
    /// Reads a line: the variables that it sets for later commands, and the command that stands anywhere in it.
    ///
    /// # Errors
    /// Why nobody can say what the line changes about the figures below it.
    pub(super) fn read(&mut self, line: &str) -> Result<Option<Command>, &'static str> {
        let split = split_at_speed(line);
        let mut own = self.clone();
        for assignment in assignments(split.map_or(line, |(openssl, _)| &line[..openssl])) {
            own.set(&assignment);
            if assignment.is_kept {
                self.set(&assignment);
            } else if split.is_none() && own.mask != self.mask {
                self.mask = own.mask.map(|mask| Mask { value: "of a line that is no command".to_owned(), ..mask });
                return Err("it sets a capability mask for an unknown command");
            }
        }
        let Some((openssl, after)) = split else { return Ok(None) };
        let (words, rest) = arguments(after, &closers(&line[..openssl]));
        let command = Command::read(&words, &own, self)?;
        let mut next = rest;
        while let Some((_, after)) = split_at_speed(next) {
            let (words, rest) = arguments(after, "");
            if Command::read(&words, self, self)? != command {
                return Err("it has several commands with different options");
            }
            next = rest;
        }
        let start = line[..openssl].find("OPENSSL_").unwrap_or(openssl);
        let text = line[start..line.len() - rest.len()].trim();
        Ok(Some(Command { text: text.chars().take(MAX).collect(), ..command }))
    }

    /// Returns a command that is not shown and runs with these variables.
    pub(super) fn command(&self) -> Command {
        let configuration = self.configuration.as_ref().map(|file| format!("OPENSSL_CONF={file}"));
        Command { mask: self.mask.clone(), apart: configuration.into_iter().collect(), ..Command::default() }
    }

    fn set(&mut self, assignment: &Assignment<'_>) {
        let value = assignment.value.map(str::to_owned);
        if assignment.name == "OPENSSL_CONF" {
            self.configuration = value.filter(|file| file != "/dev/null");
        } else if let Some(architecture) = mask::architecture(assignment.name) {
            self.mask = value.map(|value| Mask { architecture: architecture.to_owned(), value });
        }
    }
}

impl Command {
    /// Reads the arguments of a command that runs in `environment`; a shell keeps `kept`.
    fn read(words: &[&str], environment: &Environment, kept: &Environment) -> Result<Command, &'static str> {
        let mut command = environment.command();
        let mut is_prose = false;
        let mut words = words.iter().map(|word| word.trim_end_matches([':', ',', '.', '!', '?']));
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix("--").or(word.strip_prefix('-')) else {
                if word.contains(['$', '%', '`', '*']) {
                    return Err("its arguments are variables");
                }
                is_prose |= !is_algorithm(word);
                continue;
            };
            match option {
                "decrypt" => command.is_decrypting = true,
                "aead" => command.is_with_aead = true,
                "multi" => command.multi = Some(words.next().and_then(|count| count.parse().ok())),
                flag if FLAGS.contains(&flag) => {}
                flag if APART_FLAGS.contains(&flag) => command.apart.push(flag.to_owned()),
                name if VALUES.contains(&name) => drop(words.next()),
                name if APART_VALUES.contains(&name) => {
                    let value = words.next().unwrap_or_default();
                    if name != "provider" || !OWN_PROVIDERS.contains(&value) {
                        command.apart.push(format!("{name} {value}").trim().to_owned());
                    }
                }
                _ => return Err("it has an unknown option"),
            }
        }
        if is_prose && command != kept.command() {
            return Err("it is part of a sentence");
        }
        Ok(command)
    }
}

/// Finds `openssl speed`, with whatever path, prompt or quotation mark before it: the place of `openssl`, and the text
/// behind `speed`.
fn split_at_speed(line: &str) -> Option<(usize, &str)> {
    line.match_indices("speed").find_map(|(at, speed)| {
        let (before, after) = (&line[..at], &line[at + speed.len()..]);
        let is_word = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '='));
        let words = before.trim_end();
        let start = words.rfind(char::is_whitespace).map_or(0, |space| space + 1);
        let name = find_openssl(&words[start..]).filter(|_| is_word && words.len() < before.len())?;
        Some((start + name, after))
    })
}

/// Finds the program's name at the end of a word: `apps/openssl`, `C:\>openssl.exe`, `openssl-1.1`, `$OPENSSL_BIN`,
/// `OpenSSL>`.
fn find_openssl(word: &str) -> Option<usize> {
    let word = word.to_ascii_lowercase();
    let at = word.rfind("openssl")?;
    let suffix = word[at + "openssl".len()..].trim_end_matches(['"', '\'', '}', ')', '%', '>']);
    let version = suffix.trim_start_matches(['-', '_', '.', 'v']);
    let is_name = matches!(suffix, "" | ".exe") || version.starts_with(|c: char| c.is_ascii_digit());
    (is_name || word[..at].contains(['$', '%'])).then_some(at)
}

/// Signs that end a command, because they close what is open before it.
fn closers(before: &str) -> String {
    let is_odd = |sign: &char| before.matches(*sign).count() % 2 == 1;
    let is_open = before.matches('(').count() > before.matches(')').count();
    ['"', '\'', '`'].into_iter().filter(is_odd).chain(is_open.then_some(')')).collect()
}

/// Splits the text behind `speed` into the words of the command and what follows it.
fn arguments<'l>(text: &'l str, closers: &str) -> (Vec<&'l str>, &'l str) {
    let (command, rest) = split_where(text, |c| matches!(c, '|' | ';' | '<' | '>' | '&') || closers.contains(c));
    // The descriptor in `2>&1`.
    let command = if rest.starts_with('>') { command.trim_end_matches(|c: char| c.is_ascii_digit()) } else { command };
    let words = command.split_whitespace().take_while(|word| !word.starts_with('#'));
    (words.map(|word| word.trim_matches(['"', '\''])).collect(), rest)
}

/// Whether a word can be the name of an algorithm, and not one of a sentence.
fn is_algorithm(word: &str) -> bool {
    let is_name = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/'));
    is_name
        && (WORDS.split(' ').any(|name| name == word) || word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'-'))
}

/// A variable of OpenSSL's that a line sets.
struct Assignment<'l> {
    name: &'l str,
    /// The value; `None` if the variable is removed.
    value: Option<&'l str>,
    /// Whether a shell keeps the variable for later commands.
    is_kept: bool,
}

/// Finds the variables that are set in the words of any shell: `export`, `set`, `setenv`, `$env:`, or before a command.
fn assignments(text: &str) -> Vec<Assignment<'_>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("OPENSSL_") {
        let (before, rest) = text.split_at(at);
        let (name, rest) = split_where(rest, |c| !c.is_ascii_alphanumeric() && c != '_');
        let segment = before.rsplit([';', '&', '|']).next().unwrap_or(before);
        let is_border = |c: char| c.is_whitespace() || matches!(c, '>' | '$' | '#' | '%' | '`' | '(' | '"' | '\'');
        let has = |words: &[&str]| segment.split(is_border).any(|word| words.contains(&word));
        let is_power_shell = before.to_ascii_lowercase().ends_with("env:");
        let is_option = |options: &[&str]| has(&["set"]) && has(options);
        let is_absent = segment.trim_end().ends_with(" -u");
        let is_removed = is_absent || has(&["unset", "unsetenv", "Remove-Item"]) || is_option(&["-e"]);
        let is_spaced = is_power_shell || has(&["setenv"]) || is_option(&["-x", "-gx"]);
        let rest = if is_spaced { rest.trim_start() } else { rest };
        let Some(rest) = rest.strip_prefix('=').or((is_spaced || is_removed).then_some(rest)) else { continue };
        let rest = if is_spaced { rest.trim_start() } else { rest };
        let rest = rest.trim_start_matches(['"', '\'']);
        let (value, rest) = split_where(rest, |c| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ';' | '&' | ')'));
        // A sentence goes on behind the value.
        let (rest, _) = split_where(rest, |c| matches!(c, ';' | '&' | '|' | '#'));
        let is_command = rest.split_whitespace().all(|word| word.contains('=') || word.len() == 1);
        let is_setting = is_spaced || has(&["export", "set", "setx", "declare", "typeset"]);
        let is_empty = value.is_empty() && has(&["set"]);
        found.push(Assignment {
            name,
            value: Some(value).filter(|_| !is_removed && !is_empty),
            is_kept: if is_removed { !is_absent } else { is_setting && is_command },
        });
    }
    found
}

/// Splits text before the first character that fulfils a condition.
fn split_where(text: &str, is_end: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}
