//! Encrypted files in English.

use crate::files::Finding;
use crate::language::FileMessages;
use crate::quantity::{digits, percent, points, size};
use crate::verdict;
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::{Files, Operation};

pub(super) const FILES: FileMessages = FileMessages {
    title: "Encrypted files",
    explained: "Whole files, from opening them to closing them: read, encrypted or decrypted, and written to another file, \
                which is in the system’s cache then and not yet on the device. The tables and figures are those of a \
                published measurement, made again and set beside it.",
    figures: "Times and improvements",
    test_run: "test run",
    size: "size",
    encrypt_off: "encrypt, off (ms)",
    decrypt_off: "decrypt, off (ms)",
    encrypt_on: "encrypt, on (ms)",
    decrypt_on: "decrypt, on (ms)",
    encrypt_improvement: "encrypt: improvement (%)",
    decrypt_improvement: "decrypt: improvement (%)",
    mean: "mean",
    table_note: "Each time is the mean of a test run’s repetitions. Improvement: (off − on) / off. Less time is better.",
    published_note: "As printed; off and on: without and with the AES instructions, which were switched in the BIOS.",
    overview: "Files: milliseconds with acceleration on, and time saved by it",
    overview_note: "Medians. Copy: the same reading and writing without a cipher. In memory: the same encryption from memory \
                    to memory, without a device.",
    stack: "stack",
    algorithm: "algorithm",
    encrypt: "encrypt",
    decrypt: "decrypt",
    encrypt_saves: "saved",
    decrypt_saves: "saved (decrypt)",
    encrypt_in_memory: "in memory",
    copy: "copy",
    cold: "cold cache",
    milliseconds: "milliseconds",
    other_stacks: "Other stacks and places",
    components: "System components",
    published_components: "Components of the published measurement (in its own words)",
    component: "component",
    detail: "detail",
    hardware: "Hardware",
    operating_system: "Operating system",
    applications: "Stacks",
    measured_by: "Measured by",
    log: "Log of every repetition",
    sentence,
    threads: |threads| format!("{threads} threads"),
    table: |algorithm, stack| format!("{algorithm}, {stack}: times by test run"),
    published_table: |bits| format!("AES-{bits}, published in 2012 (Java with NSS, Xeon X5690)"),
    slip: |printed, follows, what| {
        let printed = if printed.is_empty() { "A slip".to_owned() } else { format!("† {printed}") };
        let follows = follows.map(|follows| format!(" (read {follows})")).unwrap_or_default();
        format!("{printed}{follows}: {what}")
    },
    figure_times: |algorithm, stack| match stack {
        Some(stack) => format!("{algorithm}, {stack}: times"),
        None => format!("{algorithm}, published: times"),
    },
    figure_improvement: |operation, stack| {
        let what = if operation == Operation::Encrypt { "Encryption" } else { "Decryption" };
        match stack {
            Some(stack) => format!("{what}, {stack}: improvement"),
            None => format!("{what}, published: improvement"),
        }
    },
    place,
    log_cut: |shown, all| {
        format!("The first {shown} of {all} lines. The whole log is written with: kasoku run files --log FILE")
    },
};

/// The headline of a run of files only.
pub(super) fn headline(findings: &[verdict::Finding]) -> Option<String> {
    let of_files = |finding: &verdict::Finding| match finding {
        verdict::Finding::Files(finding) => Some(finding.clone()),
        _ => None,
    };
    let all: Vec<Finding> =
        findings.iter().map(of_files).collect::<Option<_>>().filter(|all: &Vec<_>| !all.is_empty())?;
    let lead = all.iter().find(|finding| finding.leads());
    Some(lead.or(all.last()).map(sentence).unwrap_or_default())
}

pub(super) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Saved { algorithm, stack, percent: [encrypt, decrypt] } => format!(
            "With the AES instructions, files take {} % less time to encrypt and {} % less to decrypt with {algorithm} \
             ({stack}).",
            points(*encrypt),
            points(*decrypt)
        ),
        Finding::Copied { algorithm, stack, bytes, whole, copy, in_memory } => {
            let in_memory = in_memory
                .map(|time| format!("; from memory to memory it takes {} ms", digits(time)))
                .unwrap_or_default();
            let (size, whole_ms) = (size(*bytes), digits(*whole));
            if copy >= whole {
                return format!(
                    "{stack} encrypts {size} with {algorithm} in {whole_ms} ms, no more than copying the file takes \
                     ({} ms){in_memory}.",
                    digits(*copy)
                );
            }
            let share = percent(100.0 * copy / whole);
            format!(
                "Of the {whole_ms} ms in which {stack} encrypts {size} with {algorithm}, {share} is what copying the file \
                 takes{in_memory}."
            )
        }
    }
}

fn place(files: Files) -> &'static str {
    match (files.storage, files.cache) {
        (Storage::Memory, _) => "in memory",
        (Storage::File, Cache::Cold) => "cold cache",
        (Storage::File, Cache::Warm) => "on the file system",
    }
}
