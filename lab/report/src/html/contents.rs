//! Sections of the page, and the table of contents that leads to them.

use maud::{Markup, html};

use crate::language::Messages;

/// A section of the page, with its lines of the table of contents.
pub(crate) struct Section {
    /// Ids and titles of its headings.
    headings: Vec<(String, &'static str)>,
    pub(crate) body: Markup,
}

impl Section {
    /// A section under one heading.
    pub(crate) fn new(id: String, title: &'static str, body: Markup) -> Self {
        Section::of_class(None, id, title, body)
    }

    /// The same with a class for its style.
    pub(crate) fn of_class(class: Option<&str>, id: String, title: &'static str, body: Markup) -> Self {
        let body = html! { section class=[class] aria-labelledby=(id) { h2 id=(id) { (title) } (body) } };
        Section { headings: vec![(id, title)], body }
    }

    /// A section with several headings beside each other: ids, titles and what stands under each.
    pub(crate) fn beside(parts: Vec<(String, &'static str, Markup)>) -> Self {
        let body = html! {
            section.two { @for (id, title, body) in &parts { div { h2 id=(id) { (title) } (body) } } }
        };
        Section { headings: parts.into_iter().map(|(id, title, _)| (id, title)).collect(), body }
    }
}

/// The table of contents of these runs; of several each has its title.
pub(crate) fn list<'a>(messages: &Messages, runs: impl Iterator<Item = (Option<String>, &'a [Section])>) -> Markup {
    html! {
        nav.contents aria-label=(messages.page.contents) {
            @for (title, sections) in runs {
                @if let Some(title) = title { p { (title) } }
                ul {
                    @for (id, title) in sections.iter().flat_map(|section| &section.headings) {
                        li { a href={ "#" (id) } { (title) } }
                    }
                }
            }
        }
    }
}
