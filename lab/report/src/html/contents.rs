//! Sections of the page, and the table of contents that leads to them.

use maud::{Markup, html};

use crate::language::Messages;

/// A section of the page, with its line of the table of contents.
pub(crate) struct Section {
    id: String,
    title: &'static str,
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
        Section { id, title, body }
    }

    /// A section of which only the heading is seen until somebody opens it.
    pub(crate) fn folded(class: Option<&str>, id: String, title: &'static str, body: Markup) -> Self {
        let body = html! {
            section.folded aria-labelledby=(id) {
                details { summary { h2 id=(id) { (title) } } div class=[class] { (body) } }
            }
        };
        Section { id, title, body }
    }
}

/// What is seen only when somebody opens it.
pub(crate) fn fold(summary: &str, body: Markup) -> Markup {
    html! { details.more { summary { (summary) } (body) } }
}

/// The table of contents of these runs; of several each has its title.
pub(crate) fn list<'a>(messages: &Messages, runs: impl Iterator<Item = (Option<String>, &'a [Section])>) -> Markup {
    html! {
        nav.contents aria-label=(messages.page.contents) {
            @for (title, sections) in runs {
                @if let Some(title) = title { p { (title) } }
                ul {
                    @for section in sections { li { a href={ "#" (section.id) } { (section.title) } } }
                }
            }
        }
    }
}
