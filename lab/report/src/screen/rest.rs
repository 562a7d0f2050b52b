//! The foot of the screen: what was not measured, what failed, where to go on.

use std::collections::BTreeMap;

use crate::language::{Messages, pick, say};
use crate::missing;
use crate::visible::short;
use kasoku_model::document::Document;

/// The columns of a label.
pub(super) const LABEL: usize = 12;

/// The lines, each with its label.
pub(super) fn of(document: &Document, messages: &'static Messages) -> Vec<(String, String)> {
    let language = messages.language;
    let mut lines = Vec::new();
    if let Some(installs) = installs(document) {
        lines.push((pick(language, "Not measured", "未測定").to_owned(), installs));
    }
    let problems = missing::problems(document, messages).texts();
    if let Some([who, what, reason, tasks]) = problems.first().map(Vec::as_slice) {
        let others = match problems.len() - 1 {
            0 => String::new(),
            others => say!(language, " and {others} more", "、ほか{others}件"),
        };
        let text = short(&format!("{who}, {tasks}: {what}: {reason}"), 160);
        lines.push((pick(language, "Failed", "失敗").to_owned(), format!("{text}{others}")));
    }
    lines.extend(restarted(document).map(|text| (pick(language, "Restarted", "再起動").to_owned(), text)));
    let run = short(&document.run.id, 60);
    let left_out = document.run.omissions.len();
    let left_out = match left_out {
        0 => String::new(),
        count => say!(language, " · {count} left out: --left-out", " · 省略{count}件：--left-out"),
    };
    lines.push((
        pick(language, "Next", "次に").to_owned(),
        pick(
            language,
            "kasoku advise   lines to paste for nginx, SSH, VPNs, disks, Java",
            "kasoku advise   nginx、SSH、VPN、ディスク、Javaの設定例",
        )
        .to_owned(),
    ));
    lines.push((
        String::new(),
        say!(
            language,
            "kasoku show {run}   --full for every figure{left_out}",
            "kasoku show {run}   全項目は --full{left_out}"
        ),
    ));
    lines
}

/// Whose workers died in the middle, and what each was doing; a fresh one went on.
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

/// What could be installed to measure more, each thing once.
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
