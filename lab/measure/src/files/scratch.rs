//! Scratch files for encryption and decryption, on a chosen file system or in memory.
//!
//! On Linux the files have no names, and workers open them through this process (`/proc/PID/fd/N`). They vanish with
//! the laboratory, even if it is killed. On other systems they have names in a [private
//! folder](kasoku_libraries::folder).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::pair::FilePair;
use super::size_name;
use crate::machine::{free_memory, free_on};
use crate::plan::{FilesPlan, Plan};
use kasoku_libraries::folder::{self, Folder};
use kasoku_libraries::interruption;
use kasoku_model::document::Omission;
use kasoku_model::level::Level;
use kasoku_model::workload::Operation;
use kasoku_model::workload::files::Storage;

const MARGIN: u64 = 128 << 20;

/// The plaintext, encrypted and decrypted file of one size.
#[derive(Debug)]
pub struct ScratchFiles {
    /// Folder that holds the files; `None` if they are in memory.
    dir: Option<PathBuf>,
    pub(super) text: ScratchFile,
    pub(super) encrypted: ScratchFile,
    pub(super) decrypted: ScratchFile,
    /// Folder of files with names. It is dropped after the files, since Windows does not remove open files.
    _folder: Option<Folder>,
}

#[derive(Debug)]
pub(super) struct ScratchFile {
    pub(super) file: File,
    /// Path by which workers open the file.
    pub(super) path: String,
}

impl ScratchFiles {
    pub fn create_in(dir: &Path) -> io::Result<ScratchFiles> {
        if let Ok(files) = ScratchFiles::create(Some(dir), None, |_| unnamed_file(dir)) {
            return Ok(files);
        }
        let folder = Folder::new(dir, folder::FILES)?;
        let path = folder.path().to_owned();
        ScratchFiles::create(Some(dir), Some(folder), |name| {
            let path = path.join(name);
            let file = File::options().read(true).write(true).create_new(true).open(&path)?;
            let path = path.into_os_string().into_string().map_err(|_| io::ErrorKind::InvalidFilename)?;
            Ok(ScratchFile { file, path })
        })
    }

    fn in_memory() -> io::Result<ScratchFiles> {
        ScratchFiles::create(None, None, file_in_memory)
    }

    /// Creates the files by `make`, which gets the name of each.
    fn create(
        dir: Option<&Path>,
        folder: Option<Folder>,
        make: impl Fn(&str) -> io::Result<ScratchFile>,
    ) -> io::Result<ScratchFiles> {
        let (text, encrypted, decrypted) = (make("text")?, make("encrypted")?, make("decrypted")?);
        Ok(ScratchFiles { dir: dir.map(Path::to_owned), text, encrypted, decrypted, _folder: folder })
    }

    pub(super) fn source(&self, operation: Operation) -> &ScratchFile {
        if operation == Operation::Encrypt { &self.text } else { &self.encrypted }
    }

    pub(super) fn target(&self, operation: Operation) -> &ScratchFile {
        if operation == Operation::Encrypt { &self.encrypted } else { &self.decrypted }
    }

    /// Returns why three files of this size do not fit on the storage; `None` if they do.
    fn lacks_room(&self, bytes: usize) -> Option<String> {
        let needed = room_for(bytes);
        let free = match &self.dir {
            Some(dir) => free_on(dir)?,
            None => free_memory()?,
        };
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let holder = self.dir.as_ref().map_or("memory has".to_owned(), |dir| format!("{} has", dir.display()));
        (free < needed).then(|| format!("{} MiB must be free, and {holder} {} MiB", mib(needed), free >> 20))
    }

    /// Writes the plaintext: pseudo-random bytes that are the same in every run. Fails if the files do not fit on the
    /// storage.
    fn make_text(&self, bytes: usize) -> Result<(), String> {
        if let Some(why) = self.lacks_room(bytes) {
            return Err(format!("files of {} do not fit: {why}", size_name(bytes)));
        }
        let file = &self.text.file;
        let written = self.text.empty().and_then(|()| rewind(file));
        written.and_then(|()| write_text(file, bytes)).map_err(|error| {
            self.clear();
            let storage = if self.dir.is_some() { Storage::File } else { Storage::Memory };
            format!("cannot create files of {} in {}: {error}", size_name(bytes), storage.name())
        })
    }

    fn clear(&self) {
        let _ = self.text.empty(); // deleting the file also frees its space
        self.clear_results();
    }

    /// Empties all files except the plaintext, so that a failed file does not fill the device.
    pub(super) fn clear_results(&self) {
        for scratch in [&self.encrypted, &self.decrypted] {
            let _ = scratch.empty();
        }
    }
}

impl ScratchFile {
    pub(super) fn empty(&self) -> io::Result<()> {
        self.file.set_len(0)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }
}

pub(super) struct ScratchSet(BTreeMap<Storage, ScratchFiles>);

impl ScratchSet {
    pub(super) fn open(plan: &Plan, files: &FilesPlan) -> (ScratchSet, Vec<Omission>) {
        let (mut scratch_set, mut omissions) = (BTreeMap::new(), Vec::new());
        let needed = plan.items.iter().filter_map(|item| item.workload.files()).map(|files| files.storage);
        for storage in needed.collect::<BTreeSet<Storage>>() {
            let (name, scratch) = match storage {
                Storage::File => (files.dir.display().to_string(), ScratchFiles::create_in(&files.dir)),
                Storage::Memory => ("memory".to_owned(), ScratchFiles::in_memory()),
            };
            match scratch {
                Ok(scratch) => drop(scratch_set.insert(storage, scratch)),
                Err(error) => {
                    omissions.push(Omission::new(Level::Files, format!("cannot create files in {name}: {error}")));
                }
            }
        }
        (ScratchSet(scratch_set), omissions)
    }

    pub(super) fn get(&self, storage: Storage) -> Option<&ScratchFiles> {
        self.0.get(&storage)
    }

    /// Writes plaintexts of `bytes` bytes for `pairs`. Returns the pairs whose storage has room, and the reasons why
    /// the others are left out.
    pub(super) fn make_texts(&self, bytes: usize, mut pairs: Vec<FilePair>) -> (Vec<FilePair>, Vec<Omission>) {
        let mut omissions = Vec::new();
        for storage in pairs.iter().map(|pair| pair.files.storage).collect::<BTreeSet<Storage>>() {
            let made = self.get(storage).map(|scratch| scratch.make_text(bytes));
            if !matches!(made, Some(Ok(()))) {
                pairs.retain(|pair| pair.files.storage != storage);
            }
            omissions.extend(made.and_then(Result::err).map(|why| Omission::new(Level::Files, why)));
        }
        (pairs, omissions)
    }

    pub(super) fn warm(&self) {
        for scratch in self.0.values() {
            // A file that cannot be read fails when it is measured, and is reported then.
            let _ = warm(&scratch.text.file);
        }
    }

    pub(super) fn clear(&self) {
        self.0.values().for_each(ScratchFiles::clear);
    }
}

/// Returns the free bytes needed for three files of about `bytes` bytes; the encrypted file is a little longer.
pub(super) fn room_for(bytes: usize) -> u64 {
    let bytes = bytes as u64;
    bytes.saturating_mul(3).saturating_add(bytes / 1024).saturating_add(MARGIN)
}

/// Writes the [random text](random_text) of `bytes` bytes. Fails if the user interrupts this program.
pub(crate) fn write_text(mut file: &File, bytes: usize) -> io::Result<()> {
    let mut text = random_text(bytes as u64);
    loop {
        let piece = text.fill_buf()?;
        if piece.is_empty() {
            return Ok(());
        }
        if interruption::is_wanted() {
            return Err(io::Error::other("it ended"));
        }
        file.write_all(piece)?;
        let written = piece.len();
        text.consume(written);
    }
}

/// Returns `bytes` pseudo-random bytes that are the same in every run, so that another host can produce them too.
pub(crate) fn random_text(bytes: u64) -> impl BufRead {
    /// Reads random bytes, which depend on the length of each read unless it is a multiple of 8.
    struct RandomBytes(Xoshiro256PlusPlus);

    impl io::Read for RandomBytes {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.0.fill_bytes(into);
            Ok(into.len())
        }
    }

    BufReader::with_capacity(1 << 20, RandomBytes(Xoshiro256PlusPlus::seed_from_u64(bytes)).take(bytes))
}

/// Creates a file without a name in `dir`. Fails if the system does not support such files, or if other processes
/// cannot open them.
#[cfg(target_os = "linux")]
fn unnamed_file(dir: &Path) -> io::Result<ScratchFile> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    shared(File::from(open(dir, flags, Mode::RUSR | Mode::WUSR)?))
}

#[cfg(not(target_os = "linux"))]
fn unnamed_file(_dir: &Path) -> io::Result<ScratchFile> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn file_in_memory(name: &str) -> io::Result<ScratchFile> {
    use rustix::fs::{MemfdFlags, memfd_create};
    shared(File::from(memfd_create(name, MemfdFlags::CLOEXEC)?))
}

#[cfg(not(target_os = "linux"))]
fn file_in_memory(_name: &str) -> io::Result<ScratchFile> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux has files in memory that a worker can open"))
}

/// Returns the file with the path by which other processes of this user open it. Fails if they cannot.
#[cfg(target_os = "linux")]
fn shared(file: File) -> io::Result<ScratchFile> {
    use std::os::fd::AsRawFd;
    let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
    File::options().write(true).open(&path).map_err(|_| io::ErrorKind::Unsupported)?;
    Ok(ScratchFile { file, path })
}

/// Writes `file` to its device and drops it from the page cache. Returns whether the whole file left the cache; `None`
/// if unknown.
#[cfg(target_os = "linux")]
pub(super) fn drop_from_cache(file: &File) -> io::Result<Option<bool>> {
    use rustix::fs::{Advice, fadvise};
    file.sync_all()?;
    fadvise(file, 0, None, Advice::DontNeed)?;
    Ok(is_cold(file))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn drop_from_cache(_file: &File) -> io::Result<Option<bool>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "the page cache cannot be emptied on this system"))
}

/// Whether no part of the file is in the page cache; `None` if unknown. Reads single bytes at 64 offsets, but only from
/// memory.
#[cfg(target_os = "linux")]
fn is_cold(file: &File) -> Option<bool> {
    use rustix::io::{Errno, ReadWriteFlags, preadv2};
    const PLACES: u64 = 64;
    let length = file.metadata().ok()?.len();
    for place in 0..PLACES {
        let mut byte = [0];
        let mut buffers = [io::IoSliceMut::new(&mut byte)];
        match preadv2(file, &mut buffers, length * place / PLACES, ReadWriteFlags::NOWAIT) {
            Err(Errno::AGAIN) => {}
            Ok(_) => return Some(false),
            Err(_) => return None,
        }
    }
    Some(true)
}

pub(super) fn rewind(mut file: &File) -> io::Result<()> {
    file.rewind()
}

pub(super) fn read_at(mut file: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn warm(mut file: &File) -> io::Result<()> {
    rewind(file)?;
    let mut piece = vec![0; 1 << 20];
    while file.read(&mut piece)? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn scratch_files_have_no_names_and_open_in_other_processes() {
        let dir = tempfile::tempdir().unwrap();
        for scratch in [ScratchFiles::create_in(dir.path()).unwrap(), ScratchFiles::in_memory().unwrap()] {
            scratch.make_text(1_500_000).unwrap();
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
            let mut read = Vec::new();
            let seen = std::process::Command::new("cat").arg(&scratch.text.path).output().unwrap();
            File::open(&scratch.text.path).unwrap().read_to_end(&mut read).unwrap();
            assert!(read.len() == 1_500_000 && seen.stdout == read);
            scratch.clear();
            assert_eq!(scratch.text.bytes(), 0);
        }
    }

    #[test]
    fn lacks_room_explains_what_does_not_fit() {
        let dir = tempfile::tempdir().unwrap();
        let scratch = ScratchFiles::create_in(dir.path()).unwrap();
        assert_eq!(scratch.lacks_room(1), None);
        let why = scratch.lacks_room(usize::MAX >> 2).unwrap();
        assert!(why.contains("must be free") && why.contains(dir.path().to_str().unwrap()), "{why}");
    }

    #[test]
    fn scratch_files_in_a_missing_folder_fail() {
        assert!(ScratchFiles::create_in(Path::new("/nowhere/at/all")).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn file_leaves_the_page_cache_and_returns() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = File::options().read(true).write(true).create_new(true).open(dir.path().join("f")).unwrap();
        file.write_all(&vec![7; 1 << 20]).unwrap();
        // If the temporary folder is in memory, files cannot leave the cache.
        if drop_from_cache(&file).unwrap() != Some(true) {
            eprintln!("not tested: the temporary folder's file system does not let go of its cache, or does not tell");
            return;
        }
        warm(&file).unwrap();
        assert_eq!(is_cold(&file), Some(false));
    }
}
