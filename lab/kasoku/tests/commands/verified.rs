//! `kasoku libraries --verified`: whether a record lists the file of a C library.

use std::fs;

use crate::support::{Sandbox, check_status, error_of, text_of};

/// SHA-256 of the four bytes `code`.
const CODE_SHA256: &str = "5694d08a2e53ffcae0c3103e5ad6f6076abd960eb1f8a56577040bc1028f702b";

/// A record about a file, with some fields of another version.
fn record(sha256: &str, path: &str, refused: u32) -> String {
    format!(
        "{{\"library_sha256\": \"{sha256}\", \"calls\": \"sample\", \"code_path\": {path}, \"jobs\": [1], \
         \"accepted\": 12, \"refused\": {refused}, \"error_probability_below_2_to_minus\": 90.0, \"new\": {{}}}}"
    )
}

/// Writes `lib/libkasoku.so.0` and the records with their paths.
fn sandbox(records: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("lib")).unwrap();
    fs::write(sandbox.path("lib/libkasoku.so.0"), "code").unwrap();
    for (path, content) in records {
        let path = sandbox.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    sandbox
}

/// Checks the answer about `lib/libkasoku.so.0`. Returns standard error.
fn check(records: &[(&str, &str)], status: i32, says: &str) -> String {
    let output = sandbox(records).kasoku(&["libraries", "--verified", "lib/libkasoku.so.0"]);
    check_status(&output, status);
    let text = text_of(&output);
    assert!(text.starts_with(&format!("lib/libkasoku.so.0, SHA-256 {CODE_SHA256}\n{says}")), "{text}");
    error_of(&output)
}

#[test]
fn verified_finds_record_beside_library_and_in_documents_of_packages() {
    let right = record(CODE_SHA256, "null", 0);
    for path in ["lib/libkasoku-0.1.0-x86_64-linux.verification.json", "share/doc/kasoku/a.verification.json"] {
        let errors = check(&[(path, &right)], 0, "verified: yes (sample of 12 calls, bound 2^-90); ");
        assert_eq!(errors, "");
    }
    let sandbox = sandbox(&[("share/doc/libkasoku0/a.verification.json", &right)]);
    let installed = "lib/x86_64-linux-gnu/libkasoku.so.0";
    fs::create_dir(sandbox.path("lib/x86_64-linux-gnu")).unwrap();
    fs::rename(sandbox.path("lib/libkasoku.so.0"), sandbox.path(installed)).unwrap();
    assert!(sandbox.text(&["libraries", "--verified", installed]).contains("verified: yes"));
}

#[test]
fn verified_rejects_files_that_no_record_lists() {
    let other = record(&CODE_SHA256.replace('5', "6"), "null", 0);
    for records in [&[][..], &[("lib/a.verification.json", &other[..])], &[("lib/a.json", &other[..])]] {
        assert_eq!(check(records, 1, "no record lists this file\n"), "");
    }
}

#[test]
fn verified_rejects_records_of_refused_calls_and_of_one_code_path() {
    let refused = record(CODE_SHA256, "null", 3);
    check(&[("lib/a.verification.json", &refused)], 1, "verified: no (3 calls refused, 12 accepted); ");
    let in_part = record(CODE_SHA256, "\"aesni\\u001b[2J\"", 0);
    let says = "verified: in part (only on aesni";
    check(&[("lib/a.verification.json", &in_part)], 1, says);
}

#[test]
fn verified_names_malformed_records_and_uses_the_next() {
    let right = record(CODE_SHA256, "null", 0);
    let (nested, long) = ("[".repeat(10_000), format!("{right}{}", " ".repeat(70_000)));
    for malformed in ["", "{", "[1, 2]", "{\"library_sha256\": 5}", &nested, &long, &right.replace("12", "-1")] {
        let records = [("lib/a.verification.json", malformed), ("lib/b.verification.json", &right[..])];
        let errors = check(&records, 0, "verified: yes (sample of 12 calls, bound 2^-90); ");
        assert!(errors.contains("a.verification.json is no record of a verification: "), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}

#[test]
fn verified_reports_unreadable_libraries() {
    let sandbox = sandbox(&[]);
    sandbox.refusal(&["libraries", "--verified", "nosuch"], "nosuch: ");
    sandbox.refusal(&["libraries", "--verified", "lib"], "lib: it is not a regular file");
}
