//! Encrypted disks and folders.

use crate::facts::Facts;
use crate::lines;
use crate::rule::{Evidence, RuleFinding, rules};
use kasoku_model::algorithm::Algorithm::{self, *};

rules! {
    "disk-aes-xts": Disk, Choose; if aes; paste |_| lines::DISK_AES;
    when "AES runs on instructions of its own.";
    says "Encrypt disks with AES-XTS (two 256-bit keys), the default of LUKS 2.",
         "ディスクはAES-XTS（256ビットの鍵2本）で暗号化します。LUKS 2の既定と同じです。";
    why  "XTS keeps the size of a sector and every sector is by itself, so its blocks run side by side on the AES \
          instructions. It encrypts but does not authenticate, like every disk mode without extra space. luksFormat \
          erases: it is for a new disk.",
         "XTSはセクターの大きさを変えず、各セクターを独立に処理するので、AES命令で並列に計算できます。秘匿だけで認証は\
          しません（余分な領域を使わないディスク暗号はどれも同じです）。luksFormatは中身を消すため、新しいディスクに使\
          います。";

    "disk-adiantum": Disk, Choose; if adiantum; paste |_| lines::DISK_ADIANTUM;
    when "AES has no instructions of its own, and ChaCha20-Poly1305 is shown to be faster than AES in XTS (or the mode \
          that was measured in its place).";
    says "Encrypt disks with Adiantum instead of AES-XTS.",
         "ディスクはAES-XTSではなくAdiantumで暗号化します。";
    why  "Adiantum was made for CPUs without AES instructions: it encrypts a sector with XChaCha12, and AES only once \
          a sector. Adiantum itself was not measured; ChaCha20-Poly1305 does similar work. It needs Linux 5.0 or \
          later. luksFormat erases: it is for a new disk.",
         "AdiantumはAES命令のないCPUのために作られた方式で、セクターをXChaCha12で暗号化し、AESは1セクターに1回しか使い\
          ません。Adiantumそのものの値はなく、処理の近いChaCha20-Poly1305で判断しています。Linux 5.0以降が必要です。\
          luksFormatは中身を消すため、新しいディスクに使います。";
}

/// What represents a disk’s AES: XTS itself, else a mode whose blocks run side by side, else one of 256 bits at all.
const DISK_CIPHERS: [Algorithm; 5] = [Aes256Xts, Aes256Ctr, Aes256Gcm, Aes256Cbc, Aes128Cbc];

fn aes(facts: &Facts<'_>) -> Option<RuleFinding> {
    let figure = DISK_CIPHERS.into_iter().find_map(|algorithm| facts.figure(algorithm))?;
    facts.aes_instructions().are_there().then(|| RuleFinding::of([Evidence::Figure(figure)]))
}

fn adiantum(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = DISK_CIPHERS.into_iter().find_map(|aes| facts.comparison(ChaCha20Poly1305, aes))?;
    let is_better = facts.aes_instructions().are_missing() && comparison.is_first_faster();
    is_better.then(|| RuleFinding::of([Evidence::Comparison(comparison)]))
}
