//! The folder of a site: writes files atomically, and removes pages that the site no longer has.

use std::collections::HashSet;
use std::fs::{self, DirEntry, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::NamedTempFile;

use super::Failure;
use kasoku_report::language::Language;
use kasoku_report::render::{SiteFile, site_folders};
use kasoku_store::output_file::unfinished;

/// File that marks a folder as a site. Its lock is held while the site is written.
const MARK: &str = ".kasoku-site";
const MEANING: &str = "Written by `kasoku site`, which removes from here the pages of what is gone.\n";

/// Prefix and suffix of the names of unfinished files.
const UNFINISHED: [&str; 2] = [".kasoku-", ".part"];

pub(super) struct SiteFolder {
    root: PathBuf,
    written: Mutex<HashSet<PathBuf>>,
    /// Open marker file, which holds the site's lock.
    _mark: File,
}

impl SiteFolder {
    /// Opens the folder of a site, or an empty folder. Creates a missing folder.
    pub(super) fn open(root: &Path) -> Result<SiteFolder, Failure> {
        let is_empty = match fs::read_dir(root) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(failed(root, &error)),
        };
        fs::create_dir_all(root).map_err(|error| failed(root, &error))?;
        let mark = mark(root, is_empty)?;
        let folder = SiteFolder { root: root.to_owned(), written: Mutex::default(), _mark: mark };
        for subfolder in site_folders().iter().map(|subfolder| root.join(subfolder)) {
            match fs::create_dir(&subfolder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(&subfolder, &error)),
                _ => folder.check(&subfolder)?,
            }
        }
        Ok(folder)
    }

    /// Returns whether an earlier site in this folder has runs.
    pub(super) fn has_runs(&self) -> Result<bool, Failure> {
        Ok(self.entries("run")?.iter().any(|entry| ending(&entry.path()) == Some("json")))
    }

    pub(super) fn page(&self, page: &SiteFile) -> Result<(), Failure> {
        self.write(&page.path, |file| file.write_all(page.text.as_bytes()))
    }

    pub(super) fn write(
        &self,
        path: &str,
        content: impl FnOnce(&mut BufWriter<NamedTempFile>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let path = self.root.join(path);
        // Readers of the site see either the old or the new page.
        let write = || {
            let mut file =
                BufWriter::new(unfinished(path.parent().unwrap_or(&self.root), UNFINISHED[0].as_ref(), UNFINISHED[1])?);
            content(&mut file)?;
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.persist(&path).map_err(|refused| refused.error)
        };
        write().map_err(|error| failed(&path, &error))?;
        self.written.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).insert(path);
        Ok(())
    }

    /// Removes unfinished files and files of an earlier site that this site lacks. Returns the number of written files.
    pub(super) fn finish(self) -> Result<usize, Failure> {
        let written = self.written.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for subfolder in [String::new()].iter().chain(&site_folders()) {
            // The pages in these folders are fixed for every site, so other files belong to the user.
            let is_fixed = subfolder.is_empty() || Language::from_tag(subfolder).is_some();
            for entry in self.entries(subfolder)? {
                let path = entry.path();
                let is_gone = !is_fixed && matches!(ending(&path), Some("html" | "json")) && !written.contains(&path);
                if is_unfinished(&entry) || is_gone {
                    fs::remove_file(&path).map_err(|error| failed(&path, &error))?;
                }
            }
        }
        Ok(written.len())
    }

    /// Lists the regular files in one of the site's folders.
    fn entries(&self, subfolder: &str) -> Result<Vec<DirEntry>, Failure> {
        let subfolder = if subfolder.is_empty() { self.root.clone() } else { self.root.join(subfolder) };
        self.check(&subfolder)?;
        let files = || -> io::Result<Vec<DirEntry>> {
            let entries = fs::read_dir(&subfolder)?.collect::<io::Result<Vec<_>>>()?;
            Ok(entries.into_iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())).collect())
        };
        files().map_err(|error| failed(&subfolder, &error))
    }

    /// Checks that a folder is no link to other files. The site's own folder may be a link, since the user named it.
    fn check(&self, subfolder: &Path) -> Result<(), Failure> {
        let metadata = fs::symlink_metadata(subfolder).map_err(|error| failed(subfolder, &error))?;
        if metadata.is_dir() || subfolder == self.root {
            return Ok(());
        }
        Err(Failure::new(format!("{} is not a folder of the site's own: move it aside", subfolder.display())))
    }
}

/// Opens and locks the marker file that identifies a folder as a site. Creates a missing marker file if `may_create` is
/// true.
fn mark(root: &Path, may_create: bool) -> Result<File, Failure> {
    let path = root.join(MARK);
    let opened = match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() => File::options().write(true).open(&path),
        Err(error) if error.kind() == io::ErrorKind::NotFound && may_create => {
            File::create_new(&path).and_then(|mut file| file.write_all(MEANING.as_bytes()).map(|()| file))
        }
        _ => {
            let shown = root.display();
            return Err(Failure::new(format!("{shown} is not empty and no site of Kasoku: name another folder")));
        }
    };
    let file = opened.map_err(|error| failed(&path, &error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(Failure::new(format!("another `kasoku site` writes to {}: wait until it has ended", root.display())))
        }
        // Continues without a lock on file systems that do not support locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

fn is_unfinished(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    name.to_str().is_some_and(|name| name.starts_with(UNFINISHED[0]) && name.ends_with(UNFINISHED[1]))
}

fn ending(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::in_the_middle(format!(
        "cannot write {}: {error}; make it writable, or name another folder",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &SiteFolder, path: &str, text: &str) {
        folder.write(path, |file| file.write_all(text.as_bytes())).unwrap();
    }

    #[test]
    fn open_rejects_folders_that_are_no_site() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.tex"), "…").unwrap();
        let refused = SiteFolder::open(folder.path()).err().unwrap();
        assert!(refused.to_string().contains("no site of Kasoku"), "{refused}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(SiteFolder::open(&folder.path().join("thesis.tex")).is_err());
    }

    #[test]
    fn finish_removes_only_old_pages_and_unfinished_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("a/site");
        let first = SiteFolder::open(&root).unwrap();
        assert!(!first.has_runs().unwrap());
        write(&first, "run/1.json", "1");
        write(&first, "run/2.json", "2");
        assert_eq!(first.finish().unwrap(), 2);
        for broken_off in [".kasoku-a.part", "ja/.kasoku-b.part", "machine/.kasoku-c.part"] {
            fs::write(root.join(broken_off), "").unwrap();
        }
        for kept in ["run/notes.txt", "robots.txt", "ja/.part", "CNAME.html"] {
            fs::write(root.join(kept), "").unwrap();
        }
        let again = SiteFolder::open(&root).unwrap();
        assert!(again.has_runs().unwrap());
        write(&again, "run/2.json", "two");
        assert_eq!(again.finish().unwrap(), 1);
        assert!(!root.join("run/1.json").exists());
        assert_eq!(fs::read_to_string(root.join("run/2.json")).unwrap(), "two");
        for (subfolder, expected) in [("", 9), ("ja", 4), ("machine", 0), ("run", 2)] {
            assert_eq!(fs::read_dir(root.join(subfolder)).unwrap().count(), expected, "{subfolder}");
        }
    }

    #[test]
    fn open_rejects_a_site_that_is_being_written() {
        let folder = tempfile::tempdir().unwrap();
        let first = SiteFolder::open(folder.path()).unwrap();
        let refused = SiteFolder::open(folder.path()).err().unwrap();
        assert!(refused.to_string().contains("another `kasoku site`"), "{refused}");
        first.finish().unwrap();
        SiteFolder::open(folder.path()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_in_the_folder_of_a_site_are_rejected() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let documents = folder.path().join("documents");
        fs::create_dir(&documents).unwrap();
        fs::write(documents.join("letter.html"), "…").unwrap();
        for subfolder in ["run", "ja", "ja/library", MARK] {
            let root = folder.path().join(subfolder.replace('/', "-"));
            SiteFolder::open(&root).unwrap().finish().unwrap();
            // Replace subfolders while the site is open, but the marker file before that.
            let open = (subfolder != MARK).then(|| SiteFolder::open(&root).unwrap());
            let replaced = root.join(subfolder);
            if replaced.is_dir() {
                fs::remove_dir_all(&replaced).unwrap();
            } else {
                fs::remove_file(&replaced).unwrap();
            }
            symlink(&documents, &replaced).unwrap();
            assert!(open.is_none_or(|open| open.finish().is_err()), "{subfolder}");
            assert!(SiteFolder::open(&root).is_err(), "{subfolder}");
        }
        assert_eq!(fs::read_dir(&documents).unwrap().count(), 1);
    }
}
