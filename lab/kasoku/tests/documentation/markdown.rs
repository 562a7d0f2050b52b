//! What a test asks of a Markdown page: its links, its anchors, the commands in its blocks of code.

use std::path::Path;

/// A page, as lines of text and blocks of code.
pub(crate) struct Page {
    parts: Vec<Part>,
}

enum Part {
    Text(String),
    Code { language: String, lines: Vec<String> },
}

/// Where a link of the project leads: a path as it is written, empty for the page itself, and a heading there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) file: String,
    pub(crate) anchor: Option<String>,
}

impl Page {
    pub(crate) fn read(path: &Path) -> Page {
        Page::of(&std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    pub(crate) fn of(text: &str) -> Page {
        let mut parts = Vec::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(language) = line.trim_start().strip_prefix("```") else {
                parts.push(Part::Text(line.to_owned()));
                continue;
            };
            let indent = line.len() - line.trim_start().len();
            let code = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```"));
            let code = code.map(|line| line.get(indent..).unwrap_or_default().to_owned()).collect();
            parts.push(Part::Code { language: language.trim().to_owned(), lines: code });
        }
        Page { parts }
    }

    /// Links that stay in the project.
    pub(crate) fn links(&self) -> impl Iterator<Item = Target> {
        let text: Vec<&str> = self.text().collect();
        let text = text.join("\n");
        let targets: Vec<String> = text
            .split("](")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()))
            .filter(|target| !target.contains("://") && !target.contains(char::is_whitespace))
            .collect();
        targets.into_iter().map(|target| match target.split_once('#') {
            Some((file, anchor)) => Target { file: file.to_owned(), anchor: Some(anchor.to_owned()) },
            None => Target { file: target, anchor: None },
        })
    }

    /// Whether a heading has that anchor.
    pub(crate) fn has_anchor(&self, anchor: &str) -> bool {
        self.text().filter_map(|line| line.strip_prefix('#')).any(|heading| {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).eq(anchor.chars())
        })
    }

    /// The lines that a reader types: in a block `console` those after `$`, in a block of a shell all. One that ends in
    /// a backslash goes on in the next.
    pub(crate) fn commands(&self) -> Vec<String> {
        let mut commands = Vec::new();
        for part in &self.parts {
            let Part::Code { language, lines } = part else { continue };
            let is_console = language == "console";
            if !is_console && !matches!(language.as_str(), "sh" | "bash") {
                continue;
            }
            let mut lines = lines.iter();
            while let Some(line) = lines.next() {
                let typed = if is_console { line.strip_prefix("$ ") } else { Some(line.as_str()) };
                let Some(typed) = typed else { continue };
                let mut typed = typed.to_owned();
                while typed.ends_with('\\') {
                    typed.pop();
                    typed += lines.next().unwrap();
                }
                commands.push(typed);
            }
        }
        commands
    }

    fn text(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(line) => Some(line.as_str()),
            Part::Code { .. } => None,
        })
    }
}

#[test]
fn links_anchors_and_commands_are_found() {
    let page = Page::of(
        "# A `page`, of two\n[a](b.md#c) and [d](https://e) ![f](g.svg)\n\
         ```console\n$ one \\\n  more\nsaid [h](i)\n```\n\
         ```text\nnothing\n```\n",
    );
    let of = |file: &str, anchor: Option<&str>| Target { file: file.to_owned(), anchor: anchor.map(str::to_owned) };
    assert_eq!(page.links().collect::<Vec<_>>(), [of("b.md", Some("c")), of("g.svg", None)]);
    assert!(page.has_anchor("a-page-of-two") && !page.has_anchor("a-page"));
    assert_eq!(page.commands(), ["one   more"]);
}
