//! What `kasoku run` takes for the level `files`: its options, sizes of its own, what dead runs left.

use std::path::{Path, PathBuf};

use super::super::named::number_of;
use super::super::{Failure, tell};
use kasoku_measure::files::ScratchFiles;
use kasoku_measure::folder::remove_leftovers;
use kasoku_measure::level::files::{MIN_BESIDE_OTHERS, NAME};
use kasoku_measure::level::options::LevelOptions;
use kasoku_measure::level::{jvm, reproduction, tls};
use kasoku_model::workload::MAX_BYTES;

pub(super) const EXAMPLES: &str = "\
Examples:
  kasoku run files --sizes 50M,1G --dir /srv    on that folder's file system
  kasoku run files --cold                       also with an empty page cache
  kasoku run files --as-published --list        how long the published measurement takes here";

/// The level's own options.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct FilesArgs {
    /// Folder on the file system to measure [default: the system's temporary folder]
    #[arg(long, value_name = "PATH")]
    pub(super) dir: Option<PathBuf>,
    /// Measure also with an empty page cache
    #[arg(long)]
    pub(super) cold: bool,
    /// Repetitions of each file in each of the two test runs [default: as many as the time allows]
    #[arg(long, value_name = "N", value_parser = number_of("repetitions", 1..=10_000_u32))]
    pub(super) repetitions: Option<u32>,
    /// Resume an interrupted run (repeat the same arguments); its samples are kept
    #[arg(long, value_name = "RUN")]
    pub(super) resume: Option<String>,
    /// Write a line for every repetition to this file
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
}

/// Whether files can be made in the folder that was named.
///
/// # Errors
/// If they cannot.
pub(super) fn check(dir: &Path) -> Result<(), Failure> {
    if !dir.is_dir() {
        return Err(Failure::new(format!("--dir {}: no such folder", dir.display())));
    }
    ScratchFiles::on(dir)
        .map(drop)
        .map_err(|error| Failure::new(format!("--dir {}: cannot create files there: {error}", dir.display())))
}

/// The options as one level sees it: all levels share `--sizes`, and the published measurements of Java, of files and
/// of web servers take hours, so that they must be asked for by name.
pub(super) fn options_of(options: &LevelOptions, level: &str, named: &[String], as_published: bool) -> LevelOptions {
    let mut options = options.clone();
    let is_of_whole_files = [NAME, tls::NAME].contains(&level);
    let is_alone = named.len() == 1;
    if let Some(sizes) = &mut options.sizes {
        if is_of_whole_files && !is_alone {
            sizes.retain(|&bytes| bytes >= MIN_BESIDE_OTHERS);
        } else if !is_of_whole_files {
            sizes.retain(|&bytes| bytes <= MAX_BYTES);
        }
    }
    let takes_hours = is_of_whole_files || level == jvm::NAME;
    let is_published = as_published && !(takes_hours && named.is_empty());
    if is_published { reproduction::as_published(level, options) } else { options }
}

/// Removes what dead runs left in the folder that is measured, and says so.
pub(super) fn clean(options: &LevelOptions) {
    for path in remove_leftovers(&options.files.dir()) {
        tell(&format!("removed {}, left by a killed run", path.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_hours_is_asked_for_by_name() {
        let is_published = |level: &str, named: &[String]| {
            let options = options_of(&LevelOptions::default(), level, named, true);
            options.rounds.is_some() || options.files.repetitions.is_some()
        };
        for level in ["jvm", "files", "tls"] {
            assert!(!is_published(level, &[]) && is_published(level, &[level.to_owned()]), "{level}");
        }
        assert!(is_published("primitives", &[]));
    }

    #[test]
    fn sizes_go_to_the_levels_that_can_have_them() {
        let options = LevelOptions { sizes: Some(vec![1350, 16 << 20, 1 << 30]), ..LevelOptions::default() };
        let sizes = |level: &str, named: &[String]| options_of(&options, level, named, false).sizes.unwrap();
        assert_eq!(sizes("files", &[]), [16 << 20, 1 << 30]);
        assert_eq!(sizes("primitives", &[]), [1350, 16 << 20]);
        assert_eq!(sizes("files", &["files".to_owned()]), [1350, 16 << 20, 1 << 30]);
    }
}
