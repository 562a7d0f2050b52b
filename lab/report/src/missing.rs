//! What failed, what was not verified, what was left out: as tables of sentences.

use std::collections::{BTreeSet, HashMap};

use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;
use kasoku_model::level::Level;

use super::language::Messages;
use super::selection::{Problem, Selection, levels};
use super::table::{Over, Table};
use super::visible::short;

/// The series that failed, were not verified or came twice, over all levels.
pub(crate) fn problems(document: &Document, messages: &'static Messages) -> Table {
    let tables = &messages.tables;
    let of_level = |level: Level| Selection::of_level(document, level, messages).problems();
    let problems: Vec<Problem> = levels(document).into_iter().flat_map(of_level).collect();
    Over::new(tables.problems, &problems)
        .words(tables.library, |problem| problem.who.as_str())
        .words(tables.what, |problem| problem.what.name(tables))
        .words(tables.why, |problem| problem.reason.as_str())
        .words(tables.algorithms, |problem| problem.tasks.join(messages.words.comma))
        .table()
}

/// What was left out, and what would install it. Algorithms left out for the same reason share a row.
pub(crate) fn omissions(document: &Document, messages: &Messages) -> Table {
    let tables = &messages.tables;
    // In the order in which they come first.
    let mut groups: Vec<([String; 3], BTreeSet<String>)> = Vec::new();
    let mut places: HashMap<[String; 3], usize> = HashMap::new();
    for omission in &document.run.omissions {
        let library =
            if omission.library.is_empty() { (tables.level)(omission.level) } else { omission.library.clone() };
        let library = short(&library, 40);
        let algorithm = omission.algorithm.as_deref().map(title_of);
        let key = [
            omission.acceleration.map_or_else(|| library.clone(), |state| (tables.with_state)(&library, state.name())),
            match omission.reason.and_then(tables.reason) {
                Some(reason) => reason.to_owned(),
                None => short(&reason(&omission.why, algorithm.as_deref(), tables.lacks), 400),
            },
            omission.install.as_deref().map(|install| short(install, 200)).unwrap_or_default(),
        ];
        let place = *places.entry(key.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.1.extend(algorithm),
            None => groups.push((key, algorithm.into_iter().collect())),
        }
    }
    let listed = |algorithms: &BTreeSet<String>| {
        let all: Vec<&str> = algorithms.iter().map(String::as_str).collect();
        if all.is_empty() { tables.all.to_owned() } else { all.join(messages.words.comma) }
    };
    Over::new(tables.left_out, &groups)
        .words(tables.library, |(key, _)| key[0].as_str())
        .words(tables.algorithms, |(_, algorithms)| listed(algorithms))
        .words(tables.why, |(key, _)| key[1].as_str())
        .words(tables.to_install, |(key, _)| key[2].as_str())
        .table()
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
