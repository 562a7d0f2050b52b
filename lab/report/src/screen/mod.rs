//! The final screen: the main results of a run in about 25 lines. All other results are in `kasoku show --full`, on the
//! page and in the exports.

pub(crate) mod libraries;
pub(crate) mod worth;

use std::collections::{BTreeMap, BTreeSet};

use crate::claim::claims;
use crate::level::{self, LevelReport, tls::ServerSelection};
use crate::prelude::*;
use crate::quantity::spread;
use crate::selection::levels;
use crate::{choices, facts, missing};
use kasoku_model::document::{FLOOR_IF_UNKNOWN, Machine};
use kasoku_model::library;

/// Maximum fraction of disturbed slices on a quiet machine.
const QUIET: f64 = 0.01;
/// Maximum fraction of disturbed slices on a machine that is not noisy.
const FAIR: f64 = 0.05;
/// Fraction of the series whose confidence intervals can prove a difference as small as the one that the screen calls
/// safe.
const SAFE_SHARE: f64 = 0.9;

pub(crate) fn screen(document: &Document) -> Vec<Block> {
    let selection = Selection::new(document);
    let mut blocks = vec![Block::Paragraph(head(document))];
    blocks.extend(facts::origin(document).map(Block::Paragraph));
    blocks.extend(facts::unranked(document));
    blocks.extend(quality(document));
    let worth = worth::table(&selection).filter(|_| document.run.complete);
    let libraries = libraries::table(&selection).filter(|_| document.run.complete);
    let is_of_one_level = levels(document).len() == 1 && levels(document) != [Level::Primitives];
    if is_of_one_level || (worth.is_none() && libraries.is_none()) {
        // The run has only other levels, or too few series to compare.
        blocks.extend(summary(document).into_iter().map(Block::Table));
        blocks.extend(Block::sentences(&claims(document)));
    } else {
        blocks.extend(worth.map(Block::Table));
        blocks.extend(choices::blocks(&kasoku_advice::advice(document)));
        blocks.extend(libraries.map(Block::Table));
        let servers = ServerSelection::new(document).map(|servers| servers.claims());
        blocks.extend(Block::sentences(servers.iter().flatten().take(1)));
    }
    blocks.push(Block::Pairs(foot(document)));
    blocks
}

/// Returns the output of `kasoku show --full`: the verdict and every table.
pub(crate) fn full(document: &Document) -> Vec<Block> {
    let run = &document.run;
    let label = Text::name(run.label.as_deref().unwrap_or_default(), 60);
    let head = [say!("terminal-run", run = short(&run.id, 60)), label, Text::name(document.machine.label(), 100)];
    let mut blocks: Vec<Block> = [head.to_vec(), facts::beside_the_name(document)]
        .map(|texts| Block::Paragraph(Text::list(Separator::Dot, texts)))
        .into();
    blocks.extend(facts::origin(document).map(Block::Paragraph));
    blocks.extend(facts::unranked(document));
    let note = |text| Block::Marked { mark: say!("terminal-note"), is_warning: false, text };
    blocks.extend(crate::remark::notes(document).into_iter().map(note));
    blocks.extend(summary(document).into_iter().map(Block::Table));
    blocks.push(Block::Heading(say!("terminal-verdict")));
    blocks.extend(Block::sentences(&claims(document)));
    blocks.extend(figures(document));
    blocks
}

pub(crate) fn figures(document: &Document) -> Vec<Block> {
    let tables = level::tables(document).into_iter().map(Block::Table);
    tables.chain(missing::tables(document).map(Block::SentenceTable)).collect()
}

pub(crate) fn left_out(document: &Document) -> Vec<Block> {
    let tables: Vec<Block> = missing::tables(document).map(Block::SentenceTable).collect();
    if tables.is_empty() { vec![Block::Paragraph(say!("screen-nothing-left-out"))] } else { tables }
}

fn summary(document: &Document) -> Vec<Table> {
    let others = level::reports(document).into_iter().flat_map(|level| level.summary());
    level::primitives::summary(document).into_iter().chain(others).filter(|table| !table.rows.is_empty()).collect()
}

fn head(document: &Document) -> Text {
    let (machine, run) = (&document.machine, &document.run);
    let count = document.series.iter().filter(|series| !series.details.control).count();
    let results = match run.seconds.map(|seconds| (seconds, (seconds / 60.0).round() as u64)) {
        None => say!("screen-results", count = count),
        Some((seconds, 0 | 1)) => say!("screen-results-seconds", count = count, seconds = fixed(seconds, 0)),
        Some((_, minutes)) => say!("screen-results-minutes", count = count, minutes = minutes.to_string()),
    };
    let parts = [
        format!("Kasoku {}", short(&run.kasoku, 20)).into(),
        cpu(machine).into(),
        (machine.cores > 0).then(|| say!("screen-head-cpus", cores = machine.cores)).into(),
        machine.hypervisor.as_deref().map(|name| short(name, 20)).into(),
        system(machine).into(),
        results,
        run.label.as_deref().map(|label| say!("screen-head-label", label = short(label, 60))).into(),
    ];
    Text::list(Separator::Dot, parts as [Text; 7])
}

/// Names the CPU, with its microarchitecture unless the CPU's name contains it.
fn cpu(machine: &Machine) -> String {
    let name = machine.label().replace("(R)", "").replace("(TM)", "").replace(" Processor", "");
    match machine.generation() {
        Some(generation) => format!("{} ({})", short(&name, 50), short(generation, 30)),
        None => short(&name, 60),
    }
}

/// Names the operating system without details: `Debian 12`.
fn system(machine: &Machine) -> String {
    let system = machine.os.as_deref().unwrap_or(&machine.kernel);
    short(system.split('(').next().unwrap_or(system).replace("GNU/Linux ", "").trim(), 40)
}

/// Returns the foot of the screen: omissions, failures, and the next commands to run.
fn foot(document: &Document) -> Vec<(Text, Text)> {
    let problems = missing::problems(document);
    let failure = problems.first().map(|first| {
        let what = Text::list(Separator::Comma, [first.who.clone(), first.tasks.clone()]);
        let failure = say!("screen-rest-failure", what = what, kind = first.what.name(), reason = &first.reason);
        match problems.len() - 1 {
            0 => failure.cut(160),
            others => say!("screen-rest-failed-more", failure = failure.cut(160), others = others),
        }
    });
    let run = short(&document.run.id, 60);
    let show = match document.run.omissions.len() {
        0 => say!("screen-rest-show", run = run),
        count => say!("screen-rest-show-left-out", run = run, count = count),
    };
    let lines = [
        installs(document).map(|text| (say!("screen-rest-not-measured"), text.into())),
        failure.map(|text| (say!("screen-rest-failed"), text)),
        restarted(document).map(|text| (say!("screen-rest-restarted"), text.into())),
        Some((say!("screen-rest-next"), say!("screen-rest-advise"))),
        Some((Text::EMPTY, show)),
    ];
    lines.into_iter().flatten().collect()
}

/// Names the first series whose worker died and was replaced, and counts the others.
fn restarted(document: &Document) -> Option<String> {
    let mut all = document.series.iter().filter(|series| !series.has_failed() && series.details.restarts > 0);
    let first = all.next()?;
    let who = format!("{}, {} {}", short(&first.library, 24), first.algorithm.title(), first.operation);
    let note = short(first.note.as_deref().unwrap_or_default(), 140);
    Some(match all.count() {
        0 => format!("{who}: {note}"),
        others => format!("{who}: {note} (+{others})"),
    })
}

/// Lists commands that install what levels lack, then missing libraries in the order of tables, each once.
fn installs(document: &Document) -> Option<String> {
    let mut omissions: Vec<_> = document.run.omissions.iter().filter(|omission| omission.install.is_some()).collect();
    omissions.sort_by_key(|omission| (!omission.library.is_empty(), library::place(&omission.library)));
    let mut seen = BTreeSet::new();
    omissions.retain(|omission| seen.insert(omission.install.as_deref()));
    let each = omissions.iter().map(|omission| {
        let what = if omission.library.is_empty() { omission.level.name() } else { &omission.library };
        format!("{}: {}", short(what, 24), short(omission.install.as_deref().unwrap_or_default(), 60))
    });
    let all = each.take(4).collect::<Vec<_>>().join(" · ");
    (!all.is_empty()).then_some(all)
}

/// Rates how quiet the machine was, and states the smallest difference that is safe to believe. `None` for published
/// figures, which have no samples.
pub(crate) fn quality(document: &Document) -> Option<Block> {
    let levels = disturbed(document);
    let worst = levels.values().copied().max_by(f64::total_cmp)?;
    let safe = safe_difference(document) * 100.0;
    // Rounded up, since a smaller difference is not safe.
    let safe = if safe >= 100.0 {
        say!("screen-quality-safe-times", times = fixed((safe / 10.0).ceil() / 10.0 + 1.0, 1))
    } else {
        say!("screen-quality-safe-percent", percent = fixed(safe.ceil().max(1.0), 0))
    };
    if worst <= QUIET {
        let text = say!("screen-quality-quiet-meaning", safe = safe);
        return Some(Block::Marked { mark: say!("screen-quality-quiet"), is_warning: false, text });
    }
    let share = |(level, share): (&Level, &f64)| {
        let level = say!("words-level", level = level.name());
        say!("screen-quality-share", share = fixed(share * 100.0, 0), level = level)
    };
    let shares = levels.iter().filter(|(_, share)| **share > QUIET).map(share);
    let counted = document.series.iter().filter(|series| series.samples.iter().any(|sample| sample.disturbed)).count();
    let counted = (counted > 0).then(|| say!("screen-quality-counted", count = counted));
    let shares = Text::list(Separator::Comma, shares.chain(counted));
    let (mark, text) = match worst <= FAIR {
        true => (say!("screen-quality-fair"), say!("screen-quality-fair-meaning", shares = shares, safe = safe)),
        false => (say!("screen-quality-noisy"), say!("screen-quality-noisy-meaning", shares = shares, safe = safe)),
    };
    Some(Block::Marked { mark, is_warning: true, text })
}

fn disturbed(document: &Document) -> BTreeMap<Level, f64> {
    let mut counts: BTreeMap<Level, (usize, usize)> = BTreeMap::new();
    for series in &document.series {
        let (dropped, all) = counts.entry(series.level).or_default();
        *dropped += series.samples.iter().filter(|sample| sample.dropped || sample.disturbed).count();
        *all += series.samples.len();
    }
    let share = |(level, (dropped, all)): (_, (usize, usize))| (all > 0).then(|| (level, dropped as f64 / all as f64));
    counts.into_iter().filter_map(share).collect()
}

/// Returns the smallest relative difference that the intervals of nine in ten ranked series can prove. The result is at
/// least the noise floor.
fn safe_difference(document: &Document) -> f64 {
    let ranked = document.series.iter().filter(|series| series.is_ranked() && !series.details.control);
    let mut spreads: Vec<f64> = ranked.filter_map(spread).collect();
    spreads.sort_by(f64::total_cmp);
    let widest =
        spreads.get((spreads.len() as f64 * SAFE_SHARE) as usize).or(spreads.last()).copied().unwrap_or_default();
    let floor = document.run.method.noise_floor.unwrap_or(FLOOR_IF_UNKNOWN);
    // Independent intervals add up like squares.
    (widest / 100.0 * std::f64::consts::SQRT_2).max(floor)
}
