//! Claims that a run supports, with their figures. Each level derives its claims; the catalogues have a sentence for
//! each kind of claim.

use crate::prelude::*;
use crate::quantity::{points, times};
use kasoku_model::statistics::{Comparison, Nested};

pub use crate::level::claims;
pub(crate) use crate::level::headline;

#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Kind of the claim: the catalogues have its sentence as `claim-KIND`.
    pub kind: &'static str,
    pub subject: Subject,
    /// Formatted figures and words of the sentence, by the names of the message's variables.
    pub figures: Vec<(&'static str, Text)>,
    /// Effects by size or library. The message `claim-KIND.each` formats one effect.
    pub effects: Vec<ClaimEffect>,
    /// Whether the claim represents its level where only a few claims have room.
    pub leads: bool,
}

/// Subject of a claim. Unset parts are not mentioned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    pub algorithm: Option<Algorithm>,
    /// Algorithm that `algorithm` is compared with.
    pub other: Option<Algorithm>,
    pub operation: Option<Operation>,
    /// Size in bytes.
    pub bytes: Option<usize>,
    pub state: Option<Acceleration>,
    /// Library, with its version or setting.
    pub library: Text,
    /// Library that `library` is compared with.
    pub next: Text,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Difference in per cent.
    pub percent: f64,
    pub ci95: [f64; 2],
    /// Whether the difference may be claimed, because the whole interval lies beyond the noise floor.
    pub is_shown: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimEffect {
    /// Size or library that the effect belongs to.
    pub of: Text,
    pub change: Option<Effect>,
    /// Other figures of the effect, by the names of the message's variables.
    pub figures: Vec<(&'static str, Text)>,
}

impl Claim {
    pub(crate) fn new(kind: &'static str, subject: Subject) -> Self {
        Claim { kind, subject, figures: Vec::new(), effects: Vec::new(), leads: false }
    }

    pub(crate) fn with(mut self, name: &'static str, figure: impl Into<Text>) -> Self {
        self.figures.push((name, figure.into()));
        self
    }

    /// Adds `effects`; returns `None` if the claim has no effects afterwards.
    pub(crate) fn listing(mut self, effects: impl IntoIterator<Item = ClaimEffect>) -> Option<Self> {
        self.effects.extend(effects);
        (!self.effects.is_empty()).then_some(self)
    }

    /// Marks the claim as a representative of its level.
    pub(crate) fn leading(self) -> Self {
        Claim { leads: true, ..self }
    }

    pub fn figure(&self, name: &str) -> Option<&Text> {
        self.figures.iter().find(|(own, _)| *own == name).map(|(_, figure)| figure)
    }

    pub fn sentence(&self) -> Text {
        self.message(format!("claim-{}", self.kind))
    }

    /// Returns another wording of the claim: an attribute of its message.
    pub(crate) fn attribute(&self, attribute: &str) -> Text {
        self.message(format!("claim-{}.{attribute}", self.kind))
    }

    fn message(&self, key: String) -> Text {
        let Subject { algorithm, other, operation, bytes, state, library, next } = &self.subject;
        let mut arguments: Vec<(&'static str, Text)> = Vec::new();
        arguments.extend(algorithm.map(|algorithm| ("algorithm", algorithm.title().into())));
        arguments.extend(other.map(|other| ("other", other.title().into())));
        arguments.extend(operation.map(|one| ("operation", crate::selection::operation(one))));
        arguments.extend(bytes.map(|bytes| ("size", size(bytes).into())));
        arguments.extend(state.map(|state| ("state", state.name().into())));
        arguments.extend([("library", library.into()), ("next", next.into())]);
        arguments.extend(self.figures.iter().cloned());
        if !self.effects.is_empty() {
            arguments.push(("each", Text::list(Separator::Semicolon, self.each())));
        }
        Text::Message { key: key.into(), arguments }
    }

    /// Returns the effects in words. The message of a claim may name the measured quantity only at the first listed
    /// effect, and place a verb at the last.
    fn each(&self) -> impl Iterator<Item = Text> {
        let first = self.effects.iter().position(|one| one.change.is_some_and(|change| change.is_shown));
        self.effects.iter().enumerate().map(move |(index, effect)| {
            let mut arguments = vec![
                ("of", Text::from(&effect.of)),
                ("is_first", Text::from(first == Some(index))),
                ("is_last", Text::from(index + 1 == self.effects.len())),
            ];
            if let Some(change) = effect.change {
                arguments.extend(change_arguments(change));
            }
            arguments.extend(effect.figures.iter().cloned());
            Text::Message { key: format!("claim-{}.each", self.kind).into(), arguments }
        })
    }
}

impl ClaimEffect {
    pub(crate) fn change(of: impl Into<Text>, change: Effect) -> Self {
        ClaimEffect { of: of.into(), change: Some(change), figures: Vec::new() }
    }
}

impl Effect {
    /// Converts a comparison of two figures; `None` if a number is not finite.
    pub(crate) fn from_comparison(comparison: Comparison) -> Option<Self> {
        let percent = |ratio: f64| (ratio - 1.0) * 100.0;
        Effect { percent: percent(comparison.ratio), ci95: comparison.ci95.map(percent), is_shown: comparison.is_shown }
            .if_finite()
    }

    /// Creates an effect from logarithms of ratios; `floor` is the smallest relative difference that may be claimed.
    pub(crate) fn from_log_ratios(ratios: &Nested, floor: f64) -> Option<Self> {
        let percent = |log: f64| 100.0 * log.exp_m1();
        let ([low, high], limit) = (ratios.interval()?, floor.ln_1p());
        Effect {
            percent: percent(ratios.median()?),
            ci95: [percent(low), percent(high)],
            is_shown: low > limit || high < -limit,
        }
        .if_finite()
    }

    /// Returns `−15.2 %`, or `=` if no difference is proven.
    pub(crate) fn text(self) -> Text {
        let sign = if self.percent > 0.0 { "+" } else { "" };
        if self.is_shown { format!("{sign}{} %", points(self.percent)) } else { "=".to_owned() }.into()
    }

    /// Returns the effect with its interval: `−15.2 % (−18.0 to −12.1)`.
    pub(crate) fn text_with_interval(self) -> Text {
        let [low, high] = self.ci95.map(points);
        say!("transfer-with-interval", effect = self.text(), low = low, high = high)
    }

    /// Returns the effect in words, without a verb.
    pub(crate) fn words(self) -> Text {
        Text::Message { key: "claim-change".into(), arguments: change_arguments(self) }
    }

    fn if_finite(self) -> Option<Self> {
        [self.percent, self.ci95[0], self.ci95[1]].iter().all(|value| value.is_finite()).then_some(self)
    }
}

impl Subject {
    pub(crate) fn new(algorithm: Algorithm, library: Text, bytes: usize) -> Self {
        Subject { algorithm: Some(algorithm), library, bytes: Some(bytes), ..Subject::default() }
    }
}

/// Formats the smallest and the largest of several ratios.
pub(crate) fn range(ratios: [f64; 2]) -> Text {
    match ratios.map(times) {
        [low, high] if low == high => low.into(),
        [low, high] => say!("claim-range", low = low, high = high),
    }
}

/// Returns a difference as arguments of a message: outcome, direction, size and interval. `least` and `most` are the
/// unsigned ends of the interval.
fn change_arguments(change: Effect) -> Vec<(&'static str, Text)> {
    let Effect { percent, ci95: [low, high], is_shown } = change;
    let outcome = match is_shown {
        true => "shown",
        false if low <= 0.0 && 0.0 <= high => "none",
        // An interval without 0 may still lie within the noise floor.
        false => "noise",
    };
    let direction = if percent < 0.0 { "less" } else { "more" };
    vec![
        ("outcome", outcome.into()),
        ("direction", direction.into()),
        ("percent", points(percent.abs()).into()),
        ("low", points(low).into()),
        ("high", points(high).into()),
        ("least", points(if is_shown && percent < 0.0 { -high } else { low }).into()),
        ("most", points(if is_shown && percent < 0.0 { -low } else { high }).into()),
    ]
}
