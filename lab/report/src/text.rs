//! Text before translation: a message with its arguments, or text that is the same in every language. Only
//! [`crate::render`] translates it.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::json;

use crate::width::columns_of;
pub(crate) use kasoku_model::printable::{escaped as visible, is_hidden};
use kasoku_store::published::LocalizedText;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Text {
    /// Text that is the same in every language: names, figures, units.
    Plain(String),
    /// Text from a document or a publication, with the tag of its language.
    Stored(&'static str, String),
    Localized(LocalizedText),
    Message {
        /// Key in the catalogue: `message` or `message.attribute`.
        key: Cow<'static, str>,
        /// Values of the message's variables: texts to insert, names that select words, and counts.
        arguments: Vec<(&'static str, Text)>,
    },
    List(Separator, Vec<Text>),
    Cut(Box<Text>, usize),
    /// A number, which selects a singular or plural form in a message.
    Count(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Separator {
    None,
    Space,
    Comma,
    /// Semicolons, for items that contain commas.
    Semicolon,
    /// Commas, and the word for "and" before the last item.
    And,
    /// The separator between sentences, which depends on the language.
    Sentence,
    Dot,
}

/// Creates a message: `say!("charts-at", figure = figure, size = size)`.
macro_rules! say {
    ($key:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::text::Text::Message {
            key: std::borrow::Cow::from($key),
            arguments: vec![$((stringify!($name), $crate::text::Text::from($value))),*],
        }
    };
}
pub(crate) use say;

impl Text {
    pub const EMPTY: Text = Text::Plain(String::new());

    pub fn message(key: &'static str) -> Self {
        say!(key)
    }

    /// Creates text from a name in a document, escaped and cut to `most` columns.
    pub fn name(name: &str, most: usize) -> Self {
        Text::Plain(short(name, most))
    }

    /// Creates text from an English sentence in a document, escaped and cut to `most` columns.
    pub(crate) fn stored(sentence: &str, most: usize) -> Self {
        Text::Stored("en", short(sentence, most))
    }

    /// Joins `items`, skipping empty ones.
    pub(crate) fn list<T: Into<Text>>(separator: Separator, items: impl IntoIterator<Item = T>) -> Self {
        let mut items: Vec<Text> = items.into_iter().map(Into::into).filter(|item| !item.is_empty()).collect();
        match items.len() {
            0 => Text::EMPTY,
            1 => items.remove(0),
            _ => Text::List(separator, items),
        }
    }

    pub(crate) fn cut(self, most: usize) -> Self {
        match self {
            Text::Plain(text) => Text::Plain(short(&text, most)),
            other => Text::Cut(Box::new(other), most),
        }
    }

    /// Whether the text is empty in every language.
    pub fn is_empty(&self) -> bool {
        matches!(self, Text::Plain(text) | Text::Stored(_, text) if text.is_empty())
    }

    pub fn key(&self) -> Option<&str> {
        match self {
            Text::Message { key, .. } => Some(key),
            _ => None,
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Text::EMPTY
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text::Plain(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text::Plain(text.to_owned())
    }
}

impl From<LocalizedText> for Text {
    fn from(text: LocalizedText) -> Self {
        Text::Localized(text)
    }
}

impl<T: Into<Text> + Clone> From<&T> for Text {
    fn from(text: &T) -> Self {
        text.clone().into()
    }
}

impl<T: Into<Text>> From<Option<T>> for Text {
    fn from(text: Option<T>) -> Self {
        text.map(Into::into).unwrap_or_default()
    }
}

impl From<usize> for Text {
    fn from(count: usize) -> Self {
        Text::Count(count)
    }
}

impl From<u64> for Text {
    fn from(count: u64) -> Self {
        Text::Count(usize::try_from(count).unwrap_or(usize::MAX))
    }
}

/// Converts to `yes` or `no`, by which messages select their words.
impl From<bool> for Text {
    fn from(is: bool) -> Self {
        Text::from(if is { "yes" } else { "no" })
    }
}

/// Escapes `text` with [`visible`] and cuts it to `most` columns.
pub(crate) fn short(text: &str, most: usize) -> String {
    let shown = visible(text);
    if columns_of(&shown) <= most {
        return shown;
    }
    let mut used = 1;
    let fits = |character: &char| {
        used += columns_of(character.encode_utf8(&mut [0; 4]));
        used <= most
    };
    shown.chars().take_while(fits).chain(['…']).collect()
}

/// Returns the name that an enum's variant has in documents.
pub(crate) fn name_in_documents(variant: impl Serialize) -> Text {
    json!(variant).as_str().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_escapes_control_and_direction_characters() {
        assert_eq!(visible("a\u{1b}[31mb\r\n\u{9b}2J\u{202e}c"), "a\\u{1b}[31mb\\u{d}\\u{a}\\u{9b}2J\\u{202e}c");
        assert_eq!(visible("加速 ±µ"), "加速 ±µ");
    }

    #[test]
    fn short_cuts_long_names_with_an_ellipsis() {
        assert_eq!(short("abcdef", 6), "abcdef");
        assert_eq!(short("abcdefg", 6), "abcde…");
        assert_eq!(short("\u{1b}", 4), "\\u{…");
        assert_eq!(
            [short("加速装置", 8), short("加速装置", 7), short("加速装置", 6)],
            ["加速装置", "加速装…", "加速…"]
        );
    }
}
