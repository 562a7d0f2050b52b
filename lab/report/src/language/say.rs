//! How both languages are written side by side.

use kasoku_model::language::Language;

/// Declares the messages of one subject, each in English and then in Japanese: `texts`, which stand as they are;
/// `sentences`, which have values in them; and `cases`, in which the values decide what is said, once for both
/// languages. The texts can be listed, so that a test sees that none is empty and all are in their language.
macro_rules! subject {
    (
        $(#[$about:meta])*
        $name:ident {
            texts { $($text:ident: $english:literal | $japanese:literal;)* }
            sentences {
                $(
                    $(#[$told:meta])*
                    $sentence:ident($($value:ident: $of:ty),*): $in_english:literal | $in_japanese:literal;
                )*
            }
            cases {
                $(
                    $(#[$meant:meta])*
                    $case:ident($($given:ident: $kind:ty),*) in $language:ident -> $said:ty: $in_it:expr;
                )*
            }
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name {
            $(pub(crate) $text: &'static str,)*
            $($(#[$told])* pub(crate) $sentence: fn($($of),*) -> String,)*
            $($(#[$meant])* pub(crate) $case: fn($($kind),*) -> $said,)*
        }

        impl $name {
            pub(super) const ENGLISH: $name = $name {
                $($text: $english,)*
                $($sentence: |$($value),*| format!($in_english),)*
                $($case: |$($given),*| {
                    let $language = kasoku_model::language::Language::English;
                    $in_it
                },)*
            };
            pub(super) const JAPANESE: $name = $name {
                $($text: $japanese,)*
                $($sentence: |$($value),*| format!($in_japanese),)*
                $($case: |$($given),*| {
                    let $language = kasoku_model::language::Language::Japanese;
                    $in_it
                },)*
            };

            /// Every text with its name.
            #[cfg(test)]
            pub(super) fn texts(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($text), self.$text)),*]
            }
        }
    };
}
pub(crate) use subject;

/// One sentence in both languages, made of the same values: [`format!`] of the first in English, of the second in
/// Japanese.
macro_rules! say {
    ($language:expr, $english:literal, $japanese:literal $(,)?) => {
        match $language {
            kasoku_model::language::Language::English => format!($english),
            kasoku_model::language::Language::Japanese => format!($japanese),
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
