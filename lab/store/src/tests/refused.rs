//! Files that are no store, or a damaged one: a typed error that says what to do, and the file is as it was.

use super::*;

/// Opens `path` both ways, which must fail and leave the file alone; gives the message.
fn refused(path: &Path, is_it: impl Fn(&StoreError) -> bool) -> String {
    let before = fs::read(path).ok();
    let mut message = String::new();
    for open in [Store::open, Store::open_existing] {
        let error = open(path).unwrap_err();
        assert!(is_it(&error), "{error:?}");
        message = error.to_string();
        assert!(message.contains(&*path.to_string_lossy()), "{message}");
    }
    assert_eq!(fs::read(path).ok(), before, "{message}");
    message
}

/// A store of several hundred pages, closed.
fn filled() -> (tempfile::TempDir, PathBuf) {
    let (folder, mut store) = store();
    let mut document = header("r1", "2026-11-21T09:00:00Z");
    document.series = vec![Series { samples: (0..20_000).map(sample).collect(), ..series("a") }];
    store.add_document(&document).unwrap();
    let path = store.path().to_path_buf();
    (folder, path)
}

#[test]
fn nothing_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kasoku.sqlite");
    let error = Store::open_existing(&path).unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error:?}");
    assert!(error.to_string().contains("kasoku run"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "reading makes nothing");
}

#[test]
fn files_that_are_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kasoku.sqlite");
    let mut headed = b"SQLite format 3\0".to_vec();
    headed.resize(8192, 0xa5);
    for content in [vec![], b"a".to_vec(), vec![0; 4096], vec![0xa5; 100_000], b"dear diary\n".repeat(500), headed] {
        fs::write(&path, content).unwrap();
        let message = refused(&path, |e| matches!(e, StoreError::NotAStore { .. } | StoreError::Damaged { .. }));
        assert!(message.contains("move it aside"), "{message}");
    }
    refused(folder.path(), |error| matches!(error, StoreError::Unusable { .. }));
    refused(&path.join("below"), |error| matches!(error, StoreError::Unusable { .. }));
}

#[test]
fn the_database_of_another_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("places.sqlite");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE bookmarks (x); PRAGMA user_version = 1").unwrap();
    drop(other);
    let message = refused(&path, |error| matches!(error, StoreError::NotAStore { .. }));
    assert!(message.contains("another program"), "{message}");
}

#[test]
fn a_newer_kasoku() {
    let (_folder, path) = filled();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 1000).unwrap();
    let message = refused(&path, |error| matches!(error, StoreError::Newer { found: 1000, .. }));
    assert!(message.contains("newer Kasoku"), "{message}");
}

#[test]
fn a_store_that_was_cut_off() {
    let (_folder, path) = filled();
    let whole = fs::read(&path).unwrap();
    for length in [1, 60, 100, 1000, 4096, 4097, 8192, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let message = refused(&path, |e| matches!(e, StoreError::NotAStore { .. } | StoreError::Damaged { .. }));
        assert!(message.contains("move it aside"), "{length}: {message}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(Store::open(&path).unwrap().load("r1").unwrap().series[0].samples.len(), 20_000);
}

#[test]
fn a_log_without_its_store() {
    let (_folder, mut store) = store();
    store.begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
    let (path, log) = (store.path().to_path_buf(), store.path().with_extension("sqlite-wal"));
    let left = fs::read(&log).unwrap();
    drop(store);
    fs::remove_file(&path).unwrap();
    fs::write(&log, &left).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    assert_eq!((fs::read(&log).unwrap(), path.exists()), (left, false));
    // An empty one is nothing.
    fs::write(&log, "").unwrap();
    assert!(Store::open(&path).unwrap().runs().unwrap().is_empty());
}

#[test]
fn a_store_with_a_page_of_garbage() {
    let (_folder, path) = filled();
    let whole = fs::read(&path).unwrap();
    let mut noticed = 0;
    for (page, byte) in [(1, 0), (2, 0xff), (5, 0x5a), (20, 0), (whole.len() / 4096 - 1, 0xa5)] {
        let mut damaged = whole.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(byte);
        fs::write(&path, damaged).unwrap();
        let message = refused(&path, |error| matches!(error, StoreError::Damaged { .. }));
        assert!(message.contains("recover") && !message.contains('\n'), "{message}");
        noticed += 1;
    }
    assert_eq!(noticed, 5);
}

/// A store that is too large to be read whole when it is opened: damage is found where it is met.
#[test]
fn a_large_store_that_is_damaged() {
    let (_folder, path) = filled();
    let large = Connection::open(&path).unwrap();
    large
        .execute_batch(
            "WITH RECURSIVE count (n) AS (SELECT 20000 UNION ALL SELECT n + 1 FROM count WHERE n < 1400000)
             INSERT INTO sample SELECT run, n, series, process, round, iterations, ns, cpu_ns, dropped, core_hz, sides,
                                       disturbed
             FROM count JOIN sample ON sequence = 0;
             PRAGMA wal_checkpoint(TRUNCATE)",
        )
        .unwrap();
    drop(large);
    let whole = fs::read(&path).unwrap();
    assert!(whole.len() > 33 << 20, "{} bytes are read whole", whole.len());
    assert_eq!(Store::open(&path).unwrap().runs().unwrap().len(), 1);
    for length in [whole.len() - 1, whole.len() - 4096, whole.len() / 2, 34 << 20] {
        fs::write(&path, &whole[..length]).unwrap();
        refused(&path, |error| matches!(error, StoreError::Damaged { .. }));
    }
    let mut damaged = whole.clone();
    let middle = whole.len() / 2 / 4096 * 4096;
    damaged[middle..middle + 4096].fill(0x5a);
    fs::write(&path, damaged).unwrap();
    let error = Store::open_existing(&path).unwrap().load("r1").unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    assert!(error.to_string().contains("recover"), "{error}");
}

#[test]
fn columns_that_hold_nonsense() {
    let (_folder, path) = filled();
    let change = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let load = || Store::open_existing(&path).unwrap().load("r1").map(drop);
    change("UPDATE series SET algorithm = 'aes-129-gcm'");
    let error = load().unwrap_err();
    assert!(matches!(&error, StoreError::UnreadableRun { kasoku, .. } if kasoku == "0.1.0"), "{error:?}");
    assert!(error.to_string().contains("aes-129-gcm"), "{error}");
    let is_named = || matches!(load(), Err(StoreError::UnreadableRun { id, .. }) if id == "r1");
    change("UPDATE series SET algorithm = 'aes-128-gcm', median = 'fast'");
    assert!(is_named());
    change("UPDATE series SET median = 1.0, parameters = '{'");
    assert!(is_named());
    change("UPDATE series SET parameters = '{}'; UPDATE run SET machine = 'x'");
    assert!(is_named());
    assert_eq!(Store::open_existing(&path).unwrap().runs().unwrap().len(), 1, "what can be read of it is listed");
    change("UPDATE run SET origin = 'x'");
    let store = Store::open_existing(&path).unwrap();
    assert!(store.runs().unwrap().is_empty());
    assert!(store.unread()["r1"].contains("kasoku runs delete"), "{:?}", store.unread());
    drop(store);
    change("DROP TABLE sample");
    assert!(matches!(Store::open_existing(&path), Err(StoreError::Damaged { .. })));
}

#[test]
fn a_full_disk_keeps_what_was_stored() {
    let (_folder, mut store) = store();
    store.begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
    let id = store.add_series("r1", &series("a")).unwrap();
    let pages: i64 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let _: i64 = store.connection.pragma_update_and_check(None, "max_page_count", pages + 3, |row| row.get(0)).unwrap();
    let mut kept = 0;
    let error = loop {
        match store.add_samples(&[(id, sample(kept)); 10]) {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < 10_000);
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
    assert!(error.to_string().contains("free some space"), "{error}");
    assert!(kept > 10);
    assert_eq!(store.load("r1").unwrap().series[0].samples.len() as u32, kept * 10);
}

#[test]
#[cfg(unix)]
fn odd_names_are_names_of_files() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["file:x?mode=memory", ":memory:", "a%20b #?", "日本語"] {
        let path = folder.path().join(name);
        Store::open(&path).unwrap();
        assert!(path.is_file(), "{name}");
    }
}

#[test]
#[cfg(target_os = "linux")] // mknod makes the pipe
fn a_pipe_a_device_and_a_link_to_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Unusable { .. })));
    assert!(matches!(Store::open(Path::new("/dev/null")), Err(StoreError::Unusable { .. })));
    let path = folder.path().join("link");
    std::os::unix::fs::symlink("nowhere", &path).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Unusable { .. })));
}

#[test]
#[cfg(unix)]
fn only_the_user_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/kasoku/kasoku.sqlite");
    let mut store = Store::open(&path).unwrap();
    store.begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&folder.path().join("data"))), (0o600, 0o700));
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(&path.with_extension("sqlite-wal")), 0o600);
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_may_only_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = filled();
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&closed, 0o555);
    set(folder.path(), 0o555);
    std::thread::scope(|scope| {
        let reader = |file_mode: u32| {
            let (closed, path) = (&closed, &path);
            move || {
                if !become_nobody() {
                    return;
                }
                let error = Store::open(&closed.join("kasoku.sqlite")).unwrap_err();
                assert!(matches!(error, StoreError::NotWritable { .. }), "{error:?}");
                let deeper = closed.join("deeper/kasoku.sqlite");
                for opened in [Store::open(&deeper).map(Some), Store::open_if_there(&deeper)] {
                    assert!(matches!(opened, Err(StoreError::NotWritable { .. })), "{opened:?}");
                }
                let error = Store::open(path).unwrap_err();
                let message = error.to_string();
                assert!(matches!(error, StoreError::NotWritable { .. } | StoreError::Unusable { .. }), "{message}");
                // Reading is another matter, if the file may be read.
                let loaded = Store::open_existing(path).and_then(|store| store.load("r1"));
                if file_mode & 0o4 != 0 {
                    assert_eq!(loaded.unwrap().series[0].samples.len(), 20_000);
                } else {
                    let message = loaded.unwrap_err().to_string();
                    assert!(message.contains("check that you can read"), "{message}");
                }
            }
        };
        for mode in [0o600, 0o644, 0o666] {
            set(&path, mode);
            scope.spawn(reader(mode)).join().unwrap();
        }
    });
    set(folder.path(), 0o755);
    set(&closed, 0o755);
}

#[test]
#[cfg(target_os = "linux")]
fn an_older_store_that_may_only_be_read() {
    use super::super::schema::{self, STEPS};
    use std::os::unix::fs::PermissionsExt;
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for journal in ["DELETE", "WAL"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("older.sqlite");
        let mut older = Connection::open(&path).unwrap();
        let _: String = older.pragma_update_and_check(None, "journal_mode", journal, |row| row.get(0)).unwrap();
        schema::migrate(&mut older, &STEPS[..1]).unwrap();
        drop(older);
        set(&path, 0o444);
        set(folder.path(), 0o555);
        let reader = || {
            if become_nobody() {
                let error = Store::open_existing(&path).unwrap_err();
                assert!(matches!(error, StoreError::OlderNotWritable { .. }), "{journal}: {error:?}");
                assert!(error.to_string().contains("name the copy with --store FILE"), "{error}");
            }
        };
        std::thread::scope(|scope| scope.spawn(reader).join().unwrap());
        set(folder.path(), 0o755);
        // As it says.
        let copy = folder.path().join("copy.sqlite");
        fs::copy(&path, &copy).unwrap();
        set(&copy, 0o600);
        assert!(Store::open_existing(&copy).unwrap().runs().unwrap().is_empty());
    }
}

#[test]
fn a_store_that_is_not_there_is_looked_for_and_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/kasoku.sqlite");
    assert!(Store::open_if_there(&path).unwrap().is_none());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    Store::open(&path).unwrap();
    assert!(Store::open_if_there(&path).unwrap().is_some());
    let error = Store::open_if_there(&path.join("below/kasoku.sqlite")).unwrap_err();
    assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
}
