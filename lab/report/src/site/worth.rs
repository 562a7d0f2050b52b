//! What acceleration is worth, of each library on each machine.

use maud::{Markup, html};

use super::layout::Layout;
use super::{MAX_ROWS, Site};
use crate::chart::{Bar, Group};
use crate::html::gallery::Gallery;
use crate::html::parts::bars;
use crate::html::table::table;
use crate::language::Messages;
use crate::quantity::{Scale, size, times};
use crate::table::{Cell, CellMark, Over};
use crate::visible::short;
use kasoku_model::document::FLOOR_IF_UNKNOWN;
use kasoku_store::collection::{DEFAULT_LIBRARY, StatePair, StatePairs};

/// Generations that a chart shows at most.
const MAX_BARS: usize = 12;

/// What acceleration is worth to one library on one machine.
pub(super) struct Gain<'r> {
    pub(super) machine: usize,
    pair: &'r StatePair,
    times: f64,
    claim: Claim,
}

/// What can be said of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// It can be told from none.
    Shown,
    /// It cannot.
    Equal,
    /// It was measured without intervals, so that nobody knows.
    Unknown,
}

/// Every gain, in the order of the pairs. A factor beyond every number is none.
pub(super) fn gains<'r>(site: &Site<'_>, pairs: &'r StatePairs) -> Vec<Gain<'r>> {
    let gain = |pair: &'r StatePair| {
        let times = Some(pair.on.figure / pair.off.figure).filter(|times| times.is_finite())?;
        Some(Gain { machine: site.machine_of(&pair.on)?, pair, times, claim: Claim::of(pair, times) })
    };
    pairs.pairs.iter().filter_map(gain).collect()
}

impl Claim {
    fn of(pair: &StatePair, times: f64) -> Self {
        let StatePair { on, off } = pair;
        match (on.ci95, off.ci95) {
            _ if (times - 1.0).abs() <= FLOOR_IF_UNKNOWN => Claim::Equal,
            (Some(on), Some(off)) if on[0] <= off[1] && off[0] <= on[1] => Claim::Equal,
            (Some(_), Some(_)) => Claim::Shown,
            // Figures from elsewhere stand as their sources have them.
            _ if on.is_quoted() => Claim::Shown,
            _ => Claim::Unknown,
        }
    }
}

/// The chart by generation and the table of all gains; nothing if there are none.
pub(super) fn worth(site: &Site<'_>, pairs: &[StatePairs], name: &str, layout: Layout) -> Option<Markup> {
    let (words, messages) = (&layout.messages.site, layout.messages);
    let mut all: Vec<Gain<'_>> = pairs.iter().flat_map(|pairs| gains(site, pairs)).collect();
    all.sort_by(|one, other| other.times.total_cmp(&one.times));
    let question = &pairs.first()?.question;
    let scale = Scale::of_table(question.unit());
    let mut generations: Vec<(String, &Gain<'_>)> = Vec::new();
    let is_charted = |gain: &&Gain<'_>| {
        let on = &gain.pair.on;
        gain.claim == Claim::Shown && !on.is_quoted() && on.library == DEFAULT_LIBRARY
    };
    for gain in all.iter().filter(is_charted) {
        let generation = site.machines[gain.machine].generation_or_cpu();
        if !generation.is_empty() && generations.iter().all(|(known, _)| *known != generation) {
            generations.push((generation, gain));
        }
    }
    let generation_count = generations.len();
    generations.truncate(MAX_BARS);
    let bar = |(generation, gain): &(String, &Gain<'_>)| {
        let bar = Bar { color: "var(--on)".to_owned(), value: Some(gain.times), interval: None };
        Group { label: format!("{generation} {}", (messages.words.times)(&times(gain.times))), bars: vec![bar] }
    };
    let groups: Vec<Group> = generations.iter().map(bar).collect();
    let gallery = Gallery::new(name.to_owned(), Default::default());
    let shown = &all[..all.len().min(MAX_ROWS)];
    let machine = |gain: &Gain<'_>| {
        let name = site.machines[gain.machine].name(messages.facts.unnamed);
        Cell::linked(name, Some(layout.machine(site, gain.machine)))
    };
    let about = [Some(words.worth.to_owned()), question.has_sizes().then(|| size(question.bytes))];
    let about: Vec<String> = about.into_iter().flatten().chain([scale.name.to_owned()]).collect();
    let figures = Over::new(about.join(messages.words.comma), shown)
        .words(words.generation, |gain| site.machines[gain.machine].generation_or_cpu())
        .words(messages.collection.machine, machine)
        .words(messages.collection.library, |gain| {
            let library = &gain.pair.on.library;
            Cell::linked(short(library, 30), layout.library(site, library))
        })
        .words(words.known, |gain| if gain.pair.on.is_quoted() { words.elsewhere } else { words.measured })
        .figures(words.on, |gain| Cell::figure(scale, gain.pair.on.figure))
        .figures(words.off, |gain| Cell::figure(scale, gain.pair.off.figure))
        .figures(words.times, |gain| factor(gain, messages))
        .notes((all.len() > shown.len()).then(|| (words.most)(shown.len(), all.len())))
        .any()?;
    Some(html! {
        h3 { (words.worth) }
        p { (words.worth_explained) }
        @if !groups.is_empty() {
            div.wide { (bars(&gallery, "worth", (words.worth_by_generation)(DEFAULT_LIBRARY), "×", &groups, &[])) }
            @if generation_count > groups.len() {
                p.note { ((words.most_generations)(groups.len(), generation_count)) }
            }
        }
        div.sorted { (table(&figures)) }
    })
}

/// How many times as fast acceleration makes it.
pub(super) fn factor(gain: &Gain<'_>, messages: &Messages) -> Cell {
    match gain.claim {
        Claim::Shown => Cell::from(times(gain.times)).sorted_by(gain.times),
        Claim::Equal => {
            Cell { mark: Some(CellMark::Equal(messages.words.no_difference)), ..Cell::default() }.sorted_by(1)
        }
        Claim::Unknown => {
            let interval = Some(messages.site.no_interval.to_owned());
            Cell { interval, ..Cell::from(times(gain.times)).sorted_by(gain.times) }
        }
    }
}
