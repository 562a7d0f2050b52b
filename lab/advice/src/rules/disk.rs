//! Encrypted disks and folders.

use crate::facts::Facts;
use crate::figure::Comparison;
use crate::lines;
use crate::rule::{Evidence, Found, Rule, Topic, Weight, Wording};
use kasoku_model::algorithm::Algorithm;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "disk-aes-xts",
        topic: Topic::Disk,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            if !facts.aes_instructions().are_there() {
                return None;
            }
            let figure = DISK_CIPHERS.into_iter().find_map(|algorithm| facts.figure(algorithm))?;
            Some(Found::new().behind(Evidence::Figure(figure)))
        },
        english: Wording {
            when: "AES runs on instructions of its own.",
            says: "Encrypt disks with AES-XTS (two 256-bit keys), the default of LUKS 2.",
            reason: "XTS keeps the size of a sector and every sector is by itself, so its blocks run side by side on the \
                     AES instructions. It hides, but does not authenticate; no disk mode without extra space does. \
                     luksFormat erases: it is for a new disk.",
        },
        japanese: Wording {
            when: "AES が専用命令で動くとき。",
            says: "ディスクは AES-XTS（256 ビットの鍵 2 本）で暗号化します。LUKS 2 の既定と同じです。",
            reason: "XTS はセクタの大きさを変えず、各セクタを独立に処理するので、AES 命令で並列に計算できます。\
                     秘匿だけで認証はしません（余分な領域を使わないディスク暗号はどれも同じです）。luksFormat は中身を消すため、新しいディスクに使います。",
        },
        lines: lines::disk_aes,
    },
    Rule {
        id: "disk-adiantum",
        topic: Topic::Disk,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let is_missing = facts.aes_instructions().are_missing();
            let comparison = disk_comparison(facts).filter(|comparison| is_missing && comparison.is_first_faster())?;
            Some(Found::new().behind(Evidence::Comparison(comparison)))
        },
        english: Wording {
            when: "AES has no instructions of its own, and ChaCha20-Poly1305 is shown to be faster than AES in XTS (or \
                   the mode that was measured in its place).",
            says: "Encrypt disks with Adiantum instead of AES-XTS.",
            reason: "Adiantum was made for CPUs without AES instructions: it encrypts a sector with XChaCha12, and AES \
                     only once a sector. Adiantum itself was not measured; ChaCha20-Poly1305 does similar work. It needs \
                     Linux 5.0 or later. luksFormat erases: it is for a new disk.",
        },
        japanese: Wording {
            when: "AES の専用命令がなく、ChaCha20-Poly1305 が AES-XTS（なければ代わりに測った利用モード）より速いと示されたとき。",
            says: "ディスクは AES-XTS ではなく Adiantum で暗号化します。",
            reason: "Adiantum は AES 命令のない CPU のために作られた方式で、セクタを XChaCha12 で暗号化し、AES は 1 セクタに 1 回しか使いません。\
                     Adiantum そのものの値はなく、処理の近い ChaCha20-Poly1305 で判断しています。Linux 5.0 以降が必要です。luksFormat は中身を消すため、新しいディスクに使います。",
        },
        lines: lines::disk_adiantum,
    },
];

/// What stands for a disk’s AES: XTS itself, else a mode whose blocks run side by side, else one of 256 bits at all.
const DISK_CIPHERS: [Algorithm; 5] =
    [Algorithm::Aes256Xts, Algorithm::Aes256Ctr, Algorithm::Aes256Gcm, Algorithm::Aes256Cbc, Algorithm::Aes128Cbc];

fn disk_comparison(facts: &Facts<'_>) -> Option<Comparison> {
    DISK_CIPHERS.into_iter().find_map(|aes| facts.comparison(Algorithm::ChaCha20Poly1305, aes))
}
