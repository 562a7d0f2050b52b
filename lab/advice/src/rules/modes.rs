//! Rules about modes of block ciphers, ciphers to avoid, and disk encryption.

use crate::facts::{AesInstructions, Facts};
use crate::figure::{Figure, FigureComparison};
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, faster, rules};
use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::algorithm::Quoted;

rules! {
    "never-64-bit-blocks": Modes, Know; if small_blocks;
    when "There is a figure of a cipher with blocks of 64 bits (3DES, Blowfish, DES, IDEA, CAST5, RC2, RC5).";

    "gcm-over-cbc": Modes, Choose; if |facts| faster(gcm_against_cbc(facts)?);
    when "AES-GCM is shown to be faster than AES-CBC with the same key size.";

    "cbc-is-half-the-work": Modes, Choose; if cbc;
    when "AES-CBC was measured beside AES-GCM and is not slower.";

    "disk-aes-xts": Disk, Choose; if disk_aes; paste |_| lines::DISK_AES;
    when "AES runs on instructions of its own.";

    "disk-adiantum": Disk, Choose; if adiantum; paste |_| lines::DISK_ADIANTUM;
    when "AES has no instructions of its own, and ChaCha20-Poly1305 is shown to be faster than AES in XTS (or the mode \
          that was measured in its place).";
}

fn small_blocks(facts: &Facts<'_>) -> Option<RuleFinding> {
    let quoted = [Quoted::DesCbc, Quoted::IdeaCbc, Quoted::Cast5Cbc, Quoted::Rc2Cbc, Quoted::Rc5Cbc];
    let ciphers = [DesEde3Cbc, BlowfishCbc].into_iter().chain(quoted.map(Algorithm::Quoted));
    let mut old: Vec<Figure> = ciphers.filter_map(|cipher| facts.figure(cipher)).collect();
    let fastest = old.iter().max_by(|a, b| a.value.total_cmp(&b.value))?.algorithm;
    let aes = [Aes256Cbc, Aes128Cbc].into_iter();
    let comparison = aes.filter_map(|aes| facts.comparison(aes, fastest)).next();
    old.retain(|figure| comparison.is_none() || figure.algorithm != fastest);
    let found = RuleFinding::of(comparison.map(Evidence::Comparison)).with("cipher", Value::Algorithm(fastest));
    Some(found.behind(old.into_iter().map(Evidence::Figure)))
}

fn cbc(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = gcm_against_cbc(facts).filter(|comparison| !comparison.is_first_faster())?;
    Some(RuleFinding::of([Evidence::Comparison(comparison.turned())]))
}

fn gcm_against_cbc(facts: &Facts<'_>) -> Option<FigureComparison> {
    let pairs = [(Aes128Gcm, Aes128Cbc), (Aes256Gcm, Aes256Cbc)];
    pairs.into_iter().find_map(|(gcm, cbc)| facts.comparison(gcm, cbc))
}

/// Ciphers whose figure stands for disk encryption with AES; the first one measured counts. XTS is what disks use; like
/// it, CTR and GCM process blocks in parallel.
const DISK_CIPHERS: [Algorithm; 5] = [Aes256Xts, Aes256Ctr, Aes256Gcm, Aes256Cbc, Aes128Cbc];

fn disk_aes(facts: &Facts<'_>) -> Option<RuleFinding> {
    let figure = DISK_CIPHERS.into_iter().find_map(|algorithm| facts.figure(algorithm))?;
    (facts.aes_instructions() == AesInstructions::Present).then(|| RuleFinding::of([Evidence::Figure(figure)]))
}

fn adiantum(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = DISK_CIPHERS.into_iter().find_map(|aes| facts.comparison(ChaCha20Poly1305, aes))?;
    let is_better = facts.aes_instructions().are_missing() && comparison.is_first_faster();
    is_better.then(|| RuleFinding::of([Evidence::Comparison(comparison)]))
}
