//! The calls in a source text that panic where the system refuses a thread.

use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// Returns the calls of that kind in `text`, without its tests: `thread::spawn(…)`, `scope.spawn(…)` and the ticker of
/// indicatif.
pub(crate) fn panicking_spawns(text: &str) -> Vec<String> {
    let mut reader = Reader::default();
    reader.visit_file(&syn::parse_file(text).unwrap());
    reader.calls
}

#[derive(Default)]
struct Reader {
    calls: Vec<String>,
}

impl<'a> Visit<'a> for Reader {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !super::modules::is_for_tests(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if names.ends_with(&["thread".to_owned(), "spawn".to_owned()]) {
            self.calls.push(names.join("::"));
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        // A command's `spawn` has no argument, and the receiver of a builder's is a call.
        let is_scoped = call.method == "spawn" && call.args.len() == 1 && matches!(*call.receiver, syn::Expr::Path(_));
        if is_scoped || call.method == "enable_steady_tick" {
            self.calls.push(format!(".{}", call.method));
        }
        syn::visit::visit_expr_method_call(self, call);
    }
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
