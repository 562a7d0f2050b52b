//! Describes the plan of a level as text, for `kasoku run --list`.

use std::collections::BTreeSet;

use crate::files::size_name;
use crate::plan::{EndToEnd, Experiment, FilesPlan, HttpsPlan, Item, Plan, TlsPlan, TransferCase, TransferPlan};
use kasoku_model::level::Level;
use kasoku_model::workload::{NonceForm, Operation, Workload};

pub fn describe(plan: &Plan) -> String {
    let series = plan.most_series();
    let slices = match &plan.experiment {
        Experiment::Files(files) => return describe_files(plan, files),
        Experiment::Tls(tls) => return describe_tls(plan, tls),
        Experiment::Slices(slices) => slices,
    };
    let after = slices.end_to_end.as_ref().map(|end_to_end| match end_to_end {
        EndToEnd::Transfer(transfer) => describe_transfers(plan.level, transfer),
        EndToEnd::Https(https) => describe_https(plan, https),
    });
    if plan.items.is_empty() && slices.own_clock.is_none() {
        return after.unwrap_or_default();
    }
    let mut text = format!(
        "{}: at most {series} series, {} rounds in {} starts of each worker, slices of {:.1} ms: {:.0} s\n\nworkers:\n",
        plan.level,
        plan.all_rounds(),
        plan.processes,
        plan.slice(series).as_secs_f64() * 1e3,
        plan.duration(series).as_secs_f64(),
    );
    for (index, worker) in plan.workers.iter().enumerate() {
        let control = if plan.control().is_some_and(|(control, _)| control == index) {
            " once more, for the noise floor"
        } else {
            ""
        };
        text.push_str(&format!("  {}{control}{}\n", worker.label(), part_of_sizes(plan, index)));
    }
    text.push_str("\nworkloads:\n");
    let task = |item: &Item| {
        let Workload { algorithm, operation, nonces, setting, .. } = item.workload;
        (algorithm, operation, nonces, setting, item.threads)
    };
    for alike in plan.items.chunk_by(|one, other| task(one) == task(other)) {
        let Workload { algorithm, operation, nonces, .. } = alike[0].workload;
        let sizes = alike.iter().map(|item| item.workload.bytes);
        let sizes = if algorithm.kind().is_bulk() { format!(" {}", at_sizes(sizes)) } else { String::new() };
        let nonces = match nonces {
            NonceForm::Ahead => "",
            NonceForm::Counted => ", nonces counted",
        };
        let packets = alike[0].workload.packets().map(|packets| format!(", {packets}")).unwrap_or_default();
        let threads = in_threads(&alike[0]);
        let libraries = libraries(plan, alike);
        text.push_str(&format!("  {algorithm} {operation}{packets}{sizes}{nonces}{threads}: {libraries}\n"));
    }
    if let Some(item) = &slices.own_clock {
        let by = item.workers.first().map_or("", |&index| plan.workers[index].entry.name);
        text.push_str(&format!("  {} by {by}, with its own clock\n", item.workload));
    }
    if let Some(after) = after {
        text.push_str(&format!("\n{after}"));
    }
    text
}

/// Lists the sizes that `worker` measures, if these are not all sizes of the plan.
fn part_of_sizes(plan: &Plan, worker: usize) -> String {
    let sizes = |is_own: &dyn Fn(&Item) -> bool| -> BTreeSet<usize> {
        let bulk = plan.items.iter().filter(|item| item.workload.algorithm.kind().is_bulk() && is_own(item));
        bulk.map(|item| item.workload.bytes).collect()
    };
    let own = sizes(&|item| item.workers.contains(&worker));
    let is_part = !own.is_empty() && own.len() < sizes(&|_| true).len();
    if is_part { format!(" {}", at_sizes(own)) } else { String::new() }
}

fn at_sizes(sizes: impl IntoIterator<Item = usize>) -> String {
    let sizes: Vec<String> = sizes.into_iter().map(|bytes| bytes.to_string()).collect();
    format!("at {} bytes", sizes.join(", "))
}

fn libraries(plan: &Plan, items: &[Item]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for worker in items.iter().flat_map(|item| &item.workers) {
        let name = plan.workers[*worker].entry.name;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

fn in_threads(item: &Item) -> String {
    if item.threads > 1 { format!(", {} threads", item.threads) } else { String::new() }
}

fn describe_https(plan: &Plan, https: &HttpsPlan) -> String {
    let mut text = format!(
        "{}, HTTPS servers: {} series, {} rounds in {} starts of each server: {:.0} s\n\nworkloads:\n",
        plan.level,
        https.cases.len(),
        https.all_rounds(),
        https.processes,
        https.time().as_secs_f64(),
    );
    for case in &https.cases {
        text.push_str(&format!("  {}: {}\n", case.workload, plan.workers[case.worker].label()));
    }
    text
}

fn describe_transfers(level: Level, transfer: &TransferPlan) -> String {
    let mut text = format!(
        "{level}, end to end: {} series, {} rounds in {} starts of each sender and receiver: {:.0} s\n\nworkloads:\n",
        transfer.cases.len(),
        transfer.all_rounds(),
        transfer.processes,
        transfer.time().as_secs_f64(),
    );
    let (controls, cases): (Vec<&TransferCase>, Vec<_>) = transfer.cases.iter().partition(|case| case.is_control);
    text.push_str(&by_task(cases.into_iter().map(|case| (case.workload.to_string(), case.library.to_owned()))));
    for control in controls {
        text.push_str(&format!("  {}: {} once more, for the noise floor\n", control.workload, control.library));
    }
    text
}

fn describe_files(plan: &Plan, files: &FilesPlan) -> String {
    let time = match files.repetitions {
        Some(repetitions) => format!("{} test runs of {repetitions} repetitions", plan.processes),
        None => format!(
            "{} test runs of at most {} repetitions, as many workloads as there is time for: {:.0} s",
            plan.processes,
            plan.rounds,
            plan.duration(0).as_secs_f64()
        ),
    };
    let mut text = format!("{}: at most {} series, {time}\n\nworkers:\n", plan.level, plan.most_series());
    for worker in &plan.workers {
        text.push_str(&format!("  {}\n", worker.label()));
    }
    text.push_str(&format!("\nworkloads, files in {}:\n", files.dir.display()));
    text + &by_task(plan.items.iter().filter_map(|item| {
        let Workload { operation, algorithm, bytes, .. } = item.workload;
        let task = format!("{algorithm} {operation}, {}{}", item.workload.files()?, in_threads(item));
        Some((task, size_name(bytes)))
    }))
}

fn describe_tls(plan: &Plan, tls: &TlsPlan) -> String {
    let time = match tls.duration {
        Some(duration) => format!("{} rounds of steps of {} s", plan.rounds, duration.as_secs_f64()),
        None => format!("{} rounds: {:.0} s", plan.rounds, plan.duration(0).as_secs_f64()),
    };
    let limit = tls.max_latency.as_secs_f64();
    let mut text = format!("{}: at most {} series, {time}\n\nserver:\n", plan.level, plan.most_series());
    text.push_str(&format!("  nginx {} with OpenSSL {}\n", tls.nginx.version, tls.nginx.openssl));
    for build in &tls.builds {
        let (nginx, openssl) = (&tls.nginx.version, &build.version);
        text.push_str(&format!("  nginx {nginx} with OpenSSL {openssl}: {}\n", build.libcrypto.display()));
    }
    if let Some(module) = &tls.module {
        text.push_str(&format!("  Kasoku's provider: {}\n", module.display()));
    }
    text.push_str(&format!("\nworkloads, latency limit {limit} s:\n"));
    text + &by_task(tls.cases.iter().filter_map(|case| {
        let Workload { algorithm, operation, bytes, .. } = case.workload;
        let served = case.workload.served()?;
        let with = if tls.builds.is_empty() { "" } else { &format!(", OpenSSL {}", tls.openssl_version(case)) };
        let task = format!("{algorithm} {operation}, {served}, by {} ({}){with}", case.library, case.acceleration);
        Some((task, if operation == Operation::Handshake { "empty files".to_owned() } else { size_name(bytes) }))
    }))
}

/// Lists each task once, followed by all sizes or libraries that measure it.
fn by_task(tasks: impl Iterator<Item = (String, String)>) -> String {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for (task, one) in tasks {
        match lines.iter_mut().find(|(other, _)| *other == task) {
            Some((_, all)) => all.push(one),
            None => lines.push((task, vec![one])),
        }
    }
    lines.into_iter().map(|(task, all)| format!("  {task}: {}\n", all.join(", "))).collect()
}
