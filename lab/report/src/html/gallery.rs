//! The charts of one run: figures on its page, each kept by its name for whoever wants it as a file.

use std::cell::RefCell;

use maud::{Markup, PreEscaped, html};

use super::palette::Palette;
use crate::chart::{self, Caption, Drawing, LegendEntry};
use kasoku_model::name::plain;

/// The charts of a run that were drawn so far, and what they share with its page.
#[derive(Default)]
pub(crate) struct Gallery {
    /// Before every id, so that several runs can share a page.
    prefix: String,
    pub(crate) palette: Palette,
    charts: RefCell<Vec<Chart>>,
}

/// A chart that stands on the page of a run.
#[derive(Clone, Debug)]
pub struct Chart {
    name: String,
    beside: Option<String>,
    legend: Vec<LegendEntry>,
    drawing: Drawing,
}

/// What is said around a chart.
#[derive(Default)]
pub(crate) struct Said<'l> {
    /// What it shows, in a few words.
    pub(crate) title: String,
    /// The same where its section says the rest.
    pub(crate) heading: Option<String>,
    /// What stands beside that, as the unit.
    pub(crate) beside: Option<String>,
    /// What one would see.
    pub(crate) description: String,
    /// What its colours mean; on the page it stands above all charts that share it.
    pub(crate) legend: &'l [LegendEntry],
}

impl Gallery {
    pub(crate) fn new(prefix: String, palette: Palette) -> Self {
        Gallery { prefix, palette, charts: RefCell::default() }
    }

    /// The id of a part of the page.
    pub(crate) fn id(&self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }

    /// The figure with what `draw` makes, if that is anything.
    pub(crate) fn figure(
        &self,
        name: &str,
        said: Said<'_>,
        draw: impl FnOnce(&Caption) -> Option<Drawing>,
    ) -> Option<Markup> {
        let Said { title, heading, beside, description, legend } = said;
        let drawing = draw(&Caption { id: self.id(name), title: title.clone(), description })?;
        let figure = html! {
            figure {
                figcaption {
                    strong { (heading.unwrap_or(title)) }
                    @if let Some(beside) = &beside { span.worth { (beside) } }
                }
                (PreEscaped(drawing.inline()))
            }
        };
        self.charts.borrow_mut().push(Chart { name: name.to_owned(), beside, legend: legend.to_vec(), drawing });
        Some(figure)
    }

    /// All that were drawn, in their order.
    pub(super) fn into_charts(self) -> Vec<Chart> {
        self.charts.into_inner()
    }
}

impl Chart {
    /// What people call it by on the command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it shows.
    pub fn title(&self) -> &str {
        &self.drawing.caption.title
    }

    /// Whether somebody who types `name` means it, in whatever spelling.
    pub fn is_called(&self, name: &str) -> bool {
        [self.name(), self.title()].iter().any(|own| plain(own) == plain(name))
    }

    /// The chart as an SVG file that needs nothing else; `source` says at its foot where its figures are from.
    pub fn file(&self, source: &str) -> String {
        chart::file(&self.drawing, self.beside.as_deref(), &self.legend, source)
    }
}
