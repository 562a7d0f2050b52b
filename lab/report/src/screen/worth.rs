//! What the CPU's instructions are worth, for the algorithms that people ask about.

use crate::language::{pick, say};
use crate::quantity::{figure, size, times};
use crate::selection::{ContenderIndex, Selection, SeriesKey, Task, Worth, sound_figure};
use crate::table::{Over, Table};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};

/// Those that have a row of their own, if acceleration makes a difference to them.
const ROWS: [Algorithm; 4] = [Algorithm::Aes128Gcm, Algorithm::Aes256Cbc, Algorithm::Sha256, Algorithm::Aes256Gcm];
/// Those that are named where it makes none.
const OTHERS: [Algorithm; 3] = [Algorithm::ChaCha20Poly1305, Algorithm::Sha512, Algorithm::Camellia256Cbc];
/// The most rows.
const MAX_SHOWN: usize = 3;

/// At one size and with the library that the story is told with, what acceleration is worth to the algorithms that
/// people ask about: those that it makes a difference to most first.
pub(crate) struct Worths {
    pub(crate) who: ContenderIndex,
    pub(crate) bytes: usize,
    pub(crate) all: Vec<(Algorithm, Worth)>,
}

/// What it is worth, as far as it was measured.
pub(crate) fn worths(selection: &Selection<'_>) -> Option<Worths> {
    let who = selection.primary()?;
    let bytes = [AlgorithmKind::Aead, AlgorithmKind::Cipher].into_iter().find_map(|kind| selection.yardstick(kind))?;
    let worth = |algorithm| {
        let key = SeriesKey::new(who, Acceleration::On, Task::main(algorithm), bytes);
        Some((algorithm, selection.worth(key)?))
    };
    let all: Vec<(Algorithm, Worth)> = ROWS.into_iter().chain(OTHERS).filter_map(worth).collect();
    (!all.is_empty()).then_some(Worths { who, bytes, all })
}

/// The table; `None` if nothing was measured on and off.
pub(super) fn table(selection: &Selection<'_>) -> Option<Table> {
    let messages = selection.messages;
    let (language, words) = (messages.language, &messages.words);
    let has_aeads = selection.yardstick(AlgorithmKind::Aead).is_some();
    let Worths { who: primary, bytes, all } = worths(selection).filter(|_| has_aeads)?;
    let key = |algorithm, state| SeriesKey::new(primary, state, Task::main(algorithm), bytes);
    let speed = |algorithm: Algorithm, state| {
        let series = selection.series(key(algorithm, state))?;
        Some(figure(sound_figure(series)?, series.unit, words))
    };
    let is_row = |(algorithm, worth): &&(Algorithm, Worth)| worth.is_shown && ROWS.contains(algorithm);
    let rows: Vec<(Algorithm, Worth)> = all.iter().filter(is_row).take(MAX_SHOWN).copied().collect();
    let is_equal = |(algorithm, worth): &&(Algorithm, Worth)| !worth.is_shown && OTHERS.contains(algorithm);
    let equal: Vec<&str> = all.iter().filter(is_equal).map(|(algorithm, _)| algorithm.title()).collect();
    let mut notes = Vec::new();
    if !equal.is_empty() {
        let equal = equal.join(words.comma);
        notes.push(say!(language, "{equal}: no difference shown", "{equal}：差は認められません"));
    }
    let library = selection.full_label(primary);
    let size = size(bytes);
    let title = say!(
        language,
        "What the CPU’s instructions are worth ({library}, {size}, one core)",
        "CPU命令による加速の効果（{library}、{size}、1コア）"
    );
    let states = [(Acceleration::Off, pick(language, "off", "オフ")), (Acceleration::On, pick(language, "on", "オン"))];
    Over::new(title, &rows)
        .words("", |(algorithm, _)| algorithm.title().to_owned())
        .each(states, |table, (state, name)| {
            table.figures(name, |(algorithm, _)| speed(*algorithm, state).unwrap_or_default())
        })
        .figures("", |(_, worth)| (words.times)(&times(worth.ratio)))
        .notes(notes)
        .any()
}
