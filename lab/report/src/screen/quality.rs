//! How quiet the machine was, in a word, and what may be believed.

use std::collections::BTreeMap;

use crate::language::{messages, pick, say};
use crate::quantity::spread;
use kasoku_model::document::{Document, FLOOR_IF_UNKNOWN};
use kasoku_model::language::Language;
use kasoku_model::level::Level;

/// Up to this share of disturbed slices a machine is quiet.
const QUIET: f64 = 0.01;
/// Up to this share a machine is neither quiet nor noisy.
const FAIR: f64 = 0.05;
/// The share of the series whose intervals a difference that is safe to believe must exceed.
const SAFE_SHARE: f64 = 0.9;

/// How quiet the machine was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Quality {
    /// Next to nothing was disturbed.
    Quiet,
    Fair,
    /// So much that only clear differences count.
    Noisy,
}

impl Quality {
    pub(crate) fn word(self, language: Language) -> &'static str {
        match self {
            Quality::Quiet => pick(language, "QUIET", "静か"),
            Quality::Fair => pick(language, "FAIR", "やや不安定"),
            Quality::Noisy => pick(language, "NOISY", "不安定"),
        }
    }
}

/// The quality of a run and what it means; `None` of figures that others printed, whose samples nobody has.
pub(crate) fn of(document: &Document, language: Language) -> Option<(Quality, String)> {
    let levels = disturbed(document);
    let worst =
        levels.values().copied().fold(None, |worst: Option<f64>, share| Some(worst.unwrap_or(0.0).max(share)))?;
    let quality = match worst {
        share if share <= QUIET => Quality::Quiet,
        share if share <= FAIR => Quality::Fair,
        _ => Quality::Noisy,
    };
    let safe = safe_difference(document) * 100.0;
    // Rounded up: what is a little less is not safe.
    let safe = if safe >= 100.0 {
        let times = (safe / 10.0).ceil() / 10.0 + 1.0;
        say!(
            language,
            "Ratios of {times:.1} and more are safe to believe where no ~ stands",
            "~のない行では{times:.1}倍以上の差は信頼できます"
        )
    } else {
        let safe = safe.ceil().max(1.0);
        say!(
            language,
            "Differences of {safe:.0} % and more are safe to believe where no ~ stands",
            "~のない行では{safe:.0} %以上の差は信頼できます"
        )
    };
    let mut shares: Vec<String> = levels
        .iter()
        .filter(|(_, share)| **share > QUIET)
        .map(|(level, share)| {
            let (level, share) = ((messages(language).words.level)(*level), share * 100.0);
            say!(language, "{share:.0} % of {level}", "{level}で{share:.0} %")
        })
        .collect();
    let resting = document.series.iter().filter(|series| series.samples.iter().any(|sample| sample.disturbed)).count();
    if resting > 0 {
        let plural = if resting == 1 { "" } else { "s" };
        shares.push(say!(language, "counted in {resting} result{plural}", "うち結果に算入 {resting} 件"));
    }
    let shares = shares.join(pick(language, ", ", "、"));
    let said = match quality {
        Quality::Quiet => {
            say!(language, "At most 1 % of the slices were disturbed. {safe}.", "乱れたスライスは1 %以下です。{safe}。")
        }
        Quality::Fair => say!(language, "Disturbed slices: {shares}. {safe}.", "乱れたスライス：{shares}。{safe}。"),
        Quality::Noisy => say!(
            language,
            "Disturbed slices: {shares}. {safe}; repeat on a quiet machine to publish.",
            "乱れたスライス：{shares}。{safe}。公表する前に、静かなマシンで測り直してください。"
        ),
    };
    Some((quality, said))
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
