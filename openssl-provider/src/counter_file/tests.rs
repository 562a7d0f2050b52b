//! Tests of one counter file in one process: opening, changes by other programs, write rate, locks.

use std::fs::{File, OpenOptions, Permissions, set_permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::counter::Pending;

/// Serialises the tests: a counter does not wait for another thread.
fn serialize_tests() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn numbers(path: &Path) -> Vec<u64> {
    let bytes = std::fs::read(path).expect("there");
    bytes.as_chunks::<8>().0.iter().map(|number| u64::from_ne_bytes(*number)).collect()
}

/// Returns the counts of a context's first message of five bytes.
fn counts() -> Counts {
    let mut pending = Pending::default();
    assert!(pending.operation());
    let _ = pending.text(5);
    pending.take().expect("something")
}

#[test]
fn two_counters_with_one_file_add_up_their_counts() {
    let _guard = serialize_tests();
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
fn counter_open_rejects_other_files_and_leaves_them_unchanged() {
    let _guard = serialize_tests();
    let folder = tempfile::tempdir().expect("a folder");
    let path_of = |name: &str| folder.path().join(name);
    let refused = |name: &str| CounterFile::open(&path_of(name)).err().expect(name);
    std::fs::write(path_of("short"), "text").expect("written");
    std::fs::write(path_of("other"), [b'x'; BYTES]).expect("written");
    for name in ["short", "other"] {
        set_permissions(path_of(name), Permissions::from_mode(0o600)).expect("set");
    }
    File::create(path_of("open")).expect("made");
    set_permissions(path_of("open"), Permissions::from_mode(0o644)).expect("set");
    symlink(path_of("new"), path_of("link")).expect("made");
    std::fs::create_dir(path_of("folder")).expect("made");
    File::create(path_of("twice")).expect("made");
    std::fs::hard_link(path_of("twice"), path_of("again")).expect("made");
    assert!(std::process::Command::new("mkfifo").arg(path_of("fifo")).status().expect("run").success());

    assert!(refused("short").contains("its size"));
    assert!(refused("other").contains("begins with something else"));
    assert!(refused("open").contains("mode 600"));
    assert!(refused("link").contains("cannot be opened"));
    assert!(refused("folder").contains("cannot be opened"));
    assert!(refused("again").contains("one name"));
    assert!(refused("fifo").contains("plain file"));
    assert!(CounterFile::open(Path::new("relative")).is_err_and(|why| why.contains("absolute")));
    assert_eq!(std::fs::read(path_of("short")).expect("there"), b"text");
    assert!(!path_of("new").exists());
}

/// If the disk was full, older versions left a file of zeros and crashed.
#[test]
fn counter_open_initialises_a_file_of_zeros() {
    let _guard = serialize_tests();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("counter");
    let file = File::create(&path).expect("made");
    file.set_len(BYTES as u64).expect("set");
    set_permissions(&path, Permissions::from_mode(0o600)).expect("set");
    drop(CounterFile::open(&path).expect("there"));
    assert_eq!(numbers(&path), [MAGIC, 0, 0, 0, 1, 0, 0, 0]);
    assert!(std::os::unix::fs::MetadataExt::blocks(&file.metadata().expect("there")) > 0, "no hole");
}

/// Changes that other processes make to the open file must stay, and be reported once.
#[test]
fn counter_stops_writing_if_its_file_was_changed() {
    let _guard = serialize_tests();
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

/// A program may close a descriptor that is not its own and get the number for another file.
#[test]
fn counter_neither_writes_to_nor_closes_a_reused_descriptor() {
    let _guard = serialize_tests();
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
    // SAFETY: `dup2` gave this number to `other`, and nothing else owns it.
    drop(unsafe { <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(number) });
    assert_eq!(numbers(&path), [MAGIC, 0, 0, 0, 1, 0, 0, 0]);
}

/// Closing a duplicate would release the locks on the file.
#[test]
fn descriptor_above_2_is_not_duplicated() {
    let file = OwnedFd::from(File::open("/dev/null").expect("there"));
    let number = file.as_raw_fd();
    assert!(number > 2, "the standard ones are open");
    assert_eq!(with_descriptor_above_2(file).expect("open").as_raw_fd(), number);
}

/// The last write must add all counts that the rate limit has held back.
#[test]
fn counter_limits_its_write_rate_without_losing_counts() {
    let _guard = serialize_tests();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("counter");
    let counter = CounterFile::open(&path).expect("new");
    let due = (0..1_000_000).filter(|_| counter.is_due()).count() as u64;
    assert!(due >= BURST, "{due}");
    let start = std::time::Instant::now();
    let due = (0..100_000).filter(|_| counter.is_due()).count() as u64;
    // The clocks may differ by ten milliseconds.
    let most = start.elapsed().as_nanos() as u64 / PERIOD + 25;
    assert!(due <= most, "{due} of {most}");
    // The last counts of a program wait no longer than the exact clock requires.
    std::thread::sleep(Duration::from_nanos(2 * PERIOD));
    assert!(counter.is_due());
    for _ in 0..1000 {
        assert_eq!(counter.add(&counts()), Ok(()));
    }
    drop(counter);
    assert_eq!(numbers(&path), [MAGIC, 1000, 1000, 5000, 1, 0, 0, 0]);
}

#[test]
fn thread_lock_is_exclusive_until_dropped() {
    let _guard = serialize_tests();
    let turn = ThreadLock::take().expect("free");
    assert!(ThreadLock::take().is_none() && ThreadLock::take().is_none());
    drop(turn);
    assert!(ThreadLock::take().is_some() && ThreadLock::take().is_some());
}

#[test]
fn counter_keeps_counts_while_another_process_holds_the_lock() {
    let _guard = serialize_tests();
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
