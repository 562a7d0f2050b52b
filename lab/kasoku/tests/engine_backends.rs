//! The library `kasoku` in a run: each acceleration state runs its backend, and the code path shows it.
#![allow(clippy::unwrap_used)] // all of this file is tests; clippy sees only the functions marked so

mod support;

use std::io::Write as _;
use std::process::{Command, Stdio};

use kasoku_libraries::kasoku::{BACKEND_VARIABLE, backend_of, backend_states};
use serde_json::Value;
use support::{Sandbox, words};

#[test]
fn each_acceleration_state_runs_its_backend() {
    let sandbox = Sandbox::new();
    let states: Vec<String> = backend_states().into_iter().map(|state| state.to_string()).collect();
    let line = format!(
        "run primitives --libraries kasoku --algorithms aes-128-gcm,aes-256-gcm --operations seal,open --nonces \
         ahead,counted --sizes 4096 --rounds 3 --slice 1 --json out.json --acceleration {}",
        states.join(",")
    );
    // The exit status is not checked: on a busy machine a slow backend may have no quiet slice in three rounds.
    sandbox.kasoku(&words(&line));
    let document = sandbox.written("out.json");
    let series = || document["series"].as_array().unwrap().iter().filter(|one| one["details"]["control"].is_null());
    assert_eq!(series().count(), states.len() * 8);
    for (state, name) in backend_states().into_iter().zip(&states) {
        let backend = backend_of(state).name();
        let libraries = document["run"]["libraries"].as_array().unwrap();
        let told = libraries.iter().find(|one| one["acceleration"] == name.as_str()).unwrap();
        assert_eq!(told["cpu_features"], backend);
        for one in series().filter(|one| one["acceleration"] == name.as_str()) {
            let note = one["note"].as_str().unwrap_or_default();
            assert!(one["outcome"] == "measured" || note.contains("never had a core"), "{one}");
            let path = one["code_path"].as_str().unwrap();
            let agrees = match backend {
                "portable" => !path.contains("aes") && !path.contains("clmul"),
                _ => path.starts_with(backend) && path.contains("clmul"),
            };
            assert!(agrees || path == "unknown" && cfg!(not(target_os = "linux")), "{name}: {backend} and {path}");
        }
    }
}

#[test]
fn worker_rejects_an_unavailable_backend() {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_kasoku"))
        .args(["worker", "kasoku"])
        .env(BACKEND_VARIABLE, "vaes1024")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    worker.stdin.take().unwrap().write_all(b"{\"operation\":\"describe\"}\n").unwrap();
    let answer: Value = serde_json::from_slice(&worker.wait_with_output().unwrap().stdout).unwrap();
    let why = answer["unavailable"].as_str().unwrap();
    assert!(why.contains(BACKEND_VARIABLE) && why.contains("vaes1024") && why.contains("vaes512"), "{why}");
}
