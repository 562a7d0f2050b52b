//! A whole transcript: which line belongs to which table, which table to which machine.

use std::collections::HashSet;

use super::build_information::{BuildInformation, LibraryVersion};
use super::collected::Collected;
use super::command::Command;
use super::error::ImportError;
use super::figure;
use super::machine::{Added, ImportedFigure, Reading};
use super::machine_readable::{self, MachineReadableLine};
use super::mask::{self, CpuInfo};
use super::names::{self, RowSubject};
use super::row::{self, Operations, TableKind};
use super::{ImportRemark, Imported, MAX_LINES};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::openssl_speed::{self, AeadRow};
use kasoku_model::printable::printable;

/// The longest line that may be a row. Compilers' lines are longer; so are pages without line ends, which hold no
/// table.
const MAX_ROW: usize = 4096;
/// The most machines in one file.
const MAX_MACHINES: usize = 1000;
/// The most commands that are kept of a machine.
const MAX_COMMANDS: usize = 40;
/// The most processes that `-multi` is believed.
const MAX_PROCESSES: u64 = 65_536;
/// The sizes of `-aead`, by which it is known where no command is shown.
const WITH_AEAD: [usize; 6] = [2, 31, 136, 1024, 8192, 16_384];

/// Reads what `openssl speed` printed, with whatever is around it.
///
/// # Errors
/// If it has too many lines, or says something that cannot be right.
pub(super) fn read(source: &str, text: &str) -> Result<Imported, ImportError> {
    let mut reader = Reader::default();
    for (index, line) in text.lines().enumerate() {
        if index >= MAX_LINES {
            return Err(ImportError::TooManyLines { limit: MAX_LINES });
        }
        reader.line(index + 1, line)?;
        if reader.machines.len() > MAX_MACHINES {
            let what = format!("more than {MAX_MACHINES} machines in one file");
            return Err(ImportError::transcript(index + 1, what));
        }
    }
    reader.check_end(text)?;
    Ok(reader.finish(source))
}

#[derive(Default)]
struct Reader {
    machines: Vec<Reading>,
    /// What openssl said of itself before the table at hand, and whose machine that is, once it is known.
    build: BuildInformation,
    of_build: Option<usize>,
    build_line: usize,
    /// The table at hand.
    table: Option<TableKind>,
    /// Whether there were figures since openssl said who it is.
    has_figures: bool,
    /// What the command line said, and what `-multi` printed.
    command: Option<Command>,
    processes: u64,
    sizes: Option<Vec<usize>>,
    /// The lines of a collect script, until a machine takes them; and whether they are being read.
    collected: Option<Collected>,
    is_collecting: bool,
    /// The rows of all machines as they stand, to know them again.
    rows: HashSet<(String, Vec<String>)>,
    left_out: Vec<ImportRemark>,
    prose: Vec<(usize, usize)>,
    repeated: Vec<(usize, usize)>,
    /// The last bulk row, in case the file ends with it.
    last_row: Option<(usize, bool)>,
}

impl Reader {
    fn line(&mut self, number: usize, whole: &str) -> Result<(), ImportError> {
        let line = without_quotation(whole);
        if self.is_collecting && self.collected.as_mut().is_some_and(|collected| collected.read(line)) {
            return Ok(());
        }
        self.is_collecting = false;
        if Collected::begins(line) {
            self.begin_output(number);
            (self.collected, self.is_collecting) = (Some(Collected::default()), true);
        } else if self.says_who_it_is(number, line) || line.is_empty() {
        } else if line.len() > MAX_ROW {
            self.pass_over(number);
        } else if let Some(command) = Command::read(line) {
            self.begin_command(command);
        } else if line.starts_with('+') {
            self.machine_readable(number, line)?;
        } else if let Some(process) = process(line) {
            self.multiple(number, line, process)?;
        } else if row::is_noise(line) {
            if line.starts_with("Doing ") || line.starts_with("You have chosen") {
                self.begin_call();
            }
        } else if let Some(table) = row::table(line, number)? {
            self.table = Some(table);
        } else if let Some(name) = row::missing(line) {
            let algorithm = names::bulk(name, self.major()).map(|subject| subject.algorithm);
            self.machine(number).lacks(name, algorithm, line);
        } else if let Some(row) = row::operations(line, number, self.table.as_ref())? {
            self.operations(number, &row);
        } else if let Some((name, figures)) = row::bulk(line) {
            self.last_row = Some((number, figures.last().is_some_and(|figure| !figure.ends_with('k'))));
            self.bulk_of_a_table(number, &name, &figures)?;
        } else if row::has_figures(line) {
            self.leave_out(number, format!("figures that are not in openssl's format: \"{}\"", short(line)));
        } else {
            self.prose_in_a_table(number, line)?;
            self.pass_over(number);
        }
        Ok(())
    }

    /// Takes in the lines about the version, the build and the CPU; whether it is one.
    fn says_who_it_is(&mut self, number: usize, line: &str) -> bool {
        if let Some(version) = LibraryVersion::read(line) {
            self.begin_output(number);
            self.build.version = Some(version);
            return true;
        }
        let Some((key, value)) = line.split_once(':') else { return false };
        if !matches!(key, "built on" | "options" | "compiler" | "CPUINFO") {
            return false;
        }
        // The version line was left out.
        if self.has_figures {
            self.begin_output(number);
        }
        // Builds are compared by their words.
        let text = || Some(value.split_whitespace().collect::<Vec<_>>().join(" "));
        match key {
            "built on" => self.build.built = text(),
            "options" => self.build.options = text(),
            "compiler" => self.build.compiler = text(),
            _ => self.build.cpu_info = Some(CpuInfo::read(value.trim())),
        }
        self.of_build = None;
        true
    }

    /// What is printed before figures belongs to another call of openssl than figures above it.
    fn begin_call(&mut self) {
        if self.has_figures {
            (self.command, self.processes, self.sizes) = (None, 0, None);
            (self.table, self.has_figures) = (None, false);
        }
    }

    fn begin_output(&mut self, number: usize) {
        self.begin_call();
        (self.build, self.of_build, self.build_line) = (BuildInformation::default(), None, number);
        self.table = None;
    }

    fn begin_command(&mut self, command: Command) {
        self.begin_call();
        (self.command, self.processes, self.sizes, self.table) = (Some(command), 0, None, None);
    }

    /// What is no line of openssl's ends a table: a row that follows has no head.
    fn pass_over(&mut self, number: usize) {
        self.table = None;
        push_range(&mut self.prose, number);
    }

    /// The name of an algorithm alone, in a table: its figures are gone.
    fn prose_in_a_table(&self, number: usize, line: &str) -> Result<(), ImportError> {
        let is_row = matches!(self.table, Some(TableKind::Bulk(_))) && names::bulk(line, self.major()).is_some();
        if is_row {
            return Err(ImportError::transcript(
                number,
                format!("the row \"{}\" has no figures; it may be truncated", short(line)),
            ));
        }
        Ok(())
    }

    fn bulk_of_a_table(&mut self, number: usize, name: &str, figures: &[&str]) -> Result<(), ImportError> {
        let sizes = match &self.table {
            Some(TableKind::Bulk(sizes)) => sizes.clone(),
            // Somebody shows a table again, without its head, to put it beside another.
            _ if self.rows.contains(&row_key(name, figures)) => {
                push_range(&mut self.repeated, number);
                return Ok(());
            }
            // With -multi the table has no head; the processes have said the sizes.
            None if self.processes() > 1 && self.sizes.is_some() => self.sizes.clone().unwrap_or_default(),
            _ if figures.iter().any(|figure| figure.ends_with('k')) => {
                let why = "no line above it gives its sizes (\"type  16 bytes …\")";
                self.leave_out(number, format!("the row \"{}\": {why}", short(name)));
                return Ok(());
            }
            _ => {
                self.pass_over(number);
                return Ok(());
            }
        };
        self.bulk(number, name, figures, &sizes, figure::bulk)
    }

    fn bulk(
        &mut self,
        number: usize,
        name: &str,
        figures: &[&str],
        sizes: &[usize],
        parse: fn(&str) -> Result<f64, figure::Bad>,
    ) -> Result<(), ImportError> {
        if figures.len() != sizes.len() {
            let (found, expected) = (figures.len(), sizes.len());
            let what =
                format!("the row \"{}\" has {found} figures instead of {expected}; it may be truncated", short(name));
            return Err(ImportError::transcript(number, what));
        }
        let bad = |text: &str, why| {
            ImportError::transcript(number, format!("the figure {} of \"{}\" {why}", short(text), short(name)))
        };
        let parsed: Vec<f64> =
            figures.iter().map(|text| parse(text).map_err(|why| bad(text, why))).collect::<Result<_, _>>()?;
        let Some(subject) = names::bulk(name, self.major()) else {
            self.leave_out(number, format!("\"{}\" is not a known algorithm", short(name)));
            return Ok(());
        };
        let acceleration = match self.acceleration(subject) {
            Ok(acceleration) => acceleration,
            Err(why) => {
                self.leave_out(number, format!("the row \"{}\": {why}", short(name)));
                return Ok(());
            }
        };
        let is_decrypting = self.command.as_ref().is_some_and(|command| command.is_decrypting);
        let is_with_aead = sizes == WITH_AEAD || self.command.as_ref().is_some_and(|command| command.is_with_aead);
        let version = self.build.version.as_ref().map(ToString::to_string).unwrap_or_default();
        if let Some(why) = openssl_speed::unusable(&version, subject.algorithm, is_decrypting, is_with_aead) {
            self.leave_out(number, format!("the row \"{}\": {why}", short(name)));
            return Ok(());
        }
        let is_stated = is_with_aead && subject.algorithm.kind() == AlgorithmKind::Aead;
        let aead_row = is_stated.then(|| AeadRow::printed_with_aead(&version, subject.algorithm));
        let processes = self.processes();
        let all = sizes.iter().zip(parsed).map(|(bytes, figure)| ImportedFigure {
            operation: names::operation(subject.algorithm, is_decrypting),
            algorithm: subject.algorithm,
            bytes: Some(*bytes),
            acceleration,
            is_low_level: subject.is_low_level,
            aead_row,
            processes,
            figure,
        });
        let all: Vec<ImportedFigure> = all.collect();
        self.add(number, name, &all);
        self.machine(number);
        self.rows.insert(row_key(name, figures));
        Ok(())
    }

    fn operations(&mut self, number: usize, row: &Operations) {
        let processes = self.processes();
        let mut all = Vec::new();
        for (algorithm, operation, figure) in &row.figures {
            let Some(algorithm) = *algorithm else {
                self.leave_out(number, format!("\"{}\" is not a known algorithm", short(&row.name)));
                return;
            };
            let subject = RowSubject { algorithm, is_low_level: false };
            match self.acceleration(subject) {
                Ok(acceleration) => all.push(ImportedFigure {
                    operation: *operation,
                    algorithm,
                    bytes: None,
                    acceleration,
                    is_low_level: false,
                    aead_row: None,
                    processes,
                    figure: *figure,
                }),
                Err(why) => return self.leave_out(number, format!("the row \"{}\": {why}", short(&row.name))),
            }
        }
        self.add(number, &row.name, &all);
    }

    /// Adds the figures of a row, with one remark on what is left out.
    fn add(&mut self, number: usize, name: &str, all: &[ImportedFigure]) {
        let (mut repeated, mut second, mut nothing) = (0, None, 0);
        for measured in all {
            if measured.figure == 0.0 {
                nothing += 1;
                continue;
            }
            match self.machine(number).add(*measured, number) {
                Added::New => {}
                Added::Repeated => repeated += 1,
                Added::Second(line) => second = second.or(Some(line)),
            }
        }
        self.has_figures = true;
        if let Some(line) = second {
            self.leave_out(
                number,
                format!("\"{}\" was measured a second time; the figures of line {line} are kept", short(name)),
            );
        } else if repeated == all.len() {
            push_range(&mut self.repeated, number);
        }
        if nothing > 0 {
            let what =
                format!("\"{}\": {nothing} of {} figures are zero: nothing was measured", short(name), all.len());
            self.leave_out(number, what);
        }
    }

    fn machine_readable(&mut self, number: usize, line: &str) -> Result<(), ImportError> {
        let read = machine_readable::read(line, number, self.build.version.as_ref())?;
        match read {
            Some(MachineReadableLine::Sizes(sizes)) => {
                // Only one process prints its sizes by itself.
                (self.sizes, self.processes) = (Some(sizes), 0);
            }
            Some(MachineReadableLine::Bulk { name, figures }) => match self.sizes.clone() {
                Some(sizes) => self.bulk(number, name, &figures, &sizes, figure::plain_bulk)?,
                None => {
                    let why = "no line +H above it gives its sizes";
                    self.leave_out(number, format!("the row \"{}\": {why}", short(name)));
                }
            },
            Some(MachineReadableLine::Operations(row)) => self.operations(number, &row),
            Some(MachineReadableLine::Unusable(why)) => self.leave_out(number, why),
            None if row::is_noise(line) => {}
            None => self.leave_out(number, format!("figures that are not in openssl's format: \"{}\"", short(line))),
        }
        Ok(())
    }

    /// A line that announces a process of `-multi`, or that it printed; its figures are in the sums that follow.
    fn multiple(&mut self, number: usize, line: &str, process: u64) -> Result<(), ImportError> {
        self.begin_call();
        self.processes = self.processes.max(process + 1);
        let printed = line.strip_prefix("Got: ").and_then(|line| line.rsplit_once(" from ")).map(|(line, _)| line);
        if let Some(printed) = printed.filter(|printed| printed.starts_with("+H"))
            && let Some(MachineReadableLine::Sizes(sizes)) = machine_readable::read(printed, number, None)?
        {
            self.sizes = Some(sizes);
        }
        Ok(())
    }

    fn acceleration(&self, subject: RowSubject) -> Result<Acceleration, String> {
        let info = self.build.cpu_info.as_ref();
        let version = self.build.version.as_ref();
        let environment = match info {
            Some(info) => info.environment.as_deref(),
            None => self.command.as_ref().and_then(|command| command.environment.as_deref()),
        };
        let state = match environment {
            Some(environment) => {
                let is_before_3_1 = version.is_some_and(|version| !version.is_from((3, 1, 0)));
                mask::state(environment, info, subject.algorithm, is_before_3_1).map_err(|why| printable(&why))?
            }
            None => Acceleration::On,
        };
        if !subject.is_without_aes_instructions() {
            return Ok(state);
        }
        match version.filter(|version| version.library() == "libressl").and_then(LibraryVersion::release) {
            Some((4.., ..)) => Err("LibreSSL 4 may or may not use the AES instructions for it".to_owned()),
            _ => Ok(Acceleration::Off),
        }
    }

    fn processes(&self) -> u64 {
        let asked = self.command.as_ref().and_then(|command| command.processes).unwrap_or(1);
        self.processes.max(asked).clamp(1, MAX_PROCESSES)
    }

    fn major(&self) -> Option<u32> {
        let version = self.build.version.as_ref().filter(|version| version.library() == "openssl")?;
        version.release().map(|(major, ..)| major)
    }

    /// The machine whose lines are being read.
    fn machine(&mut self, number: usize) -> &mut Reading {
        let at = match self.of_build {
            Some(at) => at,
            None => self.find_machine(number),
        };
        self.of_build = Some(at);
        if let Some(command) = &self.command {
            let known = &mut self.machines[at].commands;
            if known.len() < MAX_COMMANDS && !known.contains(&command.text) {
                known.push(command.text.clone());
            }
        }
        self.machines[at].extend_to(number);
        &mut self.machines[at]
    }

    /// The machine that these lines before a table belong to: one that is known and says the same, or another.
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
                self.machines.push(Reading::new(self.build.clone(), collected, (first, number)));
                self.machines.len() - 1
            }
        }
    }

    fn leave_out(&mut self, number: usize, what: impl Into<String>) {
        self.left_out.push(ImportRemark::at(number, what));
    }

    /// A file whose last line is a row whose last figure lacks its `k` may have lost it there.
    fn check_end(&self, text: &str) -> Result<(), ImportError> {
        let last = text.lines().count();
        match self.last_row {
            Some((line, true)) if line == last && !text.ends_with(['\n', ' ']) => {
                let what = "the file ends inside or right after a figure without \"k\"; it may be truncated";
                Err(ImportError::transcript(line, what))
            }
            _ => Ok(()),
        }
    }

    fn finish(self, source: &str) -> Imported {
        let mut notes = Vec::new();
        if !self.repeated.is_empty() {
            notes.push(ImportRemark::whole(format!(
                "{} repeated earlier lines and were kept once",
                ranges(&self.repeated)
            )));
        }
        if !self.prose.is_empty() {
            notes.push(ImportRemark::whole(format!("{} without figures were skipped", ranges(&self.prose))));
        }
        let machines = self.machines.into_iter().filter(Reading::has_figures);
        Imported { machines: machines.map(|machine| machine.finish(source)).collect(), left_out: self.left_out, notes }
    }
}

/// A row word by word, whatever its name's capitals.
fn row_key(name: &str, figures: &[&str]) -> (String, Vec<String>) {
    (name.to_ascii_lowercase(), figures.iter().map(|figure| (*figure).to_owned()).collect())
}

/// The line without what quotes it in mails and Markdown, and without spaces around it.
fn without_quotation(line: &str) -> &str {
    let mut line = line.trim();
    while let Some(rest) = line.strip_prefix('>') {
        line = rest.trim_start();
    }
    line
}

/// The number of the process in `Forked child 3` and `Got: … from 3`.
fn process(line: &str) -> Option<u64> {
    let number = match line.strip_prefix("Forked child ") {
        Some(number) => number,
        None => line.strip_prefix("Got: ")?.rsplit_once(" from ")?.1,
    };
    number.trim().parse().ok().filter(|number| *number < MAX_PROCESSES)
}

/// Adds a line to ranges that rise.
fn push_range(ranges: &mut Vec<(usize, usize)>, line: usize) {
    match ranges.last_mut() {
        Some((_, end)) if *end + 1 == line => *end = line,
        _ => ranges.push((line, line)),
    }
}

fn ranges(ranges: &[(usize, usize)]) -> String {
    const SHOWN: usize = 8;
    let one = |(first, last): &(usize, usize)| {
        if first == last { first.to_string() } else { format!("{first}–{last}") }
    };
    let mut text = ranges.iter().take(SHOWN).map(one).collect::<Vec<_>>().join(", ");
    if ranges.len() > SHOWN {
        text.push_str(", …");
    }
    let is_one_line = matches!(ranges, [(first, last)] if first == last);
    format!("{} {text}", if is_one_line { "line" } else { "lines" })
}

/// A piece of a line for a message.
fn short(text: &str) -> String {
    const MAX: usize = 60;
    let text = printable(text);
    if text.chars().count() > MAX { text.chars().take(MAX - 1).chain(['…']).collect() } else { text }
}
