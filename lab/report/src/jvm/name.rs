//! What virtual machines and providers are called: `JDK 25.0.3`, `NSS 3.87.1 (JDK 25.0.3)`.

use crate::selection::{Contender, ContenderIndex, Selection};
use crate::visible::short;
use kasoku_model::library::{ACCP, BOUNCY_CASTLE, CONSCRYPT, KASOKU_JCA, NSS, SUNJCE};

/// What providers are called by those who use them.
const TITLES: [(&str, &str); 6] = [
    (SUNJCE, "JDK"),
    (NSS, "NSS"),
    (KASOKU_JCA, "Kasoku"),
    (ACCP, "ACCP"),
    (CONSCRYPT, "Conscrypt"),
    (BOUNCY_CASTLE, "Bouncy Castle"),
];

/// The longest version that is shown.
const VERSION: usize = 60;

/// The name of `who`, with its build only where there are two of one version.
pub(super) fn name(selection: &Selection<'_>, who: ContenderIndex) -> String {
    let (place, who) = (who, selection.contender(who));
    let brief = without_build(&who.version);
    let is_namesake = |other: &Contender| {
        other.library == who.library && other.version != who.version && without_build(&other.version) == brief
    };
    let is_alone = !selection.contenders().any(|other| is_namesake(selection.contender(other)));
    let version = short(if is_alone { &brief } else { &who.version }, VERSION);
    let Some((_, title)) = TITLES.iter().find(|(library, _)| *library == who.library) else {
        return selection.full_label(place);
    };
    let base = format!("{title} {version}");
    match who.flags() {
        Some(flags) => format!("{base} {flags}"),
        None => base,
    }
}

/// A version without what stands behind a plus: `25.0.3+9-LTS` is `25.0.3`.
fn without_build(version: &str) -> String {
    let mut kept = String::new();
    let mut is_build = false;
    for character in version.chars() {
        is_build = match character {
            '+' => true,
            ' ' | ')' => false,
            _ => is_build,
        };
        if !is_build {
            kept.push(character);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_are_left_out() {
        assert_eq!(without_build("17.0.15+6-Debian-1deb12u1"), "17.0.15");
        assert_eq!(without_build("3.87.1 (JDK 25.0.3+9-LTS)"), "3.87.1 (JDK 25.0.3)");
        assert_eq!(without_build("21"), "21");
    }
}
