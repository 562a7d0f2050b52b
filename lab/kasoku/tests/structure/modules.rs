//! The modules of a crate and who uses whom, read from the syntax of its source.
//!
//! A file is a module; what stands in braces inside it belongs to it. An arrow goes to the module that defines the
//! item: re-exports are followed. Modules under `cfg(test)` are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// A module's path from the crate's root; empty for the root.
type Name = Vec<String>;

/// A crate's modules with the modules that each of them uses.
pub(crate) struct Graph {
    arrows: BTreeMap<Name, BTreeSet<Name>>,
}

impl Graph {
    /// Of the crate whose `src` folder this is.
    pub(crate) fn of(source: &Path) -> Graph {
        let root = ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().find(|file| file.exists()).unwrap();
        let mut modules = BTreeMap::new();
        read(&root, source, Vec::new(), &mut modules);
        let resolve = |from: &Name, path: &[String]| resolve(&modules, from, path, 0);
        let arrows = modules
            .iter()
            .map(|(name, module)| {
                let used = module.paths.iter().filter_map(|path| resolve(name, path)).filter(|used| used != name);
                (name.clone(), used.collect())
            })
            .collect();
        Graph { arrows }
    }

    /// The modules of each circle (Tarjan's strongly connected components), the largest first.
    pub(crate) fn circles(&self) -> Vec<Vec<String>> {
        let mut search =
            Search { graph: self, index: BTreeMap::new(), low: BTreeMap::new(), stack: Vec::new(), found: Vec::new() };
        for name in self.arrows.keys() {
            if !search.index.contains_key(name) {
                search.visit(name);
            }
        }
        let mut found = search.found;
        found.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
        found
    }
}

/// What a file says.
#[derive(Default)]
struct Module {
    /// Every path with more than one segment, and every path that is imported.
    paths: Vec<Vec<String>>,
    /// What it calls by another module's name: the name here, and the path.
    imports: BTreeMap<String, Vec<String>>,
}

/// Reads a file and the files of its modules.
fn read(file: &Path, folder: &Path, name: Name, modules: &mut BTreeMap<Name, Module>) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut reader = Reader::default();
    reader.visit_file(&syntax);
    for (child, path) in reader.children {
        let file = path.map_or_else(
            || {
                let flat = folder.join(format!("{child}.rs"));
                if flat.exists() { flat } else { folder.join(&child).join("mod.rs") }
            },
            |path| file.parent().unwrap().join(path),
        );
        let name = [&name[..], std::slice::from_ref(&child)].concat();
        read(&file, &folder.join(child), name, modules);
    }
    modules.insert(name, reader.module);
}

#[derive(Default)]
struct Reader {
    module: Module,
    children: Vec<(String, Option<PathBuf>)>,
    /// How many modules in braces are around.
    depth: usize,
}

impl Reader {
    fn import(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.import(&with(&path.ident), &path.tree),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(before, tree)),
            syn::UseTree::Glob(_) => {
                let path = self.outside(before.to_vec());
                self.module.paths.push(path);
            }
            syn::UseTree::Name(one) if one.ident == "self" => {
                self.known_as(before.last().unwrap().clone(), before.to_vec())
            }
            syn::UseTree::Name(one) => self.known_as(one.ident.to_string(), with(&one.ident)),
            syn::UseTree::Rename(one) if one.ident == "self" => self.known_as(one.rename.to_string(), before.to_vec()),
            syn::UseTree::Rename(one) => self.known_as(one.rename.to_string(), with(&one.ident)),
        }
    }

    /// `path` as the file's own module would write it.
    fn outside(&self, path: Vec<String>) -> Vec<String> {
        let supers = path.iter().take_while(|segment| *segment == "super").count();
        let inside = supers.min(self.depth);
        match (inside, supers - inside) {
            (0, _) => path,
            (_, 0) => std::iter::once("self".to_owned()).chain(path.into_iter().skip(inside)).collect(),
            _ => path.into_iter().skip(inside).collect(),
        }
    }

    fn known_as(&mut self, name: String, path: Vec<String>) {
        let path = self.outside(path);
        self.module.paths.push(path.clone());
        self.module.imports.insert(name, path);
    }
}

pub(crate) fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string().starts_with("test")
                || list.tokens.to_string().starts_with("all (test") || list.tokens.to_string().starts_with("all(test"))
    })
}

impl<'a> Visit<'a> for Reader {
    fn visit_item(&mut self, item: &'a syn::Item) {
        let attributes: &[syn::Attribute] = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Struct(item) => &item.attrs,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if item.content.is_some() {
            self.depth += 1;
            syn::visit::visit_item_mod(self, item);
            self.depth -= 1;
            return;
        }
        let path = item.attrs.iter().find_map(|attribute| match &attribute.meta {
            syn::Meta::NameValue(meta) if meta.path.is_ident("path") => match &meta.value {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(PathBuf::from(text.value())),
                _ => None,
            },
            _ => None,
        });
        self.children.push((item.ident.to_string(), path));
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.import(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.segments.len() > 1 {
            let path = self.outside(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
            self.module.paths.push(path);
        }
        syn::visit::visit_path(self, path);
    }
}

/// The module that defines what `path` names in the module `from`; `None` if that is another crate's or unknown.
fn resolve(modules: &BTreeMap<Name, Module>, from: &Name, path: &[String], depth: usize) -> Option<Name> {
    let (first, rest) = path.split_first()?;
    if depth > 16 {
        return None;
    }
    let begin = match first.as_str() {
        "crate" => Vec::new(),
        "self" => from.clone(),
        "super" => from.split_last()?.1.to_vec(),
        _ => {
            let child = [&from[..], std::slice::from_ref(first)].concat();
            if modules.contains_key(&child) {
                return walk(modules, child, rest, depth);
            }
            let import = modules.get(from)?.imports.get(first)?;
            if import == path || import.first() == Some(first) && import.len() == 1 {
                return None;
            }
            return resolve(modules, from, &[&import[..], rest].concat(), depth + 1);
        }
    };
    walk(modules, begin, rest, depth)
}

/// From the module `at` along `rest`: into modules as long as there are any, then through re-exports.
fn walk(modules: &BTreeMap<Name, Module>, at: Name, rest: &[String], depth: usize) -> Option<Name> {
    let Some((next, after)) = rest.split_first() else { return Some(at) };
    if next == "super" {
        return walk(modules, at.split_last()?.1.to_vec(), after, depth);
    }
    let child = [&at[..], std::slice::from_ref(next)].concat();
    if modules.contains_key(&child) {
        return walk(modules, child, after, depth);
    }
    let module = modules.get(&at)?;
    if let Some(import) = module.imports.get(next) {
        return resolve(modules, &at, &[&import[..], after].concat(), depth + 1).or(Some(at));
    }
    Some(at)
}

struct Search<'a> {
    graph: &'a Graph,
    index: BTreeMap<&'a Name, usize>,
    low: BTreeMap<&'a Name, usize>,
    stack: Vec<&'a Name>,
    found: Vec<Vec<String>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, name: &'a Name) {
        let number = self.index.len();
        self.index.insert(name, number);
        self.low.insert(name, number);
        self.stack.push(name);
        for next in &self.graph.arrows[name] {
            let low = if !self.index.contains_key(next) {
                self.visit(next);
                self.low[next]
            } else if self.stack.contains(&next) {
                self.index[next]
            } else {
                continue;
            };
            let own = self.low[name];
            self.low.insert(name, own.min(low));
        }
        if self.low[name] == number {
            let begin = self.stack.iter().position(|one| *one == name).unwrap();
            let mut circle = self.stack.split_off(begin);
            circle.sort();
            self.found.push(circle.into_iter().map(|name| format!("crate::{}", name.join("::"))).collect());
        }
    }
}
