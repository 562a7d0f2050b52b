//! Sentences for the figures and observations that advice is based on.

use crate::prelude::*;
use crate::quantity::{figure as speed, times};
use crate::selection::with_state;
use kasoku_advice::Evidence;
use kasoku_advice::figure::{Figure, FigureComparison};

pub(super) fn sentence(evidence: &Evidence) -> Text {
    match evidence {
        Evidence::Figure(figure) => say!(
            "advice-evidence-figure",
            task = task(figure),
            speed = speed(figure.value, figure.unit),
            setting = setting(figure, library(figure)),
            is_quoted = figure.is_quoted,
        ),
        Evidence::Comparison(comparison) => {
            compared("advice-evidence-comparison", comparison, |figure| speed(figure.value, figure.unit))
        }
        Evidence::ServerCpu(comparison) if comparison.first.unit == Unit::OperationsPerSecond => {
            compared("advice-evidence-handshake", comparison, |figure| digits(1e6 / figure.value))
        }
        // The value is in bytes per CPU second; the message has CPU seconds per 10⁹ bytes.
        Evidence::ServerCpu(comparison) => {
            compared("advice-evidence-server-cpu", comparison, |figure| digits(1e9 / figure.value))
        }
        Evidence::Limit { limit, taken } => say!(
            "advice-evidence-limit",
            name = Text::name(&limit.name, 40),
            value = Text::name(&limit.value, 60),
            connections = limit.connections.unwrap_or_default().to_string(),
            taken = taken.to_string(),
        ),
        Evidence::Features(features) => {
            say!("advice-evidence-features", features = Text::name(&features.join(" "), 200))
        }
        Evidence::CodePath(algorithm, path) => {
            say!("advice-evidence-code-path", title = algorithm.title(), path = Text::name(path, 60))
        }
        Evidence::Settings(settings) => say!("advice-evidence-settings", settings = Text::name(settings, 120)),
        Evidence::Cpu(arch, name) => {
            say!("advice-evidence-cpu", arch = Text::name(arch, 40), name = Text::name(name, 80))
        }
        Evidence::NoFigure => say!("advice-evidence-no-figure"),
    }
}

/// Describes a comparison: both figures as `write` formats them, their ratio with its interval, and the size, task or
/// library that both figures share.
fn compared(key: &'static str, comparison: &FigureComparison, write: fn(&Figure) -> String) -> Text {
    let FigureComparison { first, second, ratio, ci95, is_shown, is_unlike } = comparison;
    let are_two_libraries = (&first.library, &first.version) != (&second.library, &second.version);
    let are_two_states = first.acceleration != second.acceleration && first.algorithm == second.algorithm;
    let name = |figure: &Figure| match (are_two_libraries, are_two_states) {
        (true, _) => library(figure),
        (_, true) => with_state(task(figure), figure.acceleration),
        _ => task(figure),
    };
    let interval = match ci95 {
        Some([low, high]) => say!("advice-evidence-interval", low = fixed(*low, 2), high = fixed(*high, 2)),
        None if first.is_quoted => say!("advice-evidence-interval-quoted"),
        None => say!("advice-evidence-interval-none"),
    };
    let outcome = say!(
        "advice-evidence-outcome",
        times =
            if *is_shown { say!("advice-evidence-times", times = times(*ratio)) } else { say!("words-no-difference") },
        interval = interval,
        setting = setting(first, if are_two_libraries { task(first) } else { library(first) }),
        is_unlike = *is_unlike,
    );
    let [first_figure, second_figure] = [first, second].map(write);
    say!(
        key,
        first = name(first),
        first_figure = first_figure,
        second = name(second),
        second_figure = second_figure,
        outcome = outcome,
    )
}

/// Joins the size of `figure`, if its operation takes bytes, with `rest`.
fn setting(figure: &Figure, rest: Text) -> Text {
    let is_of_bytes = figure.algorithm.kind().is_bulk() && figure.operation != Operation::Handshake;
    let size = is_of_bytes.then(|| size(figure.bytes));
    Text::list(Separator::Comma, [Text::from(size), rest])
}

fn task(figure: &Figure) -> Text {
    Task { algorithm: figure.algorithm, operation: figure.operation }.title()
}

fn library(figure: &Figure) -> Text {
    join(&figure.library, &figure.version).into()
}
