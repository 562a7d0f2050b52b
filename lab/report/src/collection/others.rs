//! The page's section that ranks its machine among all known machines, with a bar chart for each workload.

use super::rank::{RankingView, credits, is_keyed, known, publications, table};
use super::{Surroundings, device};
use crate::prelude::*;
use kasoku_store::collection::{FigureSource, Ranking, RankingQuestion, RankingRow};

/// Algorithm whose ranking is always visible. The other rankings are folded.
const FIRST: Algorithm = Algorithm::Aes128Gcm;
/// Maximum number of rows in a ranking that shows all machines.
const MAX: usize = 15;
/// Number of the fastest machines that a shortened ranking keeps.
const FASTEST: usize = 5;
/// Number of rows before and after this machine that a shortened ranking keeps.
const NEIGHBOURS: usize = 3;

pub(crate) fn section(document: &Document, surroundings: &Surroundings) -> Option<Section> {
    let rankings: Vec<(&Ranking, Vec<usize>)> = surroundings
        .rankings
        .iter()
        .filter(|ranking| !ranking.rows.is_empty())
        .map(|ranking| (ranking, shown(&ranking.rows)))
        .collect();
    if rankings.is_empty() || !document.run.complete {
        return None;
    }
    let rows: Vec<&RankingRow> =
        rankings.iter().flat_map(|(ranking, rows)| rows.iter().map(|index| &ranking.rows[*index])).collect();
    let is_quoted = rows.iter().any(|row| row.is_quoted());
    let is_measured = rows.iter().any(|row| !row.is_quoted() && !row.is_this);
    let legend = [
        Some(LegendEntry::color("var(--ink)", say!("others-this-machine"))),
        is_measured.then(|| LegendEntry::color("var(--on)", say!("others-measured"))),
        is_quoted.then(|| LegendEntry::color("var(--s4)", say!("others-elsewhere"))),
    ];
    let legend = Block::Charts { legend: legend.into_iter().flatten().collect(), charts: vec![], are_small: false };
    let why = surroundings.unread.as_ref().map(|why| Block::Note(say!("others-unread", why = Text::name(why, 300))));
    let mut blocks: Vec<Block> = why.into_iter().chain([legend]).collect();
    let (first, others): (Vec<_>, Vec<_>) =
        rankings.iter().partition(|(ranking, _)| ranking.question.algorithm == FIRST);
    blocks.extend(first.into_iter().map(|(ranking, rows)| Block::Class("places one", vec![card(ranking, rows)])));
    let two_meanings = || Text::list(Separator::Space, [Text::from("†"), say!("collection-two-meanings")]);
    let notes = [
        Some(say!("others-explained")),
        is_quoted.then(|| say!("others-quoted")),
        rows.iter().any(|row| is_keyed(row)).then(two_meanings),
    ];
    let mut more: Vec<Block> = notes.into_iter().flatten().map(Block::Paragraph).collect();
    for group in ["symmetric", "hashes", "curves"] {
        let of_group = others.iter().filter(|(ranking, _)| self::group(&ranking.question) == group);
        let cards: Vec<Block> = of_group.map(|(ranking, rows)| card(ranking, rows)).collect();
        if !cards.is_empty() {
            more.push(Block::Heading(say!(format!("others-{group}"))));
            more.push(Block::Class("wide places", cards));
        }
    }
    more.push(Block::Table(sources(&rows)));
    blocks.push(Block::Fold(say!("others-more"), more));
    Some(Section::open("others", say!("others-title"), blocks))
}

fn card(ranking: &Ranking, rows: &[usize]) -> Block {
    let is_compared = ranking.rows.iter().any(|row| row.is_this);
    let is_cut = rows.len() < ranking.rows.len();
    let not_here = (!is_compared).then(|| say!("others-not-here"));
    let all = is_cut.then(|| say!("others-all", command = command(&ranking.question)));
    let notes = not_here.into_iter().chain(all).collect();
    let view = RankingView { rows: rows.to_vec(), has_bars: true, notes, ..RankingView::default() };
    Block::Class("card", vec![Block::Table(table(ranking, view))])
}

fn sources(rows: &[&RankingRow]) -> Table {
    let publications = publications(rows.iter().copied());
    let machine = |row: &&RankingRow| {
        let cells: [Text; 4] = [
            device(&row.device),
            row.os.as_deref().map(|os| Text::name(os, 40)).into(),
            join(&row.library, &row.library_version).into(),
            known(&row.sources, &publications),
        ];
        (row.sources.first().map_or("", FigureSource::run).to_owned(), cells)
    };
    TableBuilder::new(say!("others-machines"), &unique(rows.iter().map(machine)))
        .each(["machine", "os", "library", "known"].into_iter().enumerate(), |table, (index, heading)| {
            table.words(say!(format!("collection-{heading}")), move |(_, cells)| cells[index].clone())
        })
        .notes(credits(&publications))
        .table()
}

fn group(question: &RankingQuestion) -> &'static str {
    match question.algorithm.kind() {
        AlgorithmKind::Cipher | AlgorithmKind::Aead => "symmetric",
        AlgorithmKind::Hash => "hashes",
        _ => "curves",
    }
}

/// Returns the indices of the rows to show. If there are too many rows, keeps the fastest, this machine with its
/// neighbours, and the last.
fn shown(rows: &[RankingRow]) -> Vec<usize> {
    let this = rows.iter().position(|row| row.is_this);
    let is_shown = |index: &usize| {
        let is_near = this.is_some_and(|this| index.abs_diff(this) <= NEIGHBOURS);
        rows.len() <= MAX || *index < FASTEST || index + 1 == rows.len() || is_near
    };
    (0..rows.len()).filter(is_shown).collect()
}

fn command(question: &RankingQuestion) -> String {
    let mut command = format!("kasoku rank {}", question.algorithm);
    if question.has_sizes() {
        command.push_str(&format!(" --bytes {}", question.bytes));
    }
    if RankingQuestion::new(question.algorithm).operation != question.operation {
        command.push_str(&format!(" --operation {}", question.operation));
    }
    if question.library.is_none() {
        command.push_str(" --library any");
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::render::{catalogue, terminal};
    use kasoku_model::workload::Operation;
    use kasoku_store::collection::This;

    fn rows(count: usize, this: Option<usize>) -> Vec<RankingRow> {
        let row = |index| RankingRow {
            place: index + 1,
            device: format!("machine {index}"),
            os: None,
            cpu: String::new(),
            arch: String::new(),
            figure: (count - index) as f64,
            ci95: None,
            times: None,
            library: "openssl".into(),
            library_version: String::new(),
            code_path: "unknown".into(),
            aead_row: None,
            sources: Vec::new(),
            is_this: this == Some(index),
        };
        (0..count).map(row).collect()
    }

    fn shown(count: usize, this: Option<usize>) -> String {
        let rows = rows(count, this);
        let question = RankingQuestion::new(FIRST);
        let (unit, apart, this) = (question.unit(), None, This::Ranked);
        let view = RankingView { rows: super::shown(&rows), ..RankingView::default() };
        let table = table(&Ranking { question, unit, rows, apart, this }, view);
        let cells = terminal::cells(&table, catalogue(Language::ENGLISH));
        assert!(table.marked_row.is_none_or(|row| cells[row][1].contains("this machine")));
        cells.iter().map(|row| row[0].replace("… ", "(").replace(" more …", ")")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn long_rankings_show_the_fastest_machines_the_neighbours_of_this_machine_and_the_last() {
        assert_eq!(shown(3, Some(1)), "1 2 3");
        assert_eq!(shown(15, None).split(' ').count(), 15);
        assert_eq!(shown(100, Some(49)), "1 2 3 4 5 (41) 47 48 49 50 51 52 53 (46) 100");
        assert_eq!(shown(100, Some(5)), "1 2 3 4 5 6 7 8 9 (90) 100");
        assert_eq!(shown(100, None), "1 2 3 4 5 (94) 100");
        assert_eq!(shown(16, Some(15)), "1 2 3 4 5 (7) 13 14 15 16");
        assert_eq!(shown(0, None), "");
    }

    #[test]
    fn suggested_command_has_the_same_options_as_the_ranking() {
        assert_eq!(command(&RankingQuestion::new(Algorithm::Aes128Gcm)), "kasoku rank aes-128-gcm --bytes 16384");
        let verify = RankingQuestion { operation: Operation::Verify, ..RankingQuestion::new(Algorithm::Ed448) };
        assert_eq!(command(&verify), "kasoku rank ed448 --operation verify");
    }
}
