//! What to choose on the machine, with the figures behind it and lines to paste.

use maud::{Markup, html};

use super::contents::Section;
use super::page::RunPage;
use super::parts::sentence;
use crate::advice::{self, AdviceText};
use kasoku_advice::Weight;

impl RunPage<'_> {
    pub(super) fn advice(&self) -> Option<Section> {
        let (words, language) = (&self.messages.around, self.messages.language);
        let texts = advice::texts(self.document, &[], language);
        if texts.is_empty() {
            return None;
        }
        let body = html! {
            @if let Some(basis) = advice::basis(self.document, language) { p { (sentence(&basis)) } }
            @let headlines: Vec<&AdviceText> = texts.iter().filter(|text| text.is_headline).collect();
            @if !headlines.is_empty() {
                h3 { (words.advice_short) }
                ul.verdict { @for text in headlines { li { (sentence(&text.says)) } } }
            }
            @for topic in texts.chunk_by(|left, right| left.topic == right.topic) {
                @if let Some(first) = topic.first() { h3 { (first.heading) } }
                @for text in topic { (self.one(text)) }
            }
        };
        Some(Section::folded(Some("advice"), self.id("advice"), words.advice, body))
    }

    fn one(&self, text: &AdviceText) -> Markup {
        let words = &self.messages.around;
        let is_urgent = text.weight == Weight::Act;
        html! {
            div.one.act[is_urgent] {
                p.says { @if is_urgent { span.mark { (words.advice_act) } " " } (sentence(&text.says)) }
                p { (sentence(text.reason)) }
                @if !text.figures.is_empty() {
                    ul.behind { @for figure in &text.figures { li { (sentence(figure)) } } }
                }
                @for lines in &text.lines {
                    p.place { (words.advice_paste) code { (lines.place) } }
                    pre { code { (lines.text) } }
                }
            }
        }
    }
}
