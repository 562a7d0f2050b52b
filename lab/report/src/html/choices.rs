//! What to choose on the machine: the choices of the final screen.

use maud::html;

use super::contents::Section;
use super::page::RunPage;
use super::parts::sentence;
use crate::screen::choices;

impl RunPage<'_> {
    pub(super) fn choices(&self) -> Option<Section> {
        let words = &self.messages.around;
        if !self.document.run.complete {
            return None;
        }
        let choices = choices::of(self.document, self.messages.language);
        let body = html! {
            @if !choices.pairs.is_empty() {
                dl.choices { @for (what, choice) in &choices.pairs { div { dt { (what) } dd { (sentence(choice)) } } } }
            }
            @for warning in &choices.warnings { p { span.mark.bad { (words.advice_act) } " " (sentence(warning)) } }
            p.note { a href={ "#" (self.id("advice")) } { (words.advice_all) } }
        };
        let is_any = !(choices.pairs.is_empty() && choices.warnings.is_empty());
        is_any.then(|| Section::new(self.id("choices"), words.choices, body))
    }
}
