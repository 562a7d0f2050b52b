//! Checks the catalogues of messages. All languages have the same messages and variables, each message is used, and
//! each use sets the variables of its message.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use fluent_syntax::parser::parse;

/// Variables of each message, including those of its references, by `message` or `message.attribute`.
type Variables = BTreeMap<String, BTreeSet<String>>;

/// Variables for grammar, which a translation may omit. They state whether an item is the first that names its
/// quantity, or the last.
const GRAMMAR: [&str; 2] = ["is_first", "is_last"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn catalogues() -> BTreeMap<String, Variables> {
    let files = std::fs::read_dir(folder("messages")).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), catalogue(&path))).collect()
}

fn catalogue(path: &Path) -> Variables {
    let text = std::fs::read_to_string(path).unwrap();
    let resource = parse(text.as_str()).unwrap_or_else(|(_, errors)| panic!("{}: {errors:?}", path.display()));
    let mut found: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for entry in &resource.body {
        let Entry::Message(message) = entry else { continue };
        let id = message.id.name;
        let attributes = message.attributes.iter().map(|one| (format!("{id}.{}", one.id.name), &one.value));
        for (name, pattern) in message.value.iter().map(|value| (id.to_owned(), value)).chain(attributes) {
            let mut parts = (BTreeSet::new(), BTreeSet::new());
            of_pattern(pattern, &mut parts);
            assert!(found.insert(name.clone(), parts).is_none(), "{}: duplicate message {name}", path.display());
        }
    }
    let with_references = |name: &String| {
        let (mut variables, mut references) = found[name].clone();
        while let Some(reference) = references.pop_first() {
            let (more, further) = found.get(&reference).unwrap_or_else(|| panic!("{name}: no message {reference}"));
            variables.extend(more.iter().cloned());
            references.extend(further.iter().cloned());
        }
        variables
    };
    found.keys().map(|name| (name.clone(), with_references(name))).collect()
}

fn of_pattern(pattern: &Pattern<&str>, parts: &mut (BTreeSet<String>, BTreeSet<String>)) {
    for element in &pattern.elements {
        if let PatternElement::Placeable { expression } = element {
            of_expression(expression, parts);
        }
    }
}

fn of_expression(expression: &Expression<&str>, parts: &mut (BTreeSet<String>, BTreeSet<String>)) {
    let inline = match expression {
        Expression::Inline(inline) => inline,
        Expression::Select { selector, variants } => {
            variants.iter().for_each(|variant| of_pattern(&variant.value, parts));
            selector
        }
    };
    match inline {
        InlineExpression::VariableReference { id } => _ = parts.0.insert(id.name.to_owned()),
        InlineExpression::MessageReference { id, attribute: None } => _ = parts.1.insert(id.name.to_owned()),
        InlineExpression::Placeable { expression } => of_expression(expression, parts),
        InlineExpression::StringLiteral { .. } | InlineExpression::NumberLiteral { .. } => {}
        other => panic!("unsupported expression in a catalogue: {other:?}"),
    }
}

fn sources() -> String {
    let mut text = String::new();
    let mut folders = vec![folder("src")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    text
}

fn uses(sources: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut uses = Vec::new();
    for start in sources.match_indices("say!(").map(|(place, mark)| place + mark.len()) {
        let rest = &sources[start..];
        let Some(key) = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next()) else { continue };
        uses.push((key.to_owned(), names_given(rest)));
    }
    uses
}

fn families(sources: &str) -> BTreeSet<&str> {
    let names = sources.split("format!(\"").skip(1).filter_map(|rest| rest.split(['{', '"']).next());
    let is_family = |name: &&str| name.ends_with('-') && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    names.filter(is_family).collect()
}

fn names_given(arguments: &str) -> BTreeSet<String> {
    let (mut depth, mut in_text, mut before) = (0, false, ' ');
    let mut argument = String::new();
    let mut names = BTreeSet::new();
    for character in arguments.chars() {
        match character {
            '"' if before != '\\' => in_text = !in_text,
            '(' | '[' | '{' if !in_text => depth += 1,
            ')' if !in_text && depth == 0 => break,
            ')' | ']' | '}' if !in_text => depth -= 1,
            ',' if !in_text && depth == 0 => argument.clear(),
            '=' if !in_text && depth == 0 => _ = names.insert(argument.trim().to_owned()),
            _ if !in_text && depth == 0 => argument.push(character),
            _ => {}
        }
        before = character;
    }
    names.retain(|name| name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_'));
    names
}

#[test]
fn every_language_has_every_message_with_the_same_variables() {
    let catalogues = catalogues();
    let english = &catalogues["en"];
    assert!(catalogues.len() > 1 && english.len() > 500, "{:?}", catalogues.keys());
    for (language, messages) in &catalogues {
        let [missing, surplus] = [(english, messages), (messages, english)]
            .map(|(one, other)| one.keys().filter(|key| !other.contains_key(*key)).collect::<Vec<_>>());
        assert!(missing.is_empty() && surplus.is_empty(), "{language} lacks {missing:?} and has {surplus:?}");
        for (key, variables) in messages {
            let differing: Vec<&String> = variables
                .symmetric_difference(&english[key])
                .filter(|name| !GRAMMAR.contains(&name.as_str()))
                .collect();
            assert!(differing.is_empty(), "{language}: {key}: {differing:?}");
        }
    }
}

#[test]
fn every_message_is_used_and_every_use_has_a_message() {
    let (sources, catalogues) = (sources(), catalogues());
    let english = &catalogues["en"];
    for (key, given) in uses(&sources) {
        let variables = english.get(&key).unwrap_or_else(|| panic!("no message {key}"));
        // A message may ignore variables that other messages of its family need.
        assert!(variables.is_subset(&given), "{key} needs {variables:?}, but gets {given:?}");
    }
    let referred = |key: &str| {
        let files = std::fs::read_to_string(folder("messages/en.ftl")).unwrap();
        files.contains(&format!("{{ {key} }}"))
    };
    let families = families(&sources);
    let unused: Vec<&String> = english
        .keys()
        .filter(|key| !key.contains('.') && !sources.contains(&format!("\"{key}\"")) && !referred(key))
        .filter(|key| !families.iter().any(|family| key.starts_with(family)))
        .collect();
    assert!(unused.is_empty(), "unused messages: {unused:?}");
}
