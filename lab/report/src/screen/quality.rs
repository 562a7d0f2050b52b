//! How quiet the machine was, in a word, and what may be believed.

use std::collections::BTreeMap;

use crate::block::Block;
use crate::quantity::{fixed, spread};
use crate::text::{Separator, Text, say};
use kasoku_model::document::{Document, FLOOR_IF_UNKNOWN};
use kasoku_model::level::Level;

/// Up to this share of disturbed slices a machine is quiet.
const QUIET: f64 = 0.01;
/// Up to this share a machine is neither quiet nor noisy.
const FAIR: f64 = 0.05;
/// The share of the series whose intervals a difference that is safe to believe must exceed.
const SAFE_SHARE: f64 = 0.9;

/// Returns how quiet the machine was, in a word, and what may be believed; `None` for figures that others printed, whose
/// samples nobody has.
pub(crate) fn quality(document: &Document) -> Option<Block> {
    let levels = disturbed(document);
    let worst = levels.values().copied().max_by(f64::total_cmp)?;
    let safe = safe_difference(document) * 100.0;
    // Rounded up: what is a little less is not safe.
    let safe = if safe >= 100.0 {
        say!("screen-quality-safe-times", times = fixed((safe / 10.0).ceil() / 10.0 + 1.0, 1))
    } else {
        say!("screen-quality-safe-percent", percent = fixed(safe.ceil().max(1.0), 0))
    };
    if worst <= QUIET {
        let text = say!("screen-quality-quiet-meaning", safe = safe);
        return Some(Block::Marked { mark: say!("screen-quality-quiet"), is_warning: false, text });
    }
    let share = |(level, share): (&Level, &f64)| {
        let level = say!("words-level", level = level.name());
        say!("screen-quality-share", share = fixed(share * 100.0, 0), level = level)
    };
    let shares = levels.iter().filter(|(_, share)| **share > QUIET).map(share);
    let counted = document.series.iter().filter(|series| series.samples.iter().any(|sample| sample.disturbed)).count();
    let counted = (counted > 0).then(|| say!("screen-quality-counted", count = counted));
    let shares = Text::list(Separator::Comma, shares.chain(counted));
    let (mark, text) = match worst <= FAIR {
        true => (say!("screen-quality-fair"), say!("screen-quality-fair-meaning", shares = shares, safe = safe)),
        false => (say!("screen-quality-noisy"), say!("screen-quality-noisy-meaning", shares = shares, safe = safe)),
    };
    Some(Block::Marked { mark, is_warning: true, text })
}

/// The share of slices that something else disturbed, of each level that has any.
fn disturbed(document: &Document) -> BTreeMap<Level, f64> {
    let mut counts: BTreeMap<Level, (usize, usize)> = BTreeMap::new();
    for series in &document.series {
        let (dropped, all) = counts.entry(series.level).or_default();
        *dropped += series.samples.iter().filter(|sample| sample.dropped || sample.disturbed).count();
        *all += series.samples.len();
    }
    let share = |(level, (dropped, all)): (_, (usize, usize))| (all > 0).then(|| (level, dropped as f64 / all as f64));
    counts.into_iter().filter_map(share).collect()
}

/// The difference that two series must have to be told apart, for nine of ten of those that may be ranked: what their
/// intervals add up to, and no less than the noise floor.
fn safe_difference(document: &Document) -> f64 {
    let ranked = document.series.iter().filter(|series| series.is_ranked() && !series.details.control);
    let mut spreads: Vec<f64> = ranked.filter_map(spread).collect();
    spreads.sort_by(f64::total_cmp);
    let widest =
        spreads.get((spreads.len() as f64 * SAFE_SHARE) as usize).or(spreads.last()).copied().unwrap_or_default();
    let floor = document.run.method.noise_floor.unwrap_or(FLOOR_IF_UNKNOWN);
    // Two independent intervals add as squares do.
    (widest / 100.0 * std::f64::consts::SQRT_2).max(floor)
}
