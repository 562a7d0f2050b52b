//! Steps whose cause is known, each with the condition under which it is that, and the reason.
//!
//! What is stated of a library can be read in its source; the file is named in the reason.

use super::{Curve, Step};
use crate::acceleration::Acceleration;
use crate::algorithm::{Algorithm, AlgorithmKind};
use crate::document::Machine;
use crate::language::Language;

/// A known cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Its name in documents.
    pub name: &'static str,
    english: &'static str,
    japanese: &'static str,
}

impl Explanation {
    /// The reason in words.
    pub fn reason(&self, language: Language) -> &'static str {
        match language {
            Language::English => self.english,
            Language::Japanese => self.japanese,
        }
    }
}

/// A reason and when it is one.
struct Entry {
    explanation: Explanation,
    applies: fn(&Curve, &Step, &Machine) -> bool,
}

/// Why `step` is there, if that is known.
pub(super) fn of(curve: &Curve, step: &Step, machine: &Machine) -> Option<Explanation> {
    ENTRIES.iter().find(|entry| (entry.applies)(curve, step, machine)).map(|entry| entry.explanation)
}

/// Why there is no step in `curve`, though the same code has one on other machines.
pub(super) fn of_absence(curve: &Curve, machine: &Machine) -> Option<Explanation> {
    let [smallest, largest] = [curve.points.first()?.bytes, curve.points.last()?.bytes];
    let could_have = is_early_cbc(curve, machine) && smallest < COMPACT_BELOW && largest >= COMPACT_BELOW;
    (could_have && curve.steps.is_empty()).then_some(ALWAYS_COMPACT)
}

/// Calls of fewer bytes take the compact tables (`speed_limit` in aes-x86_64.pl).
const COMPACT_BELOW: usize = 512;
/// What bitsliced AES does at once: eight blocks of 16 bytes (bsaes-x86_64.pl).
const BITSLICED_FROM: usize = 128;
/// From here on ChaCha20 takes NEON (chacha-armv8.pl).
const NEON_FROM: usize = 192;
/// From here on AES-GCM is done in one pass of six blocks (aesni-gcm-x86_64.pl).
const ONE_PASS_FROM: usize = 288;

const ENTRIES: [Entry; 5] = [
    Entry {
        explanation: Explanation {
            name: "compact-tables-below-512",
            english: "OpenSSL's AES for x86-64 without the AES instructions (aes-x86_64.pl) does CBC calls of fewer \
                than 512 bytes with small, compact tables, which are slower, and longer ones with the full tables. \
                      Where the CPU reports hyper-threading it takes the compact tables at every size, since there a \
                      neighbour could watch the cache; such a machine has no jump.",
            japanese: "AES命令を使わないOpenSSLのx86-64用AES（aes-x86_64.pl）は、CBCの呼び出しが512バイト未満のとき、\
                       遅いが小さくまとめた表で処理し、それ以上では通常の大きな表を使います。CPUがハイパースレッディン\
                       グを報告する場合は、隣のスレッドにキャッシュを観察されるおそれがあるため、\
                       長さによらず小さな表を使うので、この段差は現れません。",
        },
        applies: |curve, step, machine| {
            is_early_cbc(curve, machine) && crosses(step, COMPACT_BELOW) && step.is_faster()
        },
    },
    Entry {
        explanation: Explanation {
            name: "bitsliced-from-128",
            english: "Without the AES instructions OpenSSL does AES in counter mode bitsliced (bsaes-x86_64.pl): eight \
                      blocks, 128 bytes, at once. Fewer than eight blocks are done one by one with tables; from 128 \
                      bytes on everything is done in eights, the rest included.",
            japanese: "AES命令が使えないとき、OpenSSLはカウンターモードのAESをビットスライス（bsaes-x86_64.pl）で実装し\
                ており、8ブロック（128バイト）をまとめて処理します。8ブロック未満は表を使って1ブロックずつ、128バイト以\
                上は端数も含めて8ブロック単位で処理します。",
        },
        applies: |curve, step, machine| {
            let is_counter =
                matches!(curve.algorithm(), "aes-128-ctr" | "aes-192-ctr" | "aes-256-ctr") || is_gcm(curve);
            let is_openssl = curve.is_openssl(machine, "x86_64");
            is_openssl && is_counter && has_no_aes(curve, machine) && crosses(step, BITSLICED_FROM) && step.is_faster()
        },
    },
    Entry {
        explanation: Explanation {
            name: "one-pass-from-288",
            english: "OpenSSL's AES-GCM with AES-NI and AVX does encryption and authentication in one pass of six \
                blocks (aesni-gcm-x86_64.pl) from 288 bytes on; shorter messages are done in two passes.",
            japanese: "OpenSSLのAES-GCM（AES-NIとAVXを使う場合）は、288バイト以上では暗号化と認証を6ブロックずつ\
                       1パスで行います（aesni-gcm-x86_64.pl）。それより短いメッセージは2パスです。",
        },
        applies: |curve, step, machine| {
            let is_accelerated = !has_no_aes(curve, machine) && curve.acceleration != Acceleration::Off;
            curve.is_openssl(machine, "x86_64") && is_gcm(curve) && is_accelerated && crosses(step, ONE_PASS_FROM)
        },
    },
    Entry {
        explanation: Explanation {
            name: "neon-from-192",
            english: "OpenSSL's ChaCha20 for AArch64 (chacha-armv8.pl) takes NEON, several blocks at once, from 192 \
                bytes on; shorter messages are done block by block in general registers.",
            japanese: "OpenSSLのAArch64用ChaCha20（chacha-armv8.pl）は、192バイト以上でNEONを使って複数ブロックを\
                       まとめて処理し、それより短いメッセージは汎用レジスターで1ブロックずつ処理します。",
        },
        applies: |curve, step, machine| {
            curve.is_openssl(machine, "aarch64") && is_chacha(curve) && crosses(step, NEON_FROM) && step.is_faster()
        },
    },
    Entry {
        explanation: Explanation {
            name: "wider-vectors",
            english: "ChaCha20 does one or two blocks of 64 bytes at a time for short messages, and 4, 8 or 16 at \
                once, one in each lane of the CPU's vector registers, where there are enough of them.",
            japanese: "ChaCha20は、短いメッセージでは64バイトのブロックを1～2個ずつ処理し、\
                ブロック数が十分にあればCPUのベクトルレジスターの各レーンに割り当てて4、8、16個をまとめて処理します。",
        },
        applies: |curve, step, _| is_chacha(curve) && step.at <= 2048 && step.is_faster(),
    },
];

const ALWAYS_COMPACT: Explanation = Explanation {
    name: "compact-tables-always",
    english: "No jump at 512 bytes, where the same code of OpenSSL (aes-x86_64.pl) has one on other machines: where \
        the CPU reports hyper-threading, AES-CBC without the AES instructions takes the small, compact tables at every \
        size.",
    japanese: "同じOpenSSLのコード（aes-x86_64.pl）でも、このマシンには512バイトでの段差がありません。CPUが\
               ハイパースレッディングを報告する場合、AES命令を使わないAES-CBCは長さによらず小さな表を使うためと考えられ\
               ます。",
};

impl Step {
    fn is_faster(&self) -> bool {
        self.jump.is_none_or(|jump| jump > 1.0)
    }
}

impl Curve {
    fn algorithm(&self) -> &'static str {
        self.workload.algorithm.name()
    }

    /// Whether it is OpenSSL's code for that architecture, as far as the document tells.
    fn is_openssl(&self, machine: &Machine, arch: &str) -> bool {
        self.library == crate::library::OPENSSL && machine.arch == arch
    }
}

/// Whether `size` is where the step is: the sizes before it are smaller, those after it are not.
fn crosses(step: &Step, size: usize) -> bool {
    step.before < size && size <= step.at
}

/// The CBC of OpenSSL's own calls (not EVP) in the versions that measured them, without the AES instructions.
fn is_early_cbc(curve: &Curve, machine: &Machine) -> bool {
    let is_cbc = matches!(curve.algorithm(), "aes-128-cbc" | "aes-192-cbc" | "aes-256-cbc");
    let is_early = version(&curve.library_version).is_some_and(|version| version < [3, 0]);
    // Tables of that time mostly do not state the architecture; bits of 64 and this code do.
    curve.is_openssl(machine, "x86_64") && is_cbc && is_early && curve.acceleration == Acceleration::Off
}

fn is_gcm(curve: &Curve) -> bool {
    matches!(curve.algorithm(), "aes-128-gcm" | "aes-192-gcm" | "aes-256-gcm")
}

fn is_chacha(curve: &Curve) -> bool {
    curve.workload.algorithm == Algorithm::ChaCha20Poly1305 && curve.workload.algorithm.kind() == AlgorithmKind::Aead
}

/// Whether the AES instructions are not used: switched off, or the CPU is known and has none.
fn has_no_aes(curve: &Curve, machine: &Machine) -> bool {
    let is_off = matches!(curve.acceleration, Acceleration::Off | Acceleration::NoAes);
    let has_none = !machine.features.is_empty() && !machine.features.iter().any(|feature| feature.starts_with("aes"));
    is_off || has_none
}

/// Major and minor version in `OpenSSL 1.0.1i 6 Aug 2014` or `3.0.19`.
fn version(text: &str) -> Option<[u32; 2]> {
    let numbers = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let mut parts = numbers.split('.').map(|part| part.parse().ok());
    Some([parts.next()??, parts.next()??])
}
