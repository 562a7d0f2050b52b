//! Steps in English.

use crate::quantity::{digits, times};
use kasoku_model::language::Language;
use kasoku_model::steps::{Form, Rule};

use super::words::{Messages, Place};

pub(super) const ENGLISH: Messages = Messages {
    language: Language::English,
    title: "Steps",
    headings: ["sizes", "code path", "counted", "fixed, ns", "ns/byte", "cycles/byte"],
    sizes: |count, rule| match rule {
        Rule::Sweep => format!("{count} sizes swept"),
        Rule::Table => format!("{count} sizes, judged by what a fixed cost and a cost per byte can make"),
    },
    form: |form| match form {
        Form::Bytes => String::new(),
        Form::Units { unit } => format!("in whole units of {unit} B"),
        Form::Rest { unit, more_ns_per_byte } => {
            format!("a rest of {unit} B: {} ns/byte more", digits(more_ns_per_byte))
        }
        Form::Filled { unit, ns_per_missing_byte } => {
            format!("in units of {unit} B: {} ns for each byte missing", digits(ns_per_missing_byte))
        }
        Form::Ragged { unit, more_ns } => format!("a rest of {unit} B: {} ns more", digits(more_ns)),
    },
    place: |place| match place {
        Place { at, is_placed: true, .. } => format!("At {at} bytes"),
        Place { before, at, .. } => format!("Between {before} and {at} bytes (nothing was measured between)"),
    },
    change: |change| {
        let mut parts = Vec::new();
        parts.extend(change.jump.map(|jump| match jump {
            jump if jump >= 1.0 => {
                format!("{} times as fast at {} bytes as the line before, drawn on", times(jump), change.at)
            }
            jump => {
                format!("{} times as long at {} bytes as by the line before, drawn on", times(1.0 / jump), change.at)
            }
        }));
        parts.extend(change.per_byte.map(|[before, after]| {
            format!("a byte costs {} ns before and {} ns after", digits(before), digits(after))
        }));
        parts.extend(
            change.code_paths.as_ref().map(|[before, after]| format!("code path {before} before, {after} after")),
        );
        parts.extend(change.support.map(|support| format!("in {:.0} % of the resamples", support * 100.0)));
        parts.join("; ")
    },
    sentence: |about, what| format!("{about}: {what}."),
    cause: |reason| format!("Why: {reason}"),
    cause_unknown: "Why: cause unknown.",
    absence: |name, reason| format!("{name}: {reason}"),
    none: |names| format!("No step in {}.", names.join(", ")),
    none_at_all: |curves| {
        format!("No steps: in all of {curves}, operations cost what a fixed cost and a cost per byte make of them.")
    },
    nothing: "Nothing here was measured at four sizes or more, so nothing can be said of steps. \
              A sweep shows them: kasoku run primitives --algorithms aes-128-ctr --stacks openssl --sizes sweep",
    incomplete: "INCOMPLETE: this run did not reach its end. What is there is fitted.",
    threads: |threads| format!("{threads} threads"),
    reading: "fixed: where the line meets no bytes at all, which for lines that begin late may be below zero",
};
