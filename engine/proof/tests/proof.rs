//! Checks that the prover accepts the library, and refuses libraries with faults. Needs a release build of the library.
#![cfg(all(target_os = "linux", target_arch = "x86_64", not(debug_assertions)))]
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use iced_x86::{Mnemonic, OpKind};
use kasoku_proof::case::{CODE_PATHS, Case, KeySetup, MessageProver, StreamCase, VectoredCase};
use kasoku_proof::code::Code;
use kasoku_proof::mutants::{self, MutationKind, Outcome};
use kasoku_proof::packet::{EntryPoint, FIRST_NUMBERS, PacketCase, PacketProver, PacketShape};
use kasoku_proof::reference::Direction;
use kasoku_proof::refusal::Refusal;
use kasoku_proof::{native, theorem};
use support::{insert, library};

#[test]
fn messages_are_proven_on_every_code_path() {
    for (path, key_bytes) in CODE_PATHS.into_iter().flat_map(|path| theorem::KEY_SIZES.map(|bytes| (path, bytes))) {
        let mut prover = MessageProver::new(&library(), path, key_bytes, |_, _| ()).unwrap().unwrap();
        for (bytes, aad_bytes) in [(0, 0), (1, 48), (15, 13), (100, 16), (479, 17), (1000, 33)] {
            for direction in Direction::BOTH {
                for is_in_place in [false, true] {
                    let case = Case { direction, bytes, aad_bytes, is_in_place };
                    prover.prove(&case).unwrap_or_else(|why| panic!("{path}, {case}: {why}"));
                }
            }
        }
        assert!(prover.compared().arguments > 60 * 16 * 9, "the cipher was not symbolic");
    }
}

#[test]
fn replaced_opcodes_are_refused_with_a_reason() {
    let path = CODE_PATHS[0];
    let mutants = mutants::path_mutants(&library(), path, 16).unwrap();
    assert!(mutants.len() > 50, "{} mutants", mutants.len());
    let mut refused = 0;
    for mutant in mutants.iter().filter(|mutant| mutant.kind == MutationKind::Opcode) {
        let Outcome::Refused(call, why) = mutant.outcome(&library()).unwrap() else { panic!("{mutant}") };
        assert!(!call.is_empty() && !why.to_string().is_empty());
        refused += 1;
    }
    assert!(refused >= 6, "{refused}");
}

#[test]
fn mutant_option_exits_with_status_1_for_refused_mutant() {
    let all = mutants::all_mutants(&library()).unwrap();
    assert!(all.len() >= 200, "{} mutants", all.len());
    let number =
        all.iter().position(|mutant| mutant.kind == MutationKind::Opcode && mutant.after.contains("aesenclast"));
    let command = Command::new(env!("CARGO_BIN_EXE_kasoku-proof"))
        .args(["--mutant", &number.unwrap().to_string()])
        .output()
        .unwrap();
    let output = String::from_utf8(command.stdout).unwrap();
    assert_eq!(command.status.code(), Some(1), "{output}");
    assert!(output.contains("REFUSED") && output.contains("bytes"), "{output}");
}

#[test]
fn library_option_without_slash_names_file_in_current_folder() {
    let command = |folder: &Path, library: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kasoku-proof"));
        let output = command.args(["--library", library, "--mutant", "0"]).current_dir(folder).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr))
    };
    let (library, here) = (library(), Path::new(env!("CARGO_MANIFEST_DIR")));
    let (status, output) = command(here, "libc.so.6");
    assert!(status == Some(2) && output.contains("./libc.so.6"), "{output}");
    let (_, output) = command(library.parent().unwrap(), "libkasoku.so");
    assert!(output.starts_with("./libkasoku.so, SHA-256 "), "{output}");
}

/// Compares the semantics of instructions with the CPU, which executes `for_cpu(bytes)`. Returns the numbers of
/// instructions that agree, that differ, and that the CPU lacks.
fn compared(instructions: &[&[u8]], for_cpu: impl Fn(&[u8]) -> Vec<u8> + Sync) -> [usize; 3] {
    let instructions = instructions.iter().map(|bytes| bytes.to_vec()).collect();
    let compared = native::compare(&instructions, 50, for_cpu).unwrap();
    [compared.instructions, compared.different.len(), compared.missing_features.values().sum()]
}

#[test]
fn cpu_comparison_reports_instructions_with_different_results() {
    // add rax, rcx; pshufb xmm1, xmm3
    assert_eq!(compared(&[&[0x48, 0x01, 0xC8], &[0x66, 0x0F, 0x38, 0x00, 0xCB]], <[u8]>::to_vec), [2, 0, 0]);
    // The CPU executes sub rax, rcx instead of add.
    assert_eq!(compared(&[&[0x48, 0x01, 0xC8]], |_| vec![0x48, 0x29, 0xC8]), [0, 1, 0]);
    // Empty bytes stand for an instruction without a relocatable encoding.
    assert_eq!(compared(&[&[]], <[u8]>::to_vec), [0, 1, 0]);
}

#[test]
fn cpu_comparison_of_no_instructions_fails() {
    assert!(!native::compare(&BTreeSet::new(), 50, <[u8]>::to_vec).unwrap().agrees());
}

/// push rax; push [rcx]; pop rcx; pop [r9]; call to the next instruction; call rbx; call [r9]; ret
#[test]
fn cpu_comparison_accepts_right_and_reports_wrong_stack_instructions() {
    let right: [&[u8]; 8] = [
        &[0x50],
        &[0xFF, 0x31],
        &[0x59],
        &[0x41, 0x8F, 0x01],
        &[0xE8, 0, 0, 0, 0],
        &[0xFF, 0xD3],
        &[0x41, 0xFF, 0x11],
        &[0xC3],
    ];
    assert_eq!(compared(&right, <[u8]>::to_vec), [8, 0, 0]);
    // The CPU executes push cx instead of push rcx, so the stack pointer moves by 2, and pop rdx instead of pop rcx.
    assert_eq!(compared(&[&[0x51]], |_| vec![0x66, 0x51]), [0, 1, 0]);
    assert_eq!(compared(&[&[0x59]], |_| vec![0x5A]), [0, 1, 0]);
}

/// Compares vpshufb zmm1, zmm2, zmm3, which only CPUs with AVX-512BW support.
#[test]
fn cpu_comparison_counts_instructions_missing_on_this_cpu() {
    let has_it = std::is_x86_feature_detected!("avx512bw");
    let expected = if has_it { [1, 0, 0] } else { [0, 0, 1] };
    assert_eq!(compared(&[&[0x62, 0xF2, 0x6D, 0x48, 0x00, 0xCB]], <[u8]>::to_vec), expected);
}

#[test]
fn packets_are_proven_on_every_code_path() {
    for (path, key_bytes) in CODE_PATHS.into_iter().flat_map(|path| [16, 32].map(|bytes| (path, bytes))) {
        let mut prover = PacketProver::new(&library(), path, key_bytes, (1, FIRST_NUMBERS[1])).unwrap().unwrap();
        for (payload_bytes, number_offset) in [(3, 1), (16, 9), (100, 18), (479, 21), (1200, 28)] {
            for (entry, number_bytes) in EntryPoint::ALL.into_iter().flat_map(|entry| (1..=4).map(move |b| (entry, b)))
            {
                let case =
                    PacketCase { entry, packets: vec![PacketShape { number_offset, number_bytes, payload_bytes }] };
                prover.prove(&case).unwrap_or_else(|why| panic!("{path}, {case}: {why}"));
            }
        }
    }
}

#[test]
fn streamed_messages_are_proven_on_every_code_path() {
    for (path, key_bytes) in CODE_PATHS.into_iter().flat_map(|path| theorem::KEY_SIZES.map(|bytes| (path, bytes))) {
        let mut prover = MessageProver::new(&library(), path, key_bytes, |_, _| ()).unwrap().unwrap();
        for (pieces, aad_pieces) in [
            (vec![], vec![]),
            (vec![0, 1, 15], vec![13]),
            (vec![7, 9, 16, 1], vec![0, 3, 17]),
            (vec![100, 600, 3], vec![40]),
            (vec![16; 9], vec![16, 16]),
        ] {
            for direction in Direction::BOTH {
                let is_in_place = pieces.len() % 2 == 0;
                let (pieces, aad_pieces) = (pieces.clone(), aad_pieces.clone());
                let case = StreamCase { direction, pieces, aad_pieces, is_in_place };
                prover.prove_stream(&case).unwrap_or_else(|why| panic!("{path}, {case}: {why}"));
            }
        }
    }
}

#[test]
fn vectored_messages_are_proven_on_every_code_path() {
    for (path, key_bytes) in CODE_PATHS.into_iter().flat_map(|path| theorem::KEY_SIZES.map(|bytes| (path, bytes))) {
        let mut prover = MessageProver::new(&library(), path, key_bytes, |_, _| ()).unwrap().unwrap();
        for (pieces, aad_pieces) in [
            (vec![], vec![]),
            (vec![0, 1, 15, 0], vec![13]),
            (vec![5, 1000], vec![0, 3, 17]),
            (vec![33; 10], vec![40, 60, 100]),
            (vec![479, 2, 600], vec![16, 16]),
        ] {
            for direction in Direction::BOTH {
                let case = VectoredCase { direction, pieces: pieces.clone(), aad_pieces: aad_pieces.clone() };
                prover.prove_vectored(&case).unwrap_or_else(|why| panic!("{path}, {case}: {why}"));
            }
        }
    }
}

#[test]
fn xaes_messages_are_proven_on_every_code_path() {
    for path in CODE_PATHS {
        let mut prover = MessageProver::xaes(&library(), path, |_, _| ()).unwrap().unwrap();
        for (bytes, aad_bytes) in [(0, 0), (1, 48), (100, 16), (479, 17), (4000, 33)] {
            for direction in Direction::BOTH {
                let case = Case { direction, bytes, aad_bytes, is_in_place: bytes % 2 == 1 };
                prover.prove(&case).unwrap_or_else(|why| panic!("{path}, {case}: {why}"));
            }
        }
    }
}

/// Drops AES rounds that only the key derivation of XAES executes. Dropping a product may be harmless, because short
/// messages do not need all powers of H.
#[test]
fn dropped_rounds_in_xaes_key_derivation_are_refused() {
    use Mnemonic::{Aesenc, Aesenclast, Vaesenc, Vaesenclast};
    let rounds = [Aesenc, Aesenclast, Vaesenc, Vaesenclast];
    let case = Case { direction: Direction::Sealing, bytes: 100, aad_bytes: 20, is_in_place: false };
    for path in CODE_PATHS {
        let mut plain = MessageProver::new(&library(), path, 32, |_, _| ()).unwrap().unwrap();
        plain.prove(&case).unwrap();
        let plain: BTreeSet<u64> = plain.take_executed().into_iter().collect();
        let mut prover = MessageProver::xaes(&library(), path, |_, _| ()).unwrap().unwrap();
        let making: BTreeSet<u64> = prover.take_executed().into_iter().collect();
        prover.prove(&case).unwrap();
        let executed = prover.take_executed().into_iter().filter(|at| !plain.contains(at) && !making.contains(at));
        let these: Vec<u64> =
            executed.filter(|&at| rounds.contains(&prover.code().instruction(at).unwrap().mnemonic())).collect();
        assert!(these.len() > 40, "{path}: {}", these.len());
        for &at in these.iter().step_by(these.len().div_ceil(12)) {
            let nothing = vec![0x90; prover.code().instruction(at).unwrap().len()];
            let faulty = MessageProver::xaes(&library(), path, |_, code| code.patch(at, &nothing)).unwrap();
            let Err(why) = faulty.unwrap().prove(&case) else {
                panic!("{path}, {}: proven", prover.code().describe(at))
            };
            eprintln!("{path}, {}: {why}", prover.code().describe(at));
        }
    }
}

#[test]
fn write_to_key_object_during_call_is_refused() {
    let case = Case { direction: Direction::Opening, bytes: 100, aad_bytes: 20, is_in_place: false };
    // mov [rdi], rdi
    let store = [0x48, 0x89, 0x3F];
    for path in CODE_PATHS {
        let gcm = MessageProver::new(&library(), path, 16, |library, code| {
            code.patch(library.symbol("kasoku_gcm_open").unwrap(), &store);
        });
        let xaes = MessageProver::xaes(&library(), path, |library, code| {
            code.patch(library.symbol("kasoku_xaes_open").unwrap(), &store);
        });
        for prover in [gcm, xaes] {
            let why = prover.unwrap().unwrap().prove(&case).unwrap_err().to_string();
            assert!(why.contains("may not be written: it is the heap"), "{path}: {why}");
        }
    }
}

/// Inserts code before a function. The code has an effect only for some stack contents or buffer addresses.
#[test]
fn code_that_depends_on_stack_contents_or_buffer_alignment_is_refused() {
    const FAULTS: [(&str, &[u8]); 5] = [
        // cmp qword [rsp - 0x20], 0; je; ud2
        ("asks what is on the stack", &[0x48, 0x83, 0x7C, 0x24, 0xE0, 0x00, 0x74, 0x02, 0x0F, 0x0B]),
        // mov [rsp - 0x88], rax
        ("writes below the red zone", &[0x48, 0x89, 0x84, 0x24, 0x78, 0xFF, 0xFF, 0xFF]),
        // mov [rsp + 0x20], rax: three arguments are on the stack
        ("writes behind its arguments", &[0x48, 0x89, 0x44, 0x24, 0x20]),
        // mov rax, [rsp + 0x10]; test al, 15; jz; ud2
        ("wants the tag aligned", &[0x48, 0x8B, 0x44, 0x24, 0x10, 0xA8, 0x0F, 0x74, 0x02, 0x0F, 0x0B]),
        // cmp r9, [rsp + 0x18]; jne; test r9b, 1; jnz; ud2
        (
            "wants what is in place at odd addresses",
            &[0x4C, 0x3B, 0x4C, 0x24, 0x18, 0x75, 0x08, 0x41, 0xF6, 0xC1, 0x01, 0x75, 0x02, 0x0F, 0x0B],
        ),
    ];
    let refused = |first: &[u8]| {
        let mut prover = MessageProver::new(&library(), CODE_PATHS[0], 16, |library, code| {
            let open = library.symbol("kasoku_gcm_open").unwrap();
            insert(library, code, open, first, "kasoku_siv_seal");
        })
        .unwrap()
        .unwrap();
        let cases = (0..40).flat_map(|bytes| theorem::both_directions(bytes, bytes % 7));
        cases.filter(|case| case.direction == Direction::Opening && prover.prove(case).is_err()).count()
    };
    assert_eq!(refused(&[0x90]), 0, "nothing is wrong with nothing");
    for (what, first) in FAULTS {
        assert!(refused(first) > 0, "{what}");
    }
}

/// Makes a key and wipes it with a library whose code `change` has changed.
fn wipe(setup: KeySetup, change: impl FnOnce(&mut Code)) -> Result<MessageProver, Refusal> {
    let mut prover = MessageProver::new(&library(), setup, 16, |_, code| change(code)).unwrap().unwrap();
    prover.take_executed();
    prover.prove_wiping().map(|()| prover)
}

#[test]
fn keys_of_xaes_and_packets_are_wiped_on_every_code_path() {
    for path in CODE_PATHS {
        let mut xaes = MessageProver::xaes(&library(), path, |_, _| ()).unwrap().unwrap();
        xaes.prove_wiping().unwrap_or_else(|why| panic!("{path}: {why}"));
        let mut packets = PacketProver::new(&library(), path, 16, (1, FIRST_NUMBERS[0])).unwrap().unwrap();
        packets.prove_wiping().unwrap_or_else(|why| panic!("{path}: {why}"));
    }
}

#[test]
fn library_that_leaves_a_part_of_a_key_is_refused() {
    for (path, is_lent) in CODE_PATHS.into_iter().zip([false, true, true, false]) {
        let setup = KeySetup { is_lent, ..path.into() };
        let mut prover = wipe(setup, |_| ()).unwrap_or_else(|why| panic!("{path}: {why}"));
        let executed = prover.take_executed();
        let code = prover.code();
        let base = code.base();
        let stores: Vec<(u64, usize)> = executed
            .into_iter()
            .filter_map(|address| code.instruction(address).map(|instruction| (address - base, instruction)))
            .filter(|(_, instruction)| instruction.op0_kind() == OpKind::Memory && !instruction.is_stack_instruction())
            .map(|(offset, instruction)| (offset, instruction.len()))
            .collect();
        // Not all: some stores are to the stack, or to powers of H that this key never got.
        let is_missed = |&&(offset, length): &&(u64, usize)| {
            let outcome = wipe(setup, |code| code.patch(code.base() + offset, &vec![0x90; length]));
            outcome.is_err_and(|why| why.to_string().contains("is not wiped"))
        };
        let missed = stores.iter().filter(is_missed).count();
        assert!(missed >= 5, "{path}: {missed} of {} stores", stores.len());
    }
}

#[test]
fn batches_of_long_packets_may_add_powers_to_keys() {
    let shape = |payload_bytes| PacketShape { number_offset: 5, number_bytes: 3, payload_bytes };
    for (path, entry) in CODE_PATHS.into_iter().zip([
        EntryPoint::ProtectBatch,
        EntryPoint::OpenBatch,
        EntryPoint::UnprotectBatch,
        EntryPoint::OpenBatch,
    ]) {
        let mut prover = PacketProver::new(&library(), path, 16, (2, FIRST_NUMBERS[0])).unwrap().unwrap();
        for payload_bytes in [1400, 1500] {
            let case = PacketCase { entry, packets: vec![shape(payload_bytes); 2] };
            prover.prove(&case).unwrap_or_else(|why| panic!("{path}, {case}: {why}"));
        }
    }
}
