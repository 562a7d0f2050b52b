//! Java in English.

use super::words::{WORDS, and};
use crate::jvm::finding::Finding;
use crate::language::JvmMessages;
use crate::quantity::{percent, points, size, times};

pub(super) const JVM: JvmMessages = JvmMessages {
    title: "Java",
    explained: "What a Java program gets of this CPU: the ciphers of Java’s own provider in each virtual machine, and of \
                Mozilla’s NSS through SunPKCS11, with the CPU’s cryptographic instructions and without; and crypto.aes, a \
                workload of SPECjvm2008 written anew from its description. Everything is measured after the compiler has finished.",
    who: "in",
    run: "run",
    mean: "mean",
    off: "off",
    on: "on",
    improvement: "(on − off) / off",
    scores: "crypto.aes, operations per minute",
    scores_note: "A run is a start of the virtual machine. The published figures are as printed; theirs is the original benchmark on \
                  another machine, so improvements can be compared, and scores cannot.",
    parts: "What an operation of crypto.aes takes, in seconds of one thread",
    state: "acceleration",
    whole: "whole",
    share: "share of AES",
    trap: "Most of crypto.aes is 3DES, for which no CPU has instructions: the score says little of AES. AES was measured by itself; \
           3DES, where it was not, is what is left.",
    what: "what",
    size: "size",
    worth: "on / off",
    equal_mark: "=: no difference shown.",
    with_flag: "with the flag",
    left: "of the speed without it",
    choose: "What follows: a current JDK and no flag is the right configuration. Virtual machines use the instructions by themselves, \
             but only once the code is compiled at its best, after some ten thousand calls: short-lived programs see little of them. \
             One routine switched off (`-XX:-UseAESIntrinsics`, `-XX:-UseGHASHIntrinsics`…) takes most of the speed of GCM away. \
             Where the instructions are missing although the CPU has them (`kasoku cpu`), the hypervisor hides them.",
    run_number: |number| number.to_string(),
    published: |machine, year| match year {
        Some(year) => format!("{machine}, published {year}"),
        None => format!("{machine}, published"),
    },
    ciphers: |unit| format!("Ciphers in Java, {unit}"),
    flags: |unit| format!("With one flag of the virtual machine, {unit}"),
    sentence,
};

/// The sentence for a finding.
pub(super) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Accelerated { algorithm, operation, bytes, gains } => {
            let gains: Vec<String> =
                gains.iter().map(|(who, ratio)| format!("{} times as fast in {who}", times(*ratio))).collect();
            let what = (WORDS.operation)(*operation);
            format!(
                "Java, {} {what}: with the CPU’s instructions {} ({}).",
                algorithm.title(),
                and(&gains),
                size(*bytes)
            )
        }
        Finding::Faster { algorithm, operation, bytes, faster, slower, ratio } => {
            let what = (WORDS.operation)(*operation);
            format!(
                "{} {what} in {faster} is {} times as fast as in {slower} ({}).",
                algorithm.title(),
                times(*ratio),
                size(*bytes)
            )
        }
        Finding::Flag { algorithm, operation, bytes, with_flag, ratio } => {
            let what = (WORDS.operation)(*operation);
            format!(
                "{} {what} is {} times as fast without the flag of {with_flag} ({}).",
                algorithm.title(),
                times(*ratio),
                size(*bytes)
            )
        }
        Finding::Score { stack, improvement, aes: Some((ratio, share)), .. } => format!(
            "crypto.aes in {stack}: {} % more operations with the CPU’s instructions, though AES by itself is {} times as fast: AES is \
             {} of its time, 3DES the rest.",
            points(*improvement),
            times(*ratio),
            percent(*share)
        ),
        Finding::Score { stack, improvement, aes: None, .. } => {
            format!("crypto.aes in {stack}: {} % more operations with the CPU’s instructions.", points(*improvement))
        }
    }
}
