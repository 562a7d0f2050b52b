//! Rankings and histories in English.

use super::words::and;
use crate::language::CollectionMessages;
use kasoku_model::acceleration::Acceleration;

pub(super) const COLLECTION: CollectionMessages = CollectionMessages {
    place: "#",
    machine: "machine",
    os: "OS",
    times_this: "× this machine",
    stack: "stack",
    known: "known from",
    this_machine: "this machine",
    imported: "imported",
    published: "published",
    any_stack: "the fastest stack of each machine",
    quoted: "Imported and published figures stand as their sources have them: Kasoku did not verify the output behind them, \
             and they have no intervals.",
    running_stream: "Imported and published figures of AEADs are those of one running stream: openssl speed -evp sets no \
                     nonce and makes no tag for each message. At small sizes that is faster than whole messages, which is \
                     what Kasoku measures.",
    no_run_and_not_measured: "there is no complete run of this machine in the store, and Kasoku does not measure this \
                              algorithm: the ranking has other machines only",
    interval: "95 % interval",
    change: "change",
    versions_differ: "The version of the stack is not the same in all of these runs.",
    state: |state| match state {
        Acceleration::On => "acceleration on".to_owned(),
        Acceleration::Off => "acceleration off".to_owned(),
        other => format!("acceleration {other}"),
    },
    behind: |text| format!(" ({text})"),
    measured: |day| format!("measured {day}"),
    imported_from: |file| format!("imported: {file}"),
    left_out: |machines, wanted, sizes| {
        let (who, have) = match machines {
            1 => ("1 machine is".to_owned(), "it has one"),
            _ => (format!("{machines} machines are"), "they have some"),
        };
        format!("{who} left out for want of a figure at {wanted}: {have} at {}. None is interpolated.", and(sizes))
    },
    no_run: |command| {
        format!(
            "there is no complete run of this machine in the store, so it is not in the ranking: `{command}` makes one"
        )
    },
    no_figure: |what, command| {
        format!("the complete runs of this machine have no verified figure of {what}: `{command}` measures it")
    },
    not_measured: |algorithm| format!("Kasoku does not measure {algorithm}, so this machine is not in the ranking"),
    nothing_known: |what, sizes| match sizes {
        [] => format!("nothing is known of {what}: no run, import or publication has a figure of it"),
        sizes => format!("nothing is known of {what}; there are figures at {}", and(sizes)),
    },
    without_interval: |ratio| format!("{ratio}, no interval"),
    rule: |percent| {
        format!(
            "A change against the run before is shown where the 95 % intervals of both do not overlap and the figures \
             differ by more than {percent:.0} %."
        )
    },
};
