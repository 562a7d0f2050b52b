//! Tables and charts of the gains from acceleration, by machine and library.

use super::{IN_FOLDER, MAX_ROWS, Site, most, sorted};
use crate::collection::size_of;
use crate::prelude::*;
use crate::quantity::times;
use crate::selection;
use kasoku_model::document::FLOOR_IF_UNKNOWN;
use kasoku_store::collection::{DEFAULT_LIBRARY, StatePair, StatePairs};

/// Maximum number of microarchitectures in a chart.
const MAX_BARS: usize = 12;

pub(super) struct Gain<'r> {
    pub(super) machine: usize,
    pair: &'r StatePair,
    times: f64,
    evidence: GainEvidence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GainEvidence {
    Shown,
    Equal,
    /// A figure has no interval, so nothing proves the gain.
    Unknown,
}

/// Returns the finite gains, in the order of `pairs`.
pub(super) fn gains<'r>(site: &Site<'_>, pairs: &'r StatePairs) -> Vec<Gain<'r>> {
    let gain = |pair: &'r StatePair| {
        let times = Some(pair.on.figure / pair.off.figure).filter(|times| times.is_finite())?;
        Some(Gain { machine: site.machine_of(&pair.on)?, pair, times, evidence: evidence(pair, times) })
    };
    pairs.pairs.iter().filter_map(gain).collect()
}

fn evidence(StatePair { on, off }: &StatePair, times: f64) -> GainEvidence {
    match (on.ci95, off.ci95) {
        _ if (times - 1.0).abs() <= FLOOR_IF_UNKNOWN => GainEvidence::Equal,
        (Some(on), Some(off)) if on[0] <= off[1] && off[0] <= on[1] => GainEvidence::Equal,
        (Some(_), Some(_)) => GainEvidence::Shown,
        // Published and imported figures are shown as in their sources.
        _ if on.is_quoted() => GainEvidence::Shown,
        _ => GainEvidence::Unknown,
    }
}

/// Returns a chart by microarchitecture and a table of all gains; empty without gains. `name` is the name of the
/// operation.
pub(super) fn worth(site: &Site<'_>, pairs: &[StatePairs], name: &str) -> Vec<Block> {
    let mut all: Vec<Gain<'_>> = pairs.iter().flat_map(|pairs| gains(site, pairs)).collect();
    all.sort_by(|one, other| other.times.total_cmp(&one.times));
    let Some(StatePairs { question, .. }) = pairs.first().filter(|_| !all.is_empty()) else { return Vec::new() };
    let scale = Scale::of_table(question.unit());
    let mut blocks = vec![Block::Heading(say!("site-worth")), Block::Paragraph(say!("site-worth-explained"))];
    blocks.extend(by_generation(site, &all, name));
    let shown = &all[..all.len().min(MAX_ROWS)];
    let title = Text::list(Separator::Comma, [say!("site-worth"), size_of(question), scale.name.into()]);
    let table = TableBuilder::new(title, shown)
        .words(say!("site-generation"), |gain| site.machines[gain.machine].generation_or_cpu())
        .words(say!("collection-machine"), |gain| site.machine_cell(gain.machine, IN_FOLDER))
        .words(say!("collection-library"), |gain| site.library_cell(&gain.pair.on.library, IN_FOLDER))
        .words(say!("site-known"), |gain| {
            if gain.pair.on.is_quoted() { say!("site-elsewhere") } else { say!("site-measured") }
        })
        .figures(say!("site-on"), |gain| Cell::figure(scale, gain.pair.on.figure))
        .figures(say!("site-off"), |gain| Cell::figure(scale, gain.pair.off.figure))
        .figures(say!("site-times"), factor)
        .notes(most(shown.len(), all.len()))
        .table();
    blocks.push(sorted(table));
    blocks
}

/// Returns a chart of the largest gain of each microarchitecture. `all` must be sorted by gain, largest first.
fn by_generation(site: &Site<'_>, all: &[Gain<'_>], name: &str) -> Vec<Block> {
    let mut generations: Vec<(String, f64)> = Vec::new();
    let is_charted = |gain: &&Gain<'_>| {
        let on = &gain.pair.on;
        gain.evidence == GainEvidence::Shown && !on.is_quoted() && on.library == DEFAULT_LIBRARY
    };
    for gain in all.iter().filter(is_charted) {
        let generation = site.machines[gain.machine].generation_or_cpu();
        if !generation.is_empty() && generations.iter().all(|(known, _)| *known != generation) {
            generations.push((generation, gain.times));
        }
    }
    let (count, shown) = (generations.len(), generations.len().min(MAX_BARS));
    let group = |(generation, times): &(String, f64)| {
        let label = Text::list(Separator::Space, [generation.into(), selection::times(*times)]);
        BarGroup { label, bars: vec![Bar::new("var(--on)", Some(*times))] }
    };
    let title = say!("site-worth-by-generation", library = DEFAULT_LIBRARY);
    let groups: Vec<BarGroup> = generations[..shown].iter().map(group).collect();
    let chart = Chart::new(format!("{name}-worth"), title, "×", groups);
    let more = (count > shown).then(|| Block::Note(say!("site-most-generations", shown = shown, all = count)));
    Block::charts(Vec::new(), if count > 0 { vec![chart] } else { Vec::new() }).into_iter().chain(more).collect()
}

/// Returns a cell with the gain, or `=` if no difference is proven.
pub(super) fn factor(gain: &Gain<'_>) -> Cell {
    let factor = Cell::from(times(gain.times)).sorted_by(gain.times);
    match gain.evidence {
        GainEvidence::Shown => factor,
        GainEvidence::Equal => Cell::equal().sorted_by(1),
        GainEvidence::Unknown => Cell { interval: Some(say!("site-no-interval")), ..factor },
    }
}
