//! Words that the project does not use: what the field has a word for is called by it (GLOSSARY.md).
//!
//! Of Rust, strings and documentation are read, by their syntax and without tests; of pages and of `kasoku.h`, all.

#![allow(clippy::unwrap_used)]

#[path = "structure/modules.rs"]
#[allow(dead_code)] // of what it reads only one question is asked here
mod modules;

use std::path::{Path, PathBuf};
use std::process::Command;

use syn::buffer::Cursor;
use syn::visit::Visit;

/// A word or a phrase, in lower case, that means something else here, or nothing to a newcomer.
struct Forbidden {
    words: &'static [&'static str],
    instead: &'static str,
    /// Beginnings of paths that may have it all the same, with the reason.
    except: &'static [(&'static str, &'static str)],
}

const FORBIDDEN: [Forbidden; 11] = [
    Forbidden {
        words: &["stack", "stacks"],
        instead: "library",
        except: &[
            ("docs/", "the call stack, and implementations of QUIC"),
            ("c-abi/", "the call stack"),
            ("engine/", "the call stack"),
            ("rustls-provider/", "implementations of QUIC"),
            ("SECURITY.md", "the call stack"),
            ("lab/import/src/run_document.rs", "schema 1 of the run document has it"),
            ("lab/libraries/src/", "the call stack"),
            ("lab/measure/src/", "the call stack"),
            ("lab/model/src/document.rs", "schema 1 of the run document has it"),
            ("lab/report/src/language/transfer.rs", "implementations of QUIC"),
            ("lab/report/src/packets/sentence.rs", "implementations of QUIC"),
            ("lab/report/src/transfer/sentence.rs", "implementations of QUIC"),
            ("lab/store/src/", "schema 1 of the run document has it"),
        ],
    },
    Forbidden {
        words: &["probe", "probes"],
        instead: "worker",
        except: &[("docs/CONSTANT_TIME.md", "a cache is probed")],
    },
    Forbidden { words: &["contest", "contests"], instead: "comparison", except: &[] },
    Forbidden { words: &["rival", "rivals"], instead: "competitor", except: &[] },
    Forbidden {
        words: &["broken off", "breaks off"],
        instead: "interrupted",
        except: &[("lab/model/src/document/remark.rs", "notes of earlier versions are recognised")],
    },
    Forbidden {
        words: &["gone on with", "going on with"],
        instead: "resumed",
        except: &[("lab/model/src/document/remark.rs", "notes of earlier versions are recognised")],
    },
    Forbidden { words: &["forged:"], instead: "authentication failed", except: &[] },
    Forbidden { words: &["message in pieces", "messages in pieces"], instead: "streaming, in parts", except: &[] },
    Forbidden {
        words: &["twin", "twins"],
        instead: "A/A control, reference implementation",
        except: &[
            ("lab/model/src/document.rs", "schema 1 of the run document has it"),
            ("lab/store/src/schema.rs", "schema 1 of the run document has it"),
        ],
    },
    Forbidden { words: &["woven"], instead: "interleaved", except: &[] },
    Forbidden { words: &["wish", "wishes"], instead: "options", except: &[] },
];

#[test]
fn the_fields_words_are_used() {
    let found: Vec<String> = files().iter().flat_map(|name| in_file(name)).collect();
    assert!(found.is_empty(), "{} places: {found:#?}", found.len());
}

/// A reason that nothing needs any more is taken out.
#[test]
fn every_exception_is_needed() {
    let files = files();
    for Forbidden { words, except, .. } in &FORBIDDEN {
        for (beginning, reason) in *except {
            let mut texts = files.iter().filter(|name| name.starts_with(beginning)).map(|name| text_of(name));
            let is_needed = texts.any(|text| words.iter().any(|word| place(&text, word).is_some()));
            assert!(is_needed, "nothing in {beginning} has {words:?} ({reason})");
        }
    }
}

#[test]
fn a_forbidden_word_would_be_seen() {
    let text = plain(&words_of(
        "/// Was broken\n/// off.\nfn f() -> String { format!(\"{}\", \"a Rival\") }\n\
         fn stack() { /* probe */ }\n#[cfg(test)]\nmod tests { const A: &str = \"contest\"; }",
    ));
    assert!(place(&text, "broken off").is_some() && place(&text, "rival").is_some(), "{text}");
    // Names are the compiler's, comments the author's, and tests say what they like.
    assert!(["stack", "probe", "contest"].iter().all(|word| place(&text, word).is_none()), "{text}");
    assert!(place("the arrival of a stacked_one", "rival").is_none());
    assert!(place("the arrival", "arrival").is_some() && place("forged: chunk 1", "forged:").is_some());
}

/// The forbidden words of a file, each with what stands around it.
fn in_file(name: &str) -> Vec<String> {
    let text = text_of(name);
    let is_allowed = |except: &[(&str, &str)]| except.iter().any(|(beginning, _)| name.starts_with(beginning));
    let forbidden = FORBIDDEN.iter().filter(|one| !is_allowed(one.except));
    let of_one = |one: &Forbidden| {
        let places = one.words.iter().filter_map(|word| place(&text, word));
        places.map(|around| format!("{name}: {around} (say: {})", one.instead)).collect::<Vec<_>>()
    };
    forbidden.flat_map(of_one).collect()
}

/// What stands around `word` in `text`, if it has it as a word of its own.
fn place<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let is_part_of_word = |character: char| character.is_alphanumeric() || character == '_';
    let (at, _) = text.match_indices(word).find(|(at, _)| {
        let (before, behind) = (text[..*at].chars().next_back(), text[at + word.len()..].chars().next());
        let ends = word.ends_with(is_part_of_word);
        !(before.is_some_and(is_part_of_word) || ends && behind.is_some_and(is_part_of_word))
    })?;
    let around = |index: usize| (0..=index).rev().find(|&index| text.is_char_boundary(index)).unwrap_or(0);
    Some(&text[around(at.saturating_sub(30))..around((at + word.len() + 30).min(text.len()))])
}

/// What a person reads of a file, in lower case and on one line.
fn text_of(name: &str) -> String {
    let text = std::fs::read_to_string(root().join(name)).unwrap();
    plain(&if name.ends_with(".rs") { words_of(&text) } else { text })
}

fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The strings and the documentation of Rust source.
fn words_of(source: &str) -> String {
    let mut reader = Reader::default();
    reader.visit_file(&syn::parse_file(source).unwrap());
    reader.text
}

#[derive(Default)]
struct Reader {
    text: String,
}

impl Reader {
    fn note(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn note_literals(&mut self, mut cursor: Cursor<'_>) {
        while let Some((_, next)) = cursor.token_tree() {
            if let Some((inside, ..)) = cursor.any_group() {
                self.note_literals(inside);
            } else if let Some((literal, _)) = cursor.literal()
                && let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string())
            {
                self.note(&text.value());
            }
            cursor = next;
        }
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_lit_str(&mut self, literal: &'a syn::LitStr) {
        self.note(&literal.value());
    }

    fn visit_lit_cstr(&mut self, literal: &'a syn::LitCStr) {
        self.note(&literal.value().to_string_lossy());
    }

    fn visit_macro(&mut self, of: &'a syn::Macro) {
        let read = |input: syn::parse::ParseStream<'_>| {
            input.step(|cursor| {
                self.note_literals(*cursor);
                let mut rest = *cursor;
                while let Some((_, next)) = rest.token_tree() {
                    rest = next;
                }
                Ok(((), rest))
            })
        };
        of.parse_body_with(read).unwrap();
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !modules::is_for_tests(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }
}

/// The files that people read: pages, the C header, and Rust but for tests. The log of changes says what was.
fn files() -> Vec<String> {
    let listed = Command::new("git").current_dir(root()).args(["ls-files", "-z"]).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let is_for_tests = |name: &str| name.contains("/tests/") || name.contains("/fuzz/") || name.ends_with("/tests.rs");
    let is_read = |name: &&str| match name.rsplit('.').next() {
        Some("rs") => !is_for_tests(name),
        Some("md") => *name != "CHANGELOG.md",
        _ => *name == "c-abi/include/kasoku.h",
    };
    // A file that was removed is listed until that is committed.
    let names = String::from_utf8(listed.stdout).unwrap();
    names.split_terminator('\0').filter(is_read).filter(|name| root().join(name).exists()).map(str::to_owned).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
