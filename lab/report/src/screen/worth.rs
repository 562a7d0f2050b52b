//! What the CPU's instructions are worth, for the algorithms that people ask about.

use crate::language::{pick, say};
use crate::quantity::{figure, size, times};
use crate::selection::{Selection, Task, Worth, sound_figure};
use crate::table::Table;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::language::Language;

/// Those that have a row of their own, if acceleration makes a difference to them.
const ROWS: [Algorithm; 4] = [Algorithm::Aes128Gcm, Algorithm::Aes256Cbc, Algorithm::Sha256, Algorithm::Aes256Gcm];
/// Those that are named where it makes none.
const OTHERS: [Algorithm; 3] = [Algorithm::ChaCha20Poly1305, Algorithm::Sha512, Algorithm::Camellia256Cbc];
/// The most rows.
const MOST: usize = 3;

/// The table; `None` if nothing was measured on and off.
pub(super) fn table(selection: &Selection<'_>) -> Option<Table> {
    let messages = selection.messages;
    let (language, words) = (messages.language, &messages.words);
    let primary = selection.primary()?;
    let bytes = selection.yardstick(Algorithm::Aes128Gcm.kind())?;
    let worth = |algorithm: &Algorithm| selection.worth(primary, Task::main(*algorithm), bytes);
    let speed = |algorithm: Algorithm, state| {
        let series = selection.series(primary, state, Task::main(algorithm), bytes)?;
        Some(figure(sound_figure(series)?, series.unit, words))
    };
    let shown = |algorithm: &Algorithm| worth(algorithm).filter(|worth| worth.is_shown);
    let row = |(algorithm, worth): (Algorithm, Worth)| {
        let [off, on] = [Acceleration::Off, Acceleration::On].map(|state| speed(algorithm, state).unwrap_or_default());
        vec![algorithm.title().to_owned(), off, on, (words.times)(&times(worth.ratio))]
    };
    let rows: Vec<_> =
        ROWS.into_iter().filter_map(|algorithm| Some((algorithm, shown(&algorithm)?))).take(MOST).map(row).collect();
    let equal: Vec<&str> = OTHERS
        .iter()
        .filter(|algorithm| worth(algorithm).is_some_and(|worth| !worth.is_shown))
        .map(|algorithm| algorithm.title())
        .collect();
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
    let states = [pick(language, "off", "オフ"), pick(language, "on", "オン")].map(str::to_owned);
    let [off, on] = states;
    (!rows.is_empty()).then(|| Table::of_text(title, vec![String::new(), off, on, String::new()], 1, rows, notes))
}
