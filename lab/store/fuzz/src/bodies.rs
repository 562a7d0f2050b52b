//! What the fuzz target does with an input; `tests/stored_any.rs` does the same with inputs of its own, without a
//! fuzzer.

#[path = "../../../model/fuzz/edited.rs"]
mod edited;

use std::cell::RefCell;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::comparison::compare;
use kasoku_model::document::Document;
use kasoku_model::workload::Operation;
use kasoku_store::{Store, StoreError, WantedWorkload};
use rusqlite::Connection;
use rusqlite::types::Value;
use tempfile::TempDir;

/// What somebody else has written into a column of a store, a document that was edited, or one from nothing: by the
/// first byte, which is none of JSON in the first two.
pub(crate) fn stored(input: &[u8]) {
    thread_local! {
        static DESK: RefCell<Desk> = RefCell::new(Desk::new());
    }
    DESK.with_borrow_mut(|desk| match input.split_first() {
        Some((&place, value)) if place < 0x40 => desk.read_changed(usize::from(place), value),
        Some((b'@'..=b'Z', script)) => desk.store_edited(script),
        _ => desk.store(input),
    });
}

/// A store for all inputs of a thread: to make one takes longer than to use it.
struct Desk {
    store: Store,
    /// Who writes into the file by hand.
    by_hand: Connection,
    columns: Vec<(&'static str, String)>,
    /// A run that has something in every column, in few rows.
    short: Document,
    _folder: TempDir,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store.sqlite");
        let (store, by_hand) = (Store::open(&path).expect("a store"), Connection::open(&path).expect("a store"));
        // By hand no reference between tables stands in the way; and no disk is waited for.
        by_hand.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF").expect("fixed");
        let mut columns = Vec::new();
        for table in ["run", "series", "sample", "device"] {
            let sql = format!("SELECT name FROM pragma_table_info('{table}')");
            let mut statement = by_hand.prepare(&sql).expect("fixed");
            let names = statement.query_map([], |row| row.get(0)).expect("fixed");
            columns.extend(names.map(|name| (table, name.expect("a name"))));
        }
        let mut short: Document = serde_json::from_value(edited::whole()).expect("a document");
        short.run.id = "short".to_owned();
        short.series.truncate(1);
        Self { store, by_hand, columns, short, _folder: folder }
    }

    /// What a document says comes back, or is refused when it is stored.
    fn store(&mut self, input: &[u8]) {
        let Ok(document) = serde_json::from_slice::<Document>(input) else { return };
        self.keep(&document);
        self.look();
        self.clear();
    }

    /// The same with an edited document, beside one that was not, with which it is compared.
    fn store_edited(&mut self, script: &[u8]) {
        let Ok(document) = serde_json::from_value::<Document>(edited::edited(script)) else { return };
        self.store.add_document(&self.short).expect("it can be stored");
        self.keep(&document);
        let _ = self.store.share_workloads(&self.short.run.id, &document.run.id).inspect_err(assert_told);
        assert!(compare(&document, &self.short, 0.0).pairs.len() <= document.series.len());
        self.look();
        self.clear();
    }

    fn keep(&mut self, document: &Document) {
        match self.store.add_document(document) {
            Ok(()) => match self.store.load(&document.run.id) {
                Ok(back) => assert_eq!(&back, document),
                Err(error) => assert!(document.check_extent().is_err(), "{error}"),
            },
            Err(error) => assert_told(&error),
        }
    }

    /// Whatever stands in a column, reading ends, and what is read can be written.
    fn read_changed(&mut self, place: usize, value: &[u8]) {
        self.store.add_document(&self.short).expect("it can be stored");
        let (kind, value) = value.split_first().unwrap_or((&0, value));
        let number = value.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes));
        let value = match kind % 5 {
            0 | 1 => Value::Text(String::from_utf8_lossy(value).into_owned()),
            2 => Value::Blob(value.to_vec()),
            3 => Value::Integer(number),
            _ => Value::Real(f64::from_bits(number.cast_unsigned())),
        };
        let (table, column) = &self.columns[place % self.columns.len()];
        let changed = self.by_hand.execute(&format!("UPDATE {table} SET {column} = ?"), [value]);
        if changed.is_ok() {
            self.look();
            if let Ok(document) = self.store.load(&self.short.run.id).inspect_err(assert_told) {
                let text = serde_json::to_vec(&document).expect("a document is JSON");
                let back = serde_json::from_slice::<Document>(&text).expect("it was written");
                assert_eq!(back, document, "{table}, {column}");
            }
        }
        self.clear();
    }

    /// What is asked of all runs.
    fn look(&self) {
        let runs = self.store.runs().inspect_err(assert_told);
        for run in runs.iter().flatten() {
            let _ = self.store.load(&run.id).inspect_err(assert_told);
        }
        let _ = self.store.known().inspect_err(assert_told);
        let _ = self.store.workloads().inspect_err(assert_told);
        let wanted = WantedWorkload {
            algorithm: Algorithm::Aes128Gcm,
            operation: Operation::Seal,
            acceleration: Acceleration::On,
            bytes: None,
            library: None,
        };
        let figures = self.store.figures(&wanted).inspect_err(assert_told);
        assert!(figures.iter().flatten().all(|figure| figure.median.is_finite()));
        let _ = self.store.find("last").inspect_err(assert_told);
    }

    fn clear(&self) {
        let clear = "DELETE FROM sample; DELETE FROM series; DELETE FROM run; DELETE FROM device";
        self.by_hand.execute_batch(clear).expect("it can be written");
    }
}

/// An error is a line that can be shown.
fn assert_told(error: &StoreError) {
    let text = error.to_string();
    assert!(!text.is_empty() && !text.chars().any(char::is_control), "{text:?}");
}
