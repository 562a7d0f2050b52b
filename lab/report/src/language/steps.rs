//! Steps in the cost by size.

use super::say::subject;
use crate::quantity::{digits, times};
use kasoku_model::steps::{Form, Rule};

subject! {
    /// Steps in the cost by size.
    StepMessages {
        texts {
            title: "Steps" | "段差";
            cause_unknown: "Why: cause unknown." | "理由：不明です。";
            nothing:
                "Nothing here was measured at four sizes or more, so nothing can be said of steps. \
                 A sweep shows them: kasoku run primitives --algorithms aes-128-ctr --libraries openssl --sizes sweep"
                | "4 つ以上のサイズで測定されたものがないため、段差は判定できません。掃引すると分かります：\
                   kasoku run primitives --algorithms aes-128-ctr --libraries openssl --sizes sweep";
            incomplete:
                "INCOMPLETE: this run did not reach its end. What is there is fitted."
                | "未完了：この測定は最後まで終わっていません。残っている値だけで判定しています。";
            reading:
                "fixed: where the line meets no bytes at all, which for lines that begin late may be below zero"
                | "固定費は直線を 0 バイトまで延長した値で、大きいサイズから始まる直線では負になることがあります";
        }
        sentences {
            headings: [&'static str; 6] =
                ["sizes", "code path", "counted", "fixed, ns", "ns/byte", "cycles/byte"],
                ["サイズ", "コードパス", "数え方", "固定費 (ns)", "ns/バイト", "サイクル/バイト"];
            sizes: fn(usize, Rule) -> String =
                |count, rule| match rule {
                    Rule::Sweep => format!("{count} sizes swept"),
                    Rule::Table => format!("{count} sizes, judged by what a fixed cost and a cost per byte can make"),
                },
                |count, rule| match rule {
                    Rule::Sweep => format!("{count} サイズを掃引"),
                    Rule::Table => format!("{count} サイズ（固定費とバイト単価で説明できるかどうかで判定）"),
                };
            form: fn(Form) -> String =
                |form| match form {
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
                |form| match form {
                    Form::Bytes => String::new(),
                    Form::Units { unit } => format!("{unit} B 単位（切り上げ）"),
                    Form::Rest { unit, more_ns_per_byte } => {
                        format!("{unit} B に満たない端数は 1 バイトあたり +{} ns", digits(more_ns_per_byte))
                    }
                    Form::Filled { unit, ns_per_missing_byte } => {
                        format!("{unit} B 単位、不足 1 バイトあたり +{} ns", digits(ns_per_missing_byte))
                    }
                    Form::Ragged { unit, more_ns } => format!("{unit} B に満たない端数があると +{} ns", digits(more_ns)),
                };
            place: fn(&Place) -> String =
                |place| match place {
                    Place { at, is_placed: true, .. } => format!("At {at} bytes"),
                    Place { before, at, .. } => format!("Between {before} and {at} bytes (nothing was measured \
                                                         between)"),
                },
                |place| match place {
                    Place { at, is_placed: true, .. } => format!("{at} バイト"),
                    Place { before, at, .. } => format!("{before} バイトと {at} バイトの間（間のサイズは測定なし）"),
                };
            change: fn(&Change) -> String =
                |change| {
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
                        change.code_paths.as_ref().map(|[before, after]| format!("code path {before} before, {after} \
                                                                                  after")),
                    );
                    parts.extend(change.support.map(|support| format!("in {:.0} % of the resamples", support * 100.0)));
                    parts.join("; ")
                },
                |change| {
                    let mut parts = Vec::new();
                    parts.extend(change.jump.map(|jump| match jump {
                        jump if jump >= 1.0 => {
                            format!("{} バイトでは、手前の直線を延長した値の {} 倍の速さ", change.at, times(jump))
                        }
                        jump => {
                            format!("{} バイトでは、手前の直線を延長した値の {} 倍の時間", change.at, times(1.0 / jump))
                        }
                    }));
                    parts.extend(
                        change
                            .per_byte
                            .map(|[before, after]| format!("バイト単価は {} ns から {} ns に変化", digits(before), digits(after))),
                    );
                    parts
                        .extend(change.code_paths.as_ref().map(|[before, after]| format!("コードパスは {before} から \
                                                                                          {after} へ")));
                    parts.extend(change.support.map(|support| format!("再標本の {:.0} % で確認", support * 100.0)));
                    parts.join("、")
                };
            sentence: fn(&str, &str) -> String =
                |about, what| format!("{about}: {what}."),
                |about, what| format!("{about}：{what}。");
            absence: fn(&str, &str) -> String =
                |name, reason| format!("{name}: {reason}"),
                |name, reason| format!("{name}：{reason}");
            cause: fn(&str) -> String =
                |reason| format!("Why: {reason}"),
                |reason| format!("理由：{reason}");
            none: fn(&[String]) -> String =
                |names| format!("No step in {}.", names.join(", ")),
                |names| format!("段差なし：{}", names.join("、"));
            none_at_all: fn(usize) -> String =
                |curves| {
                    format!("No steps: in all of {curves}, operations cost what a fixed cost and a cost per byte make \
                             of them.")
                },
                |curves| format!("段差はありません。{curves} 件とも、固定費とバイト単価だけで説明できます。");
            threads: fn(u64) -> String =
                |threads| format!("{threads} threads"),
                |threads| format!("{threads} スレッド");
        }
    }
}

/// Where a step is.
pub(crate) struct Place {
    /// The last size before it.
    pub(crate) before: usize,
    /// The first size after it.
    pub(crate) at: usize,
    /// Whether these are neighbours, so that the place is known.
    pub(crate) is_placed: bool,
}

/// What changes at a step.
pub(crate) struct Change {
    /// The size that `jump` is of.
    pub(crate) at: usize,
    /// How many times as fast.
    pub(crate) jump: Option<f64>,
    /// Nanoseconds a byte before and after.
    pub(crate) per_byte: Option<[f64; 2]>,
    /// The code paths before and after, where they differ.
    pub(crate) code_paths: Option<[String; 2]>,
    /// The share of resamples that have the step.
    pub(crate) support: Option<f64>,
}
