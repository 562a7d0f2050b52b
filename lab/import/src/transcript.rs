//! Reads a transcript of `openssl speed`: assigns lines to commands, tables and machines.

use std::collections::HashSet;

use super::build_information::{BuildInformation, LibraryVersion};
use super::collected::Collected;
use super::command::{Command, Environment, Unclear};
use super::error::ImportError;
use super::machine::{Added, Measured, Reading};
use super::mask::{self, CpuInfo};
use super::names::{self, RowSubject};
use super::row::{self, Operations, TableKind};
use super::timing::{Timings, bulk_subject};
use super::{ImportRemark, Imported, MAX_LINES, figure};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{AlgorithmKind, Instructions};
use kasoku_model::library::OPENSSL;
use kasoku_model::openssl_speed::{self, AeadRow};
use kasoku_model::printable::printable;
use kasoku_model::workload::Operation;

/// Maximum length of a row in bytes. Only lines about the compiler, and pages without line ends, are longer.
const MAX_ROW: usize = 4096;
const MAX_MACHINES: usize = 1000;
const MAX_COMMANDS: usize = 40;
/// Upper bound for a plausible number of processes of `-multi`.
const MAX_PROCESSES: u64 = 65_536;
/// Message sizes with `-aead`; they reveal the option if the command is unknown.
const WITH_AEAD: [usize; 6] = [2, 31, 136, 1024, 8192, 16_384];

/// Reads the output of `openssl speed` among any other text. Fails if there are too many lines or machines, or an
/// impossible value.
pub(super) fn read(source: &str, text: &str) -> Result<Imported, ImportError> {
    let mut reader = Reader::default();
    for (index, line) in text.lines().enumerate() {
        if index >= MAX_LINES {
            return Err(ImportError::TooLarge { what: "a transcript", limit: format!("{MAX_LINES} lines") });
        }
        reader.number = index + 1;
        reader.line(line).map_err(|what| ImportError::transcript(index + 1, what))?;
        if reader.machines.len() > MAX_MACHINES {
            let what = format!("more than {MAX_MACHINES} machines in one file");
            return Err(ImportError::transcript(index + 1, what));
        }
    }
    reader.end_table();
    // If the last figure lacks its `k`, the file may have been truncated there.
    if reader.lacks_k == reader.number && reader.number > 0 && !text.ends_with(['\n', ' ']) {
        let what = "the file ends inside or right after a figure without \"k\"; it may be truncated";
        return Err(ImportError::transcript(reader.number, what));
    }
    Ok(reader.finish(source))
}

#[derive(Default)]
struct Reader {
    /// Number of the line that is being read, from 1.
    number: usize,
    machines: Vec<Reading>,
    /// The build that openssl described last.
    build: BuildInformation,
    /// First line about `build`; 0 if there is none.
    build_line: usize,
    /// Index in `machines` of the machine that `build` ran on; `None` until a line shows which machine that is.
    of_build: Option<usize>,
    call: Call,
    environment: Environment,
    /// Beginning of a command that continues on the next line.
    continued: Option<String>,
    command_line: usize,
    host: Option<String>,
    /// Whether the line before was the head of a loop.
    is_loop: bool,
    /// Whether the last line CPUINFO was printed before the current command, so that it says nothing about the command.
    is_info_stale: bool,
    /// Values from the output of a collect script that are not yet assigned to a machine.
    collected: Option<Collected>,
    is_collecting: bool,
    /// Rows of all machines, to recognize repetitions.
    rows: HashSet<String>,
    left_out: Vec<ImportRemark>,
    /// Number of lines that are not from openssl.
    prose: usize,
    /// Number of rows that repeat earlier rows.
    repeated: usize,
    /// Last line with a throughput without `k` at its end; 0 if there is none.
    lacks_k: usize,
    /// First lines of tables that contradict earlier tables.
    contradictions: Vec<usize>,
}

#[derive(Default)]
struct Call {
    command: Command,
    /// Number of the line that is not understood, with the reason. The meaning of figures below that line is unknown.
    unclear: Option<(usize, Unclear)>,
    /// Number of processes of `-multi` that announced themselves.
    processes: u64,
    sizes: Option<Vec<usize>>,
    timings: Timings,
    table: Option<TableKind>,
    /// Imported rows of the current table, which goes to one machine as a whole.
    rows: Vec<TableRow>,
    /// Whether the current table has rows, imported or left out.
    has_rows: bool,
    has_figures: bool,
}

struct TableRow {
    line: usize,
    name: String,
    figures: Vec<(Measured, f64)>,
}

impl Reader {
    fn line(&mut self, whole: &str) -> Result<(), String> {
        // Mails and Markdown quote with `>` and indentation.
        let line = whole.trim_start_matches(|c: char| c == '>' || c.is_whitespace()).trim_end();
        if self.is_collecting && self.collected.as_mut().is_some_and(|collected| collected.read(line)) {
            return Ok(());
        }
        self.is_collecting = false;
        let joined = self.continued.take().map(|begin| begin + line.trim_start_matches("More? "));
        let line = joined.as_deref().unwrap_or(line);
        if line.len() > MAX_ROW {
            if !self.says_who_it_is(line) {
                self.pass_over();
            }
        } else if Collected::begins(line) {
            self.begin_output();
            self.environment = Environment::default();
            (self.collected, self.is_collecting) = (Some(Collected::default()), true);
        } else if self.says_who_it_is(line) || line.is_empty() {
        } else if let Some(begin) =
            line.strip_suffix(['\\', '^']).filter(|begin| begin.to_ascii_lowercase().contains("openssl"))
        {
            self.continued = Some(begin.to_owned());
        } else if self.command(line) {
        } else if let Some(process) = process(line) {
            self.multiple(line, process)?;
        } else if let Some(engine) = row::engine(line) {
            self.begin_call();
            let engine = format!("engine {}", printable(engine));
            self.call.command.apart.retain(|known| *known != engine);
            self.call.command.apart.push(engine);
        } else if row::is_noise(line) {
            if line.starts_with("Doing ") || line.starts_with("You have chosen") {
                self.begin_call();
                self.call.timings.read(line);
            }
        } else if let Some(table) = row::table(line)? {
            self.end_table();
            self.call.table = Some(table);
        } else if line.starts_with('+') {
            let what = "only tables are imported, as openssl speed prints them without -mr";
            self.leave_out(format!("{what}: \"{}\"", short(line)));
        } else if let Some(name) = row::missing(line) {
            let algorithm = names::bulk(name, self.major()).map(|subject| subject.algorithm);
            self.machine(self.number).lacks(name, algorithm, line);
        } else if let Some(row) = row::operations(line, self.call.table.as_ref())? {
            self.operations(row);
        } else if let Some(row) = row::bulk(line) {
            if row.figures.last().is_some_and(|figure| !figure.ends_with('k')) {
                self.lacks_k = self.number;
            }
            self.bulk_of_a_table(row)?;
        } else if line.split_whitespace().any(figure::has_decimal_comma) {
            let why = "figures with commas; openssl prints them with a decimal point alone, as in 101111.11k";
            self.leave_out(format!("{why}: \"{}\"", short(line)));
        } else if line.split_whitespace().any(figure::is_unmistakable) {
            self.leave_out(format!("figures that are not in openssl's format: \"{}\"", short(line)));
        } else {
            let is_in_table = matches!(self.call.table, Some(TableKind::Bulk(_)));
            if is_in_table && names::bulk(line, self.major()).is_some() {
                return Err(format!("the row \"{}\" has no figures; it may be truncated", short(line)));
            }
            self.pass_over();
        }
        Ok(())
    }

    /// Reads lines about version, build and CPU. Returns whether `line` is one of them.
    fn says_who_it_is(&mut self, line: &str) -> bool {
        if let Some(version) = LibraryVersion::read(line) {
            let is_other = self.build.version.as_ref().is_some_and(|known| *known != version);
            self.begin_output();
            if is_other && self.call.command.text.is_empty() {
                // Another version without a command may come from another shell.
                self.environment = Environment::default();
                self.call.command = Command::default();
            }
            self.build.version = Some(version);
            return true;
        }
        // Alone on a line, the vector is the output of `openssl info -cpusettings`. Before a command, it is a mask.
        let is_vector = line.starts_with("OPENSSL_ia32cap=0x") && line.contains(":0x") && !line.contains("openssl");
        let settings = is_vector.then_some(("CPUINFO", line));
        let Some((key, value)) = settings.or_else(|| line.split_once(':')) else { return false };
        if !matches!(key, "built on" | "options" | "compiler" | "CPUINFO") {
            return false;
        }
        // The version line is missing.
        if self.call.has_figures {
            self.begin_output();
        }
        let text = || Some(value.split_whitespace().collect::<Vec<_>>().join(" "));
        match key {
            "built on" => self.build.built = text(),
            "options" => self.build.options = text(),
            "compiler" => self.build.compiler = text(),
            _ => {
                self.build.cpu_info = Some(CpuInfo::read(value.trim()));
                self.is_info_stale = false;
            }
        }
        self.of_build = None;
        true
    }

    /// Reads commands and variables in a line. Returns whether there are any.
    fn command(&mut self, line: &str) -> bool {
        // Another host in the prompt means another shell.
        if let Some(host) = line.split_whitespace().next().filter(|word| word.contains('@') && !word.contains('=')) {
            let host = host.split([':', ']']).next().unwrap_or(host).to_owned();
            if self.host.replace(host.clone()).is_some_and(|known| known != host) {
                self.environment = Environment::default();
            }
        }
        let before = self.environment.clone();
        let is_wrapped = self.number == self.command_line + 1 && line.starts_with('-') && !self.call.has_figures;
        let joined = is_wrapped.then(|| format!("{} {line}", self.call.command.text));
        let found = self.environment.read(joined.as_deref().unwrap_or(line));
        let begins_loop = line == "do" || line.ends_with(" do") || line.ends_with(";do");
        let is_loop = std::mem::replace(&mut self.is_loop, begins_loop);
        let is_waiting = !self.call.command.text.is_empty() || self.call.unclear.is_some();
        let (command, unclear) = match found {
            Ok(None) if self.environment == before => return false,
            Ok(Some(command)) if command.is_mention && !self.call.has_figures && is_waiting => return false,
            Ok(command) => (command.unwrap_or_else(|| self.environment.command()), None),
            Err(why) => {
                let what = match &why {
                    Unclear::Command(why) => format!("the command is not understood: {why}"),
                    Unclear::Mask => "it sets a capability mask for an unknown command".to_owned(),
                };
                self.leave_out(format!("{what}; rows below it are skipped, too: \"{}\"", short(line)));
                (self.environment.command(), Some((self.number, why)))
            }
        };
        self.end_table();
        (self.command_line, self.is_info_stale) = (self.number, true);
        let is_repeated = command.is_repeated || is_loop;
        self.call = Call { command: Command { is_repeated, ..command }, unclear, ..Call::default() };
        true
    }

    /// Ends the current call if it has figures: the line being read belongs to the next call.
    fn begin_call(&mut self) {
        if self.call.has_figures {
            self.end_table();
            // Keep the command of a loop, which repeats it. A line that was not understood applies until the next
            // command.
            let Call { command, unclear, .. } = std::mem::take(&mut self.call);
            let is_kept = command.is_repeated || unclear.is_some();
            self.call.command = if is_kept { command } else { self.environment.command() };
            self.call.unclear = unclear;
        }
    }

    fn begin_output(&mut self) {
        self.begin_call();
        (self.build, self.of_build, self.build_line) = (BuildInformation::default(), None, self.number);
        self.call.table = None;
    }

    /// Skips a line that is not from openssl. The line ends the current table if the table has rows: rows below need a
    /// heading of their own.
    fn pass_over(&mut self) {
        if self.call.has_rows {
            self.end_table();
        }
        self.prose += 1;
    }

    fn bulk_of_a_table(&mut self, row: row::Bulk<'_>) -> Result<(), String> {
        let sizes = match &self.call.table {
            Some(TableKind::Bulk(sizes)) => sizes.clone(),
            // People repeat rows without the heading to compare them with others.
            _ if self.rows.contains(&row_key(&row)) => {
                self.repeated += 1;
                return Ok(());
            }
            // With -multi the table has no heading; the processes print the sizes.
            None if self.processes().is_none_or(|processes| processes > 1) && self.call.sizes.is_some() => {
                self.call.sizes.clone().unwrap_or_default()
            }
            _ if row.figures.iter().any(|figure| figure.ends_with('k')) => {
                let why = "no line above it gives its sizes (\"type  16 bytes …\")";
                self.leave_out(format!("the row \"{}\": {why}", short(&row.name)));
                return Ok(());
            }
            _ => {
                self.pass_over();
                return Ok(());
            }
        };
        self.bulk(row, sizes)
    }

    fn bulk(&mut self, row: row::Bulk<'_>, sizes: Vec<usize>) -> Result<(), String> {
        let key = row_key(&row);
        let row::Bulk { name, figures, core } = row;
        if figures.len() != sizes.len() {
            let (name, found, expected) = (short(&name), figures.len(), sizes.len());
            return Err(format!("the row \"{name}\" has {found} figures instead of {expected}; it may be truncated"));
        }
        let time = sizes.iter().try_for_each(|bytes| self.check_time(&bulk_subject(&name, &bytes.to_string())));
        if let Err(why) = time {
            self.push(name, Err(why));
            return Ok(());
        }
        let bad = |text: &str, why| format!("the figure {} of \"{}\" {why}", short(text), short(&name));
        let parsed = figures.iter().map(|text| figure::bulk(text).map_err(|why| bad(text, why)));
        let parsed: Vec<f64> = parsed.collect::<Result<_, _>>()?;
        let row = self.bulk_subject(&name, &sizes, core).map(|measured| {
            let of_size = |bytes| Measured { bytes: Some(bytes), ..measured.clone() };
            sizes.into_iter().map(of_size).zip(parsed).collect()
        });
        self.rows.insert(key);
        self.push(name, row);
        Ok(())
    }

    /// Returns the conditions of a row of throughputs, without the size, or the reason to leave it out.
    fn bulk_subject(&self, name: &str, sizes: &[usize], core: Option<String>) -> Result<Measured, String> {
        let subject = names::bulk(name, self.major()).ok_or("it is not a known algorithm")?;
        let RowSubject { algorithm, is_low_level } = subject;
        let command = &self.call.command;
        let is_with_aead = sizes == WITH_AEAD || command.is_with_aead;
        let version = self.build.version.as_ref().map(ToString::to_string).unwrap_or_default();
        if let Some(why) = openssl_speed::unusable(&version, algorithm, command.is_decrypting, is_with_aead) {
            return Err(why.to_owned());
        }
        let is_stated = is_with_aead && algorithm.kind() == AlgorithmKind::Aead;
        let aead_row = is_stated.then(|| AeadRow::printed_with_aead(&version, algorithm));
        let operation = names::operation(algorithm, command.is_decrypting);
        Ok(Measured { is_low_level, aead_row, core, ..self.measured(subject, operation)? })
    }

    fn operations(&mut self, row: Operations) {
        let Operations { name, algorithm, figures, subject } = row;
        let figures = figures.into_iter().map(|(operation, figure)| {
            let algorithm = algorithm.ok_or("it is not a known algorithm")?;
            self.check_time(&subject)?;
            Ok((self.measured(RowSubject { algorithm, is_low_level: false }, operation)?, figure))
        });
        let figures = figures.collect();
        self.push(name, figures);
    }

    /// Returns the conditions of a figure by command and environment, or the reason to leave it out.
    fn measured(&self, subject: RowSubject, operation: Operation) -> Result<Measured, String> {
        let Call { command, unclear, .. } = &self.call;
        match unclear {
            Some((line, Unclear::Command(_))) => return Err(format!("the command in line {line} is not understood")),
            Some((line, Unclear::Mask)) if self.fresh_info().is_none() => {
                return Err(format!("it is not known whether the mask in line {line} was in force"));
            }
            _ => {}
        }
        Ok(Measured {
            operation,
            algorithm: subject.algorithm,
            bytes: None,
            acceleration: self.acceleration(subject)?,
            is_low_level: false,
            aead_row: None,
            processes: self.processes().ok_or("-multi is given, but not how many processes that are")?,
            core: None,
            apart: (!command.apart.is_empty()).then(|| printable(&command.apart.join(", "))),
        })
    }

    fn check_time(&self, subject: &str) -> Result<(), String> {
        let times = self.call.timings.far(subject);
        times.map_or(Ok(()), |times| Err(format!("the clock did not count its work: {times}")))
    }

    fn push(&mut self, name: String, figures: Result<Vec<(Measured, f64)>, String>) {
        (self.call.has_figures, self.call.has_rows) = (true, true);
        match figures {
            Ok(figures) => self.call.rows.push(TableRow { line: self.number, name, figures }),
            Err(why) => self.leave_out(format!("\"{}\": {why}", short(&name))),
        }
    }

    /// Gives the rows of the current table to their machine.
    fn end_table(&mut self) {
        self.call.has_rows = false;
        let table = self.call.table.take();
        let rows = std::mem::take(&mut self.call.rows);
        let Some(first) = rows.first() else { return };
        self.machine(first.line);
        let since = self.build_line;
        // A table below a command is a second measurement of the same machine. OpenSSL 3.2 itself measures RSA and DSA
        // again for the tables of KEMs and signatures.
        let is_second =
            !self.call.command.text.is_empty() || matches!(table, Some(TableKind::Kem | TableKind::Signatures));
        let fits = |machine: &Reading| {
            let mut figures = rows.iter().flat_map(|row| &row.figures);
            is_second || !figures.any(|(measured, figure)| machine.contradicts(measured, *figure, since))
        };
        if !self.of_build.is_some_and(|at| fits(&self.machines[at])) {
            // The lines about version and build belong to the contradicted table, not to this one.
            self.contradictions.push(first.line);
            (self.build, self.build_line) = (BuildInformation::default(), 0);
            let other = self.machines.iter().rposition(|machine| machine.build == self.build && fits(machine));
            self.of_build = Some(other.unwrap_or(self.machines.len()));
            if other.is_none() {
                let lines = (first.line, first.line);
                self.machines.push(Reading { lines, ..Reading::default() });
            }
        }
        for TableRow { line, name, figures } in rows {
            self.add(line, &name, figures);
        }
    }

    fn add(&mut self, number: usize, name: &str, figures: Vec<(Measured, f64)>) {
        let (mut repeated, mut second, mut nothing, all) = (0, None, 0, figures.len());
        for (measured, figure) in figures {
            if figure == 0.0 {
                nothing += 1;
                continue;
            }
            match self.machine(number).add(measured, figure, number) {
                Added::New => {}
                Added::Repeated => repeated += 1,
                Added::Second(line) => second = second.or(Some(line)),
            }
        }
        self.machine(number);
        if let Some(line) = second {
            let what = format!("\"{}\" was measured a second time; the figures of line {line} are kept", short(name));
            self.left_out.push(ImportRemark::at(number, what));
        } else if repeated == all {
            self.repeated += 1;
        }
        if nothing > 0 {
            let what = format!("\"{}\": {nothing} of {all} figures are zero: nothing was measured", short(name));
            self.left_out.push(ImportRemark::at(number, what));
        }
    }

    /// Reads a line that announces a process of `-multi` or repeats its output. Figures of single processes are
    /// skipped, since the sums below them are imported.
    fn multiple(&mut self, line: &str, process: u64) -> Result<(), String> {
        self.begin_call();
        self.call.processes = self.call.processes.max(process + 1);
        if let Some((sizes, _)) = line.strip_prefix("Got: +H:").and_then(|line| line.rsplit_once(" from ")) {
            let sizes = sizes.split(':').map(|size| size.parse().ok().filter(|size| row::is_size(*size)));
            let sizes: Option<Vec<usize>> = sizes.collect();
            let sizes = sizes.filter(|sizes| sizes.len() <= row::MAX_SIZES);
            self.call.sizes = Some(sizes.ok_or("the sizes after +H are incomplete; the line may be truncated")?);
        }
        Ok(())
    }

    fn fresh_info(&self) -> Option<&CpuInfo> {
        self.build.cpu_info.as_ref().filter(|info| !self.is_info_stale && info.architecture.is_some())
    }

    fn acceleration(&self, subject: RowSubject) -> Result<Acceleration, String> {
        let info = self.fresh_info();
        let version = self.build.version.as_ref();
        let mask = info.map_or(self.call.command.mask.as_ref(), |info| info.mask.as_ref());
        let is_before_3_1 = version.is_some_and(|version| !version.is_from((3, 1, 0)));
        let state = mask.map(|mask| mask::state(mask, info, subject.algorithm, is_before_3_1));
        let state = state.transpose().map_err(|why| printable(&why))?.unwrap_or(Acceleration::On);
        if !subject.is_low_level || subject.algorithm.instructions() != Instructions::Aes {
            return Ok(state);
        }
        // Before OpenSSL 3.0, low-level functions did not use AES instructions, except on IBM Z.
        let collected = self.collected.as_ref().and_then(Collected::architecture);
        if self.build.architecture().or(collected) == Some("s390x") {
            return Err("on s390x it may or may not use the AES instructions".to_owned());
        }
        match version.filter(|version| version.library() == "libressl").and_then(LibraryVersion::release) {
            Some((4.., ..)) => Err("LibreSSL 4 may or may not use the AES instructions for it".to_owned()),
            _ => Ok(Acceleration::Off),
        }
    }

    /// Returns the number of concurrent processes; `None` if it is unknown.
    fn processes(&self) -> Option<u64> {
        let asked = match self.call.command.multi {
            Some(None) if self.call.processes == 0 => return None,
            multi => multi.flatten().unwrap_or(1),
        };
        Some(self.call.processes.max(asked).clamp(1, MAX_PROCESSES))
    }

    fn major(&self) -> Option<u32> {
        let version = self.build.version.as_ref().filter(|version| version.library() == OPENSSL)?;
        version.release().map(|(major, ..)| major)
    }

    /// Returns the machine of the current build and extends its lines to `number`.
    fn machine(&mut self, number: usize) -> &mut Reading {
        let at = match self.of_build {
            Some(at) => at,
            None => self.find_machine(number),
        };
        self.of_build = Some(at);
        let command = &self.call.command.text;
        let machine = &mut self.machines[at];
        if !command.is_empty() && machine.commands.len() < MAX_COMMANDS && !machine.commands.contains(command) {
            machine.commands.push(command.clone());
        }
        machine.lines.1 = machine.lines.1.max(number);
        machine
    }

    /// Returns the index of a machine that the current build fits, or of a new one.
    fn find_machine(&mut self, number: usize) -> usize {
        let known = self.machines.iter().rposition(|machine| {
            machine.build.version.is_some() == self.build.version.is_some()
                && machine.build.may_be_the_same_machine(&self.build)
        });
        match known.filter(|_| self.collected.is_none()) {
            Some(at) => {
                self.machines[at].build.complete_from(&self.build);
                at
            }
            None => {
                let first = if self.build_line == 0 { number } else { self.build_line };
                let collected = self.collected.take().unwrap_or_default();
                let (build, lines) = (self.build.clone(), (first, number));
                self.machines.push(Reading { build, collected, lines, ..Reading::default() });
                self.machines.len() - 1
            }
        }
    }

    fn leave_out(&mut self, what: impl Into<String>) {
        self.left_out.push(ImportRemark::at(self.number, what));
    }

    fn finish(self, source: &str) -> Imported {
        let lines = |count| if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
        let notes =
            [(self.repeated, "that repeat earlier figures, kept once"), (self.prose, "without figures, skipped")];
        let notes = notes.into_iter().filter(|(count, _)| *count > 0);
        let notes = notes.map(|(count, what)| ImportRemark { line: None, text: format!("{} {what}", lines(count)) });
        let what = "the table contradicts figures above it, so it is taken for another machine's";
        let notes = self.contradictions.iter().map(|line| ImportRemark::at(*line, what)).chain(notes).collect();
        let machines = self.machines.into_iter().filter(|machine| !machine.figures.is_empty());
        Imported { machines: machines.map(|machine| machine.finish(source)).collect(), left_out: self.left_out, notes }
    }
}

/// Returns a key that is equal for rows with equal figures and, ignoring upper and lower case, equal names.
fn row_key(row: &row::Bulk<'_>) -> String {
    format!("{}\n{}", row.name.to_ascii_lowercase(), row.figures.join("\n"))
}

/// Returns the number of the process in `Forked child 3` and `Got: … from 3`.
fn process(line: &str) -> Option<u64> {
    let number = match line.strip_prefix("Forked child ") {
        Some(number) => number,
        None => line.strip_prefix("Got: ")?.rsplit_once(" from ")?.1,
    };
    number.trim().parse().ok().filter(|number| *number < MAX_PROCESSES)
}

/// Escapes text for a message and shortens it to 60 characters.
fn short(text: &str) -> String {
    const MAX: usize = 60;
    let text = printable(text);
    if text.chars().count() > MAX { text.chars().take(MAX - 1).chain(['…']).collect() } else { text }
}
