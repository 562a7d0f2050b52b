//! What would be measured, for `kasoku run --list`.

use crate::measure::plan::{Item, Plan};
use crate::workload::{NonceForm, Workload};

/// The plan in words and figures, as `kasoku run --list` prints it.
pub fn describe(plan: &Plan) -> String {
    let series = plan.most_series();
    let mut text = format!(
        "{}: at most {series} series, {} rounds in {} starts of each probe, slices of {:.1} ms: {:.0} s\n\nprobes:\n",
        plan.level,
        plan.all_rounds(),
        plan.processes,
        plan.slice(series).as_secs_f64() * 1e3,
        plan.duration(series).as_secs_f64(),
    );
    for (index, probe) in plan.probes.iter().enumerate() {
        let twin =
            if plan.twin.is_some_and(|(twin, _)| twin == index) { " once more, for the noise floor" } else { "" };
        text.push_str(&format!("  {}{twin}\n", probe.label()));
    }
    text.push_str("\nworkloads:\n");
    let mut rest = plan.items.as_slice();
    while let [first, ..] = rest {
        let is_alike = |item: &&Item| {
            let task = |item: &Item| {
                let Workload { algorithm, operation, nonces, packets, .. } = item.workload;
                (algorithm, operation, nonces, packets, item.threads)
            };
            task(item) == task(first)
        };
        let alike = rest.iter().take_while(is_alike).count();
        let sizes: Vec<String> = rest[..alike].iter().map(|item| item.workload.bytes.to_string()).collect();
        let threads = if first.threads > 1 { format!(", {} threads", first.threads) } else { String::new() };
        let sizes = if first.workload.algorithm.kind().is_bulk() {
            format!(" at {} bytes", sizes.join(", "))
        } else {
            String::new()
        };
        let nonces = match first.workload.nonces {
            NonceForm::Ahead => "",
            NonceForm::Counted => ", nonces counted",
        };
        let Workload { algorithm, operation, packets, .. } = first.workload;
        let packets = packets.map(|packets| format!(", {packets}")).unwrap_or_default();
        text.push_str(&format!("  {algorithm} {operation}{packets}{sizes}{nonces}{threads}\n"));
        rest = &rest[alike..];
    }
    for item in &plan.cross_checks {
        text.push_str(&format!("  {} by openssl speed, 1 s a start, as a cross-check\n", item.workload));
    }
    text
}
