//! The machine and how a run measured, or where its figures are from, as names and values.

use kasoku_model::document::{Document, FLOOR_IF_UNKNOWN, Origin};

use super::language::{Facts, Messages};
use super::transfer;
use super::visible::short;

/// A name and a value.
pub(crate) type Fact = (&'static str, String);

/// What stands beside the machine's name at the top: its CPU if that is not the name, cores, system, hypervisor, start.
pub(crate) fn beside_the_name(document: &Document, facts: &Facts) -> Vec<String> {
    let machine = &document.machine;
    let mut told: Vec<String> = Vec::new();
    told.extend(machine.name.is_some().then(|| short(&machine.cpu, 60)));
    told.extend((machine.cores > 0).then(|| (facts.cores)(machine.cores)));
    told.extend(machine.os.as_deref().map(|os| short(os, 60)));
    told.extend(machine.hypervisor.as_deref().map(|name| (facts.under)(&short(name, 30))));
    told.push(short(&document.run.started, 40));
    told.retain(|fact| !fact.is_empty());
    told
}

/// The machine, as name and value.
pub(crate) fn machine(document: &Document, facts: &Facts) -> Vec<Fact> {
    let machine = &document.machine;
    let mut rows: Vec<Fact> = Vec::new();
    rows.extend(machine.name.as_deref().map(|name| (facts.name, short(name, 100))));
    rows.push((facts.cpu, short(&machine.cpu, 100)));
    rows.extend(machine.microarchitecture.as_deref().map(|name| (facts.microarchitecture, short(name, 100))));
    rows.push((facts.architecture, short(&machine.arch, 40)));
    rows.push((facts.features, short(&machine.features.join(" "), 600)));
    rows.extend((machine.cores > 0).then(|| (facts.logical_cpus, machine.cores.to_string())));
    rows.extend(machine.memory.map(|bytes| (facts.memory, format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64))));
    rows.extend(machine.os.as_deref().map(|os| (facts.os, short(os, 100))));
    rows.push((facts.kernel, short(&machine.kernel, 100)));
    // Whoever printed figures elsewhere did not look for one.
    let none_seen = document.run.origin.is_none().then(|| facts.none_seen.to_owned());
    let hypervisor = machine.hypervisor.as_deref().map(|name| short(name, 60)).or(none_seen);
    rows.extend(hypervisor.map(|name| (facts.hypervisor, name)));
    rows.extend(machine.governor.as_deref().map(|governor| (facts.governor, short(governor, 40))));
    let allowed = |boost| if boost { facts.allowed } else { facts.not_allowed };
    rows.extend(machine.boost.map(|boost| (facts.boost, allowed(boost).to_owned())));
    rows.retain(|(_, value)| !value.is_empty());
    rows
}

/// How the run measured, as name and value; of figures that others printed, where they are from.
pub(crate) fn method(document: &Document, messages: &'static Messages) -> Vec<Fact> {
    let mut rows = match &document.run.origin {
        Some(origin) => origin_of(document, origin, messages),
        None => measured(document, messages),
    };
    rows.retain(|(_, value)| !value.is_empty());
    rows
}

fn origin_of(document: &Document, origin: &Origin, messages: &Messages) -> Vec<Fact> {
    let Messages { facts, origin: words, .. } = messages;
    let optional = |text: &Option<String>| text.as_deref().map(|text| short(text, 400)).unwrap_or_default();
    vec![
        (words.source, short(&origin.source, 200)),
        (words.address, optional(&origin.address)),
        (words.note, optional(&origin.note)),
        (facts.started, short(&document.run.started, 40)),
    ]
}

fn measured(document: &Document, messages: &'static Messages) -> Vec<Fact> {
    let facts = &messages.facts;
    let run = &document.run;
    let method = &run.method;
    let mut rows = vec![
        (facts.started, short(&run.started, 40)),
        (facts.kasoku, short(&run.kasoku, 40)),
        (facts.starts, method.processes.to_string()),
        (facts.rounds, method.rounds.to_string()),
        (facts.slice, format!("{} ms", method.slice_ms)),
    ];
    rows.extend(run.seconds.map(|seconds| (facts.took, format!("{seconds:.0} s"))));
    let clock = match (&method.core_clock, method.core_hz) {
        (Some(source), Some(hz)) => (facts.clock_from)(&format!("{:.2} GHz", hz / 1e9), &short(source, 100)),
        (Some(source), None) => short(source, 100),
        (None, Some(hz)) => format!("{:.2} GHz", hz / 1e9),
        (None, None) => facts.no_clock.to_owned(),
    };
    rows.push((facts.core_clock, clock));
    let percent = |floor: f64| format!("{:.2} %", floor * 100.0);
    let floor = match (method.noise_floor, &method.noise_floor_library) {
        (Some(floor), Some(library)) => (facts.floor_from)(&percent(floor), &short(library, 40)),
        (Some(floor), None) => (facts.floor_alone)(&percent(floor)),
        (None, _) if let Some((floor, library)) = transfer::noise_floor(document, messages) => {
            (facts.floor_from)(&percent(floor), &short(&library, 40))
        }
        (None, _) => (facts.floor_unknown)(&format!("{} %", FLOOR_IF_UNKNOWN * 100.0)),
    };
    rows.push((facts.noise_floor, floor));
    let (kept, dropped) = samples(document);
    if kept + dropped > 0 {
        let share = format!("{:.1} %", dropped as f64 / (kept + dropped) as f64 * 100.0);
        rows.push((facts.dropped, (facts.dropped_of)(dropped, kept + dropped, &share)));
    }
    rows.extend(method.loop_ns.map(|ns| (facts.measuring_loop, (facts.loop_takes)(&format!("{ns:.2} ns")))));
    rows
}

fn samples(document: &Document) -> (usize, usize) {
    let all = || document.series.iter().flat_map(|series| &series.samples);
    let dropped = all().filter(|sample| sample.dropped).count();
    (all().count() - dropped, dropped)
}
