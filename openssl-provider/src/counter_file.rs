//! The counter that other processes can read: a small file, which every process adds to whose configuration names it.
//!
//! The file is not mapped. A mapped file ends its program with SIGBUS when the disk is full, or when somebody makes the
//! file shorter. What contexts hand over waits in a page of memory that forked workers share with their master; now and
//! then whoever hands over writes it to the file. Nothing here may end the program, hold it up, or write into another
//! file.

#![allow(unsafe_code, reason = "a page of memory is shared with forked workers")]

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
use lock::{Lock, Turn};

/// What the file holds: eight numbers of 64 bits in the machine's byte order. They are [`MAGIC`], contexts, operations,
/// bytes, how often the provider was loaded, and three that are kept free.
type Record = [u64; 8];

/// Bytes of the file.
const BYTES: usize = size_of::<Record>();

/// The first eight bytes: a name, and the number of this layout.
const MAGIC: u64 = u64::from_le_bytes(*b"KASOKU\0\x01");

/// Nanoseconds from one write to the next, where there is always something to write. A write takes two microseconds,
/// and some tens where the caches have to be filled for it.
const PERIOD: u64 = 1_000_000;

/// Writes that may follow each other at once, after as many periods without one: what some hundred connections hand
/// over is in the file when they are done.
const BURST: u64 = 512;

/// How often the last write of a process is tried, a millisecond apart, while others write.
const LAST_TRIES: u32 = 1000;

/// The clock that is read most often: it takes a fifth of the time of [`EXACT_CLOCK`], and may be some milliseconds
/// behind it.
#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::MonotonicCoarse;
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = EXACT_CLOCK;

/// What is asked where [`CLOCK`] says that it is too early.
const EXACT_CLOCK: ClockId = ClockId::Monotonic;

/// What a process shares with those that it forks.
#[repr(C)]
struct Page {
    /// What was handed over and is not in the file yet.
    waiting: Totals,
    /// When the next write would be, if writes came one by one in their period (the generic cell rate algorithm).
    next_write: AtomicU64,
}

/// The counter of a provider.
pub(crate) struct Counter(Arc<CounterFile>);

/// The counters that there are, for the end of the process: a program that keeps something of OpenSSL until then never
/// takes its provider down.
static OPEN: Mutex<Vec<Arc<CounterFile>>> = Mutex::new(Vec::new());

impl Counter {
    /// Opens the file, or makes it: for its owner only, and for nobody whom a link leads elsewhere.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let file = Arc::new(CounterFile::open(path)?);
        if let Ok(mut open) = patiently(all_open) {
            open.push(Arc::clone(&file));
        }
        Ok(Self(file))
    }

    /// Adds to the counter, and writes the file unless it was written just now.
    ///
    /// # Errors
    /// What is wrong with the file, in words. What was added waits then.
    #[inline]
    pub(crate) fn add(&self, counts: &Counts) -> Result<(), String> {
        self.0.add(counts)
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Ok(mut open) = patiently(all_open) {
            open.retain(|file| !Arc::ptr_eq(file, &self.0));
            open.shrink_to_fit();
        }
    }
}

/// Never waited for without end: a process that was forked may find it locked by a thread that it does not have.
fn all_open() -> Result<MutexGuard<'static, Vec<Arc<CounterFile>>>, Failure> {
    match OPEN.try_lock() {
        Ok(open) => Ok(open),
        Err(TryLockError::Poisoned(open)) => Ok(open.into_inner()),
        Err(TryLockError::WouldBlock) => Err(Failure::Busy),
    }
}

/// Called when the process ends by exit(3), or when the module is unloaded and nothing is open any more.
extern "C" fn at_exit() {
    guarded((), || {
        if let Ok(open) = all_open() {
            for file in &*open {
                let _ = patiently(|| file.try_write());
            }
        }
    });
}

#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;

/// The file, open.
struct CounterFile {
    /// Inherited by workers, who often may not open the file themselves. Closed only while it is known to be ours.
    file: ManuallyDrop<OwnedFd>,
    /// Device and number of the file: its descriptor may be closed by the program, and stand for another file then.
    identity: (u64, u64),
    path: PathBuf,
    page: NonNull<Page>,
    /// Whether this process writes no more.
    has_given_up: AtomicBool,
}

// SAFETY: the page is atomics only.
unsafe impl Send for CounterFile {}
// SAFETY: as above.
unsafe impl Sync for CounterFile {}

/// Why nothing was written.
enum Failure {
    /// Somebody else writes just now.
    Busy,
    /// The next write may succeed.
    Passing(String),
    /// It is our file no more, or never was.
    Lasting(String),
    /// The same, and no system call may follow that is not sure to be allowed.
    Silent,
}

impl CounterFile {
    fn open(path: &Path) -> Result<Self, String> {
        let wrong = |what: &str| format!("{}: {what}", path.display());
        let failed = |what: &str, error: Errno| wrong(&format!("{what}: {error}"));
        if !path.is_absolute() {
            return Err(wrong("the path of the counter must be absolute"));
        }
        // Not blocking, or else a FIFO could hold up the program; looked at below.
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = open(path, flags, Mode::RUSR | Mode::WUSR).map_err(|error| failed("cannot be opened", error))?;
        let file = above_standard(file).map_err(|error| failed("cannot be kept open", error))?;
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
        if is_served_by_others(&file) {
            return Err(wrong("is on a file system of another machine or program, which could hold up this one"));
        }
        let page = new_page().map_err(|error| failed("no memory for it", error))?;
        let counter = Self {
            file: ManuallyDrop::new(file),
            identity: identity(&status),
            path: path.to_owned(),
            page,
            has_given_up: AtomicBool::new(false),
        };
        let load = || {
            counter.change(true, |record| {
                // Zeros are what older versions left where the disk was full.
                if *record == [0; 8] {
                    record[0] = MAGIC;
                }
                record[4] = record[4].wrapping_add(1);
            })
        };
        // The clock is looked for when it is first read, by system calls that a sandbox may forbid later.
        counter.page().next_write.store(now(EXACT_CLOCK), Ordering::Relaxed);
        match patiently(load) {
            Ok(()) => Ok(counter),
            Err(failure) => {
                // Nothing waits that the end could write.
                counter.has_given_up.store(true, Ordering::Relaxed);
                Err(match failure {
                    Failure::Passing(why) | Failure::Lasting(why) => why,
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

    /// Whether it is time for a write, which is counted then.
    fn is_due(&self) -> bool {
        let next = &self.page().next_write;
        let planned = next.load(Ordering::Relaxed);
        [CLOCK, EXACT_CLOCK].into_iter().map(now).find(|now| planned <= now + BURST * PERIOD).is_some_and(|now| {
            next.compare_exchange(planned, planned.max(now) + PERIOD, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        })
    }

    /// Writes what waits, unless others are writing.
    #[cold]
    fn write(&self) -> Result<(), String> {
        match self.try_write() {
            Err(Failure::Passing(why) | Failure::Lasting(why)) => Err(why),
            Ok(()) | Err(Failure::Busy | Failure::Silent) => Ok(()),
        }
    }

    fn try_write(&self) -> Result<(), Failure> {
        if self.has_given_up.load(Ordering::Relaxed) {
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
        if matches!(done, Err(Failure::Lasting(_) | Failure::Silent)) {
            self.has_given_up.store(true, Ordering::Relaxed);
        }
        done
    }

    /// Reads the record, changes it, and writes it, while nobody else does.
    fn change(&self, may_be_new: bool, change: impl FnOnce(&mut Record)) -> Result<(), Failure> {
        let lasting = |what: &str| Failure::Lasting(format!("{}: {what}", self.path.display()));
        let passing = |what: &str, error: Errno| Failure::Passing(format!("{}: {what}: {error}", self.path.display()));
        // First of all, since sandboxes end a process at a call that they do not know, and this one those know that are
        // made for programs which use OpenSSL: sshd's refuses it, and would end the process at the next.
        let status = match fstat(&*self.file) {
            Ok(status) => status,
            Err(Errno::BADF) => return Err(lasting("the program has closed its descriptor")),
            Err(_) => return Err(Failure::Silent),
        };
        if identity(&status) != self.identity {
            return Err(lasting("the program has closed its descriptor"));
        }
        if status.st_nlink == 0 {
            return Err(lasting("was removed or replaced"));
        }
        let _turn = Turn::take().ok_or(Failure::Busy)?;
        let _lock = Lock::take(&self.file).map_err(|error| passing("cannot be locked", error))?.ok_or(Failure::Busy)?;
        let mut bytes = [0; BYTES + 1];
        let read = pread(&*self.file, &mut bytes, 0).map_err(|error| passing("cannot be read", error))?;
        let mut record = [0; 8];
        for (number, bytes) in record.iter_mut().zip(bytes.as_chunks().0) {
            *number = u64::from_ne_bytes(*bytes);
        }
        let is_new = may_be_new && (read == 0 || (read == BYTES && record == [0; 8]));
        if !is_new && read != BYTES {
            return Err(lasting("is no counter of Kasoku's: its size is another"));
        }
        if !is_new && record[0] != MAGIC {
            return Err(lasting("is no counter of Kasoku's: it begins with something else"));
        }
        // Past this limit a write ends the process (SIGXFSZ).
        if getrlimit(Resource::Fsize).current.is_some_and(|limit| limit < BYTES as u64) {
            return Err(passing("cannot be written", Errno::FBIG));
        }
        change(&mut record);
        for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(record) {
            *bytes = number.to_ne_bytes();
        }
        match pwrite(&*self.file, &bytes[..BYTES], 0) {
            Ok(BYTES) => Ok(()),
            Ok(_) => Err(passing("cannot be written", Errno::NOSPC)),
            Err(error) => Err(passing("cannot be written", error)),
        }
    }

    fn page(&self) -> &Page {
        // SAFETY: mapped until this is dropped, at the beginning of a page of memory; any bytes are numbers.
        unsafe { self.page.as_ref() }
    }
}

impl Drop for CounterFile {
    fn drop(&mut self) {
        let _ = patiently(|| self.try_write());
        // To close a file gives up the process' locks on it, another library context's too.
        let _turn = patiently(|| Turn::take().ok_or(Failure::Busy));
        if fstat(&*self.file).is_ok_and(|status| identity(&status) == self.identity) {
            // SAFETY: nobody uses it after this.
            unsafe { ManuallyDrop::drop(&mut self.file) };
        }
        // SAFETY: it was mapped by `new_page`, and nothing refers to it any more.
        let _ = unsafe { munmap(self.page.as_ptr().cast(), size_of::<Page>()) };
    }
}

/// Tries again while others are at it, but not for ever: one of them may have been stopped.
fn patiently<T>(attempt: impl Fn() -> Result<T, Failure>) -> Result<T, Failure> {
    for _ in 1..LAST_TRIES {
        match attempt() {
            Err(Failure::Busy) => std::thread::sleep(Duration::from_millis(1)),
            done => return done,
        }
    }
    attempt()
}

/// The file under a number that a program which was started without standard output does not take for it. Duplicated
/// only where that is needed: to close the other descriptor gives up the process' locks on the file, another library
/// context's too.
fn above_standard(file: OwnedFd) -> rustix::io::Result<OwnedFd> {
    if file.as_raw_fd() > 2 { Ok(file) } else { fcntl_dupfd_cloexec(&file, 3) }
}

fn new_page() -> rustix::io::Result<NonNull<Page>> {
    // SAFETY: a new mapping, where the kernel likes; zeros are numbers.
    let start = unsafe {
        mmap_anonymous(std::ptr::null_mut(), size_of::<Page>(), ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED)
    }?;
    NonNull::new(start.cast()).ok_or(Errno::NOMEM)
}

/// Nanoseconds since some time.
fn now(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    (now.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec as u64)
}

#[allow(clippy::unnecessary_cast, reason = "not everywhere are they as wide")]
fn identity(status: &Stat) -> (u64, u64) {
    (status.st_dev as u64, status.st_ino as u64)
}

/// Whether reads and writes of a file wait for another machine, or another program: for ever, where that one is gone.
#[cfg(target_os = "linux")]
fn is_served_by_others(file: &OwnedFd) -> bool {
    /// NFS, SMB in three generations, AFS, Coda, Ceph, 9P, FUSE: statfs(2).
    const SERVED: [u32; 9] =
        [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F, 0x7375_7245, 0x00C3_6400, 0x0102_1997, 0x6573_5546];
    rustix::fs::fstatfs(file).is_ok_and(|system| SERVED.contains(&(system.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
fn is_served_by_others(_: &OwnedFd) -> bool {
    false
}

#[cfg(test)]
mod tests;
