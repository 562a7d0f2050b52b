//! The level jvm: virtual machines, providers and their flags; crypto.aes beside its published scores; HTTPS servers.

mod claims;
mod https;
mod score;
mod tables;

use crate::prelude::*;
use kasoku_model::library::info;

use super::LevelReport;

/// Maximum width of a version, in columns.
const VERSION: usize = 60;

pub(crate) struct JvmSelection<'a> {
    selection: Selection<'a>,
}

impl<'a> JvmSelection<'a> {
    pub(crate) fn new(document: &'a Document) -> Option<Self> {
        let selection = Selection::of_level(document, Level::Jvm);
        document.series.iter().any(|series| series.level == Level::Jvm).then_some(JvmSelection { selection })
    }

    /// Names a virtual machine or provider, with its build only if there are several builds of one version: `JDK
    /// 25.0.3`, `NSS 3.87.1 (JDK 25.0.3)`.
    fn name(&self, who: ContenderIndex) -> Text {
        let own = self.selection.contender(who);
        let Some(title) = info(&own.library).and_then(|library| library.java_title) else {
            return self.selection.full_label(who);
        };
        let brief = without_build(&own.version);
        let is_other_build = |other| {
            let other = self.selection.contender(other);
            other.library == own.library && other.version != own.version && without_build(&other.version) == brief
        };
        let has_several = self.selection.contenders().any(is_other_build);
        let version = short(if has_several { &own.version } else { &brief }, VERSION);
        let flags = own.flags().map(|flags| format!(" {flags}")).unwrap_or_default();
        format!("{title} {version}{flags}").into()
    }
}

impl LevelReport for JvmSelection<'_> {
    fn claims(&self) -> Vec<Claim> {
        claims::claims(self)
    }

    fn summary(&self) -> Vec<Table> {
        let yardstick = tables::KINDS.into_iter().filter_map(|kind| self.selection.yardstick(kind)).max();
        let ciphers = yardstick.and_then(|bytes| tables::ciphers(self, Some(bytes)));
        ciphers.into_iter().chain(self.server_tables(false)).chain(tables::score_table(self, false)).collect()
    }

    fn section(&self, claims: &[Claim], _: &Palette) -> Section {
        let tables =
            [tables::score_table(self, true), tables::parts(self), tables::ciphers(self, None), tables::flags(self)];
        let mut more = vec![Block::Paragraph(say!("jvm-explained"))];
        more.extend(tables.into_iter().flatten().chain(self.server_tables(true)).map(Block::Table));
        more.push(Block::Paragraph(say!("jvm-choose")));
        super::section(["jvm", "jvm-title", "jvm-more"], claims, None, more)
    }
}

/// Removes the build, which follows a plus: `25.0.3` of `25.0.3+9-LTS`.
fn without_build(version: &str) -> String {
    let mut is_build = false;
    let is_kept = |character: &char| {
        is_build = match character {
            '+' => true,
            ' ' | ')' => false,
            _ => is_build,
        };
        !is_build
    };
    version.chars().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use super::without_build;

    #[test]
    fn without_build_keeps_version_and_virtual_machine() {
        assert_eq!(without_build("17.0.15+6-Debian-1deb12u1"), "17.0.15");
        assert_eq!(without_build("3.87.1 (JDK 25.0.3+9-LTS)"), "3.87.1 (JDK 25.0.3)");
        assert_eq!(without_build("21"), "21");
    }
}
