//! The library `kasoku` in a run: each acceleration state runs its backend, and the code path shows it.

use kasoku_libraries::kasoku::{BACKEND_VARIABLE, backend_of, backend_states};

use crate::lock_machine;
use crate::support::{Sandbox, ask_worker, list, series, words};

#[test]
fn each_acceleration_state_runs_its_backend() {
    let _machine = lock_machine();
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
    let all = series(&document, "kasoku");
    assert_eq!(all.len(), states.len() * 8);
    for (state, name) in backend_states().into_iter().zip(&states) {
        let backend = backend_of(state).name();
        let told = list(&document["run"]["libraries"]).iter().find(|one| one["acceleration"] == name.as_str()).unwrap();
        assert_eq!(told["cpu_features"], backend);
        for one in all.iter().filter(|one| one["acceleration"] == name.as_str()) {
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
    let sandbox = Sandbox::new();
    let mut worker = sandbox.command(&["worker", "kasoku"]);
    let answers = ask_worker(worker.env(BACKEND_VARIABLE, "vaes1024"), "{\"operation\":\"describe\"}\n");
    let why = answers[0]["unavailable"].as_str().unwrap();
    assert!(why.contains(BACKEND_VARIABLE) && why.contains("vaes1024") && why.contains("vaes512"), "{why}");
}
