//! What the published measurement says, beside what was measured here.

use crate::language::Messages;
use crate::quantity::{digits, times};
use crate::table::{Over, Table};
use kasoku_model::document::Document;
use kasoku_store::published::{self, Source, Statement};

use super::finding::{best_a_core, raw_ratio, served_ratios};
use super::selection::Rows;

/// The source.
pub(super) fn source() -> Option<&'static Source> {
    published::find("intel-aes-gcm-nginx")
}

/// Its statements in the order in which it makes them, with what there is of them here.
pub(super) fn table(document: &Document, rows: &Rows<'_>, messages: &'static Messages) -> Option<Table> {
    let source = source()?;
    let words = &messages.tls;
    let value =
        |statement: &Statement| (words.published_value)(&statement.value, statement.to.as_deref(), &statement.unit);
    let here = |statement: &Statement| {
        let is_of_first_machine =
            statement.machine.as_deref() == source.machines.first().map(|machine| machine.id.as_str());
        match statement.unit.as_str() {
            "times" if is_of_first_machine && statement.to.is_none() => raw_ratio(document).map(times),
            "times" if is_of_first_machine => {
                served_ratios(rows, |gcm, cbc| Some(gcm.rate / cbc.rate)).map(|[low, high]| {
                    if times(low) == times(high) { times(low) } else { format!("{}–{}", times(low), times(high)) }
                })
            }
            "Gbps a core" => best_a_core(rows).map(|(_, gbit)| digits(gbit)),
            _ => None,
        }
    };
    let table = Over::new(words.published_title, &source.statements)
        .words(words.what, |statement| statement.about.of(messages.language))
        .figures(words.published, value)
        .figures(words.here, here)
        .notes([source.credit()]);
    Some(table.table())
}

/// The two published ratios of GCM to CBC and HMAC without a server, by machine: figure 1.
pub(super) fn raw_ratios() -> Vec<(String, f64)> {
    let Some(source) = source() else { return Vec::new() };
    let of_speed = source.statements.iter().filter(|statement| statement.unit == "times" && statement.to.is_none());
    of_speed
        .filter_map(|statement| {
            let machine = source.machines.iter().find(|machine| Some(&machine.id) == statement.machine.as_ref())?;
            Some((machine.cpu.replace('®', "").replace(" プロセッサー", ""), statement.value.parse().ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::messages;
    use kasoku_model::language::Language;

    #[test]
    fn every_published_unit_is_said_in_japanese() {
        let words = &messages(Language::Japanese).tls;
        for statement in &source().unwrap().statements {
            let english = ["times", "core", "least", "more", "before", "minutes", "most"];
            assert!(!english.iter().any(|word| value.contains(word)), "{value}");
        }
    }

    #[test]
    fn both_published_ratios_of_the_ciphers_are_there() {
        let ratios: Vec<f64> = raw_ratios().into_iter().map(|(_, ratio)| ratio).collect();
        assert_eq!(ratios, [2.5, 4.5]);
    }
}
