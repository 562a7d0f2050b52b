//! The counter that other processes can read: a small file, mapped into every process that the configuration names it to.
//! Workers that were forked share it with their master.

#![allow(unsafe_code, reason = "a file is mapped into memory")]

use std::os::fd::AsFd;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FileType, Mode, OFlags, fstat, ftruncate, open};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::counter::{Counts, Totals};

/// Bytes of the file.
const BYTES: usize = size_of::<Page>();

/// The first eight bytes: a name, and the number of this layout.
const MAGIC: u64 = u64::from_le_bytes(*b"KASOKU\0\x01");

/// What the file holds: eight numbers of 64 bits in the machine's byte order.
#[repr(C)]
struct Page {
    /// [`MAGIC`], or zero for a moment when the file is new.
    magic: AtomicU64,
    totals: Totals,
    /// How often the provider was loaded.
    loads: AtomicU64,
    reserved: [AtomicU64; 3],
}

/// The file, mapped.
pub(crate) struct CounterFile {
    page: NonNull<Page>,
}

// SAFETY: the page is atomics only.
unsafe impl Send for CounterFile {}
// SAFETY: as above.
unsafe impl Sync for CounterFile {}

impl CounterFile {
    /// Opens the file, or makes it: for its owner only, and for nobody whom a link leads elsewhere.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let wrong = |what: &str| format!("{}: {what}", path.display());
        let failed = |what: &str, error: rustix::io::Errno| wrong(&format!("{what}: {error}"));
        if !path.is_absolute() {
            return Err(wrong("the path of the counter must be absolute"));
        }
        // Not blocking, or else a FIFO could hold up the program; looked at below.
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = open(path, flags, Mode::RUSR | Mode::WUSR).map_err(|error| failed("cannot be opened", error))?;
        let status = fstat(&file).map_err(|error| failed("cannot be looked at", error))?;
        if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile || status.st_nlink != 1 {
            return Err(wrong("is no plain file with one name"));
        }
        if status.st_uid != rustix::process::geteuid().as_raw() {
            return Err(wrong("belongs to another user"));
        }
        if status.st_mode & 0o077 != 0 {
            return Err(wrong("is open to other users; it must have mode 600"));
        }
        match usize::try_from(status.st_size) {
            Ok(0) => ftruncate(&file, BYTES as u64).map_err(|error| failed("cannot be made larger", error))?,
            Ok(BYTES) => {}
            _ => return Err(wrong("is no counter of Kasoku's: its size is another")),
        }
        let mapped = Self::map(file.as_fd()).map_err(|error| failed("cannot be mapped", error))?;
        let before = mapped.page().magic.compare_exchange(0, MAGIC, Ordering::Relaxed, Ordering::Relaxed);
        if before.is_err_and(|magic| magic != MAGIC) {
            return Err(wrong("is no counter of Kasoku's: it begins with something else"));
        }
        mapped.page().loads.fetch_add(1, Ordering::Relaxed);
        Ok(mapped)
    }

    pub(crate) fn add(&self, counts: &Counts) {
        self.page().totals.add(counts);
    }

    fn map(file: impl AsFd) -> rustix::io::Result<Self> {
        // SAFETY: a new mapping, where the kernel likes.
        let start = unsafe {
            mmap(std::ptr::null_mut(), BYTES, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, file, 0)
        }?;
        NonNull::new(start.cast()).map(|page| Self { page }).ok_or(rustix::io::Errno::NOMEM)
    }

    fn page(&self) -> &Page {
        // SAFETY: mapped until this is dropped, at the beginning of a page of memory; any bytes are numbers. (Whoever may
        // write the file could make it shorter and so end the process: that is its owner, who could end it anyway.)
        unsafe { self.page.as_ref() }
    }
}

impl Drop for CounterFile {
    fn drop(&mut self) {
        // SAFETY: it was mapped by `map`, and nothing refers to it any more.
        let _ = unsafe { munmap(self.page.as_ptr().cast(), BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, Permissions, set_permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::counter::Pending;

    fn numbers(path: &Path) -> Vec<u64> {
        let bytes = std::fs::read(path).expect("there");
        bytes.as_chunks::<8>().0.iter().map(|number| u64::from_ne_bytes(*number)).collect()
    }

    #[test]
    fn several_openings_add_to_one_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("counter");
        let counters = [CounterFile::open(&path).expect("new"), CounterFile::open(&path).expect("there")];
        for counter in &counters {
            let mut pending = Pending::default();
            assert!(pending.operation());
            let _ = pending.text(5);
            counter.add(&pending.take().expect("something"));
        }
        assert_eq!(numbers(&path), [MAGIC, 2, 2, 10, 2, 0, 0, 0]);
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_is_no_counter_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let refused = |name: &str| CounterFile::open(&at(name)).err().expect(name);
        std::fs::write(at("short"), "text").expect("written");
        std::fs::write(at("other"), [b'x'; BYTES]).expect("written");
        for name in ["short", "other"] {
            set_permissions(at(name), Permissions::from_mode(0o600)).expect("set");
        }
        File::create(at("open")).expect("made");
        set_permissions(at("open"), Permissions::from_mode(0o644)).expect("set");
        symlink(at("new"), at("link")).expect("made");
        std::fs::create_dir(at("folder")).expect("made");
        File::create(at("twice")).expect("made");
        std::fs::hard_link(at("twice"), at("again")).expect("made");
        assert!(std::process::Command::new("mkfifo").arg(at("fifo")).status().expect("run").success());

        assert!(refused("short").contains("its size"));
        assert!(refused("other").contains("begins with something else"));
        assert!(refused("open").contains("mode 600"));
        assert!(refused("link").contains("cannot be opened"));
        assert!(refused("folder").contains("cannot be opened"));
        assert!(refused("again").contains("one name"));
        assert!(refused("fifo").contains("plain file"));
        assert!(CounterFile::open(Path::new("relative")).is_err_and(|why| why.contains("absolute")));
        assert_eq!(std::fs::read(at("short")).expect("there"), b"text");
        assert!(!at("new").exists());
    }
}
