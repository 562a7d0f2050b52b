//! What the command line asks for, wherever in it it stands.

use std::path::{Path, PathBuf};

use super::super::{Failure, report};
use super::files::FilesArgs;
use super::general::General;
use super::jvm::JvmArgs;
use super::levels::{LevelArgs, LevelCommand};
use super::packets::PacketsArgs;
use super::tls::TlsArgs;
use kasoku_measure::level::{files, jvm, packets, primitives, tls};

/// What is asked for.
#[derive(Debug, Default)]
pub(super) struct RunRequest {
    /// The levels that are named; none of them means all.
    pub(super) levels: Vec<String>,
    pub(super) general: General,
    pub(super) packets: PacketsArgs,
    pub(super) files: FilesArgs,
    pub(super) jvm: JvmArgs,
    pub(super) tls: TlsArgs,
}

impl RunRequest {
    /// By these arguments.
    pub(super) fn by(general: &General, level: Option<&LevelCommand>) -> RunRequest {
        let mut asked = RunRequest { general: general.clone(), ..RunRequest::default() };
        match level.cloned() {
            None => {}
            Some(LevelCommand::Primitives(of)) => drop(asked.take(primitives::NAME, of)),
            Some(LevelCommand::Packets(of)) => asked.packets = asked.take(packets::NAME, of),
            Some(LevelCommand::Files(of)) => asked.files = asked.take(files::NAME, of),
            Some(LevelCommand::Jvm(of)) => asked.jvm = asked.take(jvm::NAME, of),
            Some(LevelCommand::Tls(of)) => asked.tls = asked.take(tls::NAME, of),
        }
        asked
    }

    /// Takes what stands behind the name of a level, all but its own options.
    fn take<Own: clap::Args>(&mut self, level: &str, of: LevelArgs<Own>) -> Own {
        self.levels = [vec![level.to_owned()], of.others].concat();
        self.general = of.general.joined_with(&self.general);
        of.own
    }

    /// Whether that level is named.
    pub(super) fn names(&self, level: &str) -> bool {
        self.levels.iter().any(|name| name == level)
    }

    /// Whether that level is named, and no other.
    pub(super) fn names_only(&self, level: &str) -> bool {
        self.names(level) && self.levels.iter().all(|name| name == level)
    }

    /// The folder for files that are measured or served.
    pub(super) fn dir(&self) -> Option<&Path> {
        self.files.dir.as_deref().or(self.tls.dir.as_deref())
    }

    /// The run to resume.
    ///
    /// # Errors
    /// If other levels are named too.
    pub(super) fn resume(&self) -> Result<Option<&str>, Failure> {
        let resume = self.files.resume.as_deref().or(self.tls.resume.as_deref());
        if resume.is_some() && !self.names_only(files::NAME) && !self.names_only(tls::NAME) {
            return Err(Failure::new(format!(
                "--resume works for runs of {0} or {1} alone: kasoku run {0} … --resume RUN",
                files::NAME,
                tls::NAME
            )));
        }
        Ok(resume)
    }

    /// Where the report of `run` goes.
    pub(super) fn report_path(&self, run: &str) -> PathBuf {
        self.general.report.clone().unwrap_or_else(|| report::page_of(run))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        general: General,
        #[command(subcommand)]
        level: Option<LevelCommand>,
    }

    fn asked(arguments: &str) -> RunRequest {
        let line = Line::parse_from(std::iter::once("run").chain(arguments.split_whitespace()));
        RunRequest::by(&line.general, line.level.as_ref())
    }

    #[test]
    fn what_all_levels_share_stands_before_or_behind_their_names() {
        for line in [
            "--quick --libcrypto a --rounds 9 tls --workers 3 files --libcrypto b --rounds 6",
            "tls files --quick --workers 3 --libcrypto a --libcrypto b --rounds 6",
        ] {
            let asked = asked(line);
            assert_eq!(asked.levels, ["tls", "files"]);
            assert_eq!(asked.tls.workers, Some(vec![3]));
            assert_eq!((asked.general.quick, asked.general.rounds), (true, Some(6)));
            assert_eq!(asked.general.libcrypto, [Path::new("a"), Path::new("b")]);
        }
    }

    #[test]
    fn a_run_of_everything_names_no_level() {
        let asked = asked("--quick");
        assert!(asked.levels.is_empty() && asked.general.quick && !asked.names_only("tls"));
    }
}
