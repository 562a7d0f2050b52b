//! Edits a whole run document by a script of bytes, for fuzzing and tests.
//!
//! A fuzzer that writes JSON from nothing hardly ever writes a document. Most scripts leave one that can be read.

#[path = "whole.rs"]
mod whole;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Operation;
use serde_json::{Value, json};

/// Maximum number of edits; more would leave little of the document.
const MAX_EDITS: usize = 40;

pub(crate) fn whole() -> Value {
    whole::document()
}

/// Returns the document edited by `script`, reproducibly.
pub(crate) fn edited(script: &[u8]) -> Value {
    let mut document = whole();
    let mut script = Script(script);
    for _ in 0..MAX_EDITS {
        let Some(what) = script.next() else { break };
        let place = script.place(&document);
        script.edit(&mut document, &place, what);
    }
    document
}

/// Bytes that choose the edits. At the end of the script, the first choice is taken.
struct Script<'s>(&'s [u8]);

impl Script<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Chooses an item of `list`, which must not be empty.
    fn one<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[usize::from(self.next().unwrap_or(0)) % list.len()]
    }

    fn word(&mut self, words: &str) -> String {
        let words: Vec<&str> = words.split(' ').collect();
        (*self.one(&words)).to_owned()
    }

    /// Chooses the JSON pointer of any value, preferably in the series, by descending from the root.
    fn place(&mut self, document: &Value) -> String {
        const ROOTS: [&str; 8] = ["/series", "/series", "/series", "/run", "/series", "/machine", "/run", "/schema"];
        /// A script byte of this value or above ends the descent.
        const STAY: u8 = 0xE8;
        let mut place = (*self.one(&ROOTS)).to_owned();
        loop {
            // If only one end of an interval were edited, the interval would mostly be reversed.
            if place.ends_with("/ci95") {
                return place;
            }
            let Some(way) = self.next().filter(|way| *way < STAY).map(usize::from) else { return place };
            let key = match document.pointer(&place) {
                Some(Value::Array(list)) if !list.is_empty() => (way % list.len()).to_string(),
                Some(Value::Object(members)) => match members.keys().nth(way % members.len().max(1)) {
                    Some(key) => key.clone(),
                    None => return place,
                },
                _ => return place,
            };
            place = format!("{place}/{key}");
        }
    }

    fn edit(&mut self, document: &mut Value, place: &str, what: u8) {
        let (parent, name) = place.rsplit_once('/').unwrap_or_default();
        let is_detail = parent.ends_with("/details");
        // Documents need all their parts, and series most of their members.
        let is_needed = parent.is_empty() || name == "id" || (place.starts_with("/series/") && depth(place) == 3);
        match what % 8 {
            3 => {
                let factor = 2_f64.powi((i32::from(self.next().unwrap_or(0)) - 128) / 4);
                if let Some(value) = document.pointer_mut(place).filter(|_| !SMALL.contains(&name)) {
                    scale(value, factor);
                }
            }
            4 if !is_needed => match document.pointer_mut(parent) {
                Some(Value::Array(list)) => drop(name.parse().map(|place: usize| list.remove(place))),
                Some(Value::Object(members)) => drop(members.remove(name)),
                _ => {}
            },
            5 => {
                if let Some(Value::Array(list)) = document.pointer_mut(parent)
                    && let Some(value) = name.parse().ok().and_then(|place: usize| list.get(place)).cloned()
                {
                    let to = usize::from(self.next().unwrap_or(0)) % (list.len() + 1);
                    list.insert(to, value);
                }
            }
            6 => self.swap(document, place),
            _ => {
                // Values outside details must mostly keep their type.
                let is_any = what % 8 == 7 && (is_detail || what >= 0xE0);
                if let Some(value) = document.pointer_mut(place).filter(|value| depth(place) > 1 || value.is_array()) {
                    *value = if is_any { self.any() } else { self.alike(value, name, is_detail) };
                }
            }
        }
    }

    /// Swaps a value of a series with the same value of another series, or swaps two whole series.
    fn swap(&mut self, document: &mut Value, place: &str) {
        let count = document["series"].as_array().map_or(0, Vec::len);
        let Some((_, within)) =
            place.strip_prefix("/series/").map(|place| place.split_once('/').unwrap_or((place, "")))
        else {
            return;
        };
        let slash = if within.is_empty() { "" } else { "/" };
        let other = usize::from(self.next().unwrap_or(0)) % count.max(1);
        let other = format!("/series/{other}{slash}{within}");
        let [Some(here), Some(there)] = [place, &other].map(|place| document.pointer(place).cloned()) else { return };
        for (place, value) in [(place, there), (&other, here)] {
            if let Some(at) = document.pointer_mut(place) {
                *at = value;
            }
        }
    }

    /// Chooses another value that is valid in the place of `value`.
    fn alike(&mut self, value: &Value, name: &str, is_detail: bool) -> Value {
        match (name, value) {
            ("operation", _) => json!(self.one(Operation::ALL)),
            ("algorithm", _) => {
                let all = [Algorithm::ALL, Algorithm::SUITES, Algorithm::CIPHER_SUITES, Algorithm::QUOTED].concat();
                json!(self.one(&all))
            }
            ("acceleration", _) => json!(self.one(Acceleration::ALL)),
            ("level", _) => json!(self.one(&LEVELS)),
            ("library", _) => json!(self.word(LIBRARIES)),
            ("unit", _) => json!(self.one(&["bytes/s", "ops/s", "ops/min", "s"])),
            ("role", _) => json!(self.one(&["library", "own-clock", "bound", "test-double"])),
            ("outcome", _) => [json!("measured"), json!("unverified"), json!({"failed": self.one(&TEXTS)})]
                [usize::from(self.next().unwrap_or(0) % 3)]
            .clone(),
            ("kind", _) => json!(self.one(&["steal", "resumed", "restarts", "unknown-code-paths", "what"])),
            ("started", _) => json!(self.one(&DATES)),
            ("arch", _) => json!(self.one(&["x86_64", "aarch64", "arm", "riscv64"])),
            ("features", _) => json!(["avx512f", "sha2", self.one(&TEXTS)]),
            ("origin", Value::Null) => json!({"kind": self.one(&["transcript", "published"]),
                "source": self.one(&TEXTS), "address": self.one(&TEXTS), "note": self.one(&TEXTS)}),
            ("ci95", _) => self.one(&INTERVALS).map_or(Value::Null, |interval| json!(interval)),
            ("id", _) => json!(self.one(&["whole", "=1", "../id", "\u{52a0}\u{901f}", "<b>", "nul", "Whole", "a|b"])),
            // The importer rejects larger sizes.
            ("bytes", _) => json!(1_u64 << (self.next().unwrap_or(0) % 41)),
            (name, _) if SMALL.contains(&name) => json!(self.one(&[0, 1, 2, 99, u32::MAX])),
            (_, Value::Number(number)) if number.is_f64() => json!(self.one(&FIGURES)),
            (_, Value::Number(_)) => json!(self.one(&COUNTS)),
            (_, Value::Bool(is)) => json!(!is),
            (_, Value::String(_)) if is_detail => json!(self.word(WORDS)),
            (_, Value::String(_) | Value::Null) => {
                let text = *self.one(&TEXTS);
                json!(if text == LONG { "long ".repeat(180) } else { text.to_owned() })
            }
            (_, Value::Array(_)) => json!([]),
            (_, Value::Object(_)) => json!({}),
        }
    }

    /// Chooses a value of any type.
    fn any(&mut self) -> Value {
        match self.next().unwrap_or(0) % 9 {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(self.one(&FIGURES)),
            3 => json!(self.one(&[-1.0, -1e300, 1e300, f64::MAX, f64::MIN_POSITIVE, 1.000_000_1e18])),
            4 => json!(self.one(&COUNTS)),
            5 => json!(self.one(&TEXTS)),
            6 => json!("x".repeat(16 * usize::from(self.next().unwrap_or(0)))),
            7 => json!([[[self.one(&FIGURES)]], {"a": self.one(&TEXTS)}]),
            _ => json!(self.word(LIBRARIES)),
        }
    }
}

fn depth(place: &str) -> usize {
    place.matches('/').count()
}

fn scale(value: &mut Value, factor: f64) {
    match value {
        Value::Number(number) if number.is_f64() => *value = json!(number.as_f64().unwrap_or(0.0) * factor),
        Value::Number(number) => *value = json!((number.as_f64().unwrap_or(0.0) * factor) as u64),
        Value::Array(list) => list.iter_mut().for_each(|value| scale(value, factor)),
        Value::Object(members) => {
            let scaled = members.iter_mut().filter(|(name, _)| !SMALL.contains(&name.as_str()));
            scaled.for_each(|(_, value)| scale(value, factor));
        }
        _ => {}
    }
}

/// Members that hold 32-bit numbers.
const SMALL: [&str; 5] = ["process", "round", "processes", "rounds", "schema"];

/// Placeholder for a long text.
const LONG: &str = "long";

/// Texts that try to escape from wherever they are shown.
const TEXTS: [&str; 20] = [
    "",
    "openssl",
    "</script><img src=x onerror=alert(1)>",
    "=cmd()|' /C calc'!A0",
    "-1",
    "a\u{202e}b\u{2066}",
    "]]>",
    "\u{1b}[2J\u{7}\r\n\t\0",
    LONG,
    "$x$ `y` **z** |",
    "\"'&<>;",
    "../../etc/passwd",
    "加速装置 \u{ff1d}1",
    "e\u{301}\u{200b}\u{1f600}",
    "tls: a note",
    "javascript:alert(1)",
    "https://example.com/?a=b&c",
    "url(x) expression(y) --></style>",
    "nul",
    " ",
];

/// Valid and invalid dates.
const DATES: [&str; 8] = [
    "2026-11-23T09:00:00Z",
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "2026-02-30T25:61:61Z",
    "2026-11-2\u{20ac}",
    "",
    "加速装置加速装置",
    "-2026",
];

const LEVELS: [&str; 7] = ["primitives", "packets", "files", "jvm", "tls", "</td>", ""];

/// Names of libraries between spaces; the last is empty.
const LIBRARIES: &str = "openssl kasoku aws-lc ring sunjce nss kasoku-jca specjvm2008 limit-aes limit-gcm-ymm \
    limit-copy =\u{1b}<b>$x$ ";

/// Words of details between spaces; the last is empty.
const WORDS: &str = "memory packets files server https transfer file warm cold stream copy cobblestone-256 quic tls \
    provider one-pass connection request draining ab quoted server-cpu neither ahead counted keyed-messages \
    =</b>\u{202e} ";

/// Figures that the importer accepts; [`Script::any`] has others.
const FIGURES: [f64; 12] = [0.0, -0.0, 5e-324, 1e-300, 1e-9, 0.004, 0.5, 1.0, 1.7e9, 1e12, 1e17, 1e18];

const COUNTS: [u64; 16] =
    [0, 1, 2, 3, 13, 16, 64, 1200, 1440, 16_384, 1 << 20, 1 << 40, u32::MAX as u64, 1 << 53, i64::MAX as u64, u64::MAX];

const INTERVALS: [Option<[f64; 2]>; 6] =
    [None, Some([0.0, 0.0]), Some([0.0, 1e18]), Some([5e-324, 1e-300]), Some([1e18, 1e18]), Some([1e9, 1.1e9])];
