//! Where the time of a workload jumps with its size.

use maud::{Markup, html};

use super::contents::Section;
use super::page::RunPage;
use super::parts::{sentence, with_code};
use super::table::table;
use crate::steps as told;
use kasoku_model::steps::{self, Curve, DetectionMethod};

/// Curves with steps that are shown; the rest is counted.
const MAX: usize = 8;

impl RunPage<'_> {
    /// Returns `None` for runs that did not reach their end: nothing is claimed of these.
    pub(super) fn steps(&self) -> Option<Section> {
        let (words, messages) = (&self.messages.around, self.messages);
        if !self.document.run.complete {
            return None;
        }
        let curves = steps::steps(self.document, |_| true);
        let mut with: Vec<&Curve<'_>> = curves.iter().filter(|curve| !curve.steps.is_empty()).collect();
        // What is explained first; and those of a sweep prove more than those of a few sizes.
        let is_unexplained = |curve: &Curve<'_>| curve.steps.iter().any(|step| step.cause.is_none());
        with.sort_by_key(|curve| (is_unexplained(curve), curve.rule != DetectionMethod::Sweep));
        let body = html! {
            @if with.is_empty() {
                @let none = told::none(&curves, messages);
                @let (before, command) = none.split_at(none.find("kasoku ").unwrap_or(none.len()));
                p { (sentence(before)) @if !command.is_empty() { code { (command) } } }
            } @else {
                p { (words.steps_explained) }
                @for curve in with.iter().take(MAX) { (self.curve(curve)) }
                @if with.len() > MAX { p { (with_code(&(words.steps_more)(with.len() - MAX), "kasoku steps")) } }
            }
            @for absence in told::absences(&curves, messages) { p { (sentence(&absence)) } }
        };
        Some(Section::folded(Some("steps"), self.id("steps"), words.steps, body))
    }

    fn curve(&self, curve: &Curve<'_>) -> Markup {
        let messages = self.messages;
        html! {
            h3 { (told::name(curve, messages)) }
            ul.verdict {
                @for lines in told::told(curve, messages) { li { @for line in lines { p { (sentence(&line)) } } } }
            }
            (table(&told::grid(curve, messages)))
        }
    }
}
