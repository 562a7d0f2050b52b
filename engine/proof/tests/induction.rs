//! Checks that the prover accepts long messages by induction, and refuses faults in the loop. Needs a release build of
//! the library.
#![cfg(all(target_os = "linux", target_arch = "x86_64", not(debug_assertions)))]
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;

use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use kasoku_proof::case::{CODE_PATHS, MessageProver};
use kasoku_proof::reference::Direction;
use kasoku_proof::theorem;
use support::library;

/// A fault: its name, a test for the instructions that it applies to, and a function that returns the changed code of
/// an instruction.
type Fault = (&'static str, fn(&Instruction) -> bool, fn(&[u8]) -> Vec<u8>);

#[test]
fn induction_proves_long_messages_and_refuses_faulty_loops() {
    for path in CODE_PATHS {
        let case = theorem::long_messages(path).nth(101).unwrap();
        let mut prover = MessageProver::new(&library(), path, 16, |_, _| ()).unwrap().unwrap();
        prover.take_executed(); // discards the instructions of key set-up, which seals
        for pair in theorem::both_directions(1021, case.aad_bytes) {
            prover.prove(&pair).unwrap();
        }
        let short: BTreeSet<u64> = prover.take_executed().into_iter().collect();
        prover.prove_long(&case).unwrap_or_else(|why| panic!("{path}, {case}: {why}"));
        let executed = prover.take_executed();
        let mut instruction = |at: &u64| *prover.code().instruction(*at).unwrap();
        let all: Vec<Instruction> = executed.iter().map(&mut instruction).collect();
        let long: Vec<Instruction> = all.iter().copied().filter(|it| !short.contains(&it.ip())).collect();
        let faults: [Fault; 4] = [
            ("AES and products", works_on_text, dropped),
            ("stores", stores, dropped),
            ("steps of numbers", counts, dropped),
            ("branches", ends_iteration, inverted),
        ];
        // The checks of pointers at the C boundary are excluded.
        let ends = |it: &[Instruction]| Some((it.first()?.ip(), it.last()?.ip()));
        let kernel: Vec<Instruction> = all.iter().copied().filter(works_on_text).collect();
        let kernel = ends(&kernel).map(|(first, last)| first..=last).unwrap();
        for (what, is_one, changed) in faults {
            let is_by_text = what == "AES and products";
            let from = if is_by_text { &long } else { &all };
            let these: Vec<&Instruction> = from.iter().filter(|it| kernel.contains(&it.ip()) && is_one(it)).collect();
            assert!(!these.is_empty(), "{path}: no {what}");
            for it in these.iter().step_by(these.len().div_ceil(4)) {
                let bytes = changed(prover.code().bytes(it));
                let faulty = MessageProver::new(&library(), path, 16, |_, code| code.patch(it.ip(), &bytes)).unwrap();
                let Err(why) = faulty.and_then(|mut prover| prover.prove_long(&case)) else {
                    panic!("{path}, {what}, {}: proven", prover.code().describe(it.ip()))
                };
                eprintln!("{path}, {what}, {:?}: {why}", it.mnemonic());
                assert!(!is_by_text || !why.to_string().contains("depends on what is secret"), "{path}, {it:?}: {why}");
            }
        }
        let opening =
            theorem::long_messages(path).filter(|case| case.direction == Direction::Opening).nth(100).unwrap();
        prover.prove_long(&opening).unwrap_or_else(|why| panic!("{path}, {opening}: {why}"));
    }
}

fn works_on_text(it: &Instruction) -> bool {
    use Mnemonic::{Aesenc, Aesenclast, Pclmulqdq, Vaesenc, Vaesenclast, Vpclmulqdq};
    matches!(it.mnemonic(), Aesenc | Aesenclast | Pclmulqdq | Vaesenc | Vaesenclast | Vpclmulqdq)
}

/// Returns whether an instruction stores a vector to memory that is not on the stack.
fn stores(it: &Instruction) -> bool {
    it.op0_kind() == OpKind::Memory && it.op1_register().is_vector_register() && it.memory_base() != Register::RSP
}

/// Returns whether an instruction adds to or subtracts from a pointer or counter. Rounding up to whole vectors is
/// excluded: without it, full vectors have the same result.
fn counts(it: &Instruction) -> bool {
    let is_sum = matches!(it.mnemonic(), Mnemonic::Add | Mnemonic::Sub | Mnemonic::Inc | Mnemonic::Dec);
    let rounds_up = it.op1_kind() == OpKind::Immediate8to64 && it.immediate(1) == 63;
    is_sum && !rounds_up && it.op0_register().is_gpr() && it.op0_register() != Register::RSP
}

/// Returns whether an instruction is a conditional backward branch. Other branches may choose between equivalent paths.
fn ends_iteration(it: &Instruction) -> bool {
    it.is_jcc_short_or_near() && it.near_branch_target() < it.ip()
}

fn dropped(bytes: &[u8]) -> Vec<u8> {
    vec![0x90; bytes.len()]
}

/// Returns a branch with the opposite condition.
fn inverted(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let condition = usize::from(bytes[0] == 0x0F);
    bytes[condition] ^= 1;
    bytes
}
