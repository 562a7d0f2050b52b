//! Files that are not stores or cannot be used: the error says what to do, and the file stays unchanged.

use super::*;
use crate::schema::VERSION;

/// Opens `path` for writing and for reading, and returns the error's message. Checks that both calls fail with an error
/// that `is_expected` accepts, and that the file stays unchanged.
fn refused(path: &Path, is_expected: impl Fn(&StoreError) -> bool) -> String {
    let before = fs::read(path).ok();
    let mut message = String::new();
    for open in [Store::open, Store::open_existing] {
        let error = open(path).unwrap_err();
        assert!(is_expected(&error), "{error:?}");
        message = error.to_string();
        assert!(message.contains(&*path.to_string_lossy()), "{message}");
    }
    assert_eq!(fs::read(path).ok(), before, "{message}");
    message
}

/// Creates a closed store of several hundred pages.
fn filled() -> (tempfile::TempDir, PathBuf) {
    let (folder, mut store) = store();
    let mut document = header("r1", "2026-11-21T09:00:00Z");
    document.series = vec![Series { samples: (0..20_000).map(sample).collect(), ..series("a") }];
    store.add_documents([&document]).unwrap();
    let path = store.path().to_path_buf();
    (folder, path)
}

#[test]
fn store_rejects_other_kinds_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kasoku.sqlite");
    for content in [vec![0xa5; 100_000], b"dear diary\n".repeat(500)] {
        fs::write(&path, content).unwrap();
        let message = refused(&path, |error| matches!(error, StoreError::NotAStore { .. }));
        assert!(message.contains("move it aside"), "{message}");
    }
    refused(folder.path(), |error| matches!(error, StoreError::Unusable { .. }));
    refused(&path.join("below"), |error| matches!(error, StoreError::Unusable { .. }));
}

#[test]
fn open_turns_empty_files_into_stores() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kasoku.sqlite");
    fs::write(&path, "").unwrap();
    assert!(matches!(Store::open_existing(&path), Err(StoreError::Missing { .. })));
    Store::open(&path).unwrap().begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
    assert_eq!(Store::open_existing(&path).unwrap().runs().unwrap().len(), 1);
}

#[test]
fn store_rejects_databases_of_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("places.sqlite");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE bookmarks (x)").unwrap();
    for version in [0, VERSION] {
        other.pragma_update(None, "user_version", version).unwrap();
        let message = refused(&path, |error| matches!(error, StoreError::NotAStore { .. }));
        assert!(message.contains("another program"), "{message}");
    }
}

#[test]
fn store_rejects_files_of_other_format_versions() {
    let (_folder, path) = filled();
    for version in [0, VERSION + 1, 1000] {
        Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
        let message = refused(&path, |error| matches!(error, StoreError::OtherVersion { .. }));
        assert!(message.contains(&format!("has format {version}")) && message.contains("KASOKU_STORE"), "{message}");
    }
}

#[test]
fn store_rejects_truncated_files() {
    let (_folder, path) = filled();
    let whole = fs::read(&path).unwrap();
    for length in [60, 1000, 4096, 8192, whole.len() / 2, whole.len() - 4096] {
        fs::write(&path, &whole[..length]).unwrap();
        let message = refused(&path, |e| matches!(e, StoreError::NotAStore { .. } | StoreError::Damaged { .. }));
        assert!(message.contains("move it aside"), "{length}: {message}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(Store::open(&path).unwrap().load("r1").unwrap().series[0].samples.len(), 20_000);
}

#[test]
fn open_keeps_a_log_without_its_store() {
    let (_folder, mut store) = store();
    store.begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
    let (path, log) = (store.path().to_path_buf(), store.path().with_extension("sqlite-wal"));
    let left = fs::read(&log).unwrap();
    drop(store);
    fs::remove_file(&path).unwrap();
    fs::write(&log, &left).unwrap();
    for opened in [Store::open(&path).map(Some), Store::open_if_there(&path)] {
        assert!(matches!(opened, Err(StoreError::Damaged { .. })), "{opened:?}");
    }
    assert_eq!((fs::read(&log).unwrap(), path.exists()), (left, false));
}

#[test]
fn verify_and_load_report_damaged_pages() {
    let (_folder, path) = filled();
    assert_eq!(Store::open_existing(&path).unwrap().verify().unwrap(), [""; 0]);
    let whole = fs::read(&path).unwrap();
    let middle = whole.len() / 4096 / 2;
    for (page, byte) in [(2, 0xff), (20, 0), (middle, 0x5a)] {
        let mut damaged = whole.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(byte);
        fs::write(&path, damaged).unwrap();
        match Store::open_existing(&path).and_then(|store| store.verify()) {
            Ok(findings) => assert!(!findings.is_empty(), "damage of page {page} was not found"),
            Err(error) => assert!(matches!(error, StoreError::Damaged { .. }), "page {page}: {error:?}"),
        }
    }
    let error = Store::open_existing(&path).unwrap().load("r1").unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    assert!(error.to_string().contains("recover"), "{error}");
}

#[test]
fn load_names_the_run_of_unreadable_columns() {
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
    change("UPDATE series SET median = 1.0, details = '{'");
    assert!(is_named());
    change("UPDATE series SET details = '{\"experiment\":\"memory\"}'; UPDATE run SET machine = 'x'");
    assert!(is_named());
    let store = Store::open_existing(&path).unwrap();
    assert_eq!(store.runs().unwrap().len(), 1, "the readable columns are listed");
    assert!(store.verify().unwrap().is_empty() && store.unread().contains_key("r1"), "{:?}", store.unread());
    drop(store);
    change("UPDATE run SET machine = '{}'; DROP TABLE sample");
    assert!(matches!(load(), Err(StoreError::Damaged { .. })));
}

#[test]
#[cfg(unix)]
fn names_special_to_sqlite_are_plain_files() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["file:x?mode=memory", ":memory:", "a%20b #?", "日本語"] {
        let path = folder.path().join(name);
        Store::open(&path).unwrap();
        assert!(path.is_file(), "{name}");
    }
    assert!(matches!(Store::open(Path::new("/dev/null")), Err(StoreError::Unusable { .. })));
}

#[test]
#[cfg(unix)]
fn new_store_is_readable_by_its_user_only() {
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
fn store_rejects_read_only_folders_with_advice() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = filled();
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&path, 0o644);
    set(folder.path(), 0o555);
    let reader = || {
        if !become_nobody() {
            return;
        }
        for missing in ["new.sqlite", "deeper/new.sqlite"].map(|name| folder.path().join(name)) {
            for opened in [Store::open(&missing).map(Some), Store::open_if_there(&missing)] {
                assert!(matches!(opened, Err(StoreError::NotWritable { .. })), "{opened:?}");
            }
        }
        let message = refused(&path, |error| matches!(error, StoreError::NotWritable { .. }));
        assert!(message.contains("such as a copy"), "{message}");
    };
    std::thread::scope(|scope| scope.spawn(reader).join().unwrap());
    set(folder.path(), 0o755);
}

#[test]
fn only_open_creates_a_missing_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/kasoku.sqlite");
    let error = Store::open_existing(&path).unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error:?}");
    assert!(error.to_string().contains("kasoku run"), "{error}");
    assert!(Store::open_if_there(&path).unwrap().is_none());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    Store::open(&path).unwrap();
    assert!(Store::open_if_there(&path).unwrap().is_some());
    let error = Store::open_if_there(&path.join("below/kasoku.sqlite")).unwrap_err();
    assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
}
