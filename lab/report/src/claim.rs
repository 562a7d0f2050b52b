//! Claims that a run supports, with the figures behind them. Each level derives claims from a document; catalogues have
//! a sentence for each kind.

pub use crate::effect::Effect;
use crate::quantity::{digits, percent, points, size, times};
use crate::text::{Argument, Separator, Text, say};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Operation;

pub use crate::level::claims;
pub(crate) use crate::level::headline;

/// Something a run shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Kind of the claim, which selects the message `claim-KIND`.
    pub kind: &'static str,
    /// Subject of the claim.
    pub subject: Subject,
    /// The figures in it, by the names that its message has for them.
    pub figures: Vec<(&'static str, Figure)>,
    /// Effects by size or library. The message `claim-KIND.each` formats one.
    pub effects: Vec<ClaimEffect>,
    /// Whether it stands for the others of its level where there is no room for all.
    pub leads: bool,
}

/// Subject of a claim. Unset parts are not mentioned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// The algorithm.
    pub algorithm: Option<Algorithm>,
    /// The algorithm that it is compared with.
    pub other: Option<Algorithm>,
    /// The operation.
    pub operation: Option<Operation>,
    /// The size.
    pub bytes: Option<usize>,
    /// The acceleration state.
    pub state: Option<Acceleration>,
    /// The library, with what tells it from others.
    pub library: Text,
    /// The library that it is compared with.
    pub next: Text,
}

/// A figure in a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// Ratio of speeds with the 95 % interval.
    Times(f64, Option<[f64; 2]>),
    /// The least and the greatest of several ratios.
    Range([f64; 2]),
    /// A share in per cent, with its sign.
    Percent(f64),
    /// A difference in per cent, without its sign.
    Points(f64),
    /// A figure with as many digits as matter; the message has its unit.
    Number(f64),
    /// A number of things.
    Count(usize),
    /// A size in bytes.
    Size(usize),
    /// A difference with its interval.
    Change(Effect),
    /// Words, or a name by which the message chooses its words.
    Text(Text),
    /// Whether something is so.
    Is(bool),
}

/// Effect in the list of a claim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimEffect {
    /// Size or library that the effect belongs to.
    pub of: Text,
    /// By how much something differs, with the interval.
    pub change: Option<Effect>,
    /// Other figures, by the names that the message has for them.
    pub figures: Vec<(&'static str, Figure)>,
}

impl Claim {
    /// A claim of `kind` about `subject`.
    pub(crate) fn new(kind: &'static str, subject: Subject) -> Self {
        Claim { kind, subject, figures: Vec::new(), effects: Vec::new(), leads: false }
    }

    /// Adds a figure.
    pub(crate) fn with_figure(mut self, name: &'static str, figure: Figure) -> Self {
        self.figures.push((name, figure));
        self
    }

    /// Adds the effects that it lists.
    pub(crate) fn listing(mut self, effects: impl IntoIterator<Item = ClaimEffect>) -> Self {
        self.effects.extend(effects);
        self
    }

    /// Marks the claim as one that represents its level.
    pub(crate) fn leading(self) -> Self {
        Claim { leads: true, ..self }
    }

    /// Returns the figure of that name.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|(own, _)| *own == name).map(|(_, figure)| figure)
    }

    /// Returns the ratio of that name.
    pub fn ratio(&self, name: &str) -> Option<f64> {
        match self.figure(name)? {
            Figure::Times(ratio, _) => Some(*ratio),
            _ => None,
        }
    }

    /// Returns the claim as a sentence.
    pub fn sentence(&self) -> Text {
        self.message(format!("claim-{}", self.kind))
    }

    /// Returns what the claim says of one part of the page: the attribute of its message.
    pub(crate) fn attribute(&self, attribute: &str) -> Text {
        self.message(format!("claim-{}.{attribute}", self.kind))
    }

    fn message(&self, key: String) -> Text {
        let Subject { algorithm, other, operation, bytes, state, library, next } = &self.subject;
        let mut arguments: Vec<(&'static str, Argument)> = Vec::new();
        arguments.extend(algorithm.map(|algorithm| ("algorithm", algorithm.title().into())));
        arguments.extend(other.map(|other| ("other", other.title().into())));
        arguments.extend(operation.map(|one| ("operation", crate::selection::operation(one).into())));
        arguments.extend(bytes.map(|bytes| ("size", size(bytes).into())));
        arguments.extend(state.map(|state| ("state", state.name().into())));
        arguments.extend([("library", library.into()), ("next", next.into())]);
        arguments.extend(self.figures.iter().map(|(name, figure)| (*name, figure.argument())));
        if !self.effects.is_empty() {
            arguments.push(("each", Text::list(Separator::Semicolon, self.each()).into()));
        }
        Text::Message { key: key.into(), arguments }
    }

    /// The effects in words. What a difference is of may be said once, with the first that is shown; a language may
    /// have its verb in the last.
    fn each(&self) -> impl Iterator<Item = Text> {
        let first = self.effects.iter().position(|one| one.change.is_some_and(|change| change.is_shown));
        self.effects.iter().enumerate().map(move |(index, effect)| {
            let mut arguments = vec![
                ("of", Argument::from(&effect.of)),
                ("is_first", Argument::from(first == Some(index))),
                ("is_last", Argument::from(index + 1 == self.effects.len())),
            ];
            if let Some(change) = effect.change {
                arguments.extend(change_arguments(change));
            }
            arguments.extend(effect.figures.iter().map(|(name, figure)| (*name, figure.argument())));
            Text::Message { key: format!("claim-{}.each", self.kind).into(), arguments }
        })
    }
}

impl Subject {
    /// An algorithm with a library at a size.
    pub(crate) fn new(algorithm: Algorithm, library: Text, bytes: usize) -> Self {
        Subject { algorithm: Some(algorithm), library, bytes: Some(bytes), ..Subject::default() }
    }
}

impl Figure {
    fn argument(&self) -> Argument {
        match self {
            Figure::Times(ratio, _) => times(*ratio).into(),
            Figure::Range([low, high]) => match [*low, *high].map(times) {
                [low, high] if low == high => low.into(),
                [low, high] => say!("claim-range", low = low, high = high).into(),
            },
            Figure::Percent(share) => percent(*share).into(),
            Figure::Points(difference) => points(difference.abs()).into(),
            Figure::Number(number) => digits(*number).into(),
            Figure::Count(count) => (*count).into(),
            Figure::Size(bytes) => size(*bytes).into(),
            Figure::Change(change) => {
                Text::Message { key: "claim-change".into(), arguments: change_arguments(*change) }.into()
            }
            Figure::Text(text) => text.into(),
            Figure::Is(is) => (*is).into(),
        }
    }
}

/// The parts of a difference: how it came out, in which direction, by how much, and its interval. The interval of what
/// is less is that of the less.
fn change_arguments(change: Effect) -> Vec<(&'static str, Argument)> {
    let Effect { percent, ci95: [low, high], is_shown } = change;
    let outcome = match is_shown {
        true => "shown",
        false if low <= 0.0 && 0.0 <= high => "none",
        // An interval that does not hold 0 may still lie within what the run cannot tell from noise.
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
