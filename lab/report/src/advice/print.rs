//! Advice on a terminal, in Markdown, as a list and as JSON.

use serde_json::{Value, json};

use super::{AdviceText, Heading, heading, texts, texts_of_runs};
use crate::export::json as json_export;
use crate::export::markdown::escape;
use crate::language::{AdviceMessages, messages};
use crate::terminal::{BOLD, TerminalLines, WARNING, WIDTH};
use crate::visible::short;
use crate::width::{columns_of, wrap};
use crate::{Format, list};
use kasoku_advice::{Topic, Weight};
use kasoku_model::document::Document;
use kasoku_model::language::Language;

/// The advice on `document` in `format`; only on `topics` unless there are none; with ANSI colours if `color` and the
/// form is for a terminal.
pub fn render(document: &Document, topics: &[Topic], format: Format, language: Language, color: bool) -> String {
    let texts = texts(document, topics, language);
    let heading = heading(document, &texts, topics, language);
    let by: Vec<&Document> = vec![document; texts.len()];
    written(&heading, &texts, &by, document, format, language, color)
}

/// The same by several runs of one machine, of which the first that leads to any counts for each topic, and which are
/// named.
pub fn render_runs(
    documents: &[&Document],
    topics: &[Topic],
    format: Format,
    language: Language,
    color: bool,
) -> String {
    let Some(first) = documents.first() else { return String::new() };
    let (places, texts): (Vec<usize>, Vec<AdviceText>) = texts_of_runs(documents, topics, language).into_iter().unzip();
    let by: Vec<&Document> = places.iter().map(|place| documents[*place]).collect();
    // Of several runs only those that say something are named; of none that does, the newest.
    let mut used: Vec<&Document> = Vec::new();
    for document in by.iter().copied().chain(texts.is_empty().then_some(*first)) {
        if used.iter().all(|other| !std::ptr::eq(*other, document)) {
            used.push(document);
        }
    }
    let words = &messages(language).advice;
    let mut whole = heading(first, &texts, topics, language);
    whole.notes.clear();
    for document in &used {
        let mut of_it: Vec<&str> = by
            .iter()
            .zip(&texts)
            .filter(|(of, _)| std::ptr::eq(**of, *document))
            .map(|(_, text)| text.heading)
            .collect();
        of_it.dedup();
        let run = run_of(document);
        let named = if used.len() > 1 { (words.by_runs)(&of_it.join(", "), &run) } else { (words.by_run)(&run) };
        for note in heading(document, &texts, topics, language).notes.into_iter().chain([named]) {
            if !whole.notes.contains(&note) {
                whole.notes.push(note);
            }
        }
    }
    written(&whole, &texts, &by, used.first().unwrap_or(first), format, language, color)
}

/// A run by name and day, with what somebody calls it.
fn run_of(document: &Document) -> String {
    let run = &document.run;
    let parts = [Some(run.id.as_str()), run.label.as_deref(), run.started.get(..10)];
    let parts: Vec<String> = parts.into_iter().flatten().map(|part| short(part, 60)).collect();
    parts.join(" · ")
}

/// `by` are the runs that each of `texts` is from.
fn written(
    heading: &Heading,
    texts: &[AdviceText],
    by: &[&Document],
    document: &Document,
    format: Format,
    language: Language,
    color: bool,
) -> String {
    let words = &messages(language).advice;
    match format {
        Format::Table => Page { lines: TerminalLines { text: String::new(), color }, words }.fill(heading, texts),
        Format::Markdown => markdown(heading, texts, words),
        Format::Csv => list::render(&(words.columns)(), &rows(texts), &Value::Null, Format::Csv),
        Format::Json => json_export::text(&object(document, heading, texts, by)),
    }
}

struct Page {
    lines: TerminalLines,
    words: &'static AdviceMessages,
}

impl Page {
    fn fill(mut self, heading: &Heading, texts: &[AdviceText]) -> String {
        self.lines.styled(BOLD, &heading.title);
        for note in &heading.notes {
            self.lines.wrapped("", note);
        }
        let headlines: Vec<&AdviceText> = texts.iter().filter(|text| text.is_headline).collect();
        if !headlines.is_empty() {
            self.lines.line("");
            self.lines.styled(BOLD, self.words.short);
            for text in headlines {
                self.lines.wrapped("- ", &text.says);
            }
        }
        let mut before = None;
        for text in texts {
            if before.replace(text.topic) != Some(text.topic) {
                self.lines.line("");
                self.lines.styled(BOLD, text.heading);
            } else {
                self.lines.line("");
            }
            self.advice(text);
        }
        self.lines.text
    }

    fn advice(&mut self, text: &AdviceText) {
        let mark = if text.weight == Weight::Act { "! " } else { "- " };
        for (index, line) in wrap(&text.says, WIDTH - 2).iter().enumerate() {
            let line = format!("{}{line}", if index == 0 { mark } else { "  " });
            self.lines.styled(if text.weight == Weight::Act { WARNING } else { BOLD }, &line);
        }
        let words = self.words;
        let label = columns_of(words.figures).max(columns_of(words.why));
        let first = |name: &str| format!("    {name}{}  ", " ".repeat(label - columns_of(name)));
        let next = " ".repeat(label + 6);
        for (index, figure) in text.figures.iter().enumerate() {
            self.lines.wrapped(if index == 0 { first(words.figures) } else { next.clone() }.as_str(), figure);
        }
        self.lines.wrapped(&first(words.why), text.reason);
        for lines in &text.lines {
            self.lines.line(&format!("    {}:", lines.place));
            for line in lines.text.lines() {
                self.lines.line(format!("        {line}").trim_end());
            }
        }
    }
}

fn markdown(heading: &Heading, texts: &[AdviceText], words: &AdviceMessages) -> String {
    let mut out = format!("# {}\n", escape(&heading.title));
    for note in &heading.notes {
        out.push_str(&format!("\n{}\n", escape(note)));
    }
    let mut before = None;
    for text in texts {
        if before.replace(text.topic) != Some(text.topic) {
            out.push_str(&format!("\n## {}\n", escape(text.heading)));
        }
        out.push_str(&format!("\n**{}**\n\n", escape(&text.says)));
        for figure in &text.figures {
            out.push_str(&format!("- {}\n", escape(figure)));
        }
        out.push_str(&format!("\n{}: {}\n", escape(words.why), escape(text.reason)));
        for lines in &text.lines {
            out.push_str(&format!("\n`{}`\n\n```\n{}\n```\n", lines.place, lines.text));
        }
    }
    out
}

fn rows(texts: &[AdviceText]) -> Vec<Vec<String>> {
    let row = |text: &AdviceText, place: &str, lines: &str| {
        let figures = text.figures.join("; ");
        [text.heading, text.rule, text.says.as_str(), figures.as_str(), text.reason, place, lines]
            .map(str::to_owned)
            .into()
    };
    let rows = texts.iter().flat_map(|text| {
        let mut rows: Vec<Vec<String>> =
            text.lines.iter().flat_map(|lines| lines.text.lines().map(|line| row(text, lines.place, line))).collect();
        if rows.is_empty() {
            rows.push(row(text, "", ""));
        }
        rows
    });
    rows.collect()
}

fn object(document: &Document, heading: &Heading, texts: &[AdviceText], by: &[&Document]) -> Value {
    let advice: Vec<Value> = texts
        .iter()
        .zip(by)
        .map(|(text, by)| {
            let lines: Vec<Value> =
                text.lines.iter().map(|lines| json!({ "place": lines.place, "text": lines.text })).collect();
            json!({
                "topic": text.topic,
                "run": by.run.id,
                "rule": text.rule,
                "weight": text.weight,
                "headline": text.is_headline,
                "advice": text.says,
                "figures": text.figures,
                "reason": text.reason,
                "lines": lines,
            })
        })
        .collect();
    json!({
        "run": document.run.id,
        "machine": document.machine.label(),
        "title": heading.title,
        "notes": heading.notes,
        "advice": advice,
    })
}
