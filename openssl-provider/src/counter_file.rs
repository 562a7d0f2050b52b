//! The counter that other processes can read: a small file, which every process adds to whose configuration names it.
//!
//! The file is not mapped. A mapped file ends its program with SIGBUS when the disk is full, or when somebody makes the file
//! shorter. What contexts hand over waits in a page of memory that forked workers share with their master; now and then
//! whoever hands over writes it to the file. Nothing here may end the program, hold it up, or write into another file.

#![allow(unsafe_code, reason = "a page of memory is shared with forked workers")]

use std::mem::ManuallyDrop;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use rustix::fs::{FileType, FlockOperation, Mode, OFlags, Stat, fcntl_lock, fstat, open};
use rustix::io::{Errno, fcntl_dupfd_cloexec, pread, pwrite};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use rustix::process::{Resource, getpid, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::border::guarded;
use crate::counter::{Counts, Totals};

/// What the file holds: eight numbers of 64 bits in the machine's byte order. They are [`MAGIC`], contexts, operations, bytes,
/// how often the provider was loaded, and three that are kept free.
type Record = [u64; 8];

/// Bytes of the file.
const BYTES: usize = size_of::<Record>();

/// The first eight bytes: a name, and the number of this layout.
const MAGIC: u64 = u64::from_le_bytes(*b"KASOKU\0\x01");

/// Nanoseconds from one write to the next, where there is always something to write. A write takes two microseconds, and some
/// tens where the caches have to be filled for it.
const PERIOD: u64 = 1_000_000;

/// Writes that may follow each other at once, after as many periods without one: what some hundred connections hand over is in
/// the file when they are done.
const BURST: u64 = 512;

/// How often the last write of a process is tried, a millisecond apart, while others write.
const LAST_TRIES: u32 = 1000;

/// The clock that is read most often: it takes a fifth of the time of [`EXACT_CLOCK`], and may be some milliseconds behind it.
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

/// The counters that there are, for the end of the process: a program that keeps something of OpenSSL until then never takes
/// its provider down.
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
        // A program that was started without standard output must not take this for it.
        let file = fcntl_dupfd_cloexec(&file, 3).map_err(|error| failed("cannot be kept open", error))?;
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
        // First of all, since sandboxes end a process at a call that they do not know, and this one those know that are made
        // for programs which use OpenSSL: sshd's refuses it, and would end the process at the next.
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

/// The only thread of this process that is at a counter: locks of files do not keep threads apart.
struct Turn;

/// The number of the process that a thread of is at a counter, or zero.
static WRITER: AtomicU32 = AtomicU32::new(0);

impl Turn {
    fn take() -> Option<Self> {
        let own = getpid().as_raw_nonzero().get().unsigned_abs();
        let writer = WRITER.load(Ordering::Relaxed);
        // A process that was forked in the middle of a write finds the number of its parent, whose thread it does not have.
        let is_free = writer != own;
        let is_taken = is_free && WRITER.compare_exchange(writer, own, Ordering::Acquire, Ordering::Relaxed).is_ok();
        // Not `then_some`: a turn that was not taken must not be made, since it would be given back.
        is_taken.then(|| Self)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        WRITER.store(0, Ordering::Release);
    }
}

/// The file, locked against other processes: by a POSIX lock, since the others are shared with forked processes.
struct Lock<'a>(&'a OwnedFd);

impl<'a> Lock<'a> {
    /// `None` if another process has it.
    fn take(file: &'a OwnedFd) -> rustix::io::Result<Option<Self>> {
        match fcntl_lock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self(file))),
            Err(Errno::ACCESS | Errno::AGAIN) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        let _ = fcntl_lock(self.0, FlockOperation::Unlock);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, OpenOptions, Permissions, set_permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::counter::Pending;

    /// One test at a time: a counter that another thread is at is not waited for.
    fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn numbers(path: &Path) -> Vec<u64> {
        let bytes = std::fs::read(path).expect("there");
        bytes.as_chunks::<8>().0.iter().map(|number| u64::from_ne_bytes(*number)).collect()
    }

    /// One context's first message, of five bytes.
    fn counts() -> Counts {
        let mut pending = Pending::default();
        assert!(pending.operation());
        let _ = pending.text(5);
        pending.take().expect("something")
    }

    #[test]
    fn several_openings_add_to_one_file() {
        let _alone = alone();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("counter");
        let counters = [CounterFile::open(&path).expect("new"), CounterFile::open(&path).expect("there")];
        for counter in &counters {
            assert_eq!(counter.add(&counts()), Ok(()));
        }
        drop(counters);
        assert_eq!(numbers(&path), [MAGIC, 2, 2, 10, 2, 0, 0, 0]);
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_is_no_counter_is_refused_and_left_as_it_is() {
        let _alone = alone();
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

    /// Older versions made a hole and died in it where the disk was full.
    #[test]
    fn a_file_of_zeros_becomes_a_counter() {
        let _alone = alone();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("counter");
        let file = File::create(&path).expect("made");
        file.set_len(BYTES as u64).expect("set");
        set_permissions(&path, Permissions::from_mode(0o600)).expect("set");
        drop(CounterFile::open(&path).expect("there"));
        assert_eq!(numbers(&path), [MAGIC, 0, 0, 0, 1, 0, 0, 0]);
        assert!(std::os::unix::fs::MetadataExt::blocks(&file.metadata().expect("there")) > 0, "no hole");
    }

    /// What others make of the file while it is open: it is left as they made it, and told once.
    #[test]
    fn a_file_that_others_change_is_written_no_more() {
        let _alone = alone();
        type Change = fn(&Path);
        let changes: [(&str, Change); 6] = [
            ("its size", |path| OpenOptions::new().write(true).open(path).expect("open").set_len(0).expect("set")),
            ("its size", |path| OpenOptions::new().write(true).open(path).expect("open").set_len(63).expect("set")),
            ("its size", |path| std::fs::write(path, [b'x'; 65]).expect("written")),
            ("something else", |path| std::fs::write(path, [b'x'; 64]).expect("written")),
            ("removed or replaced", |path| std::fs::remove_file(path).expect("removed")),
            ("removed or replaced", |path| {
                let other = path.with_extension("other");
                std::fs::write(&other, [b'x'; 64]).expect("written");
                std::fs::rename(other, path).expect("renamed");
            }),
        ];
        for (says, change) in changes {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("counter");
            let counter = CounterFile::open(&path).expect("new");
            change(&path);
            let changed = std::fs::read(&path).ok();
            let told = counter.add(&counts()).expect_err(says);
            assert!(told.contains(says) && told.contains(path.to_str().expect("plain")), "{told}");
            assert_eq!(counter.add(&counts()), Ok(()), "told once");
            drop(counter);
            assert_eq!(std::fs::read(&path).ok(), changed);
        }
    }

    /// A program may close what it did not open, and get the number for a file of its own.
    #[test]
    fn a_descriptor_that_became_another_file_is_neither_written_nor_closed() {
        let _alone = alone();
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("counter");
        let mut counter = CounterFile::open(&path).expect("new");
        let other = File::options().read(true).write(true).create_new(true).open(folder.path().join("other"));
        let other = other.expect("made");
        rustix::io::dup2(&other, &mut counter.file).expect("duplicated");
        let number = counter.file.as_raw_fd();
        let told = counter.add(&counts()).expect_err("it is another file");
        assert!(told.contains("closed its descriptor"), "{told}");
        drop(counter);
        assert_eq!(other.metadata().expect("there").len(), 0);
        assert!(std::fs::read_link(format!("/proc/self/fd/{number}")).is_ok_and(|link| link.ends_with("other")));
        // SAFETY: it is the number that `dup2` gave to `other`, and nobody else has it.
        drop(unsafe { <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(number) });
        assert_eq!(numbers(&path), [MAGIC, 0, 0, 0, 1, 0, 0, 0]);
    }

    /// More than a burst at once is written by the last, at the latest.
    #[test]
    fn writes_are_rare_and_nothing_is_lost() {
        let _alone = alone();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("counter");
        let counter = CounterFile::open(&path).expect("new");
        let due = (0..1_000_000).filter(|_| counter.is_due()).count() as u64;
        assert!(due >= BURST, "{due}");
        let start = std::time::Instant::now();
        let due = (0..100_000).filter(|_| counter.is_due()).count() as u64;
        // The clocks may disagree by ten milliseconds.
        let most = start.elapsed().as_nanos() as u64 / PERIOD + 25;
        assert!(due <= most, "{due} of {most}");
        // What a program does last waits no longer than the exact clock says.
        std::thread::sleep(Duration::from_nanos(2 * PERIOD));
        assert!(counter.is_due());
        for _ in 0..1000 {
            assert_eq!(counter.add(&counts()), Ok(()));
        }
        drop(counter);
        assert_eq!(numbers(&path), [MAGIC, 1000, 1000, 5000, 1, 0, 0, 0]);
    }

    #[test]
    fn one_thread_has_the_turn_until_it_gives_it_back() {
        let _alone = alone();
        let turn = Turn::take().expect("free");
        assert!(Turn::take().is_none() && Turn::take().is_none());
        drop(turn);
        assert!(Turn::take().is_some() && Turn::take().is_some());
    }

    #[test]
    fn a_file_that_another_process_has_locked_is_waited_for() {
        let _alone = alone();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("counter");
        let counter = CounterFile::open(&path).expect("new");
        let script = "import fcntl, sys; file = open(sys.argv[1], 'r+'); fcntl.lockf(file, fcntl.LOCK_EX); \
                      print(flush=True); sys.stdin.read()";
        let mut holder = std::process::Command::new("python3")
            .args(["-I", "-c", script])
            .arg(&path)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("started");
        let mut line = [0; 1];
        std::io::Read::read_exact(holder.stdout.as_mut().expect("piped"), &mut line).expect("it has the lock");
        assert_eq!(counter.add(&counts()), Ok(()));
        assert_eq!(numbers(&path)[1], 0);
        drop(holder.stdin.take());
        holder.wait().expect("ended");
        assert_eq!(counter.add(&counts()), Ok(()));
        assert_eq!(numbers(&path), [MAGIC, 2, 2, 10, 1, 0, 0, 0]);
    }
}
