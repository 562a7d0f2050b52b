//! The final screen: what everybody reads of a run, in some 25 lines. Everything else is behind `kasoku show --full`,
//! on the page, and in the exports.

pub(crate) mod libraries;
mod quality;
pub(crate) mod worth;

use std::collections::BTreeMap;

use crate::block::Block;
use crate::claim::{Claim, claims};
use crate::level::{self, LEVELS};
use crate::quantity::fixed;
use crate::selection::{Selection, levels};
use crate::table::Table;
use crate::text::{Separator, Text, say};
use crate::visible::short;
use crate::{choices, facts, missing};
use kasoku_model::document::{Document, Machine};
use kasoku_model::level::Level;
pub(crate) use quality::quality;

/// Returns the final screen of `document`.
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
        // Somebody asked for this level alone, or for too little to compare: here is what there is.
        blocks.extend(summary(document).into_iter().map(Block::Table));
        blocks.extend(Block::list(claims(document).iter().map(Claim::sentence)));
    } else {
        blocks.extend(worth.map(Block::Table));
        blocks.extend(choices::blocks(document));
        blocks.extend(libraries.map(Block::Table));
        let servers = (level::tls::REPORT.claims)(document);
        blocks.extend(Block::list(servers.first().map(Claim::sentence)));
    }
    blocks.push(Block::Pairs(foot(document)));
    blocks
}

/// Returns the verdict and every table of `document`.
pub(crate) fn full(document: &Document) -> Vec<Block> {
    let mut blocks = [&facts::run_and_machine(document)[..], &facts::beside_the_name(document)[..]]
        .map(|texts| Block::Paragraph(Text::list(Separator::Dot, texts.iter().cloned())))
        .to_vec();
    blocks.extend(facts::origin(document).map(Block::Paragraph));
    blocks.extend(facts::unranked(document));
    let note = |text| Block::Marked { mark: say!("terminal-note"), is_warning: false, text };
    blocks.extend(crate::remark::notes(document).into_iter().map(note));
    blocks.extend(summary(document).into_iter().map(Block::Table));
    blocks.push(Block::Heading(say!("terminal-verdict")));
    blocks.extend(Block::list(claims(document).iter().map(Claim::sentence)));
    blocks.extend(figures(document));
    blocks
}

/// Returns every figure of `document`, its levels' tables one after the other, and what is missing.
pub(crate) fn figures(document: &Document) -> Vec<Block> {
    let tables = level::tables(document).into_iter().map(Block::Table);
    tables.chain(missing::tables(document).map(Block::SentenceTable)).collect()
}

/// Returns what a run did not measure or could not verify, and why.
pub(crate) fn left_out(document: &Document) -> Vec<Block> {
    let tables: Vec<Block> = missing::tables(document).map(Block::SentenceTable).collect();
    if tables.is_empty() { vec![Block::Paragraph(say!("screen-nothing-left-out"))] } else { tables }
}

/// A few tables of each level that stand for all.
fn summary(document: &Document) -> Vec<Table> {
    let others = LEVELS.iter().flat_map(|level| (level.summary)(document));
    level::primitives::summary(document).into_iter().chain(others).filter(|table| !table.rows.is_empty()).collect()
}

/// Kasoku, the machine and the run in a line.
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

/// The machine's name, with its microarchitecture if the CPU's own name does not tell it.
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

/// The foot: what was not measured, what failed, where to go on.
fn foot(document: &Document) -> Vec<(Text, Text)> {
    let mut lines: Vec<(Text, Text)> = Vec::new();
    lines.extend(installs(document).map(|text| (say!("screen-rest-not-measured"), text.into())));
    let problems = missing::problems(document);
    if let Some(first) = problems.first() {
        let what = Text::list(Separator::Comma, [first.who.clone(), first.tasks.clone()]);
        let failure = say!("screen-rest-failure", what = what, kind = first.what.name(), reason = &first.reason);
        let failure = failure.cut(160);
        lines.push((
            say!("screen-rest-failed"),
            match problems.len() - 1 {
                0 => failure,
                others => say!("screen-rest-failed-more", failure = failure, others = others),
            },
        ));
    }
    lines.extend(restarted(document).map(|text| (say!("screen-rest-restarted"), text.into())));
    lines.push((say!("screen-rest-next"), say!("screen-rest-advise")));
    let run = short(&document.run.id, 60);
    lines.push((
        Text::EMPTY,
        match document.run.omissions.len() {
            0 => say!("screen-rest-show", run = run),
            count => say!("screen-rest-show-left-out", run = run, count = count),
        },
    ));
    lines
}

/// Returns the first series whose worker died and was replaced, and the number of others.
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

/// Returns installation commands for missing libraries, without duplicates.
fn installs(document: &Document) -> Option<String> {
    let mut installs: BTreeMap<&str, &str> = BTreeMap::new();
    for omission in &document.run.omissions {
        if let Some(install) = omission.install.as_deref() {
            let what = if omission.library.is_empty() { omission.level.name() } else { &omission.library };
            installs.entry(install).or_insert(what);
        }
    }
    let each = installs.iter().map(|(install, what)| format!("{}: {}", short(what, 24), short(install, 60)));
    let all = each.take(4).collect::<Vec<_>>().join(" · ");
    (!all.is_empty()).then_some(all)
}
