//! Encrypted disks and folders.

use crate::facts::Facts;
use crate::lines;
use crate::rule::{Evidence, RuleFinding, rules};
use kasoku_model::algorithm::Algorithm::{self, *};

rules! {
    "disk-aes-xts": Disk, Choose; if aes; paste |_| lines::DISK_AES;
    when "AES runs on instructions of its own.";

    "disk-adiantum": Disk, Choose; if adiantum; paste |_| lines::DISK_ADIANTUM;
    when "AES has no instructions of its own, and ChaCha20-Poly1305 is shown to be faster than AES in XTS (or the mode \
          that was measured in its place).";
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
