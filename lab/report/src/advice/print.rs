//! Advice on a terminal, in Markdown, as a list and as JSON.

use serde_json::{Value, json};

use super::{Heading, Text, heading, texts};
use crate::export::json as json_export;
use crate::export::markdown::escape;
use crate::language::{AdviceMessages, messages};
use crate::terminal::{BOLD, Lines, WARNING, WIDTH};
use crate::width::{columns_of, wrap};
use crate::{Format, list};
use kasoku_advice::{Topic, Weight};
use kasoku_model::document::Document;
use kasoku_model::language::Language;

/// The advice on `document` in `format`; only on `topics` unless there are none; with ANSI colours if `color` and the form
/// is for a terminal.
pub fn render(document: &Document, topics: &[Topic], format: Format, language: Language, color: bool) -> String {
    let texts = texts(document, topics, language);
    let heading = heading(document, &texts, topics, language);
    let words = &messages(language).advice;
    match format {
        Format::Table => Page { lines: Lines { text: String::new(), color }, words }.fill(&heading, &texts),
        Format::Markdown => markdown(&heading, &texts, words),
        Format::Csv => list::render(&(words.columns)(), &rows(&texts), &Value::Null, Format::Csv),
        Format::Json => json_export::text(&object(document, &heading, &texts)),
    }
}

struct Page {
    lines: Lines,
    words: &'static AdviceMessages,
}

impl Page {
    fn fill(mut self, heading: &Heading, texts: &[Text]) -> String {
        self.lines.styled(BOLD, &heading.title);
        for note in &heading.notes {
            self.lines.wrapped("", note);
        }
        let headlines: Vec<&Text> = texts.iter().filter(|text| text.is_headline).collect();
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

    fn advice(&mut self, text: &Text) {
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

fn markdown(heading: &Heading, texts: &[Text], words: &AdviceMessages) -> String {
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

fn rows(texts: &[Text]) -> Vec<Vec<String>> {
    let row = |text: &Text, place: &str, lines: &str| {
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

fn object(document: &Document, heading: &Heading, texts: &[Text]) -> Value {
    let advice: Vec<Value> = texts
        .iter()
        .map(|text| {
            let lines: Vec<Value> =
                text.lines.iter().map(|lines| json!({ "place": lines.place, "text": lines.text })).collect();
            json!({
                "topic": text.topic.name(),
                "rule": text.rule,
                "weight": text.weight.name(),
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
