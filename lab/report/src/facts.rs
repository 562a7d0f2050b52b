//! Facts about a machine and a run as pairs of name and value, including the method or the source of the figures.

use kasoku_model::document::{FLOOR_IF_UNKNOWN, Origin};

use crate::level::transfer;
use crate::prelude::*;

type Fact = (Text, Text);

/// Returns the reason why a run is not ranked: `emulated`, `under-wine` or `incomplete`. The reason is also the kind of
/// the run's only claim, and part of message names.
pub(crate) fn unranked_kind(document: &Document) -> Option<&'static str> {
    match document.run.complete {
        _ if document.machine.emulated_on.is_some() => Some("emulated"),
        _ if document.machine.wine.is_some() => Some("under-wine"),
        false => Some("incomplete"),
        true => None,
    }
}

pub(crate) fn unranked(document: &Document) -> Option<Block> {
    let mark = say!(format!("terminal-{}", unranked_kind(document)?));
    Some(Block::Marked { mark, is_warning: true, text: Text::EMPTY })
}

pub(crate) fn origin(document: &Document) -> Option<Text> {
    let origin = document.run.origin.as_ref()?;
    Some(say!("origin-what", kind = origin.kind.name(), source = short(&origin.source, 200)))
}

/// Returns the facts beside the machine's name at the top: CPU, cores, system, hypervisor and start. Omits the CPU if
/// it is the machine's name.
pub(crate) fn beside_the_name(document: &Document) -> Vec<Text> {
    let machine = &document.machine;
    let mut facts: Vec<Text> = Vec::new();
    facts.extend(machine.name.is_some().then(|| Text::name(&machine.cpu, 60)));
    facts.extend((machine.cores > 0).then(|| say!("facts-cores", cores = machine.cores)));
    facts.extend(machine.os.as_deref().map(|os| Text::name(os, 60)));
    facts.extend(machine.hypervisor.as_deref().map(|name| say!("facts-under", hypervisor = short(name, 30))));
    facts.push(Text::name(&document.run.started, 40));
    facts
}

pub(crate) fn machine(document: &Document) -> Vec<Fact> {
    let machine = &document.machine;
    let optional = |text: &Option<String>, most| text.as_deref().map(|text| short(text, most)).into();
    // Only runs look for a hypervisor, not publications and imports.
    let none_seen = || document.run.origin.is_none().then(|| say!("facts-none-seen"));
    let hypervisor = machine.hypervisor.as_deref().map(|name| Text::name(name, 60)).or_else(none_seen);
    let allowed = |boost| if boost { say!("facts-allowed") } else { say!("facts-not-allowed") };
    let memory = machine.memory.map(|bytes| format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64));
    let rows = [
        (say!("facts-name"), optional(&machine.name, 100)),
        (say!("facts-cpu"), Text::name(&machine.cpu, 100)),
        (say!("facts-microarchitecture"), optional(&machine.microarchitecture, 100)),
        (say!("facts-architecture"), Text::name(&machine.arch, 40)),
        (say!("facts-features"), Text::name(&machine.features.join(" "), 600)),
        (say!("facts-logical-cpus"), (machine.cores > 0).then(|| machine.cores.to_string()).into()),
        (say!("facts-memory"), memory.into()),
        (say!("facts-os"), optional(&machine.os, 100)),
        (say!("facts-kernel"), Text::name(&machine.kernel, 100)),
        (say!("facts-hypervisor"), hypervisor.into()),
        (say!("facts-microcode"), optional(&machine.microcode, 40)),
        (say!("facts-governor"), optional(&machine.governor, 40)),
        (say!("facts-boost"), machine.boost.map(allowed).into()),
    ];
    known_facts(rows)
}

/// Returns facts about how the run measured; for published figures, about their source.
pub(crate) fn method(document: &Document) -> Vec<Fact> {
    match &document.run.origin {
        Some(origin) => published(document, origin),
        None => measured(document),
    }
}

fn published(document: &Document, origin: &Origin) -> Vec<Fact> {
    let optional = |text: &Option<String>| Text::name(text.as_deref().unwrap_or_default(), 400);
    known_facts([
        (say!("origin-source"), Text::name(&origin.source, 200)),
        (say!("origin-address"), optional(&origin.address)),
        (say!("origin-note"), optional(&origin.note)),
        (say!("facts-started"), Text::name(&document.run.started, 40)),
    ])
}

fn measured(document: &Document) -> Vec<Fact> {
    let run = &document.run;
    let method = &run.method;
    let clock = match (&method.core_clock, method.core_hz) {
        (Some(source), Some(hz)) => {
            say!("facts-clock-from", clock = format!("{} GHz", fixed(hz / 1e9, 2)), source = short(source, 100))
        }
        (Some(source), None) => Text::name(source, 100),
        (None, Some(hz)) => format!("{} GHz", fixed(hz / 1e9, 2)).into(),
        (None, None) => say!("facts-no-clock"),
    };
    let percent = |floor: f64| format!("{} %", fixed(floor * 100.0, 2));
    let from = |floor, library: &str| say!("facts-floor-from", floor = percent(floor), library = short(library, 40));
    let floor = match (method.noise_floor, &method.noise_floor_library) {
        (Some(floor), Some(library)) => from(floor, library),
        (Some(floor), None) => say!("facts-floor-alone", floor = percent(floor)),
        (None, _) => match transfer::noise_floor(document) {
            Some((floor, library)) => from(floor, &library),
            None => say!("facts-floor-unknown", floor = format!("{} %", FLOOR_IF_UNKNOWN * 100.0)),
        },
    };
    let samples = || document.series.iter().flat_map(|series| &series.samples);
    let (all, dropped) = (samples().count(), samples().filter(|sample| sample.dropped).count());
    let share = || format!("{:.1} %", dropped as f64 / all as f64 * 100.0);
    let dropped_of = (all > 0).then(|| say!("facts-dropped-of", dropped = dropped, all = all, share = share()));
    let loop_takes = method.loop_ns.map(|ns| say!("facts-loop-takes", time = format!("{} ns", fixed(ns, 2))));
    known_facts([
        (say!("facts-started"), Text::name(&run.started, 40)),
        (say!("facts-kasoku"), Text::name(&run.kasoku, 40)),
        (say!("facts-toolchain"), Text::name(document.machine.toolchain.as_deref().unwrap_or_default(), 100)),
        (say!("facts-starts"), method.processes.to_string().into()),
        (say!("facts-rounds"), method.rounds.to_string().into()),
        (say!("facts-slice"), format!("{} ms", method.slice_ms).into()),
        (say!("facts-took"), run.seconds.map(|seconds| format!("{} s", fixed(seconds, 0))).into()),
        (say!("facts-core-clock"), clock),
        (say!("facts-noise-floor"), floor),
        (say!("facts-dropped"), dropped_of.into()),
        (say!("facts-measuring-loop"), loop_takes.into()),
    ])
}

fn known_facts(facts: impl IntoIterator<Item = Fact>) -> Vec<Fact> {
    facts.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}
