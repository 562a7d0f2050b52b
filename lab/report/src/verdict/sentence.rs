//! What a run shows, in words.

use super::{Claim, Finding, Help};
use crate::language::{and, messages, pick, say};
use crate::quantity::{size, times};
use crate::{files, packets};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::language::Language::{self, English};

impl Finding {
    /// The finding as a sentence.
    pub(crate) fn sentence(&self, language: Language) -> String {
        match self {
            Finding::Emulated => say!(
                language,
                "An emulator did the work: no figure of this run says anything about a CPU; nothing is ranked.",
                "エミュレーター上の測定です。値はCPUの性能を示さないため、この中での比較や順位付けは行いません。"
            ),
            Finding::UnderWine => say!(
                language,
                "Wine stood in for Windows: no figure of this run says anything about Windows; nothing is ranked.",
                "Windowsの代わりにWineで測定した値です。Windowsでの性能を示さないため、この中での比較や順位付けは行い\
                 ません。"
            ),
            Finding::Incomplete => say!(
                language,
                "This run did not reach its end: nothing in it is ranked, and its libraries are not compared.",
                "この測定は最後まで終わっていないため、この中での比較や順位付けは行いません。"
            ),
            Finding::Quoted(kind) => (messages(language).origin.no_verdict)(*kind).to_owned(),
            Finding::NothingRanked => say!(
                language,
                "Nothing in this run is both measured and verified: nothing is ranked.",
                "測定でき、かつ検証済みのものがないため、順位付けは行いません。"
            ),
            Finding::Accelerated { algorithm, help, claim } => {
                let (title, instructions) = (algorithm.title(), instructions(*help, language));
                let (times, on) = (times(claim.ratio), on(claim, language));
                say!(
                    language,
                    "{title} is {times} times as fast with the {instructions} ({on}).",
                    "{title}は、{instructions}により{times}倍の速さになります（{on}）。"
                )
            }
            Finding::Hindered { algorithm, help, claim } => {
                let (title, instructions) = (algorithm.title(), instructions(*help, language));
                let (times, on) = (times(claim.ratio), on(claim, language));
                say!(
                    language,
                    "{title} is {times} times as fast without the {instructions} ({on}).",
                    "{title}は、{instructions}を使わないほうが{times}倍の速さになります（{on}）。"
                )
            }
            Finding::NoGain { algorithm, help, bytes, library } => {
                let (title, instructions, size) = (algorithm.title(), instructions(*help, language), size(*bytes));
                say!(
                    language,
                    "{title} shows no difference with the {instructions} on or off ({size}, {library}).",
                    "{title}では、{instructions}を使っても使わなくても差は認められません（{size}、{library}）。"
                )
            }
            Finding::AesAlwaysBeatsBlowfish { aes, least, even_without, library } => {
                let (aes, times) = (aes.title(), times(*least));
                if *even_without {
                    say!(
                        language,
                        "Blowfish is never the fast choice here: {aes} is at least {times} times as fast at every \
                         size, even without the AES instructions ({library}).",
                        "速さを理由にBlowfishを選ぶ場面はありません。AES命令を使わなくても、{aes}はすべてのサイズ\
                         でBlowfishの{times}倍以上の速さです（{library}）。"
                    )
                } else {
                    say!(
                        language,
                        "With acceleration on, {aes} is at least {times} times as fast as Blowfish at every size \
                         ({library}).",
                        "加速オンでは、{aes}はすべてのサイズでBlowfishの{times}倍以上の速さです（{library}）。"
                    )
                }
            }
            Finding::BlowfishBeatsAes { aes, claim, without } => {
                let (aes, times, on) = (aes.title(), times(claim.ratio), on(claim, language));
                let without = match without {
                    true => pick(language, "Without the AES instructions, ", "AES命令を使わない場合、"),
                    false => "",
                };
                say!(
                    language,
                    "{without}Blowfish is {times} times as fast as {aes} ({on}).",
                    "{without}Blowfishは{aes}の{times}倍の速さです（{on}）。"
                )
            }
            Finding::FasterAead { winner, loser, claim, state, exceptions } => {
                let sizes: Vec<String> = exceptions.iter().map(|bytes| size(*bytes)).collect();
                let sizes = and(&sizes, language);
                let but = match exceptions.is_empty() {
                    true => String::new(),
                    false => say!(language, "; reversed at {sizes}", "。ただし{sizes}では逆"),
                };
                let (with, winner, loser) = (with(*state, language), winner.title(), loser.title());
                let (times, on) = (times(claim.ratio), on(claim, language));
                say!(
                    language,
                    "{with} {winner} is the faster AEAD: {times} times as fast as {loser} ({on}{but}).",
                    "{with}AEADは{winner}のほうが速く、{loser}の{times}倍です（{on}{but}）。"
                )
            }
            Finding::EqualAeads { first, second, bytes, state, library } => {
                let (with, first, second, size) = (with(*state, language), first.title(), second.title(), size(*bytes));
                say!(
                    language,
                    "{with} no difference is shown between {first} and {second} ({size}, {library}).",
                    "{with}{first}と{second}の間に差は認められません（{size}、{library}）。"
                )
            }
            Finding::FastestHash { winner, next, claim } => {
                let (winner, next) = (winner.title(), next.title());
                let (times, on) = (times(claim.ratio), on(claim, language));
                say!(
                    language,
                    "{winner} is the fastest hash: {times} times as fast as {next}, the next ({on}; SHA-1 left aside).",
                    "最も速いハッシュは{winner}で、次に速い{next}の{times}倍です（{on}。SHA-1は除く）。"
                )
            }
            Finding::FastestHashes { hashes, bytes, library } => {
                let titles: Vec<String> = hashes.iter().map(|hash| hash.title().to_owned()).collect();
                let (hashes, size) = (and(&titles, language), size(*bytes));
                say!(
                    language,
                    "{hashes} are the fastest hashes: none is shown to be slower than the first ({size}, {library}; \
                     SHA-1 left aside).",
                    "最も速いハッシュは{hashes}で、先頭より遅いと示されたものはありません（{size}、{library}。SHA-1は\
                     除く）。"
                )
            }
            Finding::FastestLibrary { algorithm, next, claim } => {
                let (title, library) = (algorithm.title(), &claim.library);
                let (times, size) = (times(claim.ratio), size(claim.bytes));
                say!(
                    language,
                    "The fastest library for {title} is {library}: {times} times as fast as {next}, the next ({size}).",
                    "{title}が最も速い実装は{library}で、次に速い{next}の{times}倍です（{size}）。"
                )
            }
            Finding::FastestLibraries { algorithm, libraries, bytes } => {
                let (title, libraries, size) = (algorithm.title(), and(libraries, language), size(*bytes));
                say!(
                    language,
                    "The fastest libraries for {title} are {libraries}: none is shown to be slower than the first \
                     ({size}).",
                    "{title}が最も速い実装は{libraries}で、先頭より遅いと示されたものはありません（{size}）。"
                )
            }
            Finding::Packets(finding) => finding.sentence(language),
            Finding::Files(finding) => finding.sentence(language),
            Finding::Java(finding) => finding.sentence(language),
            Finding::Tls(finding) => finding.sentence(language),
            Finding::Transfer(finding) => finding.sentence(language),
        }
    }
}

/// The line over all: of several gains at most three are named.
pub(crate) fn headline<'a>(findings: &'a [Finding], language: Language) -> String {
    if let [Finding::Quoted(kind)] = findings {
        return (messages(language).origin.headline)(*kind).to_owned();
    }
    let gain = |finding: &Finding| match finding {
        Finding::Accelerated { algorithm, claim, .. } => Some((algorithm.title(), claim.clone())),
        _ => None,
    };
    let gains: Vec<_> = findings.iter().filter_map(gain).take(3).collect();
    if let Some((_, claim)) = gains.first() {
        let each = |(title, claim): &(&str, Claim)| {
            let times = times(claim.ratio);
            say!(language, "{title} {times} times", "{title}は{times}倍")
        };
        let list: Vec<String> = gains.iter().map(each).collect();
        let (english, japanese, on) = (and(&list, English), list.join("、"), on(claim, language));
        return say!(
            language,
            "With this CPU’s instructions: {english} as fast ({on}).",
            "このCPUの暗号命令により、{japanese}の速さになります（{on}）。"
        );
    }
    let of_files = |finding: &'a Finding| match finding {
        Finding::Files(finding) => Some(finding),
        _ => None,
    };
    if let Some(all) = findings.iter().map(of_files).collect::<Option<Vec<_>>>().filter(|all| !all.is_empty()) {
        return files::headline(&all, language);
    }
    let of_packets = |finding: &'a Finding| match finding {
        Finding::Packets(finding) => Some(finding),
        _ => None,
    };
    // What was moved end to end is told with the packets.
    let others = findings.iter().filter(|finding| !matches!(finding, Finding::Transfer(_)));
    let all: Option<Vec<_>> = others.map(of_packets).collect();
    if let Some(all) = all.filter(|all| !all.is_empty() || findings.is_empty()) {
        return packets::headline(&all, language);
    }
    let of_transfer = findings.iter().find(|finding| matches!(finding, Finding::Transfer(_)));
    let of_java = || findings.iter().find(|finding| matches!(finding, Finding::Java(_)));
    if let Some(finding) = of_transfer.or_else(of_java) {
        return finding.sentence(language);
    }
    if findings.iter().any(|finding| matches!(finding, Finding::Hindered { .. })) {
        return say!(
            language,
            "This CPU’s cryptographic instructions make nothing faster here.",
            "このCPUの暗号命令で速くなったものはありません。"
        );
    }
    let is_final = |finding: &&Finding| {
        use Finding::{Emulated, Incomplete, NoGain, NothingRanked, UnderWine};
        matches!(finding, Emulated | UnderWine | Incomplete | NothingRanked | NoGain { .. })
    };
    match findings.iter().find(is_final) {
        Some(Finding::NoGain { .. }) => say!(
            language,
            "No difference is shown between acceleration on and off on this machine.",
            "このマシンでは、加速オンとオフの間に差は認められません。"
        ),
        Some(finding) => finding.sentence(language),
        None => say!(
            language,
            "Acceleration was not switched off in this run, so what it is worth cannot be said.",
            "この測定では加速をオフにしていないため、加速の効果は分かりません。"
        ),
    }
}

fn instructions(help: Help, language: Language) -> &'static str {
    match help {
        Help::Aes => pick(language, "AES instructions", "AES命令"),
        Help::AesAndClmul => {
            pick(language, "AES and carry-less multiplication instructions", "AES命令とキャリーレス乗算命令")
        }
        Help::AesAndSha => pick(language, "AES and SHA instructions", "AES命令とSHA命令"),
        Help::Sha => pick(language, "SHA instructions", "SHA命令"),
    }
}

fn with(state: Acceleration, language: Language) -> String {
    match state {
        Acceleration::On => say!(language, "With acceleration on,", "加速オンでは、"),
        Acceleration::Off => say!(language, "With acceleration off,", "加速オフでは、"),
        other => say!(language, "With {other},", "{other}では、"),
    }
}

fn on(claim: &Claim, language: Language) -> String {
    let (size, library) = (size(claim.bytes), &claim.library);
    say!(language, "{size}, {library}", "{size}、{library}")
}
