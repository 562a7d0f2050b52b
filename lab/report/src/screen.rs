//! The final screen: what everybody reads of a run, in some 25 lines. Everything else is behind `kasoku show --full`,
//! on the page, and in the exports.

pub(crate) mod choices;
pub(crate) mod libraries;
pub(crate) mod quality;
mod rest;
pub(crate) mod worth;

use anstyle::{AnsiColor, Style};

use crate::language::{Messages, messages, pick, say};
use crate::selection::{Selection, levels};
use crate::table::Table;
use crate::visible::short;
use crate::width::{columns_of, wrap};
use crate::{missing, terminal, tls, verdict};
use kasoku_model::document::{Document, Machine};
use kasoku_model::language::Language;
use kasoku_model::level::Level;

/// The widest screen, in columns.
pub const WIDTH: usize = 100;

const BOLD: Style = Style::new().bold();
const WARNING: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));

/// How a screen is to look.
#[derive(Clone, Copy, Debug)]
pub struct ScreenView {
    /// The columns that there are.
    pub columns: usize,
    /// Whether there are colours.
    pub color: bool,
    /// In which language it speaks.
    pub language: Language,
}

/// The screen of `document`.
pub fn screen(document: &Document, view: ScreenView) -> String {
    let messages = messages(view.language);
    let selection = Selection::new(document, messages);
    let mut screen =
        Screen { text: String::new(), view: ScreenView { columns: view.columns.clamp(40, WIDTH), ..view } };
    screen.wrapped("", &head(document, messages));
    if let Some(origin) = &document.run.origin {
        screen.wrapped("", &(messages.origin.what)(origin.kind, &short(&origin.source, 200)));
    }
    if let Some(words) = messages.terminal.unranked(document) {
        screen.marked(words, "");
    }
    if let Some((quality, meaning)) = quality::of(document, view.language) {
        screen.quality(quality, &meaning);
    }
    let worth = worth::table(&selection).filter(|_| document.run.complete);
    let libraries = libraries::table(&selection).filter(|_| document.run.complete);
    let is_of_one_level = levels(document).len() == 1 && levels(document) != [Level::Primitives];
    if is_of_one_level || (worth.is_none() && libraries.is_none()) {
        // Somebody asked for this level alone, or for too little to compare: here is what there is.
        terminal::tables(document, messages).into_iter().for_each(|table| screen.table(Some(table)));
        screen.findings(&verdict::verdict(document, messages).sentences);
    } else {
        screen.table(worth);
        screen.choices(&choices::of(document, view.language));
        screen.table(libraries);
        let servers: Vec<String> =
            tls::findings(document, messages).iter().map(|one| one.sentence(view.language)).collect();
        screen.findings(servers.get(..1).unwrap_or_default());
    }
    screen.line("");
    for (label, text) in rest::of(document, messages) {
        screen.labelled(&label, &text);
    }
    screen.text
}

/// What a run did not measure or could not verify, and why.
pub fn left_out(document: &Document, view: ScreenView) -> String {
    let messages = messages(view.language);
    let mut screen =
        Screen { text: String::new(), view: ScreenView { columns: view.columns.clamp(40, WIDTH), ..view } };
    for table in [missing::problems(document, messages), missing::omissions(document, messages)] {
        if table.rows.is_empty() {
            continue;
        }
        screen.titled(&table.title);
        for row in table.texts() {
            let [first, rest @ ..] = row.as_slice() else { continue };
            let rest: Vec<&str> = rest.iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
            screen.wrapped("  ", &(messages.terminal.item)(first, &rest));
        }
    }
    if screen.text.is_empty() {
        screen.line(pick(view.language, "Nothing was left out.", "省略した項目はありません。"));
    }
    screen.text
}

/// Kasoku, the machine and the run in a line.
fn head(document: &Document, messages: &Messages) -> String {
    let (machine, run) = (&document.machine, &document.run);
    let mut parts = vec![format!("Kasoku {}", short(&run.kasoku, 20)), cpu(machine)];
    parts.extend((machine.cores > 0).then(|| match (machine.cores, messages.language) {
        (1, _) | (_, Language::Japanese) => format!("{} CPU", machine.cores),
        (cores, Language::English) => format!("{cores} CPUs"),
    }));
    parts.extend(machine.hypervisor.as_deref().map(|name| short(name, 20)));
    parts.push(system(machine));
    let series = document.series.iter().filter(|series| !series.details.control).count();
    let took = run.seconds.map(|seconds| match (seconds / 60.0).round() as u64 {
        0 | 1 => say!(messages.language, " in {seconds:.0} seconds", "（{seconds:.0}秒）"),
        minutes => say!(messages.language, " in {minutes} minutes", "（{minutes}分）"),
    });
    let took = took.unwrap_or_default();
    let plural = if series == 1 { "" } else { "s" };
    parts.push(match messages.language {
        Language::English => format!("{series} result{plural}{took}"),
        Language::Japanese => format!("{series}件の結果{took}"),
    });
    let label = run.label.as_deref().map(|label| short(label, 60));
    parts.extend(label.map(|label| say!(messages.language, "label {label}", "ラベル {label}")));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// The machine's name, with that of its microarchitecture if the CPU's own does not tell it.
fn cpu(machine: &Machine) -> String {
    let name = machine.label().replace("(R)", "").replace("(TM)", "").replace(" Processor", "");
    match machine.generation() {
        Some(generation) => format!("{} ({})", short(&name, 50), short(generation, 30)),
        None => short(&name, 60),
    }
}

/// The system by its name and version alone: `Debian 12`.
fn system(machine: &Machine) -> String {
    let system = machine.os.as_deref().unwrap_or(&machine.kernel);
    short(system.split('(').next().unwrap_or(system).replace("GNU/Linux ", "").trim(), 40)
}

struct Screen {
    text: String,
    view: ScreenView,
}

impl Screen {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.view.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    fn titled(&mut self, title: &str) {
        for line in wrap(title, self.view.columns) {
            let line = self.styled(BOLD, &line);
            self.line(&line);
        }
    }

    /// `text` behind `first`, in as many lines as it takes, all behind where the first begins.
    fn wrapped(&mut self, first: &str, text: &str) {
        self.behind(first, columns_of(first), text);
    }

    fn behind(&mut self, first: &str, used: usize, text: &str) {
        let indent = " ".repeat(used);
        for (index, line) in wrap(text, self.view.columns.saturating_sub(used).max(20)).iter().enumerate() {
            self.line(&format!("{}{line}", if index == 0 { first } else { &indent }));
        }
    }

    /// A mark in yellow, and what it is about.
    fn marked(&mut self, mark: &str, text: &str) {
        let styled = self.styled(WARNING, mark);
        if text.is_empty() {
            self.line(&styled);
        } else {
            self.behind(&format!("{styled} "), columns_of(mark) + 1, text);
        }
    }

    fn quality(&mut self, quality: quality::Quality, meaning: &str) {
        let word = quality.word(self.view.language);
        match quality {
            quality::Quality::Quiet => self.wrapped(&format!("{word}  "), meaning),
            quality::Quality::Fair | quality::Quality::Noisy => {
                let styled = self.styled(WARNING, word);
                self.behind(&format!("{styled}  "), columns_of(word) + 2, meaning);
            }
        }
    }

    fn table(&mut self, table: Option<Table>) {
        let Some(table) = table.filter(|table| !table.rows.is_empty()) else { return };
        self.line("");
        self.titled(&table.title);
        for line in table.draw_plain(self.view.columns - 2).lines() {
            self.line(&format!("  {line}"));
        }
        for note in &table.notes {
            self.wrapped("  ", note);
        }
    }

    fn findings(&mut self, sentences: &[String]) {
        if !sentences.is_empty() {
            self.line("");
        }
        for sentence in sentences {
            self.wrapped("- ", sentence);
        }
    }

    fn choices(&mut self, choices: &choices::Choices) {
        if choices.pairs.is_empty() && choices.warnings.is_empty() {
            return;
        }
        self.line("");
        self.titled(choices::title(self.view.language));
        let widest = choices.pairs.iter().map(|(what, _)| columns_of(what)).max().unwrap_or_default();
        for (what, choice) in &choices.pairs {
            let padding = " ".repeat(widest - columns_of(what));
            self.wrapped(&format!("  {what}{padding}  "), choice);
        }
        for warning in &choices.warnings {
            self.marked("!", warning);
        }
    }

    /// A line of the screen's foot.
    fn labelled(&mut self, label: &str, text: &str) {
        let padding = " ".repeat(rest::LABEL.saturating_sub(columns_of(label)));
        self.wrapped(&format!("{label}{padding}  "), text);
    }
}
