//! Steps in Japanese.

use crate::quantity::{digits, times};
use kasoku_model::language::Language;
use kasoku_model::steps::{Form, Rule};

use super::words::{Messages, Place};

pub(super) const JAPANESE: Messages = Messages {
    language: Language::Japanese,
    title: "段差",
    headings: ["サイズ", "コードパス", "数え方", "固定費 (ns)", "ns/バイト", "サイクル/バイト"],
    sizes: |count, rule| match rule {
        Rule::Sweep => format!("{count} サイズを掃引"),
        Rule::Table => format!("{count} サイズ（固定費とバイト単価で説明できるかどうかで判定）"),
    },
    form: |form| match form {
        Form::Bytes => String::new(),
        Form::Units { unit } => format!("{unit} B 単位（切り上げ）"),
        Form::Rest { unit, more_ns_per_byte } => {
            format!("{unit} B に満たない端数は 1 バイトあたり +{} ns", digits(more_ns_per_byte))
        }
        Form::Filled { unit, ns_per_missing_byte } => {
            format!("{unit} B 単位、不足 1 バイトあたり +{} ns", digits(ns_per_missing_byte))
        }
        Form::Ragged { unit, more_ns } => format!("{unit} B に満たない端数があると +{} ns", digits(more_ns)),
    },
    place: |place| match place {
        Place { at, is_placed: true, .. } => format!("{at} バイト"),
        Place { before, at, .. } => format!("{before} バイトと {at} バイトの間（間のサイズは測定なし）"),
    },
    change: |change| {
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
            .extend(change.code_paths.as_ref().map(|[before, after]| format!("コードパスは {before} から {after} へ")));
        parts.extend(change.support.map(|support| format!("再標本の {:.0} % で確認", support * 100.0)));
        parts.join("、")
    },
    sentence: |about, what| format!("{about}：{what}。"),
    absence: |name, reason| format!("{name}：{reason}"),
    cause: |reason| format!("理由：{reason}"),
    cause_unknown: "理由：不明です。",
    none: |names| format!("段差なし：{}", names.join("、")),
    none_at_all: |curves| format!("段差はありません。{curves} 件とも、固定費とバイト単価だけで説明できます。"),
    nothing: "4 つ以上のサイズで測定されたものがないため、段差は判定できません。掃引すると分かります：\
              kasoku run primitives --algorithms aes-128-ctr --stacks openssl --sizes sweep",
    incomplete: "未完了：この測定は最後まで終わっていません。残っている値だけで判定しています。",
    threads: |threads| format!("{threads} スレッド"),
    reading: "固定費は直線を 0 バイトまで延長した値で、大きいサイズから始まる直線では負になることがあります",
};
