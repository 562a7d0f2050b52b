//! Long messages by induction: they are proven, and a fault in the loop is refused. (The theorem is about the release
//! build.)
#![cfg(all(target_os = "linux", target_arch = "x86_64", not(debug_assertions)))]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use iced_x86::{Instruction, Mnemonic};
use kasoku_proof::case::{CODE_PATHS, Keyed};
use kasoku_proof::reference::Direction;
use kasoku_proof::theorem;

/// The library beside the command.
fn library() -> PathBuf {
    let library = Path::new(env!("CARGO_BIN_EXE_kasoku-proof")).with_file_name("libkasoku.so");
    assert!(library.exists(), "cargo build --release -p kasoku-c makes {}", library.display());
    library
}

/// One case of each direction and path, and then the same without one instruction of what only long messages execute.
#[test]
fn long_messages_are_proven_and_faults_in_their_loops_refused() {
    for path in CODE_PATHS {
        let case = theorem::long_messages(path).nth(101).unwrap();
        let mut keyed = Keyed::new(&library(), path, 16, |_, _| ()).unwrap().unwrap();
        for pair in theorem::both(1021, case.aad_bytes) {
            keyed.prove(&pair).unwrap();
        }
        let short: BTreeSet<u64> = keyed.take_executed().into_iter().collect();
        keyed.prove_long(&case).unwrap_or_else(|why| panic!("{path}, {case}: {why}"));
        let long: Vec<u64> = keyed.take_executed().into_iter().filter(|address| !short.contains(address)).collect();
        let instructions: Vec<Instruction> = long.iter().map(|&at| *keyed.code().instruction(at).unwrap()).collect();
        let works = |it: &&Instruction| {
            use Mnemonic::{Aesenc, Aesenclast, Pclmulqdq, Vaesenc, Vaesenclast, Vpclmulqdq};
            matches!(it.mnemonic(), Aesenc | Aesenclast | Pclmulqdq | Vaesenc | Vaesenclast | Vpclmulqdq)
        };
        let works: Vec<&Instruction> = instructions.iter().filter(works).collect();
        assert!(works.len() > 20, "{path}: {}", works.len());
        for dropped in works.iter().step_by(works.len() / 4) {
            let nothing = vec![0x90; dropped.len()];
            let changed = Keyed::new(&library(), path, 16, |_, code| code.patch(dropped.ip(), &nothing)).unwrap();
            let Err(why) = changed.unwrap().prove_long(&case) else { panic!("{path} without {dropped:?}: proven") };
            eprintln!("{path} without {:?}: {why}", dropped.mnemonic());
            assert!(!why.to_string().contains("depends on what is secret"), "{path} without {dropped:?}: {why}");
        }
        let opening =
            theorem::long_messages(path).filter(|case| case.direction == Direction::Opening).nth(100).unwrap();
        keyed.prove_long(&opening).unwrap_or_else(|why| panic!("{path}, {opening}: {why}"));
    }
}
