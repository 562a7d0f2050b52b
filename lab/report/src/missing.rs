//! What failed, what was not verified, what was left out: as tables of sentences.

use std::collections::{BTreeSet, HashMap};

use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;

use super::language::Messages;
use super::selection::{Selection, levels};
use super::table::Table;
use super::visible::short;

/// The series that failed, were not verified or came twice, over all levels.
pub(crate) fn problems(document: &Document, messages: &'static Messages) -> Table {
    let tables = &messages.tables;
    let mut rows = Vec::new();
    for level in levels(document) {
        for problem in Selection::of_level(document, level, messages).problems() {
            let tasks = problem.tasks.join(messages.words.comma);
            rows.push(vec![problem.who, problem.what.name(tables).to_owned(), problem.reason, tasks]);
        }
    }
    let headings = [tables.library, tables.what, tables.why, tables.algorithms].map(str::to_owned).into();
    Table::of_text(tables.problems.to_owned(), headings, 4, rows, vec![])
}

/// What was left out, and what would install it. Algorithms left out for the same reason share a row.
pub(crate) fn omissions(document: &Document, messages: &Messages) -> Table {
    let tables = &messages.tables;
    // In the order in which they come first.
    let mut groups: Vec<(Vec<String>, BTreeSet<String>)> = Vec::new();
    let mut places: HashMap<Vec<String>, usize> = HashMap::new();
    for omission in &document.run.omissions {
        let library =
            if omission.library.is_empty() { (tables.level)(&omission.level) } else { omission.library.clone() };
        let library = short(&library, 40);
        let algorithm = omission.algorithm.as_deref().map(title_of);
        let key = vec![
            omission.acceleration.map_or_else(|| library.clone(), |state| (tables.with_state)(&library, state.name())),
            short(&reason(&omission.why, algorithm.as_deref(), tables.lacks), 400),
            omission.install.as_deref().map(|install| short(install, 200)).unwrap_or_default(),
        ];
        let place = *places.entry(key.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.1.extend(algorithm),
            None => groups.push((key, algorithm.into_iter().collect())),
        }
    }
    let row = |(mut key, algorithms): (Vec<String>, BTreeSet<String>)| {
        let algorithms: Vec<String> = algorithms.into_iter().collect();
        key.insert(
            1,
            if algorithms.is_empty() { tables.all.to_owned() } else { algorithms.join(messages.words.comma) },
        );
        key
    };
    let headings = [tables.library, tables.algorithms, tables.why, tables.to_install].map(str::to_owned).into();
    Table::of_text(tables.left_out.to_owned(), headings, 4, groups.into_iter().map(row).collect(), vec![])
}

/// The reason without the algorithm that it names: a library that lacks ten algorithms lacks them for one reason.
fn reason(why: &str, algorithm: Option<&str>, lacks: fn(&str) -> String) -> String {
    let lacking = algorithm.and_then(|algorithm| why.strip_suffix(algorithm)?.strip_suffix(" has no "));
    lacking.map_or_else(|| why.to_owned(), lacks)
}

fn title_of(name: &str) -> String {
    name.parse::<Algorithm>().map_or_else(|_| short(name, 40), |algorithm| algorithm.title().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_library_does_not_have_is_one_row() {
        let lacks = |library: &str| format!("{library} lacks them");
        assert_eq!(reason("ring has no X448", Some("X448"), lacks), "ring lacks them");
        assert_eq!(reason("ring has no X448", Some("X25519"), lacks), "ring has no X448");
        assert_eq!(reason("no way", None, lacks), "no way");
    }
}
