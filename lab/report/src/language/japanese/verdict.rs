//! The verdict in Japanese.

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
            gains.iter().map(|(title, claim)| format!("{title}は{}倍", times(claim.ratio))).collect();
        return format!("このCPUの暗号命令により、{}の速さになります（{}）。", list.join("、"), on(claim));
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
        return "このCPUの暗号命令で速くなったものはありません。".to_owned();
    }
    match findings.iter().find(|f| matches!(f, Finding::Incomplete | Finding::NothingRanked | Finding::NoGain { .. })) {
        Some(Finding::NoGain { .. }) => "このマシンでは、加速オンとオフの間に差は認められません。".to_owned(),
        Some(finding) => sentence(finding),
        None => "この測定では加速をオフにしていないため、加速の効果は分かりません。".to_owned(),
    }
}

fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Incomplete => {
            "この測定は最後まで終わっていないため、この中での比較や順位付けは行いません。".to_owned()
        }
        Finding::Quoted(kind) => (super::origin::ORIGIN.no_verdict)(*kind).to_owned(),
        Finding::NothingRanked => "測定でき、かつ検証済みのものがないため、順位付けは行いません。".to_owned(),
        Finding::Accelerated { algorithm, help, claim } => format!(
            "{}は、{}により{}倍の速さになります（{}）。",
            algorithm.title(),
            instructions(*help),
            times(claim.ratio),
            on(claim)
        ),
        Finding::Hindered { algorithm, help, claim } => format!(
            "{}は、{}を使わないほうが{}倍の速さになります（{}）。",
            algorithm.title(),
            instructions(*help),
            times(claim.ratio),
            on(claim)
        ),
        Finding::NoGain { algorithm, help, bytes, stack } => format!(
            "{}では、{}を使っても使わなくても差は認められません（{}、{stack}）。",
            algorithm.title(),
            instructions(*help),
            size(*bytes)
        ),
        Finding::AesAlwaysBeatsBlowfish { aes, least, even_without: true, stack } => format!(
            "速さを理由にBlowfishを選ぶ場面はありません。AES命令を使わなくても、{}はすべてのサイズでBlowfishの{}倍以上の\
             速さです（{stack}）。",
            aes.title(),
            times(*least)
        ),
        Finding::AesAlwaysBeatsBlowfish { aes, least, even_without: false, stack } => format!(
            "加速オンでは、{}はすべてのサイズでBlowfishの{}倍以上の速さです（{stack}）。",
            aes.title(),
            times(*least)
        ),
        Finding::BlowfishBeatsAes { aes, claim, without } => format!(
            "{}Blowfishは{}の{}倍の速さです（{}）。",
            if *without { "AES命令を使わない場合、" } else { "" },
            aes.title(),
            times(claim.ratio),
            on(claim)
        ),
        Finding::FasterAead { winner, loser, claim, state, exceptions } => {
            let but = if exceptions.is_empty() {
                String::new()
            } else {
                let sizes: Vec<String> = exceptions.iter().map(|bytes| size(*bytes)).collect();
                format!("。ただし{}では逆", and(&sizes))
            };
            format!(
                "{}AEADは{}のほうが速く、{}の{}倍です（{}{but}）。",
                with(*state),
                winner.title(),
                loser.title(),
                times(claim.ratio),
                on(claim)
            )
        }
        Finding::EqualAeads { first, second, bytes, state, stack } => format!(
            "{}{}と{}の間に差は認められません（{}、{stack}）。",
            with(*state),
            first.title(),
            second.title(),
            size(*bytes)
        ),
        Finding::FastestHash { winner, next, claim } => format!(
            "最も速いハッシュは{}で、次に速い{}の{}倍です（{}。SHA-1は除く）。",
            winner.title(),
            next.title(),
            times(claim.ratio),
            on(claim)
        ),
        Finding::FastestHashes { hashes, bytes, stack } => {
            let titles: Vec<String> = hashes.iter().map(|hash| hash.title().to_owned()).collect();
            format!(
                "最も速いハッシュは{}で、互いに差は認められません（{}、{stack}。SHA-1は除く）。",
                and(&titles),
                size(*bytes)
            )
        }
        Finding::FastestStack { algorithm, next, claim } => format!(
            "{}が最も速い実装は{}で、次に速い{next}の{}倍です（{}）。",
            algorithm.title(),
            claim.stack,
            times(claim.ratio),
            size(claim.bytes)
        ),
        Finding::FastestStacks { algorithm, stacks, bytes } => format!(
            "{}が最も速い実装は{}で、互いに差は認められません（{}）。",
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
        Help::Aes => "AES命令",
        Help::AesAndClmul => "AES命令とキャリーレス乗算命令",
        Help::AesAndSha => "AES命令とSHA命令",
        Help::Sha => "SHA命令",
    }
}

fn with(state: Acceleration) -> String {
    match state {
        Acceleration::On => "加速オンでは、".to_owned(),
        Acceleration::Off => "加速オフでは、".to_owned(),
        other => format!("{other}では、"),
    }
}

fn on(claim: &Claim) -> String {
    format!("{}、{}", size(claim.bytes), claim.stack)
}
