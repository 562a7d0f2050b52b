//! Catalogues of messages (Project Fluent), one for each language, and the translation of texts with them.

use std::collections::HashMap;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentError, FluentResource, FluentValue};

use crate::language::Language;
use crate::text::{Separator, Text, short};

pub(crate) struct Catalogue {
    pub(crate) language: Language,
    bundle: FluentBundle<FluentResource>,
}

pub(crate) fn catalogue(language: Language) -> &'static Catalogue {
    static CATALOGUES: LazyLock<HashMap<Language, Catalogue>> =
        LazyLock::new(|| Language::all().map(|language| (language, Catalogue::new(language))).collect());
    &CATALOGUES[&language]
}

impl Catalogue {
    fn new(language: Language) -> Self {
        // A test parses every message, so malformed ones do not occur here.
        let resource = FluentResource::try_new(language.messages().to_owned()).unwrap_or_else(|(readable, _)| readable);
        let mut bundle = FluentBundle::new_concurrent(language.tag().parse().into_iter().collect());
        // Fluent's isolation marks around arguments would end up in terminals, CSV and file names.
        bundle.set_use_isolating(false);
        _ = bundle.add_resource(resource);
        Catalogue { language, bundle }
    }

    pub(crate) fn write(&self, text: &Text) -> String {
        match text {
            Text::Plain(text) | Text::Stored(_, text) => text.clone(),
            Text::Localized(text) => text.of(self.language.tag()).to_owned(),
            Text::Message { key, arguments } => self.message(key, arguments),
            Text::List(separator, items) => self.list(*separator, items),
            Text::Cut(text, most) => short(&self.write(text), *most),
            Text::Count(count) => count.to_string(),
        }
    }

    pub(crate) fn words(&self, key: &str) -> String {
        self.message(key, &[])
    }

    /// Returns a message in which the names of its arguments replace their values: `<winner>`.
    pub(crate) fn template(&self, key: &str) -> String {
        // Fluent writes an argument without a value as `{$winner}`.
        let words = self.format(key, None, &mut Vec::new());
        words.unwrap_or_else(|| key.to_owned()).replace("{$", "<").replace('}', ">")
    }

    fn message(&self, key: &str, arguments: &[(&'static str, Text)]) -> String {
        let mut values = FluentArgs::with_capacity(arguments.len());
        for (name, argument) in arguments {
            let value = match argument {
                Text::Count(count) => FluentValue::from(*count),
                text => FluentValue::from(self.write(text)),
            };
            values.set(*name, value);
        }
        let mut errors = Vec::new();
        let Some(words) = self.format(key, Some(&values), &mut errors) else {
            debug_assert!(false, "no message {key}");
            return key.to_owned();
        };
        debug_assert!(errors.is_empty(), "{key}: {errors:?}");
        words
    }

    /// Formats the message `key`, or its attribute if `key` is `message.attribute`. `None` if there is no such message.
    fn format(&self, key: &str, values: Option<&FluentArgs<'_>>, errors: &mut Vec<FluentError>) -> Option<String> {
        let (message, attribute) = key.split_once('.').map_or((key, None), |(key, attribute)| (key, Some(attribute)));
        let message = self.bundle.get_message(message)?;
        let pattern = match attribute {
            None => message.value(),
            Some(attribute) => message.get_attribute(attribute).map(|attribute| attribute.value()),
        };
        Some(self.bundle.format_pattern(pattern?, values, errors).into_owned())
    }

    fn list(&self, separator: Separator, items: &[Text]) -> String {
        let items: Vec<String> = items.iter().map(|item| self.write(item)).collect();
        let separator = match (separator, items.as_slice()) {
            (Separator::And, [first, second]) => {
                return self.message("list-two", &[("first", first.into()), ("second", second.into())]);
            }
            (Separator::And, [most @ .., last]) if !most.is_empty() => {
                let most = most.join(&self.words("list-comma"));
                return self.message("list-last", &[("most", most.into()), ("last", last.into())]);
            }
            (Separator::And | Separator::None, _) => String::new(),
            (Separator::Space, _) => " ".to_owned(),
            (Separator::Dot, _) => " · ".to_owned(),
            (Separator::Comma, _) => self.words("list-comma"),
            (Separator::Semicolon, _) => self.words("list-semicolon"),
            (Separator::Sentence, _) => self.words("list-sentence"),
        };
        items.join(&separator)
    }
}
