//! Advice in every output format. Its CSV and JSON contain sentences, so they depend on the language too.

use serde_json::{Value, json};

use super::catalogue::{Catalogue, catalogue};
use crate::advice::{AdviceReport, AdviceText, topic_heading};
use crate::export::csv;
use crate::language::Language;
use crate::prelude::*;
use kasoku_advice::Topic;

/// Returns the advice that follows from the run documents `documents`. `topics` selects the topics; an empty list
/// selects all. If several documents lead to advice on a topic, only the advice from the first of them is returned.
pub fn advice(documents: &[Document], topics: &[Topic], language: Language) -> Output {
    let (report, catalogue) = (AdviceReport::new(documents, topics), catalogue(language));
    let columns = ["topic", "rule", "advice", "figures", "reason", "place", "lines"];
    let rows: Vec<Vec<String>> = report.advice.iter().flat_map(|(_, text)| rows(text, catalogue)).collect();
    Output {
        blocks: report.blocks(),
        csv: csv::list(&columns, &rows),
        objects: object(&report, catalogue),
        title: report.title,
    }
}

/// Returns every rule of advice on `topics`, or all rules if `topics` is empty. The output is in English, like the
/// conditions of rules.
pub fn rules(topics: &[Topic]) -> Output {
    let catalogue = catalogue(Language::ENGLISH);
    let mut output = Output { title: Text::EMPTY, blocks: Vec::new(), csv: String::new(), objects: Value::Null };
    let (mut rows, mut objects, mut last) = (Vec::new(), Vec::new(), None);
    for rule in kasoku_advice::rules::all().filter(|rule| topics.is_empty() || topics.contains(&rule.topic)) {
        let says = catalogue.template(&format!("advice-{}", rule.id));
        let why = catalogue.words(&format!("advice-{}.why", rule.id));
        let heading = topic_heading(rule.topic);
        rows.push([&catalogue.write(&heading), rule.id, rule.when, &says, &why].map(str::to_owned).into());
        objects.push(json!({
            "rule": rule.id,
            "topic": rule.topic,
            "weight": rule.weight,
            "headline": rule.is_headline,
            "when": rule.when,
            "advice": says,
            "reason": why,
        }));
        if last.replace(rule.topic) != Some(rule.topic) {
            output.blocks.push(Block::Heading(heading));
        }
        let pairs = [("when", rule.when.to_owned()), ("says", says), ("why", why)];
        output.blocks.push(Block::Paragraph(Text::Plain(rule.id.to_owned())));
        output.blocks.push(Block::Pairs(pairs.map(|(name, words)| (name.into(), words.into())).into()));
    }
    output.csv = csv::list(&["topic", "rule", "when", "advice", "reason"], &rows);
    output.objects = json!(objects);
    output
}

/// Returns a row for each configuration line of `text`, or one row if `text` has no configuration lines.
fn rows(text: &AdviceText, catalogue: &Catalogue) -> Vec<Vec<String>> {
    let lines = text.lines.iter().flat_map(|(place, lines)| lines.lines().map(|line| (*place, line)));
    let nothing = text.lines.is_empty().then_some(("", ""));
    let figures: Vec<String> = text.figures.iter().map(|figure| catalogue.write(figure)).collect();
    let figures = figures.join("; ");
    let [heading, says, reason] =
        [&topic_heading(text.rule.topic), &text.says, &text.reason].map(|text| catalogue.write(text));
    let row = |(place, line)| [&heading, text.rule.id, &says, &figures, &reason, place, line];
    lines.chain(nothing).map(|line| row(line).map(str::to_owned).into()).collect()
}

fn object(report: &AdviceReport<'_>, catalogue: &Catalogue) -> Value {
    let all = |texts: &[Text]| texts.iter().map(|text| catalogue.write(text)).collect::<Vec<_>>();
    let one = |(run, text): &(&Document, AdviceText)| {
        json!({
            "rule": text.rule.id,
            "topic": text.rule.topic,
            "weight": text.rule.weight,
            "headline": text.rule.is_headline,
            "advice": catalogue.write(&text.says),
            "figures": all(&text.figures),
            "reason": catalogue.write(&text.reason),
            "lines": text.lines.iter().map(|(place, text)| json!({ "place": place, "text": text })).collect::<Vec<_>>(),
            "run": run.run.id,
        })
    };
    let run = report.runs.first();
    json!({
        "run": run.map(|run| &run.run.id),
        "machine": run.map(|run| run.machine.label()),
        "title": catalogue.write(&report.title),
        "notes": all(&report.notes),
        "advice": report.advice.iter().map(one).collect::<Vec<_>>(),
    })
}
