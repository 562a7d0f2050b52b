//! The table of the final screen with the gains from acceleration, for the algorithms that most people ask about.

use crate::level::primitives::{bars, on_and_off, states};
use crate::prelude::*;
use crate::quantity::figure;
use crate::selection::{Worth, times};

/// Algorithms that get a row in the table if acceleration demonstrably makes them faster or slower.
const ROWS: [Algorithm; 4] = [Algorithm::Aes128Gcm, Algorithm::Aes256Cbc, Algorithm::Sha256, Algorithm::Aes256Gcm];
/// Algorithms that a note below the table names as examples, if acceleration makes no difference for them.
const OTHERS: [Algorithm; 3] = [Algorithm::ChaCha20Poly1305, Algorithm::Sha512, Algorithm::Camellia256Cbc];
/// Maximum number of rows on the screen.
const MAX_SHOWN: usize = 3;
const MAX_CHARTED: usize = 6;

/// Gains from acceleration: the library (contender) that was measured, the message size in bytes, and each algorithm
/// with its gain, in the order of tables.
type Worths = (ContenderIndex, usize, Vec<(Algorithm, Worth)>);

fn worths(selection: &Selection<'_>) -> Option<Worths> {
    let who = selection.primary()?;
    let bytes = [AlgorithmKind::Aead, AlgorithmKind::Cipher].into_iter().find_map(|kind| selection.yardstick(kind))?;
    let worth = |algorithm| {
        let key = SeriesKey::new(who, Acceleration::On, Task::main(algorithm), bytes);
        Some((algorithm, selection.worth(key)?))
    };
    let all: Vec<(Algorithm, Worth)> = ROWS.into_iter().chain(OTHERS).filter_map(worth).collect();
    (!all.is_empty()).then_some((who, bytes, all))
}

/// Returns the table of the final screen; `None` if nothing was measured with acceleration on and off.
pub(super) fn table(selection: &Selection<'_>) -> Option<Table> {
    let has_aeads = selection.yardstick(AlgorithmKind::Aead).is_some();
    let (who, bytes, all) = worths(selection).filter(|_| has_aeads)?;
    let speed = |algorithm: Algorithm, state| {
        let series = selection.series(SeriesKey::new(who, state, Task::main(algorithm), bytes))?;
        Some(figure(sound_figure(series)?, series.unit))
    };
    let is_row = |(algorithm, worth): &&(Algorithm, Worth)| worth.is_shown && ROWS.contains(algorithm);
    let rows: Vec<(Algorithm, Worth)> = all.iter().filter(is_row).take(MAX_SHOWN).copied().collect();
    let is_equal = |(algorithm, worth): &&(Algorithm, Worth)| !worth.is_shown && OTHERS.contains(algorithm);
    let equal = Text::list(Separator::Comma, all.iter().filter(is_equal).map(|(algorithm, _)| algorithm.title()));
    let states = [(Acceleration::Off, say!("screen-worth-off")), (Acceleration::On, say!("screen-worth-on"))];
    TableBuilder::new(say!("screen-worth-title", library = selection.full_label(who), size = size(bytes)), &rows)
        .words("", |(algorithm, _)| algorithm.title())
        .each(states, |table, (state, name)| table.figures(name, |(algorithm, _)| speed(*algorithm, state)))
        .figures("", |(_, worth)| times(worth.ratio))
        .notes((!equal.is_empty()).then(|| say!("screen-worth-equal", equal = equal)))
        .any()
}

pub(crate) fn section(selection: &Selection<'_>) -> Option<Section> {
    let (who, bytes, mut all) = worths(selection).filter(|_| selection.document.run.complete)?;
    all.truncate(MAX_CHARTED);
    let group = |(algorithm, worth): &(Algorithm, Worth)| {
        let ratio = if worth.is_shown { times(worth.ratio) } else { "=".into() };
        BarGroup {
            label: Text::list(Separator::Space, [Text::from(algorithm.title()), ratio]),
            bars: on_and_off(selection, who, Task::main(*algorithm), bytes),
        }
    };
    let states = states(true);
    let title = say!("charts-worth-by-algorithm", library = selection.label(who), size = size(bytes));
    let chart = bars("acceleration", title, all.iter().map(group).collect(), Unit::BytesPerSecond, &states)?;
    let is_unshown = all.iter().any(|(_, worth)| !worth.is_shown);
    let note = is_unshown.then(|| Block::Note(say!("tables-equal-mark")));
    let blocks = Block::charts(states, vec![chart]).into_iter().chain(note).collect();
    Some(Section::open("acceleration", say!("page-ratios"), blocks))
}
