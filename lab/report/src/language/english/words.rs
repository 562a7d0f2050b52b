//! Words and small phrases in English.

use crate::language::Words;
use kasoku_model::algorithm::Kind;
use kasoku_model::workload::Operation;

pub(super) const WORDS: Words = Words {
    comma: ", ",
    no_difference: "no difference shown",
    failed: "failed",
    verified: "verified",
    not_verified: "not verified",
    thousand_ops: "thousand ops/s",
    million_ops: "million ops/s",
    counted_nonces: "nonces counted",
    kind: Kind::title,
    operation: Operation::name,
    threads: |threads| format!("{threads} threads"),
    keys: |keys| format!("{keys} keys"),
    aad: |length| format!("AAD {length}"),
    times: |ratio| format!("{ratio}×"),
};

/// `a, b and c`.
pub(crate) fn and(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first, second] => format!("{first} and {second}"),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
