//! What failed, what was not verified, what was left out: as tables of sentences.

use std::collections::BTreeSet;

use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Omission};
use kasoku_model::level::Level;

use crate::selection::{Problem, Selection, grouped, levels, with_state};
use crate::table::{Table, TableBuilder};
use crate::text::{Separator, Text, say};
use crate::visible::short;

/// Returns the tables that have rows.
pub(crate) fn tables(document: &Document) -> impl Iterator<Item = Table> {
    let problems = problems(document);
    let problems = TableBuilder::new(say!("tables-problems"), &problems)
        .words(say!("tables-library"), |problem| &problem.who)
        .words(say!("tables-what"), |problem| problem.what.name())
        .words(say!("tables-why"), |problem| &problem.reason)
        .words(say!("tables-algorithms"), |problem| &problem.tasks)
        .any();
    problems.into_iter().chain(omissions(document))
}

/// Returns the series that failed, were not verified or came twice, over all levels.
pub(crate) fn problems(document: &Document) -> Vec<Problem> {
    let of_level = |level: Level| Selection::of_level(document, level).problems();
    levels(document).into_iter().flat_map(of_level).collect()
}

/// Returns what was left out, and what would install it. Algorithms left out for the same reason share a row.
fn omissions(document: &Document) -> Option<Table> {
    let keyed = document.run.omissions.iter().map(|omission| {
        let algorithm = omission.algorithm.as_deref().map(title_of);
        let install = Text::name(omission.install.as_deref().unwrap_or_default(), 200);
        ([who(omission), why(omission, algorithm.as_deref()), install], algorithm)
    });
    let groups = grouped(keyed);
    let listed = |algorithms: &[Option<String>]| match algorithms.iter().flatten().collect::<BTreeSet<_>>() {
        algorithms if algorithms.is_empty() => say!("tables-all"),
        algorithms => Text::list(Separator::Comma, algorithms),
    };
    TableBuilder::new(say!("tables-left-out"), &groups)
        .words(say!("tables-library"), |(key, _)| &key[0])
        .words(say!("tables-algorithms"), |(_, algorithms)| listed(algorithms))
        .words(say!("tables-why"), |(key, _)| &key[1])
        .words(say!("tables-to-install"), |(key, _)| &key[2])
        .any()
}

/// The library with its state, or the level.
fn who(omission: &Omission) -> Text {
    let who = match omission.library.as_str() {
        "" => say!("tables-level", level = omission.level.name()),
        library => Text::name(library, 40),
    };
    match omission.acceleration {
        Some(state) => with_state(who, state),
        None => who,
    }
}

/// The reason without the algorithm that it names: a library that lacks ten algorithms lacks them for one reason.
fn why(omission: &Omission, algorithm: Option<&str>) -> Text {
    let why = omission.why.as_str();
    let lacking = algorithm.and_then(|algorithm| why.strip_suffix(algorithm)?.strip_suffix(" has no "));
    let text = match lacking {
        Some(library) => say!("tables-lacks", library = short(library, 400)),
        None => Text::stored(why, 400),
    };
    match omission.reason {
        // A language may say it in its own words.
        Some(reason) => say!("tables-reason", reason = reason.name(), text = text),
        None => text,
    }
}

fn title_of(name: &str) -> String {
    name.parse::<Algorithm>().map_or_else(|_| short(name, 40), |algorithm| algorithm.title().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_of_a_missing_algorithm_names_the_library_only() {
        let why = |why: &str, algorithm| {
            let omission = Omission { why: why.to_owned(), reason: None, ..Omission::default() };
            super::why(&omission, algorithm)
        };
        assert_eq!(why("ring has no X448", Some("X448")), say!("tables-lacks", library = "ring"));
        assert_eq!(why("ring has no X448", Some("X25519")), Text::stored("ring has no X448", 100));
        assert_eq!(why("no way", None), Text::stored("no way", 100));
    }
}
