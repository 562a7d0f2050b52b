//! `kasoku ab`: compares the times of two commands.

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
    self, AbError, AbOptions, AbVerdict, Judgement, MIN_ROUNDS, MeasuredRounds, Quantity, ROUND_ORDER, Round, Words,
};
use kasoku_measure::machine;
use kasoku_model::printable::printable;
use kasoku_model::run_name;
use kasoku_report::export::{self, csv};
use kasoku_report::render;
use kasoku_store::output_file::{self, print};

const SCHEMA: u32 = 1;

/// Show which of two commands takes longer, and whether the difference exceeds the noise
///
/// Each round runs A, A again and B in random order. The difference between A and itself is the noise floor: a
/// difference between A and B is reported only if its whole 95 % interval lies beyond the floor. Wall time decides; CPU
/// time is shown beside it.
#[derive(Clone, Debug, clap::Args)]
#[command(
    override_usage = "kasoku ab [OPTIONS] 'COMMAND A' 'COMMAND B'
       kasoku ab [OPTIONS] -- COMMAND A… -- COMMAND B…",
    after_help = "Examples:
  kasoku ab 'gzip -k -f -1 big' 'gzip -k -f -6 big'
  kasoku ab --rounds 30 -- ./old --input 'a file' -- ./new --input 'a file'
  kasoku ab --shell 'xz -dc a.xz | wc -c' 'zstd -dc a.zst | wc -c'
  kasoku ab --json ab.json --fail-on-regression './server-before --once' './server-after --once'

Commands run without a shell, in the current folder, with empty standard input.

Exit status: 0 compared, whatever the result; 1 a command failed, or with --fail-on-regression B takes longer; 2 wrong \
usage; 129, 130 or 143 stopped by a closed terminal, Ctrl-C or SIGTERM (complete rounds are still \
evaluated)."
)]
pub(crate) struct Args {
    /// The two commands: each in quotes, or each after its own --
    #[arg(required = true, num_args = 2.., value_name = "COMMAND")]
    commands: Vec<OsString>,
    /// Run each command with sh -c, for pipes and redirections; the shell's time is included
    #[arg(long)]
    shell: bool,
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
    /// Exit with status 1 if B is shown to take longer
    #[arg(long)]
    fail_on_regression: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Also write the results, with every sample, to this JSON file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also write the tables to this Markdown file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Wait for another run on this machine to finish, instead of refusing to start
    #[arg(long)]
    wait: bool,
}

pub(crate) fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    let commands = parse_commands(args)?;
    [&args.json, &args.markdown].into_iter().flatten().try_for_each(|path| output_file::check_writable(path))?;
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
    let measured = ab::run(&commands, &options, &mut |rounds: &[Round]| bar.set_message(words::progress(rounds)));
    bar.finish_and_clear();
    let measured = measured.map_err(|error| match error {
        AbError::Failed { .. } => Failure::in_the_middle(error),
        AbError::System(_) => Failure::new(error),
    })?;
    deliver(args, &AbResult::new(args, &commands, started, measured))
}

/// Measured rounds of two commands and the judgements on them.
struct AbResult<'a> {
    args: &'a Args,
    commands: [String; 2],
    started: String,
    measured: MeasuredRounds,
    judgements: Vec<(Quantity, Judgement)>,
}

impl<'a> AbResult<'a> {
    fn new(args: &'a Args, commands: &[Words; 2], started: String, measured: MeasuredRounds) -> Self {
        let judged = |quantity| Some((quantity, Judgement::from_rounds(&measured.rounds, quantity)?));
        let judgements = Quantity::ALL.into_iter().filter_map(judged).collect();
        let commands = match args.shell {
            true => [0, 1].map(|place: usize| {
                commands[place].last().map_or_else(String::new, |text| text.to_string_lossy().into_owned())
            }),
            false => [0, 1].map(|place: usize| words::command(&commands[place])),
        };
        AbResult { args, commands, started, measured, judgements }
    }

    fn judged(&self, wanted: Quantity) -> Option<&Judgement> {
        self.judgements.iter().find(|(quantity, _)| *quantity == wanted).map(|(_, judgement)| judgement)
    }

    fn time(&self) -> Option<&Judgement> {
        self.judged(Quantity::Time)
    }

    /// Returns the verdict on wall time, and also the verdict on CPU time if only CPU time shows a difference.
    fn says(&self) -> Option<String> {
        let time = self.time()?;
        let mut says = words::verdict(Quantity::Time, time);
        if time.verdict() == AbVerdict::NoDifference
            && let Some(cpu) = self.judged(Quantity::CpuTime).filter(|cpu| cpu.verdict() != AbVerdict::NoDifference)
        {
            says.push('\n');
            says.push_str(&words::verdict(Quantity::CpuTime, cpu));
        }
        Some(says)
    }

    fn render(&self, format: Format) -> String {
        match format {
            Format::Json => export::json::text(&self.document()),
            Format::Csv => {
                const COLUMNS: &str = "round,turn,ns,cpu_ns";
                csv::of_objects(COLUMNS, samples(&self.measured.rounds).into_iter().map(|sample| [sample]))
            }
            Format::Table | Format::Markdown => {
                let rows: Vec<Vec<String>> =
                    self.judgements.iter().map(|(of, judged)| words::row(*of, judged)).collect();
                let table = render::list(&words::HEADINGS, &rows, &Value::Null, format);
                let lines = words::about(&self.commands, &self.measured, self.args.warmup, format);
                let verdict = self.says().unwrap_or_default();
                format!("{lines}\n{table}\n{verdict}\n")
            }
        }
    }

    fn document(&self) -> Value {
        let quantities: Vec<Value> = self
            .judgements
            .iter()
            .map(|(quantity, judged)| {
                let mut object = json!(judged);
                object["quantity"] = json!(quantity);
                object["unit"] = "s".into();
                object["verdict"] = json!(judged.verdict());
                object
            })
            .collect();
        json!({
            "schema": SCHEMA,
            "kasoku": env!("CARGO_PKG_VERSION"),
            "started": self.started,
            "machine": machine::this(),
            "a": self.commands[0],
            "b": self.commands[1],
            "shell": self.args.shell,
            "warmup": self.args.warmup,
            "complete": !self.measured.is_stopped,
            "verdict": self.time().map(Judgement::verdict),
            "says": self.says(),
            "quantities": quantities,
            "samples": samples(&self.measured.rounds),
        })
    }
}

fn samples(rounds: &[Round]) -> Vec<Value> {
    let turns = rounds.iter().enumerate().flat_map(|(number, round)| {
        ROUND_ORDER.into_iter().zip(*round).map(move |(turn, taken)| (number, turn, taken))
    });
    let sample = |(number, turn, taken)| {
        let mut sample = json!(taken);
        (sample["round"], sample["turn"]) = (json!(number), json!(turn));
        sample
    };
    turns.map(sample).collect()
}

fn deliver(args: &Args, found: &AbResult<'_>) -> Result<CommandOutcome, Failure> {
    let rounds = found.measured.rounds.len();
    let stopped = |what: &str| Failure::stopped(interruption::signal().unwrap_or_default(), what);
    if found.time().is_none() {
        let few = format!("Stopped after {rounds} complete rounds; an interval needs {MIN_ROUNDS}, so nothing is kept");
        return Err(if found.measured.is_stopped {
            stopped(&few)
        } else {
            Failure::in_the_middle("the clock did not advance")
        });
    }
    let files = [(&args.json, Format::Json), (&args.markdown, Format::Markdown)];
    // Writes the other outputs even if one of them fails.
    let written = files.map(|(path, format)| match path {
        Some(path) => output_file::write(path, found.render(format).as_bytes()),
        None => Ok(()),
    });
    let printed = print(&found.render(args.format));
    written.into_iter().chain([printed]).collect::<Result<(), _>>().map_err(Failure::in_the_middle)?;
    if found.measured.is_stopped {
        return Err(stopped(&format!("Stopped. These are the results of {rounds} complete rounds")));
    }
    let is_worse = found.time().is_some_and(|judged| judged.verdict() == AbVerdict::More);
    Ok(if args.fail_on_regression && is_worse { CommandOutcome::Partial } else { CommandOutcome::Done })
}

fn parse_commands(args: &Args) -> Result<[Words; 2], Failure> {
    let parts: Vec<&[OsString]> = args.commands.split(|word| word == "--").collect();
    let commands = match (parts.as_slice(), args.commands.as_slice()) {
        ([a, b], _) if args.shell => {
            return Err(Failure::new(format!(
                "--shell takes each command in quotes: kasoku ab --shell '{}' '{}'",
                words::command(a),
                words::command(b)
            )));
        }
        ([a, b], _) => [a.to_vec(), b.to_vec()],
        ([_], [a, b]) => [split_command("A", a, args.shell)?, split_command("B", b, args.shell)?],
        _ => {
            return Err(Failure::new(
                "two commands are needed: each in quotes, kasoku ab 'COMMAND A' 'COMMAND B', or each after its own --",
            ));
        }
    };
    for (which, words) in ["A", "B"].into_iter().zip(&commands) {
        let program = words.first().ok_or_else(|| Failure::new(format!("{which} is empty")))?;
        let is_there = match Path::new(program).components().count() {
            1 => {
                let path = std::env::var_os("PATH").unwrap_or_default();
                command::find(&program.to_string_lossy(), &path).is_some()
            }
            _ => Path::new(program).is_file(),
        };
        if !is_there {
            return Err(Failure::new(format!("{which}: program not found: {}", printable(&words::quoted(program)))));
        }
    }
    Ok(commands)
}

/// Splits a command that was given as one argument into words.
fn split_command(which: &str, text: &OsStr, shell: bool) -> Result<Words, Failure> {
    if shell {
        return Ok(["sh", "-c"].map(OsString::from).into_iter().chain([text.to_owned()]).collect());
    }
    let text = text.to_str().ok_or_else(|| Failure::new(format!("{which} is not valid UTF-8; give it after a --")))?;
    if let Some(syntax) = shell_syntax(text) {
        tell(&format!(
            "warning: {which}: no shell runs the command, so {syntax} has no special meaning; use --shell for pipes, \
             redirections, variables and patterns"
        ));
    }
    let words =
        shell_words::split(text).map_err(|_| Failure::new(format!("{which}: unclosed quote: {}", printable(text))))?;
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
