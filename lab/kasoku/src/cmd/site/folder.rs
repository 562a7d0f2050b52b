//! The folder of a site: written file by file, and rid of what is no longer in it.

use std::collections::HashSet;
use std::fs::{self, DirEntry, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::NamedTempFile;

use super::Failure;
use kasoku_report::language::Language;
use kasoku_report::render::{SiteFile, site_folders};

/// Tells a folder that this command writes from any other; whoever writes holds its lock.
const MARK: &str = ".kasoku-site";
const MEANING: &str = "Written by `kasoku site`, which removes from here the pages of what is gone.\n";

/// How a file is called until it is whole.
const UNFINISHED: [&str; 2] = [".kasoku-", ".part"];

/// A folder that a site is written to.
pub(super) struct SiteFolder {
    root: PathBuf,
    written: Mutex<HashSet<PathBuf>>,
    /// Keeps its lock until the site is written.
    _mark: File,
}

impl SiteFolder {
    /// The folder, made if it is not there.
    pub(super) fn open(root: &Path) -> Result<SiteFolder, Failure> {
        let is_empty = match fs::read_dir(root) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(failed(root, &error)),
        };
        fs::create_dir_all(root).map_err(|error| failed(root, &error))?;
        let mark = mark(root, is_empty)?;
        let folder = SiteFolder { root: root.to_owned(), written: Mutex::default(), _mark: mark };
        for room in site_folders().iter().map(|room| root.join(room)) {
            match fs::create_dir(&room) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(&room, &error)),
                _ => folder.check(&room)?,
            }
        }
        Ok(folder)
    }

    /// Whether there are runs on the site that was written before.
    pub(super) fn has_runs(&self) -> Result<bool, Failure> {
        Ok(self.entries("run")?.iter().any(|entry| ending(&entry.path()) == Some("json")))
    }

    /// Writes a page.
    pub(super) fn page(&self, page: &SiteFile) -> Result<(), Failure> {
        self.write(&page.path, |file| file.write_all(page.text.as_bytes()))
    }

    /// Writes a file.
    pub(super) fn write(
        &self,
        path: &str,
        content: impl FnOnce(&mut BufWriter<NamedTempFile>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let path = self.root.join(path);
        // Whoever reads the site while it is written again sees a whole page, the old or the new one.
        let write = || {
            let mut file = BufWriter::new(unfinished(path.parent().unwrap_or(&self.root))?);
            content(&mut file)?;
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.persist(&path).map_err(|refused| refused.error)
        };
        write().map_err(|error| failed(&path, &error))?;
        self.written.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).insert(path);
        Ok(())
    }

    /// Removes what an earlier site had and this one has not, and what was never finished. Gives how many files there
    /// are.
    pub(super) fn finish(self) -> Result<usize, Failure> {
        let written = self.written.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for room in [String::new()].iter().chain(&site_folders()) {
            // There the same pages stand on every site; what else there is somebody put there.
            let is_fixed = room.is_empty() || Language::from_tag(room).is_some();
            for entry in self.entries(room)? {
                let path = entry.path();
                let is_gone = !is_fixed && matches!(ending(&path), Some("html" | "json")) && !written.contains(&path);
                if is_unfinished(&entry) || is_gone {
                    fs::remove_file(&path).map_err(|error| failed(&path, &error))?;
                }
            }
        }
        Ok(written.len())
    }

    /// The regular files in one of the site's folders.
    fn entries(&self, room: &str) -> Result<Vec<DirEntry>, Failure> {
        let room = if room.is_empty() { self.root.clone() } else { self.root.join(room) };
        self.check(&room)?;
        let files = || -> io::Result<Vec<DirEntry>> {
            let entries = fs::read_dir(&room)?.collect::<io::Result<Vec<_>>>()?;
            Ok(entries.into_iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())).collect())
        };
        files().map_err(|error| failed(&room, &error))
    }

    /// Sees to it that a folder is one and not a link to somebody's files. Where the site itself stands, the user said.
    fn check(&self, room: &Path) -> Result<(), Failure> {
        let metadata = fs::symlink_metadata(room).map_err(|error| failed(room, &error))?;
        if metadata.is_dir() || room == self.root {
            return Ok(());
        }
        Err(Failure::new(format!("{} is not a folder of the site's own: move it aside", room.display())))
    }
}

/// The mark of a site, made if there is none, with its lock.
fn mark(root: &Path, may_be_made: bool) -> Result<File, Failure> {
    let path = root.join(MARK);
    let opened = match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() => File::options().write(true).open(&path),
        Err(error) if error.kind() == io::ErrorKind::NotFound && may_be_made => {
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
        // Not every file system has locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// A file in that folder that is removed unless it gets its name.
fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED[0]).suffix(UNFINISHED[1]);
    // As of any new file, of which the umask takes away what it says.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
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
    fn what_is_somebody_elses_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.tex"), "…").unwrap();
        let refused = SiteFolder::open(folder.path()).err().unwrap();
        assert!(refused.to_string().contains("no site of Kasoku"), "{refused}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(SiteFolder::open(&folder.path().join("thesis.tex")).is_err());
    }

    #[test]
    fn pages_of_what_is_gone_go_and_nothing_else() {
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
        for (room, expected) in [("", 9), ("ja", 4), ("machine", 0), ("run", 2)] {
            assert_eq!(fs::read_dir(root.join(room)).unwrap().count(), expected, "{room}");
        }
    }

    #[test]
    fn two_commands_do_not_write_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let first = SiteFolder::open(folder.path()).unwrap();
        let refused = SiteFolder::open(folder.path()).err().unwrap();
        assert!(refused.to_string().contains("another `kasoku site`"), "{refused}");
        first.finish().unwrap();
        SiteFolder::open(folder.path()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_to_somebodys_files() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let documents = folder.path().join("documents");
        fs::create_dir(&documents).unwrap();
        fs::write(documents.join("letter.html"), "…").unwrap();
        for room in ["run", "ja", "ja/library", MARK] {
            let root = folder.path().join(room.replace('/', "-"));
            SiteFolder::open(&root).unwrap().finish().unwrap();
            // While it is written, and from before.
            let open = (room != MARK).then(|| SiteFolder::open(&root).unwrap());
            let replaced = root.join(room);
            if replaced.is_dir() {
                fs::remove_dir_all(&replaced).unwrap();
            } else {
                fs::remove_file(&replaced).unwrap();
            }
            symlink(&documents, &replaced).unwrap();
            assert!(open.is_none_or(|open| open.finish().is_err()), "{room}");
            assert!(SiteFolder::open(&root).is_err(), "{room}");
        }
        assert_eq!(fs::read_dir(&documents).unwrap().count(), 1);
    }
}
