//! `kasoku ab`: compares the times of commands.

mod parameters;
mod words;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::named::number_of;
use super::{CommandOutcome, Failure, Format, measuring_lock, tell};
use kasoku_libraries::{command, interruption};
use kasoku_measure::ab::{
    self, AbCommand, AbError, AbOptions, AbVerdict, Judgement, MIN_ROUNDS, MeasuredRounds, Quantity, Round, Words,
};
use kasoku_measure::machine;
use kasoku_model::printable::printable;
use kasoku_model::run_name;
use kasoku_report::export::{self, csv};
use kasoku_report::render;
use kasoku_store::output_file::{self, print};
use parameters::{Parameter, Values, combinations, fill};

const SCHEMA: u32 = 1;
const MAX_COMMANDS: usize = 100;

/// Show which of several commands takes longer, and whether the difference exceeds the noise
///
/// Each round runs A, A again and every other command in random order. The difference between A and itself is the noise
/// floor: a difference between A and another command is reported only if its whole 95 % interval lies beyond the floor.
/// Wall time decides; CPU time is shown beside it.
#[derive(Clone, Debug, clap::Args)]
#[command(
    override_usage = "kasoku ab [OPTIONS] 'COMMAND A' 'COMMAND B'...
       kasoku ab [OPTIONS] -- COMMAND A… -- COMMAND B… [-- COMMAND C…]...
       kasoku ab [OPTIONS] --parameter NAME=a,b,c 'COMMAND {NAME}'...",
    after_help = "Examples:
  kasoku ab 'gzip -k -f -1 big' 'gzip -k -f -6 big'
  kasoku ab --rounds 30 -- ./old --input 'a file' -- ./new --input 'a file'
  kasoku ab --shell 'xz -dc a.xz | wc -c' 'zstd -dc a.zst | wc -c'
  kasoku ab -P level=1,6,9 'gzip -c -{level} big'
  kasoku ab --prepare 'make clean' --cleanup 'make clean' -P jobs=1,2,4 'make -j{jobs}'
  kasoku ab --json ab.json --fail-on-regression './server-before --once' './server-after --once'

The first command, A, is the baseline of all others. Commands run without a shell, in the current folder, with empty \
standard input; a value of a parameter may be several words. The commands of --prepare and --cleanup run with sh -c.

Exit status: 0 compared, whatever the result; 1 a command failed, or with --fail-on-regression one takes longer than \
A; 2 wrong usage; 129, 130 or 143 stopped by a closed terminal, Ctrl-C or SIGTERM (complete rounds are still \
evaluated)."
)]
pub(crate) struct Args {
    /// The commands, baseline first: each in quotes, or each after its own --
    #[arg(required = true, value_name = "COMMAND")]
    commands: Vec<OsString>,
    /// Run each command with sh -c, for pipes and redirections; the shell's time is included
    #[arg(long)]
    shell: bool,
    /// Run CMD before each run of a command; the time is not counted
    #[arg(long, value_name = "CMD")]
    prepare: Option<String>,
    /// Run CMD at the end, also after a failure or Ctrl-C; once for each value of the parameters in it
    #[arg(long, value_name = "CMD")]
    cleanup: Option<String>,
    /// Compare a command with {NAME} replaced by each value; several parameters give all combinations (\, is a comma)
    #[arg(short = 'P', long = "parameter", value_name = "NAME=a,b,c")]
    parameters: Vec<Parameter>,
    /// Number of rounds, however long they take
    #[arg(long, value_name = "N", value_parser = number_of("rounds", MIN_ROUNDS..=10_000))]
    rounds: Option<u32>,
    /// Seconds in which rounds are started; at least ten rounds are run
    #[arg(long, value_name = "SECONDS", default_value_t = 20, conflicts_with = "rounds")]
    #[arg(value_parser = number_of("seconds", 1..=86_400_u64))]
    time: u64,
    /// Run each command N times before the first round
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number_of("warm-up runs", 0..=1_000_u32))]
    warmup: u32,
    /// Show the commands' output, on standard error
    #[arg(long)]
    show_output: bool,
    /// Exit with status 1 if a command is shown to take longer than A
    #[arg(long)]
    fail_on_regression: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Also write the results, with every sample, to this JSON file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also write the table to this Markdown file; - prints it instead of the usual table
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Wait for another run on this machine to finish, instead of refusing to start
    #[arg(long)]
    wait: bool,
}

pub(crate) fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    let candidates = candidates(args)?;
    let cleanup = cleanup_commands(args)?;
    let markdown = args.markdown.as_ref().filter(|path| !is_printed(path, args));
    [args.json.as_ref(), markdown].into_iter().flatten().try_for_each(|path| output_file::check_writable(path))?;
    let _lock = measuring_lock(args.wait)?;
    let _listening =
        interruption::listen().map_err(|error| Failure::new(format!("cannot install signal handlers: {error}")))?;
    let options = AbOptions {
        rounds: args.rounds,
        time: Duration::from_secs(args.time),
        warm_up: args.warmup,
        is_output_shown: args.show_output,
    };
    let started = run_name::now();
    let bar = progress_line(args);
    let commands: Vec<AbCommand> = candidates.iter().map(|candidate| candidate.command.clone()).collect();
    let measured = ab::run(&commands, &options, &mut |rounds: &[Round]| bar.set_message(words::progress(rounds)));
    let cleaned = ab::clean_up(&cleanup, args.show_output).map_err(Failure::in_the_middle);
    bar.finish_and_clear();
    let delivered = match measured {
        Ok(measured) => deliver(args, &AbResult::new(args, &candidates, started, measured)),
        Err(error @ AbError::Failed { .. }) => Err(Failure::in_the_middle(error)),
        Err(error @ AbError::System(_)) => Err(Failure::new(error)),
    };
    match (delivered, cleaned) {
        (Ok(_), Err(uncleaned)) => Err(uncleaned),
        (Err(failure), Err(uncleaned)) => {
            tell(&format!("{uncleaned}"));
            Err(failure)
        }
        (delivered, Ok(())) => delivered,
    }
}

/// Whether the Markdown of `path` goes to standard output in place of the table.
fn is_printed(path: &Path, args: &Args) -> bool {
    output_file::is_standard_output(path) && matches!(args.format, Format::Table | Format::Markdown)
}

/// A command to compare.
struct Candidate<'a> {
    command: AbCommand,
    /// The command as people type it.
    shown: String,
    /// Values of the parameters in the command.
    values: Values<'a>,
}

/// Measured rounds of some commands, and the judgements on each command but the first.
struct AbResult<'a> {
    args: &'a Args,
    candidates: &'a [Candidate<'a>],
    started: String,
    measured: MeasuredRounds,
    judgements: Vec<Judged<'a>>,
}

struct Judged<'a> {
    candidate: &'a Candidate<'a>,
    quantity: Quantity,
    judgement: Judgement,
}

impl<'a> AbResult<'a> {
    fn new(args: &'a Args, candidates: &'a [Candidate<'a>], started: String, measured: MeasuredRounds) -> Self {
        let judged = |quantity, (number, candidate)| {
            let judgement = Judgement::from_rounds(&measured.rounds, number, quantity)?;
            Some(Judged { candidate, quantity, judgement })
        };
        let others = || candidates.iter().enumerate().skip(1);
        let of_all = |quantity| others().filter_map(move |other| judged(quantity, other));
        let judgements = Quantity::ALL.into_iter().flat_map(of_all).collect();
        AbResult { args, candidates, started, measured, judgements }
    }

    fn of(&self, quantity: Quantity) -> impl Iterator<Item = &Judged<'a>> {
        self.judgements.iter().filter(move |judged| judged.quantity == quantity)
    }

    /// Returns the verdict on the wall time of all commands: that one takes longer than A, otherwise that one
    /// takes less.
    fn verdict(&self) -> Option<AbVerdict> {
        let has = |verdict| self.of(Quantity::Time).any(|judged| judged.judgement.verdict() == verdict);
        [AbVerdict::More, AbVerdict::Less, AbVerdict::NoDifference].into_iter().find(|verdict| has(*verdict))
    }

    /// Returns the verdicts on wall time, and those on CPU time of commands of which only CPU time shows a difference.
    fn says(&self) -> Option<String> {
        let mut says = Vec::new();
        for time in self.of(Quantity::Time) {
            let name = &time.candidate.command.name;
            says.push(words::verdict(name, Quantity::Time, &time.judgement));
            let is_same = |judged: &Judged| judged.judgement.verdict() == AbVerdict::NoDifference;
            let cpu = self.of(Quantity::CpuTime).find(|cpu| cpu.candidate.command.name == *name);
            if let Some(cpu) = cpu.filter(|cpu| is_same(time) && !is_same(cpu)) {
                says.push(words::verdict(name, Quantity::CpuTime, &cpu.judgement));
            }
        }
        (!says.is_empty()).then(|| says.join("\n"))
    }

    fn render(&self, format: Format) -> String {
        match format {
            Format::Json => export::json::text(&self.document()),
            Format::Csv => {
                const COLUMNS: &str = "round,turn,ns,cpu_ns";
                csv::of_objects(COLUMNS, self.samples().into_iter().map(|sample| [sample]))
            }
            Format::Table | Format::Markdown => {
                let verdict = self.says().unwrap_or_default();
                let commands = || self.candidates.iter().map(|one| (one.command.name.as_str(), one.shown.as_str()));
                let about = words::about(self.measured.rounds.len(), self.candidates.len(), self.args.warmup);
                let mut rows = Vec::new();
                for quantity in Quantity::ALL {
                    let of_each: Vec<_> = self.of(quantity).map(|one| (&*one.candidate.command.name, one)).collect();
                    let Some((_, first)) = of_each.first() else { continue };
                    rows.push(words::baseline_row(quantity, &first.judgement));
                    rows.extend(of_each.iter().map(|(name, one)| words::row(name, &one.judgement)));
                }
                let mut headings = words::HEADINGS.to_vec();
                let mut lines = String::new();
                if format == Format::Markdown {
                    headings.insert(1, "command");
                    for row in &mut rows {
                        let command = commands().find(|(name, _)| *name == row[1]);
                        let (name, shown) = command.unwrap_or_default();
                        row.splice(1..2, [shown.to_owned(), name.to_owned()]);
                    }
                } else {
                    lines = commands().map(|(name, shown)| format!("{name}  {}\n", printable(shown))).collect();
                }
                let table = render::list(&headings, &rows, &Value::Null, format);
                format!("{lines}{about}\n\n{table}\n{verdict}\n")
            }
        }
    }

    fn document(&self) -> Value {
        let quantities: Vec<Value> = self
            .judgements
            .iter()
            .map(|judged| {
                let mut object = json!(judged.judgement);
                object["turn"] = judged.candidate.command.name.to_lowercase().into();
                object["quantity"] = json!(judged.quantity);
                object["unit"] = "s".into();
                object["verdict"] = json!(judged.judgement.verdict());
                object
            })
            .collect();
        let mut document = json!({
            "schema": SCHEMA,
            "kasoku": env!("CARGO_PKG_VERSION"),
            "started": self.started,
            "machine": machine::this(),
            "shell": self.args.shell,
            "prepare": self.args.prepare,
            "cleanup": self.args.cleanup,
            "warmup": self.args.warmup,
            "complete": !self.measured.is_stopped,
            "verdict": self.verdict(),
            "says": self.says(),
            "parameters": {},
            "quantities": quantities,
            "samples": self.samples(),
        });
        for Candidate { command, shown, values } in self.candidates {
            let name = command.name.to_lowercase();
            document["parameters"][&name] = values.iter().map(|(name, value)| (*name, *value)).collect();
            document[name] = shown.as_str().into();
        }
        document
    }

    fn samples(&self) -> Vec<Value> {
        let others = self.candidates.iter().skip(1).map(|candidate| candidate.command.name.to_lowercase());
        let turns: Vec<String> = ["a", "again"].map(str::to_owned).into_iter().chain(others).collect();
        let turns = self.measured.rounds.iter().enumerate().flat_map(|(number, round)| {
            turns.iter().zip(round).map(move |(turn, taken)| {
                let mut sample = json!(taken);
                (sample["round"], sample["turn"]) = (json!(number), json!(turn));
                sample
            })
        });
        turns.collect()
    }
}

fn deliver(args: &Args, found: &AbResult<'_>) -> Result<CommandOutcome, Failure> {
    let rounds = found.measured.rounds.len();
    let stopped = |what: &str| Failure::stopped(interruption::signal().unwrap_or_default(), what);
    if found.verdict().is_none() {
        let few = format!("Stopped after {rounds} complete rounds; an interval needs {MIN_ROUNDS}, so nothing is kept");
        return Err(if found.measured.is_stopped {
            stopped(&few)
        } else {
            Failure::in_the_middle("the clock did not advance")
        });
    }
    let is_printed = args.markdown.as_ref().is_some_and(|path| is_printed(path, args));
    let files = [(&args.json, Format::Json), (&args.markdown, Format::Markdown)];
    // Writes the other outputs even if one of them fails.
    let written = files.map(|(path, format)| match path {
        Some(path) if !output_file::is_standard_output(path) => {
            output_file::write(path, found.render(format).as_bytes())
        }
        _ => Ok(()),
    });
    let printed = print(&found.render(if is_printed { Format::Markdown } else { args.format }));
    written.into_iter().chain([printed]).collect::<Result<(), _>>().map_err(Failure::in_the_middle)?;
    if found.measured.is_stopped {
        return Err(stopped(&format!("Stopped. These are the results of {rounds} complete rounds")));
    }
    let is_worse = found.verdict() == Some(AbVerdict::More);
    Ok(if args.fail_on_regression && is_worse { CommandOutcome::Partial } else { CommandOutcome::Done })
}

/// A command as the user gave it: one argument in quotes, or several words after `--`.
#[derive(Clone, Copy)]
enum Template<'a> {
    Quoted(&'a OsStr),
    Split(&'a [OsString]),
}

impl Template<'_> {
    fn has(&self, parameter: &Parameter) -> bool {
        let is_in = |text: &OsStr| text.to_str().is_some_and(|text| parameter.is_in(text));
        match self {
            Template::Quoted(text) => is_in(text),
            Template::Split(words) => words.iter().any(|word| is_in(word)),
        }
    }
}

fn candidates(args: &Args) -> Result<Vec<Candidate<'_>>, Failure> {
    let parts: Vec<&[OsString]> = args.commands.split(|word| word == "--").collect();
    let templates: Vec<Template<'_>> = match parts.as_slice() {
        [quoted] => quoted.iter().map(|text| Template::Quoted(text)).collect(),
        _ => parts.iter().map(|words| Template::Split(words)).collect(),
    };
    if parts.len() > 1 && args.shell {
        let quoted: Vec<String> = parts.iter().map(|words| format!("'{}'", words::command(words))).collect();
        return Err(Failure::new(format!(
            "--shell takes each command in quotes: kasoku ab --shell {}",
            quoted.join(" ")
        )));
    }
    check_parameters(args, &templates)?;
    let is_prepared = |parameter: &Parameter| args.prepare.as_ref().is_some_and(|command| parameter.is_in(command));
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for template in &templates {
        let is_used = |parameter: &Parameter| template.has(parameter) || is_prepared(parameter);
        let left = MAX_COMMANDS.saturating_sub(candidates.len());
        let combinations = combinations(&args.parameters, is_used, left).filter(|_| left > 0);
        let combinations = combinations
            .ok_or_else(|| Failure::new(format!("more than {MAX_COMMANDS} commands; give fewer values")))?;
        for (number, values) in combinations.into_iter().enumerate() {
            let name = words::name(candidates.len());
            let words = filled(&name, *template, &values, args.shell, number == 0)?;
            check_program(&name, &words)?;
            let shown = match words.last() {
                Some(text) if args.shell => text.to_string_lossy().into_owned(),
                _ => words::command(&words),
            };
            let prepare = args.prepare.as_ref().map(|command| in_shell(fill(command, &values)));
            candidates.push(Candidate { command: AbCommand { name, words, prepare }, shown, values });
        }
    }
    if candidates.len() < 2 {
        return Err(Failure::new(
            "two commands are needed: each in quotes, kasoku ab 'COMMAND A' 'COMMAND B', or each after its own --; or \
             one in quotes with --parameter",
        ));
    }
    Ok(candidates)
}

fn check_parameters(args: &Args, templates: &[Template<'_>]) -> Result<(), Failure> {
    for (number, parameter) in args.parameters.iter().enumerate() {
        let name = &parameter.name;
        if args.parameters[..number].iter().any(|other| other.name == *name) {
            return Err(Failure::new(format!("--parameter {name} is given twice; list its values in one")));
        }
        let is_prepared = args.prepare.as_ref().is_some_and(|command| parameter.is_in(command));
        if !is_prepared && !templates.iter().any(|template| template.has(parameter)) {
            return Err(Failure::new(format!("no command contains {{{name}}}, the place of --parameter {name}")));
        }
    }
    Ok(())
}

fn cleanup_commands(args: &Args) -> Result<Vec<Words>, Failure> {
    let Some(command) = &args.cleanup else { return Ok(Vec::new()) };
    let combinations = combinations(&args.parameters, |parameter| parameter.is_in(command), MAX_COMMANDS)
        .ok_or_else(|| Failure::new(format!("more than {MAX_COMMANDS} cleanup commands; give fewer values")))?;
    Ok(combinations.iter().map(|values| in_shell(fill(command, values))).collect())
}

fn in_shell(command: impl Into<OsString>) -> Words {
    vec!["sh".into(), "-c".into(), command.into()]
}

fn check_program(name: &str, words: &[OsString]) -> Result<(), Failure> {
    let program = words.first().ok_or_else(|| Failure::new(format!("{name} is empty")))?;
    let is_there = match Path::new(program).components().count() {
        1 => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            command::find(&program.to_string_lossy(), &path).is_some()
        }
        _ => Path::new(program).is_file(),
    };
    if !is_there {
        return Err(Failure::new(format!("{name}: program not found: {}", printable(&words::quoted(program)))));
    }
    Ok(())
}

/// Returns the words of a command with parameters replaced. Warns of shell syntax without a shell if `warns`.
fn filled(name: &str, template: Template<'_>, values: &Values<'_>, shell: bool, warns: bool) -> Result<Words, Failure> {
    let text = match template {
        Template::Split(words) => {
            let word = |word: &OsString| word.to_str().map_or_else(|| word.clone(), |text| fill(text, values).into());
            return Ok(words.iter().map(word).collect());
        }
        Template::Quoted(text) => text,
    };
    let Some(text) = text.to_str() else {
        return match shell {
            true => Ok(in_shell(text)),
            false => Err(Failure::new(format!("{name} is not valid UTF-8; give it after a --"))),
        };
    };
    if shell {
        return Ok(in_shell(fill(text, values)));
    }
    if let Some(syntax) = shell_syntax(text).filter(|_| warns) {
        tell(&format!(
            "warning: {name}: no shell runs the command, so {syntax} has no special meaning; use --shell for pipes, \
             redirections, variables and patterns"
        ));
    }
    let text = fill(text, values);
    let words =
        shell_words::split(&text).map_err(|_| Failure::new(format!("{name}: unclosed quote: {}", printable(&text))))?;
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Returns the first character of `text` that is special to a shell.
fn shell_syntax(text: &str) -> Option<char> {
    let mut quote = None;
    let mut characters = text.char_indices().peekable();
    while let Some((place, character)) = characters.next() {
        let before = &text[..place];
        match character {
            '\'' | '"' if quote == Some(character) => quote = None,
            _ if quote == Some('\'') => {}
            '\'' | '"' if quote.is_none() => quote = Some(character),
            '\\' => drop(characters.next()),
            '`' => return Some(character),
            '$' if characters.peek().is_some_and(|(_, next)| next.is_alphanumeric() || "_{($?#@*!".contains(*next)) => {
                return Some(character);
            }
            _ if quote.is_some() => {}
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '*' | '?' | '\n' => return Some(character),
            '~' if before.is_empty() || before.ends_with(char::is_whitespace) => return Some(character),
            // A variable assignment before the command.
            '=' if before.chars().all(|letter| letter.is_alphanumeric() || letter == '_') => return Some(character),
            _ => {}
        }
    }
    None
}

/// Creates the progress line, which is shown on terminals only.
fn progress_line(args: &Args) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed}{prefix}  {msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(match args.rounds {
        Some(rounds) => format!(" of {rounds} rounds"),
        None => format!(" of {} s", args.time),
    });
    let shown = bar.clone();
    // indicatif's own ticker panics if the system refuses a thread. Without a ticker, the line moves once a round.
    let _ = std::thread::Builder::new().spawn(move || {
        while !shown.is_finished() {
            shown.tick();
            std::thread::sleep(Duration::from_millis(500));
        }
    });
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_syntax_ignores_quoted_characters() {
        for (text, syntax) in [
            ("sort a > b", '>'),
            ("xz -dc a.xz | wc -c", '|'),
            ("make&&make check", '&'),
            ("true; false", ';'),
            ("cat <a", '<'),
            ("(true)", '('),
            ("ls *.rs", '*'),
            ("ls a?", '?'),
            ("ls ~/a", '~'),
            ("echo $HOME", '$'),
            ("echo \"${HOME}\" 'it''s'", '$'),
            ("echo \"`date`\"", '`'),
            ("LC_ALL=C sort a", '='),
        ] {
            assert_eq!(shell_syntax(text), Some(syntax), "{text}");
        }
        for text in [
            "gzip -c -1 text",
            "grep '>' a",
            "awk '{ print $1; exit }' a~",
            "grep \"a|b;'*\" c",
            "echo \\> 5$ \"\\$HOME\"",
            "dd if=/dev/zero of=a",
            "./a=b",
        ] {
            assert_eq!(shell_syntax(text), None, "{text}");
        }
    }
}
