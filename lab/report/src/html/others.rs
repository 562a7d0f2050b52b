//! This machine among the others: a table for each algorithm, whose rows have bars.

use maud::{Markup, html};

use super::contents::{Section, fold};
use super::page::RunPage;
use super::parts::with_code;
use super::table::table;
use crate::collection::rank;
use crate::quantity::{Scale, size};
use crate::selection::join;
use crate::table::{Over, Table};
use crate::visible::short;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::openssl_speed::AeadRow;
use kasoku_store::collection::{FigureSource, Libraries, Ranking, RankingQuestion, RankingRow};

/// What machines are compared by first.
const FIRST: Algorithm = Algorithm::Aes128Gcm;
/// A table has no more rows than this; with more machines some are left out.
const MAX: usize = 15;
/// Of those the fastest this many stay …
const FASTEST: usize = 5;
/// … and this many on either side of this machine.
const NEIGHBOURS: usize = 3;
/// Characters of a machine's name.
const NAME: usize = 48;

impl RunPage<'_> {
    pub(super) fn others(&self) -> Option<Section> {
        let words = &self.messages.others;
        let surroundings = self.surroundings.filter(|_| self.document.run.complete)?;
        let rankings: Vec<&Ranking> = surroundings.rankings.iter().filter(|one| !one.rows.is_empty()).collect();
        let shown: Vec<Vec<Place<'_>>> = rankings.iter().map(|ranking| places(&ranking.rows)).collect();
        if shown.is_empty() {
            return None;
        }
        let rows: Vec<&RankingRow> = shown.iter().flatten().filter_map(Place::row).collect();
        let is_quoted = rows.iter().any(|row| row.is_quoted());
        let is_measured = rows.iter().any(|row| !row.is_quoted() && !row.is_this);
        // One is seen at once, the others are behind a fold.
        let is_first = |one: &(&&Ranking, &Vec<Place<'_>>)| one.0.question.algorithm == FIRST;
        let all = || rankings.iter().zip(&shown);
        let first = all().find(is_first);
        let groups =
            [(words.symmetric, Group::Symmetric), (words.hashes, Group::Hashes), (words.curves, Group::Curves)];
        let of_group = |group: Group| {
            let is_of = move |one: &(&&Ranking, &Vec<Place<'_>>)| Group::of(&one.0.question) == group && !is_first(one);
            all().filter(is_of).collect::<Vec<_>>()
        };
        let body = html! {
            @if let Some(why) = &surroundings.unread { p.note role="note" { ((words.unread)(&short(why, 300))) } }
            p.legend.bars {
                span.entry { span.bar.this aria-hidden="true" {} (words.this_machine) }
                @if is_measured { span.entry { span.bar aria-hidden="true" {} (words.measured) } }
                @if is_quoted { span.entry { span.bar.quoted aria-hidden="true" {} (words.elsewhere) } }
            }
            @if let Some((ranking, places)) = first { div.places.one { (self.bars_of(ranking, places)) } }
            (fold(words.more, html! {
                p { (words.explained) }
                @if is_quoted { p { (words.quoted) } }
                @if rows.iter().any(|row| row.aead_row == Some(AeadRow::KeyedMessages)) {
                    p { "† " (self.messages.collection.two_meanings) }
                }
                @for (title, group) in groups {
                    @let tables = of_group(group);
                    @if !tables.is_empty() {
                        h3 { (title) }
                        div.wide.places { @for (ranking, places) in tables { (self.bars_of(ranking, places)) } }
                    }
                }
                (table(&self.sources(&rows)))
            }))
        };
        Some(Section::new(self.id("others"), words.title, body))
    }

    fn bars_of(&self, ranking: &Ranking, places: &[Place<'_>]) -> Markup {
        let words = &self.messages.others;
        let names = &self.messages.collection;
        let question = &ranking.question;
        let scale = Scale::of_table(ranking.unit);
        let largest = ranking.rows.iter().map(|row| row.figure).fold(0.0, f64::max);
        let is_compared = ranking.rows.iter().any(|row| row.is_this);
        let columns = if is_compared { 4 } else { 3 };
        let is_cut = places.iter().any(|place| matches!(place, Place::Gap(_)));
        let mut about = vec![(self.messages.words.operation)(question.operation).to_owned()];
        if question.has_sizes() {
            about.push(size(question.bytes));
        }
        html! {
            div.card {
                table {
                    caption { (question.algorithm.title()) " " small { (about.join(self.messages.words.comma)) } }
                    thead {
                        tr {
                            th.number scope="col" { (names.place) }
                            th scope="col" { (names.machine) }
                            th.number scope="col" { (scale.name) }
                            @if is_compared { th.number scope="col" { (names.times_this) } }
                        }
                    }
                    tbody {
                        @for place in places {
                            @match place {
                                Place::Gap(count) => tr { td.gap colspan=(columns) { ((words.gap)(*count)) } },
                                Place::Row(row) => (self.place(row, largest, scale, is_compared)),
                            }
                        }
                    }
                    @if is_cut || !is_compared {
                        tfoot {
                            tr {
                                td colspan=(columns) {
                                    @if !is_compared { (words.not_here) " " }
                                    @if is_cut { (with_code(words.all, &command(question))) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn place(&self, row: &RankingRow, largest: f64, scale: Scale, is_compared: bool) -> Markup {
        let share = (row.figure / largest * 100.0).clamp(0.0, 100.0);
        html! {
            tr.this[row.is_this] {
                td.number { (row.place) }
                th scope="row" {
                    @if row.is_this { "▸ " }
                    (self.name_of(row))
                    @if row.is_this { " " span.mark { (self.messages.others.this_machine) } }
                    div.bar.this[row.is_this].quoted[!row.is_this && row.is_quoted()]
                        style=(format!("width:{share:.2}%")) aria-hidden="true" {}
                }
                td.number {
                    (scale.write(row.figure))
                    @if row.is_quoted() { "*" }
                    @if row.aead_row == Some(AeadRow::KeyedMessages) { "†" }
                }
                @if is_compared { td.number { @if let Some(times) = row.times { (rank::ratio(times)) } } }
            }
        }
    }

    fn name_of(&self, row: &RankingRow) -> String {
        if row.device.is_empty() { self.messages.facts.unnamed.to_owned() } else { short(&row.device, NAME) }
    }

    /// Where the figures of the machines come from, each once.
    fn sources(&self, rows: &[&RankingRow]) -> Table {
        let names = &self.messages.collection;
        let publications = rank::publications(rows.iter().copied());
        let mut machines: Vec<(&str, [String; 4])> = Vec::new();
        for row in rows {
            let cells = [
                self.name_of(row),
                row.os.as_deref().map(|os| short(os, 40)).unwrap_or_default(),
                join(&row.library, &row.library_version, ""),
                rank::known(&row.sources, &publications, self.messages),
            ];
            let machine = (row.sources.first().map_or("", FigureSource::run), cells);
            if !machines.contains(&machine) {
                machines.push(machine);
            }
        }
        let headings = [names.machine, names.os, names.library, names.known];
        Over::new(self.messages.others.machines, &machines)
            .each(headings.into_iter().enumerate(), |table, (index, heading)| {
                table.words(heading, |(_, cells)| cells[index].as_str())
            })
            .notes(rank::credits(&publications, self.messages))
            .table()
    }
}

/// The groups of the section.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Symmetric,
    Hashes,
    Curves,
}

impl Group {
    fn of(question: &RankingQuestion) -> Group {
        match question.algorithm.kind() {
            AlgorithmKind::Cipher | AlgorithmKind::Aead => Group::Symmetric,
            AlgorithmKind::Hash => Group::Hashes,
            _ => Group::Curves,
        }
    }
}

/// A row that is shown, or how many are not.
#[derive(Debug, PartialEq)]
enum Place<'a> {
    Row(&'a RankingRow),
    Gap(usize),
}

impl<'a> Place<'a> {
    fn row(&self) -> Option<&'a RankingRow> {
        match self {
            Place::Row(row) => Some(row),
            Place::Gap(_) => None,
        }
    }
}

/// All rows if they are few; else the fastest, this machine with its neighbours, and the last.
fn places(rows: &[RankingRow]) -> Vec<Place<'_>> {
    let this = rows.iter().position(|row| row.is_this);
    let is_kept = |index: usize| {
        let is_near = this.is_some_and(|this| index.abs_diff(this) <= NEIGHBOURS);
        rows.len() <= MAX || index < FASTEST || index + 1 == rows.len() || is_near
    };
    let mut places = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        match places.last_mut() {
            _ if is_kept(index) => places.push(Place::Row(row)),
            Some(Place::Gap(count)) => *count += 1,
            _ => places.push(Place::Gap(1)),
        }
    }
    places
}

/// The command that shows all machines.
fn command(question: &RankingQuestion) -> String {
    let mut command = format!("kasoku rank {}", question.algorithm);
    if question.has_sizes() {
        command.push_str(&format!(" --bytes {}", question.bytes));
    }
    if RankingQuestion::new(question.algorithm).operation != question.operation {
        command.push_str(&format!(" --operation {}", question.operation));
    }
    if let Libraries::Any = question.libraries {
        command.push_str(" --library any");
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::workload::Operation;

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
        let text = |place: &Place<'_>| match place {
            Place::Row(row) => row.place.to_string(),
            Place::Gap(count) => format!("({count})"),
        };
        places(&rows).iter().map(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn of_many_machines_the_fastest_the_neighbours_and_the_last_are_shown() {
        assert_eq!(shown(3, Some(1)), "1 2 3");
        assert_eq!(shown(15, None).split(' ').count(), 15);
        assert_eq!(shown(100, Some(49)), "1 2 3 4 5 (41) 47 48 49 50 51 52 53 (46) 100");
        assert_eq!(shown(100, Some(5)), "1 2 3 4 5 6 7 8 9 (90) 100");
        assert_eq!(shown(100, None), "1 2 3 4 5 (94) 100");
        assert_eq!(shown(16, Some(15)), "1 2 3 4 5 (7) 13 14 15 16");
        assert_eq!(shown(0, None), "");
    }

    #[test]
    fn the_command_asks_for_the_same() {
        assert_eq!(command(&RankingQuestion::new(Algorithm::Aes128Gcm)), "kasoku rank aes-128-gcm --bytes 16384");
        let verify = RankingQuestion { operation: Operation::Verify, ..RankingQuestion::new(Algorithm::Ed448) };
        assert_eq!(command(&verify), "kasoku rank ed448 --operation verify");
    }
}
