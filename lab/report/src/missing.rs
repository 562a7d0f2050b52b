//! Tables of gaps in a run: series that failed or were not verified, and omitted libraries, algorithms or levels.

use std::collections::BTreeSet;

use kasoku_model::document::{Omission, Reason};

use crate::prelude::*;
use crate::selection::{Problem, grouped, levels, with_state};

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

pub(crate) fn problems(document: &Document) -> Vec<Problem> {
    let of_level = |level: Level| Selection::of_level(document, level).problems();
    levels(document).into_iter().flat_map(of_level).collect()
}

/// Returns a table of omissions, with the commands that install missing libraries. Algorithms that are omitted for the
/// same reason share a row.
fn omissions(document: &Document) -> Option<Table> {
    let keyed = document.run.omissions.iter().map(|omission| {
        let title = |name: &str| name.parse().map_or_else(|_| short(name, 40), |one: Algorithm| one.title().to_owned());
        let algorithm = omission.algorithm.as_deref().map(title);
        let install = Text::name(omission.install.as_deref().unwrap_or_default(), 200);
        let text = why(omission, algorithm.as_deref());
        // Group by reason, not by text: a language may translate all texts of a reason to the same sentence.
        let kind = omission.reason.filter(|_| algorithm.is_none());
        let kind = kind.map_or_else(|| text.clone(), |reason| reason.name().into());
        ((who(omission), omission.reason, kind, install), (algorithm, text))
    });
    let groups = grouped(keyed);
    let listed = |rows: &[(Option<String>, Text)]| {
        let algorithms: BTreeSet<&String> = rows.iter().filter_map(|(algorithm, _)| algorithm.as_ref()).collect();
        if algorithms.is_empty() { say!("tables-all") } else { Text::list(Separator::Comma, algorithms) }
    };
    let why = |reason: Option<Reason>, rows: &[(Option<String>, Text)]| {
        let text = Text::list(Separator::Semicolon, unique(rows.iter().map(|(_, text)| text)));
        match reason {
            Some(reason) => say!("tables-reason", reason = reason.name(), text = text),
            None => text,
        }
    };
    TableBuilder::new(say!("tables-left-out"), &groups)
        .words(say!("tables-library"), |((who, ..), _)| who)
        .words(say!("tables-algorithms"), |(_, rows)| listed(rows))
        .words(say!("tables-why"), |((_, reason, ..), rows)| why(*reason, rows))
        .words(say!("tables-to-install"), |((.., install), _)| install)
        .any()
}

/// Names the omitted library with its acceleration state, or the omitted level.
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

/// Returns the reason without the name of `algorithm`, so that algorithms with the same reason can share a row.
fn why(omission: &Omission, algorithm: Option<&str>) -> Text {
    let why = omission.why.as_str();
    let lacking = algorithm.and_then(|algorithm| why.strip_suffix(algorithm)?.strip_suffix(" has no "));
    match lacking {
        Some(library) => say!("tables-lacks", library = short(library, 400)),
        None => Text::stored(why, 400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::render::catalogue;
    use crate::render::terminal::cells;
    use kasoku_model::document::{Run, SCHEMA};

    #[test]
    fn reason_for_a_missing_algorithm_omits_the_name_of_the_algorithm() {
        let why = |why: &str, algorithm| {
            let omission = Omission { why: why.to_owned(), reason: None, ..Omission::default() };
            super::why(&omission, algorithm)
        };
        assert_eq!(why("ring has no X448", Some("X448")), say!("tables-lacks", library = "ring"));
        assert_eq!(why("ring has no X448", Some("X25519")), Text::stored("ring has no X448", 100));
        assert_eq!(why("no way", None), Text::stored("no way", 100));
    }

    #[test]
    fn omissions_of_a_library_with_one_kind_of_reason_share_a_row() {
        let omission = |why: &str, reason| Omission { why: why.to_owned(), reason, ..Omission::default() };
        let omissions = vec![
            omission("there is no libnss3.so", Some(Reason::NotInstalled)),
            omission("there is no certutil", Some(Reason::NotInstalled)),
            omission("there is no time", Some(Reason::NoTime)),
        ];
        let run = Run { omissions, ..Run::default() };
        let document = Document { schema: SCHEMA, run, machine: Default::default(), series: Vec::new() };
        let table = super::omissions(&document).unwrap();
        for tag in ["en", "ja"] {
            let rows = cells(&table, catalogue(Language::from_tag(tag).unwrap()));
            assert!(rows.len() == 2 && rows[0] != rows[1], "{rows:?}");
        }
        let rows = cells(&table, catalogue(Language::ENGLISH));
        assert_eq!(rows[0][2], "there is no libnss3.so; there is no certutil");
    }
}
