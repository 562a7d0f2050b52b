//! The verdict in English.

use super::words::and;
use crate::language::VerdictMessages;
use crate::quantity::{size, times};
use crate::verdict::{Claim, Finding, Help};
use kasoku_model::acceleration::Acceleration;

pub(super) const VERDICT: VerdictMessages = VerdictMessages { headline, sentence };

fn headline(findings: &[Finding]) -> String {
    if let [Finding::Quoted(kind)] = findings {
        return (super::origin::ORIGIN.headline)(*kind).to_owned();
    }
    let gain = |finding: &Finding| match finding {
        Finding::Accelerated { algorithm, claim, .. } => Some((algorithm.title(), claim.clone())),
        _ => None,
    };
    let gains: Vec<_> = findings.iter().filter_map(gain).take(3).collect();
    if let Some((_, claim)) = gains.first() {
        let list: Vec<String> =
            gains.iter().map(|(title, claim)| format!("{title} {} times", times(claim.ratio))).collect();
        return format!("With this CPU’s instructions: {} as fast ({}).", and(&list), on(claim));
    }
    if let Some(headline) = super::files::headline(findings) {
        return headline;
    }
    if let Some(headline) = super::packets::headline(findings) {
        return headline;
    }
    if let Some(Finding::Transfer(finding)) = findings.iter().find(|finding| matches!(finding, Finding::Transfer(_))) {
        return super::transfer::sentence(finding);
    }
    if let Some(Finding::Java(finding)) = findings.iter().find(|finding| matches!(finding, Finding::Java(_))) {
        return super::jvm::sentence(finding);
    }
    if findings.iter().any(|finding| matches!(finding, Finding::Hindered { .. })) {
        return "This CPU’s cryptographic instructions make nothing faster here.".to_owned();
    }
    match findings.iter().find(|f| matches!(f, Finding::Incomplete | Finding::NothingRanked | Finding::NoGain { .. })) {
        Some(Finding::NoGain { .. }) => {
            "No difference is shown between acceleration on and off on this machine.".to_owned()
        }
        Some(finding) => sentence(finding),
        None => "Acceleration was not switched off in this run, so what it is worth cannot be said.".to_owned(),
    }
}

fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Incomplete => {
            "This run did not reach its end: nothing in it is ranked, and its libraries are not compared.".to_owned()
        }
        Finding::Quoted(kind) => (super::origin::ORIGIN.no_verdict)(*kind).to_owned(),
        Finding::NothingRanked => "Nothing in this run is both measured and verified: nothing is ranked.".to_owned(),
        Finding::Accelerated { algorithm, help, claim } => format!(
            "{} is {} times as fast with the {} ({}).",
            algorithm.title(),
            times(claim.ratio),
            instructions(*help),
            on(claim)
        ),
        Finding::Hindered { algorithm, help, claim } => format!(
            "{} is {} times as fast without the {} ({}).",
            algorithm.title(),
            times(claim.ratio),
            instructions(*help),
            on(claim)
        ),
        Finding::NoGain { algorithm, help, bytes, stack } => format!(
            "{} shows no difference with the {} on or off ({}, {stack}).",
            algorithm.title(),
            instructions(*help),
            size(*bytes)
        ),
        Finding::AesAlwaysBeatsBlowfish { aes, least, even_without: true, stack } => format!(
            "Blowfish is never the fast choice here: {} is at least {} times as fast at every size, even without the \
             AES instructions ({stack}).",
            aes.title(),
            times(*least)
        ),
        Finding::AesAlwaysBeatsBlowfish { aes, least, even_without: false, stack } => format!(
            "With acceleration on, {} is at least {} times as fast as Blowfish at every size ({stack}).",
            aes.title(),
            times(*least)
        ),
        Finding::BlowfishBeatsAes { aes, claim, without } => format!(
            "{}Blowfish is {} times as fast as {} ({}).",
            if *without { "Without the AES instructions, " } else { "" },
            times(claim.ratio),
            aes.title(),
            on(claim)
        ),
        Finding::FasterAead { winner, loser, claim, state, exceptions } => {
            let but = if exceptions.is_empty() {
                String::new()
            } else {
                let sizes: Vec<String> = exceptions.iter().map(|bytes| size(*bytes)).collect();
                format!("; the other way round at {}", and(&sizes))
            };
            format!(
                "{} {} is the faster AEAD: {} times as fast as {} ({}{but}).",
                with(*state),
                winner.title(),
                times(claim.ratio),
                loser.title(),
                on(claim)
            )
        }
        Finding::EqualAeads { first, second, bytes, state, stack } => format!(
            "{} no difference is shown between {} and {} ({}, {stack}).",
            with(*state),
            first.title(),
            second.title(),
            size(*bytes)
        ),
        Finding::FastestHash { winner, next, claim } => format!(
            "{} is the fastest hash: {} times as fast as {}, the next ({}; SHA-1 left aside).",
            winner.title(),
            times(claim.ratio),
            next.title(),
            on(claim)
        ),
        Finding::FastestHashes { hashes, bytes, stack } => {
            let titles: Vec<String> = hashes.iter().map(|hash| hash.title().to_owned()).collect();
            format!(
                "{} are the fastest hashes, with no difference shown between them ({}, {stack}; SHA-1 left aside).",
                and(&titles),
                size(*bytes)
            )
        }
        Finding::FastestStack { algorithm, next, claim } => format!(
            "The fastest stack for {} is {}: {} times as fast as {next}, the next ({}).",
            algorithm.title(),
            claim.stack,
            times(claim.ratio),
            size(claim.bytes)
        ),
        Finding::FastestStacks { algorithm, stacks, bytes } => format!(
            "The fastest stacks for {} are {}, with no difference shown between them ({}).",
            algorithm.title(),
            and(stacks),
            size(*bytes)
        ),
        Finding::Packets(finding) => super::packets::sentence(finding),
        Finding::Files(finding) => super::files::sentence(finding),
        Finding::Java(finding) => super::jvm::sentence(finding),
        Finding::Tls(finding) => super::tls::sentence(finding),
        Finding::Transfer(finding) => super::transfer::sentence(finding),
    }
}

fn instructions(help: Help) -> &'static str {
    match help {
        Help::Aes => "AES instructions",
        Help::AesAndClmul => "AES and carry-less multiplication instructions",
        Help::AesAndSha => "AES and SHA instructions",
        Help::Sha => "SHA instructions",
    }
}

fn with(state: Acceleration) -> String {
    match state {
        Acceleration::On => "With acceleration on,".to_owned(),
        Acceleration::Off => "With acceleration off,".to_owned(),
        other => format!("With {other},"),
    }
}

fn on(claim: &Claim) -> String {
    format!("{}, {}", size(claim.bytes), claim.stack)
}
