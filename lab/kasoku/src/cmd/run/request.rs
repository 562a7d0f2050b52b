//! The request of a run: the arguments of `kasoku run`.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use super::super::{Failure, report};
use super::common_args::CommonArgs;
use super::level_args::{FilesArgs, JvmArgs, PacketsArgs, TlsArgs, WholeFilesArgs};
use kasoku_model::level::Level;

/// Measure this machine
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct RunRequest {
    /// Levels to measure [default: all that this machine can run]
    #[arg(value_name = "LEVEL", value_enum)]
    pub(super) levels: Vec<Level>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
    #[command(flatten)]
    pub(super) packets: PacketsArgs,
    #[command(flatten)]
    pub(super) whole_files: WholeFilesArgs,
    #[command(flatten)]
    pub(super) files: FilesArgs,
    #[command(flatten)]
    pub(super) jvm: JvmArgs,
    #[command(flatten)]
    pub(super) tls: TlsArgs,
}

const EXAMPLES: &str = "\
Examples:
  kasoku run                                    everything, and a verdict
  kasoku run --list                             what would be measured, and how long it would take
  kasoku run primitives --quick --json out.json
  kasoku run --libraries openssl,ring --algorithms aes-256-gcm --sizes 1350,16384
  kasoku run --libcrypto /opt/openssl-3.5/lib/libcrypto.so.3     two builds side by side
  kasoku run primitives --algorithms aes-128-ctr --acceleration off --sizes sweep     for kasoku steps
  kasoku run packets --sizes 1200,1452          QUIC packets with these payloads
  kasoku run packets --end-to-end               what quinn and rustls gain from each provider
  kasoku run files --sizes 50M,1G --dir /srv    on that folder's file system
  kasoku run files --as-published --list        how long the published measurement takes here
  kasoku run jvm --java /opt/jdk-21             this JDK beside those found
  kasoku run jvm --jvm-flag=-XX:-UseGHASHIntrinsics
  kasoku run tls --sizes 1M,64M --workers 1,2 --duration 10      an nginx server
  kasoku run tls --server web1 --clients load1,load2             load from several hosts, started together
  kasoku run packets tls                        two levels
  kasoku run primitives --hosts node1,node2     each host measures itself, reached by ssh (docs/HOSTS.md)";

/// Checks that every option that was typed is for a level that is named, or for all. The error names the first that is
/// not, and its levels.
pub fn check_options(typed: &ArgMatches, run: &mut Command) -> Result<(), clap::Error> {
    let named: Vec<&Level> = typed.get_many("levels").into_iter().flatten().collect();
    let is_typed = |id: &&clap::Id| typed.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    let misplaced = run.get_groups().find_map(|group| {
        let levels: Vec<&str> = group.get_id().as_str().split(' ').collect();
        let is_named = named.iter().any(|name| levels.contains(&name.name()));
        let id = group.get_args().find(is_typed).filter(|_| !is_named)?;
        let option = run.get_arguments().find(|argument| argument.get_id() == id)?.get_long()?;
        let many = if levels.len() > 1 { "s" } else { "" };
        let (all, first) = (levels.join(" and "), levels.first()?);
        Some(format!("--{option} is for the level{many} {all}: kasoku run {first} --{option} …"))
    });
    misplaced.map_or(Ok(()), |what| Err(run.error(ErrorKind::ArgumentConflict, what)))
}

impl RunRequest {
    /// Whether that level is named.
    pub(super) fn names(&self, level: Level) -> bool {
        self.levels.contains(&level)
    }

    /// Whether that level is named, and no other.
    pub(super) fn names_only(&self, level: Level) -> bool {
        self.names(level) && self.levels.iter().all(|name| *name == level)
    }

    /// The run to resume.
    pub(super) fn resume(&self) -> Result<Option<&str>, Failure> {
        let resume = self.whole_files.resume.as_deref();
        if resume.is_some() && !self.names_only(Level::Files) && !self.names_only(Level::Tls) {
            return Err(Failure::new(format!(
                "--resume works for runs of {0} or {1} alone: kasoku run {0} … --resume RUN",
                Level::Files,
                Level::Tls
            )));
        }
        Ok(resume)
    }

    /// Where the report of `run` goes.
    pub(super) fn report_path(&self, run: &str) -> PathBuf {
        self.common.report.clone().unwrap_or_else(|| report::page_of(run))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::{CommandFactory as _, FromArgMatches as _, Parser};

    use super::*;

    #[derive(Parser)]
    #[group(skip)]
    struct Line {
        #[command(flatten)]
        request: RunRequest,
    }

    fn request(arguments: &str) -> Result<RunRequest, String> {
        let mut run = Line::command();
        let typed = run.try_get_matches_from_mut(std::iter::once("run").chain(arguments.split_whitespace()));
        let typed = typed.map_err(|error| error.to_string())?;
        check_options(&typed, &mut run).map_err(|error| error.to_string())?;
        Ok(Line::from_arg_matches(&typed).unwrap().request)
    }

    #[test]
    fn options_stand_before_or_behind_levels_and_repeated_ones_collect() {
        for line in [
            "--quick --libcrypto a --sizes 64 tls --workers 3 files --libcrypto b --rounds 6 --sizes 1K",
            "tls files --quick --workers 3 --libcrypto a --libcrypto b --rounds 6 --sizes 64,1K",
        ] {
            let request = request(line).unwrap();
            assert_eq!(request.levels, [Level::Tls, Level::Files]);
            assert_eq!(request.tls.workers, Some(vec![3]));
            assert_eq!((request.common.quick, request.common.rounds), (true, Some(6)));
            assert_eq!(request.common.libcrypto, [Path::new("a"), Path::new("b")]);
            assert_eq!(request.common.sizes.map(|sizes| sizes.len()), Some(2));
        }
    }

    #[test]
    fn no_level_means_all() {
        let request = request("--quick").unwrap();
        assert!(request.levels.is_empty() && request.common.quick && !request.names_only(Level::Tls));
    }

    #[test]
    fn options_of_levels_that_are_not_named_are_refused() {
        for (line, why) in [
            ("--workers 2", "--workers is for the level tls: kasoku run tls --workers …"),
            ("packets --dir .", "--dir is for the levels files and tls: kasoku run files --dir …"),
            ("files --cold --end-to-end", "--end-to-end is for the level packets: kasoku run packets --end-to-end …"),
            ("pakets", "packets"),
        ] {
            let error = request(line).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        assert!(request("jvm tls --dir . --specjvm x").is_ok());
    }

    #[test]
    fn every_group_of_options_is_named_by_levels() {
        let run = Line::command();
        for level in run.get_groups().flat_map(|group| group.get_id().as_str().split(' ')) {
            assert!(level.parse::<Level>().is_ok(), "{level}");
        }
    }
}
