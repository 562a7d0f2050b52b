//! What the CPU's instructions are worth, for the algorithms that people ask about.

use crate::language::{pick, say};
use crate::quantity::{figure, size, times};
use crate::selection::{Key, Selection, Task, Worth, sound_figure};
use crate::table::{Over, Table};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;

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
    let key = |algorithm, state| Key::new(primary, state, Task::main(algorithm), bytes);
    let worth = |algorithm: &Algorithm| selection.worth(key(*algorithm, Acceleration::On));
    let speed = |algorithm: Algorithm, state| {
        let series = selection.series(key(algorithm, state))?;
        Some(figure(sound_figure(series)?, series.unit, words))
    };
    let shown = |algorithm: Algorithm| Some((algorithm, worth(&algorithm).filter(|worth| worth.is_shown)?));
    let rows: Vec<(Algorithm, Worth)> = ROWS.into_iter().filter_map(shown).take(MOST).collect();
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
