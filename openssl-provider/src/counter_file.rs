//! Counter file: a small file to which all processes with the file in their configuration add their counts, for other
//! programs to read.
//!
//! The file is not mapped into memory: a mapped file ends its program with SIGBUS if the disk is full or somebody
//! shortens the file. Counts collect in a page of memory shared with forked workers, and now and then a process writes
//! them to the file. Nothing here may end or block the program, or write to another file.

#![allow(unsafe_code, reason = "shares a page of memory with forked workers")]

mod lock;

use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, open};
use rustix::io::{Errno, fcntl_dupfd_cloexec, pread, pwrite};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::boundary::guarded;
use crate::counter::{Counts, Totals};
use lock::{FileLock, ThreadLock};

/// Contents of the file: eight 64-bit numbers in native byte order. They are [`MAGIC`], contexts, operations, bytes,
/// number of times the provider was loaded, and three reserved numbers.
type Record = [u64; 8];

/// Length of the file in bytes.
const BYTES: usize = size_of::<Record>();

/// The first eight bytes: a name and the version of the layout.
const MAGIC: u64 = u64::from_le_bytes(*b"KASOKU\0\x01");

/// Nanoseconds between writes under constant load. A write takes two microseconds, and some tens with cold caches.
const PERIOD: u64 = 1_000_000;

/// Maximum number of writes without a pause between them, if no write happened for this many [`PERIOD`]s. If some
/// hundred connections end together, each can thus write its counts at once.
const BURST: u64 = 512;

/// Maximum number of attempts for the last write of a process, one millisecond apart, while other processes write.
const LAST_TRIES: u32 = 1000;

/// Coarse clock, read first. Reading it takes a fifth of the time of [`EXACT_CLOCK`]; it lags by some milliseconds.
#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::MonotonicCoarse;
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = EXACT_CLOCK;

/// Exact clock, read if [`CLOCK`] says that it is too early for a write.
const EXACT_CLOCK: ClockId = ClockId::Monotonic;

/// Memory that a process shares with its forked children.
#[repr(C)]
struct Page {
    /// Counts that are not in the file yet.
    waiting: Totals,
    /// Theoretical time of the next write in nanoseconds (generic cell rate algorithm).
    next_write: AtomicU64,
}

/// Handle of a provider to its counter file.
pub(crate) struct Counter(Arc<CounterFile>);

/// All open counter files. The exit handler writes them, because a program that keeps an OpenSSL object to its end
/// never unloads the provider.
static OPEN: Mutex<Vec<Arc<CounterFile>>> = Mutex::new(Vec::new());

impl Counter {
    /// Opens or creates the file: readable for its owner only, and never through a symbolic link.
    ///
    /// # Errors
    /// A description of what is wrong with the file.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let file = Arc::new(CounterFile::open(path)?);
        if let Ok(mut open) = retry_while_busy(lock_open_files) {
            open.push(Arc::clone(&file));
        }
        Ok(Self(file))
    }

    /// Adds the counts, and writes the file unless a write came just before.
    ///
    /// # Errors
    /// A description of what is wrong with the file. The counts then stay in memory.
    #[inline]
    pub(crate) fn add(&self, counts: &Counts) -> Result<(), String> {
        self.0.add(counts)
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Ok(mut open) = retry_while_busy(lock_open_files) {
            open.retain(|file| !Arc::ptr_eq(file, &self.0));
            open.shrink_to_fit();
        }
    }
}

/// Locks the list of open files without blocking: in a forked process, a thread that no longer exists may hold the
/// lock.
fn lock_open_files() -> Result<MutexGuard<'static, Vec<Arc<CounterFile>>>, Failure> {
    match OPEN.try_lock() {
        Ok(open) => Ok(open),
        Err(TryLockError::Poisoned(open)) => Ok(open.into_inner()),
        Err(TryLockError::WouldBlock) => Err(Failure::Busy),
    }
}

/// Runs when the process ends by exit(3), or when the module is unloaded and no file is open.
extern "C" fn at_exit() {
    guarded((), || {
        if let Ok(open) = lock_open_files() {
            for file in &*open {
                let _ = retry_while_busy(|| file.try_write());
            }
        }
    });
}

#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;

/// Counter file that one provider has opened.
struct CounterFile {
    /// Descriptor of the file. Forked workers inherit it, since they often lack permission to open the file. Dropping
    /// closes the descriptor only if it still refers to the file.
    file: ManuallyDrop<OwnedFd>,
    /// Device and inode of the file: the program may close the descriptor and reuse its number for another file.
    identity: (u64, u64),
    path: PathBuf,
    page: NonNull<Page>,
    /// Whether this process has stopped writing.
    has_stopped: AtomicBool,
}

// SAFETY: the page holds only atomics.
unsafe impl Send for CounterFile {}
// SAFETY: as above.
unsafe impl Sync for CounterFile {}

/// Reason why nothing was written.
enum Failure {
    /// Another thread or process is writing.
    Busy,
    /// This write failed with the given error; the next write may succeed.
    Temporary(String),
    /// The file is not, or no longer, a counter file. This process stops writing to it.
    Permanent(String),
    /// The state of the file is unknown. The process makes no further system call for the file, because a sandbox may
    /// forbid it.
    Silent,
}

impl CounterFile {
    fn open(path: &Path) -> Result<Self, String> {
        let wrong = |what: &str| format!("{}: {what}", path.display());
        let failed = |what: &str, error: Errno| wrong(&format!("{what}: {error}"));
        if !path.is_absolute() {
            return Err(wrong("the path of the counter must be absolute"));
        }
        // Non-blocking, so that a FIFO cannot block the program; the type is checked below.
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = open(path, flags, Mode::RUSR | Mode::WUSR).map_err(|error| failed("cannot be opened", error))?;
        let file = with_descriptor_above_2(file).map_err(|error| failed("cannot be kept open", error))?;
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
        if is_on_remote_file_system(&file) {
            return Err(wrong("is on a file system of another machine or program, which could hold up this one"));
        }
        let page = new_page().map_err(|error| failed("no memory for it", error))?;
        let counter = Self {
            file: ManuallyDrop::new(file),
            identity: identity(&status),
            path: path.to_owned(),
            page,
            has_stopped: AtomicBool::new(false),
        };
        let load = || {
            counter.change(true, |record| {
                // Older versions left zeros where the disk was full.
                if *record == [0; 8] {
                    record[0] = MAGIC;
                }
                record[4] = record[4].wrapping_add(1);
            })
        };
        // Reads the clock once now, because its first use makes system calls that a sandbox may forbid later.
        counter.page().next_write.store(now(EXACT_CLOCK), Ordering::Relaxed);
        match retry_while_busy(load) {
            Ok(()) => Ok(counter),
            Err(failure) => {
                // Keeps `drop` from writing to the file.
                counter.has_stopped.store(true, Ordering::Relaxed);
                Err(match failure {
                    Failure::Temporary(why) | Failure::Permanent(why) => why,
                    Failure::Busy => wrong("is locked by another program"),
                    Failure::Silent => wrong("cannot be looked at"),
                })
            }
        }
    }

    fn add(&self, counts: &Counts) -> Result<(), String> {
        self.page().waiting.add(counts);
        if self.is_due() { self.write() } else { Ok(()) }
    }

    /// Returns whether a write is due; if so, advances the time of the next write.
    fn is_due(&self) -> bool {
        let next = &self.page().next_write;
        let planned = next.load(Ordering::Relaxed);
        [CLOCK, EXACT_CLOCK].into_iter().map(now).find(|now| planned <= now + BURST * PERIOD).is_some_and(|now| {
            next.compare_exchange(planned, planned.max(now) + PERIOD, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        })
    }

    /// Writes the pending counts unless another thread or process is writing.
    #[cold]
    fn write(&self) -> Result<(), String> {
        match self.try_write() {
            Err(Failure::Temporary(why) | Failure::Permanent(why)) => Err(why),
            Ok(()) | Err(Failure::Busy | Failure::Silent) => Ok(()),
        }
    }

    fn try_write(&self) -> Result<(), Failure> {
        if self.has_stopped.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut taken = None;
        let done = self.change(false, |record| {
            let waiting = taken.insert(self.page().waiting.take());
            for (number, more) in record[1..4].iter_mut().zip(waiting.numbers()) {
                *number = number.wrapping_add(more);
            }
        });
        if let (Err(_), Some(taken)) = (&done, taken) {
            self.page().waiting.add(&taken);
        }
        if matches!(done, Err(Failure::Permanent(_) | Failure::Silent)) {
            self.has_stopped.store(true, Ordering::Relaxed);
        }
        done
    }

    /// Reads the record, changes it and writes it back under the lock.
    fn change(&self, may_be_new: bool, change: impl FnOnce(&mut Record)) -> Result<(), Failure> {
        let permanent = |what: &str| Failure::Permanent(format!("{}: {what}", self.path.display()));
        let temporary =
            |what: &str, error: Errno| Failure::Temporary(format!("{}: {what}: {error}", self.path.display()));
        // Calls fstat(2) first, because a sandbox may end the process at a forbidden system call. Sandboxes for
        // programs with OpenSSL handle fstat(2): sshd's returns an error here, and would end the process at the next
        // call.
        let status = match fstat(&*self.file) {
            Ok(status) => status,
            Err(Errno::BADF) => return Err(permanent("the program has closed its descriptor")),
            Err(_) => return Err(Failure::Silent),
        };
        if identity(&status) != self.identity {
            return Err(permanent("the program has closed its descriptor"));
        }
        if status.st_nlink == 0 {
            return Err(permanent("was removed or replaced"));
        }
        let _thread_lock = ThreadLock::take().ok_or(Failure::Busy)?;
        let _lock =
            FileLock::take(&self.file).map_err(|error| temporary("cannot be locked", error))?.ok_or(Failure::Busy)?;
        let mut bytes = [0; BYTES + 1];
        let read = pread(&*self.file, &mut bytes, 0).map_err(|error| temporary("cannot be read", error))?;
        let mut record = [0; 8];
        for (number, bytes) in record.iter_mut().zip(bytes.as_chunks().0) {
            *number = u64::from_ne_bytes(*bytes);
        }
        let is_new = may_be_new && (read == 0 || (read == BYTES && record == [0; 8]));
        if !is_new && read != BYTES {
            return Err(permanent("is no counter of Kasoku's: its size is another"));
        }
        if !is_new && record[0] != MAGIC {
            return Err(permanent("is no counter of Kasoku's: it begins with something else"));
        }
        // A write past this limit ends the process (SIGXFSZ).
        if getrlimit(Resource::Fsize).current.is_some_and(|limit| limit < BYTES as u64) {
            return Err(temporary("cannot be written", Errno::FBIG));
        }
        change(&mut record);
        for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(record) {
            *bytes = number.to_ne_bytes();
        }
        match pwrite(&*self.file, &bytes[..BYTES], 0) {
            Ok(BYTES) => Ok(()),
            Ok(_) => Err(temporary("cannot be written", Errno::NOSPC)),
            Err(error) => Err(temporary("cannot be written", error)),
        }
    }

    fn page(&self) -> &Page {
        // SAFETY: mapped at the start of a memory page until this is dropped; any bytes are valid numbers.
        unsafe { self.page.as_ref() }
    }
}

impl Drop for CounterFile {
    fn drop(&mut self) {
        let _ = retry_while_busy(|| self.try_write());
        // Closing the file releases all locks of the process on it, also those of another library context.
        let _thread_lock = retry_while_busy(|| ThreadLock::take().ok_or(Failure::Busy));
        if fstat(&*self.file).is_ok_and(|status| identity(&status) == self.identity) {
            // SAFETY: the file is not used afterwards.
            unsafe { ManuallyDrop::drop(&mut self.file) };
        }
        // SAFETY: `new_page` mapped the page, and nothing refers to it any more.
        let _ = unsafe { munmap(self.page.as_ptr().cast(), size_of::<Page>()) };
    }
}

/// Retries while other threads or processes write, for at most [`LAST_TRIES`] milliseconds, because a writer may have
/// been stopped.
fn retry_while_busy<T>(attempt: impl Fn() -> Result<T, Failure>) -> Result<T, Failure> {
    for _ in 1..LAST_TRIES {
        match attempt() {
            Err(Failure::Busy) => std::thread::sleep(Duration::from_millis(1)),
            done => return done,
        }
    }
    attempt()
}

/// Returns the file with a descriptor above 2. Otherwise, a program without standard output would print into the
/// counter file. Duplicates only if needed: closing a descriptor releases all locks of the process on the file, also
/// those of another library context.
fn with_descriptor_above_2(file: OwnedFd) -> rustix::io::Result<OwnedFd> {
    if file.as_raw_fd() > 2 { Ok(file) } else { fcntl_dupfd_cloexec(&file, 3) }
}

fn new_page() -> rustix::io::Result<NonNull<Page>> {
    // SAFETY: a new mapping at an address that the kernel chooses; zeros are valid numbers.
    let start = unsafe {
        mmap_anonymous(std::ptr::null_mut(), size_of::<Page>(), ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED)
    }?;
    NonNull::new(start.cast()).ok_or(Errno::NOMEM)
}

/// Returns nanoseconds since an arbitrary time.
fn now(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    (now.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec as u64)
}

#[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
fn identity(status: &Stat) -> (u64, u64) {
    (status.st_dev as u64, status.st_ino as u64)
}

/// Returns whether the file is on a network or user-space file system, whose reads and writes may block for ever.
#[cfg(target_os = "linux")]
fn is_on_remote_file_system(file: &OwnedFd) -> bool {
    /// Magic numbers (statfs(2)) of NFS, SMB (three generations), AFS, Coda, Ceph, 9P and FUSE.
    const REMOTE: [u32; 9] =
        [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F, 0x7375_7245, 0x00C3_6400, 0x0102_1997, 0x6573_5546];
    rustix::fs::fstatfs(file).is_ok_and(|system| REMOTE.contains(&(system.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
fn is_on_remote_file_system(_: &OwnedFd) -> bool {
    false
}

#[cfg(test)]
mod tests;
