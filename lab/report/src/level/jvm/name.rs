//! Names of virtual machines and providers: `JDK 25.0.3`, `NSS 3.87.1 (JDK 25.0.3)`.

use std::collections::{BTreeSet, HashMap};

use crate::selection::{ContenderIndex, Selection};
use crate::text::Text;
use crate::visible::short;
use kasoku_model::library::info;

/// Maximum number of columns of a version.
const VERSION: usize = 60;

/// The names of all contenders of a selection.
pub(super) struct JvmNames<'s> {
    selection: &'s Selection<'s>,
    /// Number of builds of a library's version.
    builds: HashMap<(&'s str, String), usize>,
}

impl<'s> JvmNames<'s> {
    pub(super) fn new(selection: &'s Selection<'s>) -> Self {
        let versions: BTreeSet<(&str, &str)> = selection
            .contenders()
            .map(|who| selection.contender(who))
            .map(|who| (who.library.as_str(), who.version.as_str()))
            .collect();
        let mut builds: HashMap<(&str, String), usize> = HashMap::new();
        for (library, version) in versions {
            *builds.entry((library, without_build(version))).or_default() += 1;
        }
        JvmNames { selection, builds }
    }

    /// Returns the name of `who`, with its build only where there are two of one version.
    pub(super) fn of(&self, who: ContenderIndex) -> Text {
        let (place, who) = (who, self.selection.contender(who));
        let Some(title) = info(&who.library).and_then(|library| library.java_title) else {
            return self.selection.full_label(place);
        };
        let brief = (who.library.as_str(), without_build(&who.version));
        let has_several = self.builds.get(&brief).is_some_and(|count| *count > 1);
        let version = short(if has_several { &who.version } else { &brief.1 }, VERSION);
        match who.flags() {
            Some(flags) => format!("{title} {version} {flags}").into(),
            None => format!("{title} {version}").into(),
        }
    }
}

/// Returns a version without its build, which stands behind a plus: `25.0.3+9-LTS` is `25.0.3`.
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
    fn without_build_keeps_version_and_virtual_machine() {
        assert_eq!(without_build("17.0.15+6-Debian-1deb12u1"), "17.0.15");
        assert_eq!(without_build("3.87.1 (JDK 25.0.3+9-LTS)"), "3.87.1 (JDK 25.0.3)");
        assert_eq!(without_build("21"), "21");
    }
}
