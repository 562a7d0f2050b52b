//! How both languages are written side by side.

use kasoku_model::language::Language;

/// Declares the messages of one subject: `texts`, which stand as they are, and `sentences`, which are functions; each in
/// English, then in Japanese. The texts can be listed, so that a test sees that none is empty and all are in their language.
macro_rules! subject {
    (
        $(#[$about:meta])*
        $name:ident {
            texts { $($text:ident: $english:literal | $japanese:literal;)* }
            sentences { $($(#[$told:meta])* $sentence:ident: $form:ty = $in_english:expr, $in_japanese:expr;)* }
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name {
            $(pub(crate) $text: &'static str,)*
            $($(#[$told])* pub(crate) $sentence: $form,)*
        }

        impl $name {
            pub(super) const ENGLISH: $name = $name { $($text: $english,)* $($sentence: $in_english,)* };
            pub(super) const JAPANESE: $name = $name { $($text: $japanese,)* $($sentence: $in_japanese,)* };

            /// Every text with its name.
            #[cfg(test)]
            pub(super) fn texts(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($text), self.$text)),*]
            }
        }
    };
}
pub(crate) use subject;

/// One sentence in both languages, made of the same values: [`format!`] of the first in English, of the second in Japanese.
macro_rules! say {
    ($language:expr, $english:literal, $japanese:literal $(,)?) => {
        match $language {
            Language::English => format!($english),
            Language::Japanese => format!($japanese),
        }
    };
}
pub(crate) use say;

/// A word in both languages.
pub(crate) fn pick(language: Language, english: &'static str, japanese: &'static str) -> &'static str {
    match language {
        Language::English => english,
        Language::Japanese => japanese,
    }
}
