//! The types that a crate's source defines, read from its syntax.

use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// A type, a trait or an alias.
pub(crate) struct Type {
    pub(crate) name: String,
    /// Whether another file can see it.
    pub(crate) is_visible: bool,
}

/// Those of a source text, in modules in braces and in functions too, but for its tests.
pub(crate) fn types_of(text: &str) -> Vec<Type> {
    let mut reader = Reader::default();
    reader.visit_file(&syn::parse_file(text).unwrap());
    reader.types
}

/// The Rust files in `folder` and below.
pub(crate) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files.extend(files_in(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[derive(Default)]
struct Reader {
    types: Vec<Type>,
}

impl Reader {
    fn note(&mut self, name: &syn::Ident, visibility: &syn::Visibility) {
        let is_visible = !matches!(visibility, syn::Visibility::Inherited);
        self.types.push(Type { name: name.to_string(), is_visible });
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_item(&mut self, item: &'a syn::Item) {
        match item {
            syn::Item::Struct(item) => self.note(&item.ident, &item.vis),
            syn::Item::Enum(item) => self.note(&item.ident, &item.vis),
            syn::Item::Union(item) => self.note(&item.ident, &item.vis),
            syn::Item::Trait(item) => self.note(&item.ident, &item.vis),
            syn::Item::Type(item) => self.note(&item.ident, &item.vis),
            syn::Item::Mod(item) if super::modules::is_for_tests(&item.attrs) => return,
            _ => {}
        }
        syn::visit::visit_item(self, item);
    }
}
