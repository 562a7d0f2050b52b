//! Where the time of a workload jumps with its size.

use maud::{Markup, html};

use super::contents::Section;
use super::gallery::Said;
use super::page::RunPage;
use super::parts::{sentence, with_code};
use super::table::table;
use crate::chart::{self, SizeAndTime};
use crate::quantity::{digits, size};
use crate::steps as told;
use kasoku_model::printable::printable;
use kasoku_model::steps::{self, Curve, DetectionMethod, Step};

/// Curves with steps that are shown; the rest is counted.
const MAX: usize = 8;
/// Charts of a curve, of its largest steps.
const CHARTS: usize = 3;
/// A chart goes on to this many times the size of its step.
const BEYOND: f64 = 2.5;

impl RunPage<'_> {
    /// Of a run that did not reach its end nothing is claimed.
    pub(super) fn steps(&self) -> Option<Section> {
        let (words, language) = (&self.messages.around, self.messages.language);
        if !self.document.run.complete {
            return None;
        }
        let curves = steps::steps(self.document, |_| true);
        let mut with: Vec<&Curve> = curves.iter().filter(|curve| !curve.steps.is_empty()).collect();
        // What is explained first; and those of a sweep prove more than those of a few sizes.
        let is_unexplained = |curve: &Curve| curve.steps.iter().any(|step| step.cause.is_none());
        with.sort_by_key(|curve| (is_unexplained(curve), curve.rule != DetectionMethod::Sweep));
        let absences = told::absences(&curves, language);
        let body = html! {
            @if with.is_empty() {
                (with_command(&told::none(&curves, language)))
            } @else {
                p { (words.steps_explained) }
                @for (number, curve) in with.iter().take(MAX).enumerate() { (self.curve(number + 1, curve)) }
                @if with.len() > MAX {
                    p { (with_code(&(words.steps_more)(with.len() - MAX), &self.steps_command())) }
                }
            }
            @for absence in &absences { p { (sentence(absence)) } }
        };
        Some(Section::folded(Some("steps"), self.id("steps"), words.steps, body))
    }

    fn curve(&self, number: usize, curve: &Curve) -> Markup {
        let (words, language) = (&self.messages.around, self.messages.language);
        let about = told::about(curve, language);
        let mut largest: Vec<(usize, &Step)> = curve.steps.iter().enumerate().collect();
        largest.sort_by(|left, right| right.1.size().total_cmp(&left.1.size()));
        largest.truncate(CHARTS);
        let charts: Vec<Markup> = largest
            .iter()
            .filter(|_| curve.rule == DetectionMethod::Sweep)
            .filter_map(|(index, step)| self.step(&format!("steps-{number}-{}", index + 1), curve, step))
            .collect();
        html! {
            h3 { (about.name) }
            ul.verdict {
                @for lines in &about.steps { li { @for line in lines { p { (sentence(line)) } } } }
            }
            @if !charts.is_empty() {
                div.small { @for chart in &charts { (chart) } }
                p.note { (words.steps_legend) }
            }
            (table(&about.pieces))
        }
    }

    /// The pieces on both sides of a step.
    fn step(&self, name: &str, curve: &Curve, step: &Step) -> Option<Markup> {
        let words = &self.messages.around;
        let end = (step.at as f64 * BEYOND).max(1.0);
        let points: Vec<SizeAndTime> = curve.points.iter().map(|point| (point.bytes as f64, point.ns)).collect();
        let shown: Vec<SizeAndTime> = points.iter().filter(|(bytes, _)| *bytes <= end).copied().collect();
        let largest = shown.iter().map(|(_, ns)| *ns).fold(0.0, f64::max);
        let (divisor, unit) = if largest >= 10_000.0 { (1000.0, "µs") } else { (1.0, "ns") };
        let scaled = |(bytes, ns): SizeAndTime| (bytes, ns / divisor);
        let lines: Vec<Vec<SizeAndTime>> = curve
            .pieces
            .iter()
            .filter_map(|piece| {
                let line = piece.line?;
                let inside = curve.points.iter().filter(|point| (piece.first..=piece.last).contains(&point.bytes));
                let place = |bytes: usize| scaled((bytes as f64, line.at(bytes)));
                Some(inside.filter(|point| point.bytes as f64 <= end).map(|point| place(point.bytes)).collect())
            })
            .collect();
        let time = |bytes: usize| {
            let point = curve.points.iter().find(|point| point.bytes == bytes);
            point.map(|point| format!("{} {unit}", digits(point.ns / divisor))).unwrap_or_default()
        };
        let title = (words.steps_chart)(&size(step.at));
        let description = (words.steps_seen)(shown.len(), &time(step.before), &time(step.at), &size(step.at));
        let shown: Vec<SizeAndTime> = shown.into_iter().map(scaled).collect();
        let said = Said { title, description, beside: Some(unit.to_owned()), ..Said::default() };
        self.gallery.figure(name, said, |caption| chart::pieces(caption, unit, &shown, &lines))
    }

    fn steps_command(&self) -> String {
        let id = &self.document.run.id;
        let is_plain = !id.is_empty() && id.chars().all(|one| one.is_ascii_alphanumeric() || "-_.".contains(one));
        format!("kasoku steps {}", if is_plain { printable(id) } else { String::new() }).trim_end().to_owned()
    }
}

/// A sentence that may end in a command.
fn with_command(text: &str) -> Markup {
    let (before, command) = text.split_at(text.find("kasoku ").unwrap_or(text.len()));
    html! { p { (sentence(before)) @if !command.is_empty() { code { (command) } } } }
}
