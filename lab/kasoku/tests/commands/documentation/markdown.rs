//! Commands in the code blocks of a Markdown page.

use std::path::Path;

pub(crate) struct Page {
    /// Language and lines of each code block.
    blocks: Vec<(String, Vec<String>)>,
}

impl Page {
    pub(crate) fn read(path: &Path) -> Page {
        Page::of(&std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    pub(crate) fn of(text: &str) -> Page {
        let mut blocks = Vec::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(language) = line.trim_start().strip_prefix("```") else { continue };
            let indent = line.len() - line.trim_start().len();
            let code = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```"));
            let code = code.map(|line| line.get(indent..).unwrap_or_default().to_owned()).collect();
            blocks.push((language.trim().to_owned(), code));
        }
        Page { blocks }
    }

    /// Returns the commands of a page: the lines after `$` in blocks of `console`, and all lines in blocks of `sh` and
    /// `bash`. A line that ends in a backslash is joined with the next line.
    pub(crate) fn commands(&self) -> Vec<String> {
        let mut commands = Vec::new();
        for (language, lines) in &self.blocks {
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
}

#[test]
fn commands_are_found_in_console_and_shell_blocks() {
    let page = Page::of("text\n```console\n$ one \\\n  more\nsaid\n```\n```text\nnothing\n```\n```sh\ntwo\n```\n");
    assert_eq!(page.commands(), ["one   more", "two"]);
}
