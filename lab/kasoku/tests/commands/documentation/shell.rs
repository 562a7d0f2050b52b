//! The parts of a shell's syntax that the documents use: quotes, pipes, lists, redirections, comments.

/// Splits a line into its commands, and each command into its words without redirections.
pub(crate) fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![String::new()];
    let mut quote = None;
    let mut before = ' ';
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '#') if before.is_whitespace() => break,
            (None, '|' | ';' | '&' | '(' | ')') => {
                commands.push(String::new());
                before = c;
                continue;
            }
            _ => {}
        }
        commands.last_mut().unwrap().push(c);
        before = c;
    }
    let words = commands.iter().map(|command| without_redirections(shell_words::split(command).unwrap()));
    words.filter(|words| !words.is_empty()).collect()
}

/// Returns the words from `program` on if the command runs `program`: by its name or path, after variables, or under a
/// program like `sudo` that starts another.
pub(crate) fn arguments_of<'a>(words: &'a [String], program: &str) -> Option<&'a [String]> {
    let is_it = |word: &String| word.rsplit('/').next() == Some(program);
    let first = words.iter().position(|word| !word.contains('='))?;
    let starts_another = ["sudo", "env", "mpirun", "srun", "nohup", "time"].contains(&words[first].as_str());
    match () {
        () if is_it(&words[first]) => Some(&words[first..]),
        () if starts_another => words.iter().position(is_it).map(|at| &words[at..]),
        () => None,
    }
}

fn without_redirections(words: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.trim_start_matches(|c: char| c.is_ascii_digit()) {
            ">" | ">>" | "<" => drop(words.next()),
            other if other.starts_with(['>', '<']) => {}
            _ => kept.push(word),
        }
    }
    kept
}

#[test]
fn shell_lines_are_split_into_commands() {
    let of = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        commands("A=1 kasoku run 'a | b' 2>/dev/null | tee > file; (cat x) # and so on"),
        [of(&["A=1", "kasoku", "run", "a | b"]), of(&["tee"]), of(&["cat", "x"])]
    );
    assert_eq!(arguments_of(&of(&["A=1", "target/kasoku", "run"]), "kasoku").unwrap(), of(&["target/kasoku", "run"]));
    assert_eq!(arguments_of(&of(&["mpirun", "-n", "2", "kasoku", "cpu"]), "kasoku").unwrap(), of(&["kasoku", "cpu"]));
    assert_eq!(arguments_of(&of(&["cat", "kasoku"]), "kasoku"), None);
}
