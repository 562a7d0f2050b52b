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

/// Advice with the run that it is from.
type Sourced<'d> = (&'d Document, AdviceText);

/// Renders the advice on `document` in `format`; only on `topics` unless there are none; with ANSI colours if `color`
/// and the format is for a terminal.
pub fn render(document: &Document, topics: &[Topic], format: Format, language: Language, color: bool) -> String {
    let advice: Vec<Sourced<'_>> = texts(document, topics, language).into_iter().map(|text| (document, text)).collect();
    let heading = heading(document, advice.is_empty(), topics, language);
    written(&heading, &advice, document, format, language, color)
}

/// Renders the advice on one machine by several of its runs. For each topic the first run that leads to any advice
/// counts; the runs are named.
pub fn render_runs(
    documents: &[&Document],
    topics: &[Topic],
    format: Format,
    language: Language,
    color: bool,
) -> String {
    let Some(first) = documents.first() else { return String::new() };
    let advice = texts_of_runs(documents, topics, language);
    // Runs that lead to no advice are not named, unless none does; then the newest is.
    let mut used: Vec<&Document> = Vec::new();
    for document in advice.iter().map(|(run, _)| *run).chain(advice.is_empty().then_some(*first)) {
        if !used.iter().any(|other| std::ptr::eq(*other, document)) {
            used.push(document);
        }
    }
    let words = &messages(language).advice;
    let mut notes: Vec<String> = Vec::new();
    for document in &used {
        let of_it = advice.iter().filter(|(run, _)| std::ptr::eq(*run, *document));
        let mut topics_of_it: Vec<&str> = of_it.map(|(_, text)| text.heading).collect();
        topics_of_it.dedup();
        let run = run_of(document);
        let named = if used.len() > 1 { (words.by_runs)(&topics_of_it.join(", "), &run) } else { (words.by_run)(&run) };
        let of_it = heading(document, advice.is_empty(), topics, language).notes.into_iter().chain([named]);
        of_it.for_each(|note| {
            if !notes.contains(&note) {
                notes.push(note)
            }
        });
    }
    let heading = Heading { notes, ..heading(first, false, topics, language) };
    written(&heading, &advice, used.first().unwrap_or(first), format, language, color)
}

/// A run by name and day, with what somebody calls it.
fn run_of(document: &Document) -> String {
    let run = &document.run;
    let parts = [Some(run.id.as_str()), run.label.as_deref(), run.started.get(..10)];
    let parts: Vec<String> = parts.into_iter().flatten().map(|part| short(part, 60)).collect();
    parts.join(" · ")
}

fn written(
    heading: &Heading,
    advice: &[Sourced<'_>],
    document: &Document,
    format: Format,
    language: Language,
    color: bool,
) -> String {
    let words = &messages(language).advice;
    let texts: Vec<&AdviceText> = advice.iter().map(|(_, text)| text).collect();
    match format {
        Format::Table => table(heading, &texts, words, color),
        Format::Markdown => markdown(heading, &texts, words),
        Format::Csv => list::render(&(words.columns)(), &rows(&texts), &Value::Null, Format::Csv),
        Format::Json => json_export::text(&object(document, heading, advice)),
    }
}

fn table(heading: &Heading, texts: &[&AdviceText], words: &AdviceMessages, color: bool) -> String {
    let mut lines = TerminalLines { text: String::new(), color };
    lines.styled(BOLD, &heading.title);
    heading.notes.iter().for_each(|note| lines.wrapped("", note));
    if texts.iter().any(|text| text.is_headline) {
        lines.line("");
        lines.styled(BOLD, words.short);
        texts.iter().filter(|text| text.is_headline).for_each(|text| lines.wrapped("- ", &text.says));
    }
    let label = columns_of(words.figures).max(columns_of(words.why));
    let labelled = |name: &str| format!("    {name}{}  ", " ".repeat(label - columns_of(name)));
    for (index, text) in texts.iter().enumerate() {
        lines.line("");
        if index == 0 || texts[index - 1].topic != text.topic {
            lines.styled(BOLD, text.heading);
        }
        let (mut mark, style) = if text.weight == Weight::Act { ("! ", WARNING) } else { ("- ", BOLD) };
        for line in wrap(&text.says, WIDTH - 2) {
            lines.styled(style, &format!("{mark}{line}"));
            mark = "  ";
        }
        for (index, figure) in text.figures.iter().enumerate() {
            lines.wrapped(&labelled(if index == 0 { words.figures } else { "" }), figure);
        }
        lines.wrapped(&labelled(words.why), text.reason);
        for one in &text.lines {
            lines.line(&format!("    {}:", one.place));
            one.text.lines().for_each(|line| lines.line(format!("        {line}").trim_end()));
        }
    }
    lines.text
}

fn markdown(heading: &Heading, texts: &[&AdviceText], words: &AdviceMessages) -> String {
    let mut out = format!("# {}\n", escape(&heading.title));
    for note in &heading.notes {
        out.push_str(&format!("\n{}\n", escape(note)));
    }
    for topic in texts.chunk_by(|left, right| left.topic == right.topic) {
        out.push_str(&format!("\n## {}\n", escape(topic[0].heading)));
        for text in topic {
            out.push_str(&format!("\n**{}**\n\n", escape(&text.says)));
            text.figures.iter().for_each(|figure| out.push_str(&format!("- {}\n", escape(figure))));
            out.push_str(&format!("\n{}: {}\n", escape(words.why), escape(text.reason)));
            for lines in &text.lines {
                out.push_str(&format!("\n`{}`\n\n```\n{}\n```\n", lines.place, lines.text));
            }
        }
    }
    out
}

/// A row for each line to paste, or one for advice without any.
fn rows(texts: &[&AdviceText]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for text in texts {
        let lines = text.lines.iter().flat_map(|lines| lines.text.lines().map(|line| (lines.place, line)));
        let nothing = text.lines.is_empty().then_some(("", ""));
        for (place, line) in lines.chain(nothing) {
            let figures = text.figures.join("; ");
            let row = [text.heading, text.rule, &text.says, &figures, text.reason, place, line];
            rows.push(row.map(str::to_owned).into());
        }
    }
    rows
}

fn object(document: &Document, heading: &Heading, advice: &[Sourced<'_>]) -> Value {
    let one = |(run, text): &Sourced<'_>| {
        let mut object = json!(text);
        object["run"] = json!(run.run.id);
        object
    };
    json!({
        "run": document.run.id,
        "machine": document.machine.label(),
        "title": heading.title,
        "notes": heading.notes,
        "advice": advice.iter().map(one).collect::<Vec<_>>(),
    })
}
