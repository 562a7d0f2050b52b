//! Reads commands that a transcript shows before their output: options that change the meaning of the figures, and
//! environment variables.

use super::mask::{self, CapabilityMask};

/// Maximum number of characters kept of a command.
const MAX: usize = 400;
/// Maximum number of commands, and of variables, read in one line: the time stays proportional to the line's length.
const MAX_PARTS: usize = 8;
const MAX_NAME: usize = 40;

/// A call of `openssl speed`: the options that its output does not show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// The command with the variables set in front of it.
    pub(super) text: String,
    pub(super) is_decrypting: bool,
    pub(super) is_with_aead: bool,
    /// Number of processes of `-multi`; `Some(None)` if its value is not a number (`$(nproc)`).
    pub(super) multi: Option<Option<u64>>,
    /// Options and variables with which the figures do not represent OpenSSL itself: `engine devcrypto`, `mb`.
    pub(super) apart: Vec<String>,
    pub(super) mask: Option<CapabilityMask>,
    /// Whether the line may be a sentence that mentions the command, without options that change the figures.
    pub(super) is_mention: bool,
    /// Whether the command may have run several times, in a loop or a list.
    pub(super) is_repeated: bool,
}

/// Reason why a command line leaves the meaning of the figures below it unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unclear {
    /// The command is not understood, for this reason.
    Command(String),
    /// The line sets a capability mask for an unknown command. A line CPUINFO below shows whether the mask applied.
    Mask,
}

/// Exported variables of a shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Environment {
    mask: Option<CapabilityMask>,
    /// The file in `OPENSSL_CONF`, which may load engines and providers.
    configuration: Option<String>,
}

/// Options without value, of all versions of `openssl speed`, that do not change the meaning of the figures.
const FLAGS: [&str; 5] = ["elapsed", "mr", "mlock", "kem-algorithms", "signature-algorithms"];
/// Options with a value that do not change the meaning of the figures.
const VALUES: [&str; 8] = ["evp", "hmac", "cmac", "seconds", "bytes", "rand", "writerand", "provider-path"];
/// Options without value with which the figures do not represent OpenSSL itself.
const APART_FLAGS: [&str; 2] = ["mb", "testmode"];
/// Options with a value with which the figures do not represent OpenSSL itself.
const APART_VALUES: [&str; 8] =
    ["engine", "provider", "provparam", "propquery", "config", "async_jobs", "misalign", "primes"];

/// Providers in `libcrypto` or shipped with it.
const OWN_PROVIDERS: [&str; 3] = ["default", "legacy", "base"];

/// Names of algorithms and their groups that have neither digit nor hyphen.
const WORDS: &str = "aes blowfish bf camellia cast des dsa ecdh ecdsa eddsa ffdh ghash hmac idea rsa seed whirlpool";

impl Environment {
    /// Finds a command anywhere in a line, and updates the variables that the line sets for later commands.
    pub(super) fn read(&mut self, line: &str) -> Result<Option<Command>, Unclear> {
        // zsh's `time` and perf print the command again after its output.
        if line.contains("% cpu") || line.contains("counter stats for") {
            return Ok(None);
        }
        let Some((openssl, after)) = split_at_speed(line) else {
            let mut is_unclear = false;
            for assignment in assignments(line) {
                is_unclear |= !assignment.is_setting && assignment.name != CONFIGURATION;
                if assignment.is_kept {
                    self.set(&assignment);
                } else if assignment.is_alone {
                    let value = assignment.value.map(|value| format!("{value} (set without `export`)"));
                    self.set(&Assignment { value: value.as_deref(), ..assignment });
                }
            }
            return if is_unclear { Err(Unclear::Mask) } else { Ok(None) };
        };
        let (before, called) = (&line[..openssl], &line[..line.len() - after.len()]);
        let mut own = self.clone();
        let mut is_dropped = own != Environment::default() && drops_variables(before);
        for assignment in assignments(before) {
            let until_command = &before[assignment.end..];
            if assignment.is_kept {
                self.set(&assignment);
            }
            if assignment.is_setting || !until_command.contains([';', '&', '|']) {
                own.set(&assignment);
                is_dropped |= drops_variables(until_command);
            }
        }
        if is_dropped {
            return Err(Unclear::Command("sudo may drop its variables".to_owned()));
        }
        let words = arguments(after, &closers(called));
        let command = Command::read(&words, before, &own, self)?;
        let mut next = after;
        for _ in 0..MAX_PARTS {
            let Some((_, after)) = split_at_speed(next) else { break };
            if (Command { is_mention: false, ..Command::read(&arguments(after, ""), before, self, self)? })
                != (Command { is_mention: false, ..command.clone() })
            {
                return Err(Unclear::Command("it has several commands with different options".to_owned()));
            }
            next = after;
        }
        for assignment in assignments(after) {
            if !assignment.is_kept && assignment.name != CONFIGURATION {
                return Err(Unclear::Mask);
            }
            self.set(&assignment);
        }
        let start = before.find("OPENSSL_").unwrap_or(openssl);
        let text: String = line[start..].trim_end_matches(['`', '\'', '"']).chars().take(MAX).collect();
        let is_repeated = line.replace("2>&1", "").contains([';', '&']) || before.contains("xargs");
        let is_mention = command.is_mention || (words.is_empty() && line.ends_with(':'));
        Ok(Some(Command { text, is_mention, is_repeated, ..command }))
    }

    /// Returns a command that runs with this environment. The command's text and options are unknown.
    pub(super) fn command(&self) -> Command {
        let configuration = self.configuration.as_ref().map(|file| format!("{CONFIGURATION}={file}"));
        Command { mask: self.mask.clone(), apart: configuration.into_iter().collect(), ..Command::default() }
    }

    fn set(&mut self, assignment: &Assignment<'_>) {
        let value = assignment.value.map(str::to_owned);
        if assignment.name == CONFIGURATION {
            self.configuration = value.filter(|file| !matches!(file.as_str(), "" | "/dev/null"));
        } else if let Some(architecture) = mask::architecture(assignment.name) {
            self.mask = value.map(|value| CapabilityMask { architecture: architecture.to_owned(), value });
        }
    }
}

impl Command {
    /// Parses the arguments of a command. `before` is the line's text before the command. `environment` has all
    /// variables of the command, `kept` only those that stay set for later commands.
    fn read(words: &[String], before: &str, environment: &Environment, kept: &Environment) -> Result<Command, Unclear> {
        let unclear = |why: String| Err(Unclear::Command(why));
        let mut command = environment.command();
        let mut is_prose = false;
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            // Horizontal rules, dashes between words, borders.
            if !word.contains(char::is_alphanumeric) && !word.starts_with(['$', '%']) {
                continue;
            }
            let Some(option) = word.strip_prefix(DASHES) else {
                if word.starts_with(['$', '%']) && !is_loop_over_names(before) {
                    return unclear(format!("\"{word}\" stands for other arguments"));
                } else if word.starts_with("[-") {
                    return unclear("it shows which options there are".to_owned());
                }
                is_prose |= !is_algorithm(word) && !word.starts_with('$');
                continue;
            };
            let option = option.trim_start_matches(DASHES);
            let (option, rest) = split_where(option, |c| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
            let mut value = || rest.strip_prefix('=').or_else(|| words.next()).unwrap_or_default();
            match option {
                "decrypt" => command.is_decrypting = true,
                "aead" => command.is_with_aead = true,
                "multi" => command.multi = Some(value().parse().ok()),
                flag if FLAGS.contains(&flag) => {}
                flag if APART_FLAGS.contains(&flag) => command.apart.push(flag.to_owned()),
                name if VALUES.contains(&name) => _ = value(),
                name if APART_VALUES.contains(&name) => {
                    let value = value();
                    if name != "provider" || !OWN_PROVIDERS.contains(&value) {
                        command.apart.push(format!("{name} {value}").trim().to_owned());
                    }
                }
                _ => return unclear(format!("the option \"{word}\" is unknown")),
            }
        }
        command.is_mention = is_prose;
        if is_prose && command != (Command { is_mention: true, ..kept.command() }) {
            return unclear("it is part of a sentence".to_owned());
        }
        Ok(command)
    }
}

const CONFIGURATION: &str = "OPENSSL_CONF";
/// A hyphen, and the dashes that word processors make of it.
const DASHES: [char; 4] = ['-', '–', '—', '−'];

/// Finds `openssl speed` behind any path, prompt or quotation mark. Returns the position of `openssl` and the text
/// after `speed`.
fn split_at_speed(line: &str) -> Option<(usize, &str)> {
    line.match_indices("speed").find_map(|(at, speed)| {
        let (before, after) = (&line[..at], &line[at + speed.len()..]);
        if after.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '=')) {
            return None;
        }
        let words = before.trim_end();
        let word = words.rsplit(char::is_whitespace).next().filter(|_| words.len() < before.len())?;
        Some((words.len() - word.len() + find_openssl(word)?, after))
    })
}

/// Returns the program's position in words like `apps/openssl`, `C:\>openssl.exe`, `$OPENSSL_BIN` and `OpenSSL>`.
fn find_openssl(word: &str) -> Option<usize> {
    let word = word.to_ascii_lowercase();
    word.rfind("openssl").or_else(|| word.rfind("libressl"))
}

/// Returns the quotation marks and brackets that are open after `before`: closing one ends the command.
fn closers(before: &str) -> String {
    let is_odd = |sign: &char| before.matches(*sign).count() % 2 == 1;
    let is_open = before.matches('(').count() > before.matches(')').count();
    ['"', '\'', '`'].into_iter().filter(is_odd).chain(is_open.then_some(')')).collect()
}

/// Whether `text`, between an assignment and the command, has `sudo` or `doas`, which remove variables.
fn drops_variables(text: &str) -> bool {
    text.split_whitespace().any(|word| matches!(word, "sudo" | "doas")) && !text.contains("-E")
}

/// Whether `before` begins a `for` loop over plain words, without options or variables.
fn is_loop_over_names(before: &str) -> bool {
    let names = before.split_once("for ").and_then(|(_, rest)| rest.split_once(" in "));
    let is_option = |word: &str| word.trim_matches(['"', '\'']).starts_with(['-', '$']);
    names.is_some_and(|(_, names)| !names.split_whitespace().any(is_option))
}

/// Splits the text after `speed` into arguments, without redirections. A substitution (`$(nproc)`) becomes `$`.
fn arguments(text: &str, closers: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = text;
    // The text of a substitution may contain characters that would end the command.
    while let Some((before, inside)) = rest.split_once("$(") {
        plain.push_str(before);
        plain.push('$');
        rest = inside.split_once(')').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    let plain = plain.replace("2>&1", " ").replace("&>", ">");
    let (command, _) = split_where(&plain, |c| matches!(c, '|' | ';' | '&') || closers.contains(c));
    let command = command.split("</").next().unwrap_or_default();
    let mut words = Vec::new();
    let mut all = command.split_whitespace().take_while(|word| !word.starts_with('#'));
    while let Some(word) = all.next() {
        let (kept, redirection) = split_where(word, |c| c == '>');
        if redirection == ">" || redirection == ">>" {
            all.next();
        }
        let is_descriptor = !redirection.is_empty() && kept.bytes().all(|byte| byte.is_ascii_digit());
        let kept = kept.trim_matches(['"', '\'', '“', '”', '*']).trim_end_matches([':', ',', '.', '!', '?']);
        if !is_descriptor && !kept.is_empty() {
            words.push(kept.to_owned());
        }
    }
    words
}

fn is_algorithm(word: &str) -> bool {
    let is_name = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/'));
    is_name
        && (WORDS.split(' ').any(|name| name == word) || word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'-'))
}

/// An assignment to one of OpenSSL's variables.
struct Assignment<'l> {
    name: &'l str,
    /// The new value; `None` if the variable is removed.
    value: Option<&'l str>,
    /// Position in the line after the value.
    end: usize,
    /// Whether a shell command like `export` or `unset` changes the variable.
    is_setting: bool,
    /// Whether the variable stays changed on later lines.
    is_kept: bool,
    /// Whether the line has nothing but the assignment. A later `export` may then make the assignment effective, or a
    /// command on the next line if a line was wrapped.
    is_alone: bool,
}

/// Finds assignments in the syntax of any shell: `export`, `set`, `setenv`, `$env:`, or before a command.
fn assignments(text: &str) -> Vec<Assignment<'_>> {
    let mut found = Vec::new();
    let names = text.match_indices("OPENSSL_").filter_map(|(at, _)| {
        let bytes = text.as_bytes()[at..].iter().take(MAX_NAME);
        let name = &text[at..][..bytes.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()];
        (name == CONFIGURATION || mask::architecture(name).is_some()).then_some((at, name))
    });
    for (at, name) in names.take(MAX_PARTS) {
        let (before, rest) = (&text[..at], &text[at + name.len()..]);
        let segment = before.rsplit([';', '&', '|']).next().unwrap_or(before);
        let (setter, words) = setter(segment);
        let is_power_shell = before.as_bytes().last_chunk::<4>().is_some_and(|end| end.eq_ignore_ascii_case(b"env:"));
        let has = |names: &[&str]| words.clone().any(|word| names.contains(&word));
        let is_absent = segment.trim_end().ends_with(" -u");
        let is_removed = is_absent
            || matches!(setter, "unset" | "unsetenv" | "Remove-Item")
            || (setter == "set" && has(&["-e"]))
            || (setter == "export" && has(&["-n"]));
        let is_spaced = is_power_shell || setter == "setenv" || (setter == "set" && has(&["-x", "-gx"]));
        let rest = if is_spaced { rest.trim_start() } else { rest };
        let Some(rest) = rest.strip_prefix('=').or((is_spaced || is_removed).then_some(rest)) else { continue };
        let rest = if is_spaced { rest.trim_start() } else { rest };
        let rest = rest.trim_start_matches(['"', '\'', '“', '”']);
        let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '”' | '`' | ';' | '&' | '|' | ')');
        let (value, rest) = split_where(rest, is_end);
        // More words after the value show that it is part of a sentence.
        let (tail, _) = split_where(rest, |c| matches!(c, ';' | '&' | '|' | '#'));
        let is_command = tail.split_whitespace().all(|word| word.contains('=') || word.len() == 1);
        let is_empty = (value.is_empty() && (setter == "set" || is_power_shell)) || value == "$null";
        let is_in_subshell = closers(before).contains(['"', '\'', ')']);
        let is_setting = is_spaced || matches!(setter, "export" | "set" | "setx" | "declare" | "typeset");
        let is_setting = if is_removed { !is_absent } else { is_setting && is_command };
        found.push(Assignment {
            name,
            value: Some(value.trim_end_matches(['.', ',', ':'])).filter(|_| !is_removed && !is_empty),
            end: text.len() - rest.len(),
            is_setting,
            is_kept: is_setting && !is_in_subshell,
            is_alone: setter.is_empty() && is_prompt(segment.trim_end()) && tail.trim_matches(['"', '\'']).is_empty(),
        });
    }
    found
}

/// Finds a command that sets variables behind any prompt. Returns its name, empty if there is none, and its arguments.
fn setter(segment: &str) -> (&str, impl Iterator<Item = &str> + Clone) {
    let mut words = segment.split_whitespace();
    let mut setter = "";
    let mut is_begin = true;
    for word in words.by_ref() {
        let name = word.rsplit(['>', '$', '`', '(', '"', '\'']).next().unwrap_or(word);
        if SETTERS.contains(&name) && (is_begin || name.len() < word.len()) {
            setter = name;
            break;
        }
        is_begin = is_prompt(word);
    }
    (setter, words)
}

/// Whether `text` is empty or ends like a prompt, so that a command may follow.
fn is_prompt(text: &str) -> bool {
    text.is_empty() || text.ends_with(['$', '#', '%', '>', '`', '~', '❯', '➜', '('])
}

const SETTERS: [&str; 9] =
    ["export", "set", "setx", "setenv", "declare", "typeset", "unset", "unsetenv", "Remove-Item"];

fn split_where(text: &str, is_end: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}
