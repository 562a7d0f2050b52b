//! What acceleration is worth, of each library on each machine.

use std::collections::HashMap;

use maud::{Markup, html};

use super::layout::Layout;
use super::{MAX_ROWS, Site, StateRankings};
use crate::chart::{Bar, Group};
use crate::html::gallery::Gallery;
use crate::html::parts::bars;
use crate::html::table::table;
use crate::quantity::{Scale, times};
use crate::table::{Cell, CellMark, Over};
use crate::visible::short;
use kasoku_model::document::FLOOR_IF_UNKNOWN;
use kasoku_store::collection::{DEFAULT_LIBRARY, RankingRow};

/// Generations that a chart shows at most.
const MAX_BARS: usize = 12;

/// One library in one run, with acceleration on and off.
pub(super) struct Pair<'r> {
    pub(super) machine: usize,
    pub(super) on: &'r RankingRow,
    off: &'r RankingRow,
    pub(super) times: f64,
    /// Whether it can be told from none.
    pub(super) is_shown: bool,
}

/// Every such pair, the largest factor first.
pub(super) fn pairs<'r>(site: &Site<'_>, rankings: &'r StateRankings) -> Vec<Pair<'r>> {
    let run = |row: &RankingRow| row.sources.first().map(|source| source.run().to_owned()).unwrap_or_default();
    let of_run: HashMap<String, &RankingRow> = rankings.off.rows.iter().map(|row| (run(row), row)).collect();
    let pair = |on: &'r RankingRow| {
        let off = *of_run.get(&run(on)).filter(|off| off.figure > 0.0)?;
        let times = on.figure / off.figure;
        let is_apart = match (on.ci95, off.ci95) {
            (Some(on), Some(off)) => on[0] > off[1] || on[1] < off[0],
            // Nobody measured how far quoted figures can be relied on.
            _ => on.is_quoted(),
        };
        let is_shown = is_apart && (times - 1.0).abs() > FLOOR_IF_UNKNOWN;
        Some(Pair { machine: site.machine_of(on)?, on, off, times, is_shown })
    };
    rankings.on.rows.iter().filter_map(pair).collect()
}

/// The chart by generation and the table of all pairs; nothing if there are none.
pub(super) fn worth(site: &Site<'_>, rankings: &[StateRankings], name: &str, layout: Layout) -> Option<Markup> {
    let (words, messages) = (&layout.messages.site, layout.messages);
    let mut all: Vec<Pair<'_>> = rankings.iter().flat_map(|one| pairs(site, one)).collect();
    all.sort_by(|one, other| other.times.total_cmp(&one.times));
    let scale = Scale::of_table(rankings.first()?.on.unit);
    let mut generations: Vec<(String, &Pair<'_>)> = Vec::new();
    let is_charted = |pair: &&Pair<'_>| pair.is_shown && !pair.on.is_quoted() && pair.on.library == DEFAULT_LIBRARY;
    for pair in all.iter().filter(is_charted) {
        let generation = site.machines[pair.machine].generation_or_cpu();
        if !generation.is_empty() && generations.iter().all(|(known, _)| *known != generation) {
            generations.push((generation, pair));
        }
    }
    generations.truncate(MAX_BARS);
    let bar = |(generation, pair): &(String, &Pair<'_>)| {
        let bar = Bar { color: "var(--on)".to_owned(), value: Some(pair.times), interval: None };
        Group { label: format!("{generation} {}", (messages.words.times)(&times(pair.times))), bars: vec![bar] }
    };
    let groups: Vec<Group> = generations.iter().map(bar).collect();
    let gallery = Gallery::new(name.to_owned(), Default::default());
    let shown = &all[..all.len().min(MAX_ROWS)];
    let machine = |pair: &Pair<'_>| {
        let name = site.machines[pair.machine].name(messages.facts.unnamed);
        Cell::linked(name, Some(layout.machine(site, pair.machine)))
    };
    let figures = Over::new(format!("{}{}{}", words.worth, messages.words.comma, scale.name), shown)
        .words(words.generation, |pair| site.machines[pair.machine].generation_or_cpu())
        .words(messages.collection.machine, machine)
        .words(messages.collection.library, |pair| {
            Cell::linked(short(&pair.on.library, 30), layout.library(site, &pair.on.library))
        })
        .words(words.known, |pair| if pair.on.is_quoted() { words.elsewhere } else { words.measured })
        .figures(words.on, |pair| scale.write(pair.on.figure))
        .figures(words.off, |pair| scale.write(pair.off.figure))
        .figures(words.times, |pair| factor(pair, messages.words.no_difference))
        .notes((all.len() > shown.len()).then(|| (words.most)(shown.len(), all.len())))
        .any()?;
    Some(html! {
        h3 { (words.worth) }
        p { (words.worth_explained) }
        @if !groups.is_empty() {
            div.wide { (bars(&gallery, "worth", (words.worth_by_generation)(DEFAULT_LIBRARY), "×", &groups, &[])) }
        }
        div.sorted { (table(&figures)) }
    })
}

/// How many times as fast acceleration makes it.
pub(super) fn factor(pair: &Pair<'_>, no_difference: &'static str) -> Cell {
    if pair.is_shown {
        times(pair.times).into()
    } else {
        Cell { mark: Some(CellMark::Equal(no_difference)), ..Cell::default() }
    }
}
