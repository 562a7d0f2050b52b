//! Drops files from the page cache, and checks that nothing of them is left in the cache.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn file_leaves_the_page_cache_and_returns() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = File::options().read(true).write(true).create_new(true).open(dir.path().join("f")).unwrap();
        file.write_all(&vec![7; 1 << 20]).unwrap();
        // Nothing leaves the cache if the temporary folder is in memory.
        if drop_from_cache(&file).unwrap() != Some(true) {
            eprintln!("not tested: the temporary folder's file system does not let go of its cache, or does not tell");
            return;
        }
        warm(&file).unwrap();
        assert_eq!(is_cold(&file), Some(false));
    }
}
