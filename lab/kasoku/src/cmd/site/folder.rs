//! The folder of a site: written file by file, and rid of what is no longer in it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::Failure;
use kasoku_report::site::Page;

/// Tells a folder that this command writes from any other.
const MARK: &str = ".kasoku-site";
const MEANING: &str = "Written by `kasoku site`, which removes from here the pages of what is gone.\n";

/// The folders of a site, in which nothing else is kept.
const ROOMS: [&str; 7] = ["machine", "algorithm", "library", "run", "ja/machine", "ja/algorithm", "ja/library"];

/// A folder that a site is written to.
pub(super) struct SiteFolder {
    root: PathBuf,
    written: Mutex<HashSet<PathBuf>>,
}

impl SiteFolder {
    /// The folder, made if it is not there.
    ///
    /// # Errors
    /// If it has something else in it, or cannot be made.
    pub(super) fn open(root: &Path) -> Result<SiteFolder, Failure> {
        let is_empty = match fs::read_dir(root) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(failed(root, &error)),
        };
        if !is_empty && !root.join(MARK).is_file() {
            let shown = root.display();
            return Err(Failure::new(format!("{shown} is not empty and no site of Kasoku: name another folder")));
        }
        for room in ROOMS {
            let room = root.join(room);
            fs::create_dir_all(&room).map_err(|error| failed(&room, &error))?;
        }
        let folder = SiteFolder { root: root.to_owned(), written: Mutex::default() };
        folder.write(MARK, MEANING)?;
        Ok(folder)
    }

    /// Writes a page.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn page(&self, page: &Page) -> Result<(), Failure> {
        self.write(&page.path, &page.text)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        let path = self.root.join(path);
        // Whoever reads the site while it is written again sees a whole page, the old or the new one.
        let beside = path.with_extension("part");
        fs::write(&beside, text).and_then(|()| fs::rename(&beside, &path)).map_err(|error| failed(&path, &error))?;
        self.written.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).insert(path);
        Ok(())
    }

    /// Removes what an earlier site had and this one has not. Gives how many files there are.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn finish(self) -> Result<usize, Failure> {
        let written = self.written.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        for room in ROOMS {
            let room = self.root.join(room);
            for entry in fs::read_dir(&room).map_err(|error| failed(&room, &error))? {
                let path = entry.map_err(|error| failed(&room, &error))?.path();
                if path.is_file() && !written.contains(&path) {
                    fs::remove_file(&path).map_err(|error| failed(&path, &error))?;
                }
            }
        }
        Ok(written.len() - 1)
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::in_the_middle(format!("cannot write {}: {error}, or name another folder", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_somebody_elses_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.tex"), "…").unwrap();
        let refused = SiteFolder::open(folder.path()).err().unwrap();
        assert!(refused.to_string().contains("no site of Kasoku"), "{refused}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(SiteFolder::open(&folder.path().join("thesis.tex")).is_err());
    }

    #[test]
    fn pages_of_what_is_gone_go() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("a/site");
        let first = SiteFolder::open(&root).unwrap();
        first.write("run/1.json", "1").unwrap();
        first.write("run/2.json", "2").unwrap();
        assert_eq!(first.finish().unwrap(), 2);
        let again = SiteFolder::open(&root).unwrap();
        again.write("run/2.json", "two").unwrap();
        assert_eq!(again.finish().unwrap(), 1);
        assert!(!root.join("run/1.json").exists());
        assert_eq!(fs::read_to_string(root.join("run/2.json")).unwrap(), "two");
    }
}
