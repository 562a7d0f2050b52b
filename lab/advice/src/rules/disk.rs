//! Encrypted disks and folders.

use crate::facts::Facts;
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, Rule, RuleFinding, Topic, Weight, rule};
use crate::words::disk as words;
use kasoku_model::algorithm::Algorithm;

pub(super) const RULES: &[Rule] = &[
    rule(&words::DISK_AES_XTS, Topic::Disk, Weight::Choose, |facts| {
        if !facts.aes_instructions().are_there() {
            return None;
        }
        let figure = DISK_CIPHERS.into_iter().find_map(|algorithm| facts.figure(algorithm))?;
        Some(RuleFinding::new().behind(Evidence::Figure(figure)))
    })
    .with_lines(lines::disk_aes),
    rule(&words::DISK_ADIANTUM, Topic::Disk, Weight::Choose, |facts| {
        let is_missing = facts.aes_instructions().are_missing();
        let comparison = disk_comparison(facts).filter(|comparison| is_missing && comparison.is_first_faster())?;
        Some(RuleFinding::new().behind(Evidence::Comparison(comparison)))
    })
    .with_lines(lines::disk_adiantum),
];

/// What represents a disk’s AES: XTS itself, else a mode whose blocks run side by side, else one of 256 bits at all.
const DISK_CIPHERS: [Algorithm; 5] =
    [Algorithm::Aes256Xts, Algorithm::Aes256Ctr, Algorithm::Aes256Gcm, Algorithm::Aes256Cbc, Algorithm::Aes128Cbc];

fn disk_comparison(facts: &Facts<'_>) -> Option<FigureComparison> {
    DISK_CIPHERS.into_iter().find_map(|aes| facts.comparison(Algorithm::ChaCha20Poly1305, aes))
}
