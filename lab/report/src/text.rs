//! Text before translation: the name of a message with its arguments, or text that is the same in
//! every language. Only [`crate::render`] turns it into words.

use std::borrow::Cow;

use crate::visible::short;
use kasoku_store::published::LocalizedText;

/// Text that has no language yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Text {
    /// Text that is the same in every language: names, figures, units.
    Plain(String),
    /// Text out of a document or a publication in the language of that tag, whatever the reader's.
    Stored(&'static str, String),
    /// Text of a publication in every language: data of sources, not sentences of ours.
    Localized(LocalizedText),
    /// A message of the catalogues with its arguments.
    Message {
        /// The message, or `message.attribute`.
        key: Cow<'static, str>,
        /// By the names that the catalogues have for them.
        arguments: Vec<(&'static str, Argument)>,
    },
    /// Several texts, joined.
    List(Separator, Vec<Text>),
    /// Text cut to a number of columns.
    Cut(Box<Text>, usize),
}

/// An argument of a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Argument {
    /// Text, or the name by which a message chooses its words.
    Text(Text),
    /// A number by which a message chooses its plural.
    Count(usize),
}

/// Separator between the items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Separator {
    /// Nothing.
    None,
    /// A space in every language.
    Space,
    /// A comma.
    Comma,
    /// Separator of items that contain commas.
    Semicolon,
    /// Commas, and the word for "and" before the last item.
    And,
    /// Separator of sentences.
    Sentence,
    /// A dot in the middle of the line.
    Dot,
}

/// A message of the catalogues: `say!("charts-at", figure = figure, size = size)`.
macro_rules! say {
    ($key:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::text::Text::Message {
            key: std::borrow::Cow::from($key),
            arguments: vec![$((stringify!($name), $crate::text::Argument::from($value))),*],
        }
    };
}
pub(crate) use say;

impl Text {
    /// No text at all.
    pub const EMPTY: Text = Text::Plain(String::new());

    /// A message without arguments.
    pub fn message(key: &'static str) -> Self {
        say!(key)
    }

    /// A name out of a document, fit to be shown and cut to `most` columns.
    pub fn name(name: &str, most: usize) -> Self {
        Text::Plain(short(name, most))
    }

    /// A sentence out of a document, in English, fit to be shown and cut to `most` columns.
    pub(crate) fn stored(sentence: &str, most: usize) -> Self {
        Text::Stored("en", short(sentence, most))
    }

    /// Joins `items`, without the empty ones.
    pub(crate) fn list<T: Into<Text>>(separator: Separator, items: impl IntoIterator<Item = T>) -> Self {
        let mut items: Vec<Text> = items.into_iter().map(Into::into).filter(|item| !item.is_empty()).collect();
        match items.len() {
            0 => Text::EMPTY,
            1 => items.remove(0),
            _ => Text::List(separator, items),
        }
    }

    /// Cuts the text to `most` columns.
    pub(crate) fn cut(self, most: usize) -> Self {
        match self {
            Text::Plain(text) => Text::Plain(short(&text, most)),
            other => Text::Cut(Box::new(other), most),
        }
    }

    /// Whether there is nothing to read in any language.
    pub fn is_empty(&self) -> bool {
        matches!(self, Text::Plain(text) | Text::Stored(_, text) if text.is_empty())
    }

    /// Returns the message's key; `None` for text that is no message.
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

impl<T: Into<Text>> From<T> for Argument {
    fn from(text: T) -> Self {
        Argument::Text(text.into())
    }
}

impl From<usize> for Argument {
    fn from(count: usize) -> Self {
        Argument::Count(count)
    }
}

impl From<u64> for Argument {
    fn from(count: u64) -> Self {
        Argument::Count(usize::try_from(count).unwrap_or(usize::MAX))
    }
}

/// Messages choose their words by `yes` and `no`.
impl From<bool> for Argument {
    fn from(is: bool) -> Self {
        Argument::from(if is { "yes" } else { "no" })
    }
}
