//! What acceleration is worth, in one chart: the algorithms of the final screen, and some more.

use maud::html;

use super::contents::Section;
use super::legend::legend;
use super::page::RunPage;
use crate::chart::Group;
use crate::quantity::{size, times};
use crate::screen::worth::{Worths, worths};
use crate::selection::{Task, Worth};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Unit;

/// The most rows.
const MAX: usize = 6;

impl RunPage<'_> {
    pub(super) fn worth_of_acceleration(&self) -> Option<Section> {
        let words = &self.messages.words;
        let Worths { who, bytes, all } = worths(&self.selection).filter(|_| self.document.run.complete)?;
        let group = |(algorithm, worth): &(Algorithm, Worth)| {
            let ratio = if worth.is_shown { (words.times)(&times(worth.ratio)) } else { "=".to_owned() };
            let bars = self.on_and_off(who, Task::main(*algorithm), bytes);
            Group { label: format!("{} {ratio}", algorithm.title()), bars }
        };
        let is_unshown = all.iter().take(MAX).any(|(_, worth)| !worth.is_shown);
        let states = self.states(true);
        let title = (self.messages.charts.worth_by_algorithm)(&self.selection.full_label(who), &size(bytes));
        let groups = all.iter().take(MAX).map(group).collect();
        let chart = self.bars("acceleration", title, groups, Unit::BytesPerSecond, &states)?;
        let body = html! {
            (legend(&states))
            div.wide { (chart) }
            @if is_unshown { p.note { (self.messages.tables.equal_mark) } }
        };
        Some(Section::new(self.id("acceleration"), self.messages.page.ratios, body))
    }
}
