//! Libraries with wrong results that earlier versions of the prover accepted. The prover must refuse each of them.
#![cfg(all(target_os = "linux", target_arch = "x86_64", not(debug_assertions)))]
#![allow(clippy::unwrap_used)]
#![allow(unsafe_code, reason = "assembles the inserted code into the test and reads its bytes")]

mod support;

use std::arch::global_asm;

use iced_x86::{Code as Opcode, Encoder, Instruction, MemoryOperand, Mnemonic, Register};
use kasoku_proof::case::{CODE_PATHS, Case, KeySetup, MessageProver};
use kasoku_proof::library::Library;
use kasoku_proof::platform;
use kasoku_proof::reference::Direction;
use kasoku_proof::theorem;
use support::{insert, library};

global_asm!(
    // Inserted before `kasoku_gcm_open`: keeps one block of a message of 8 KiB and more in k2 and k3, and sets k4, the
    // number of stretches (2 KiB) that have ended, to zero.
    "keep_block:",
    "cmp qword ptr [rsp + 8], 8192",
    "jb 2f",
    "mov rax, [r9 + 1152]",
    "kmovq k2, rax",
    "mov rax, [r9 + 1160]",
    "kmovq k3, rax",
    "2:",
    "kxorq k4, k4, k4",
    "keep_block_end:",
    // Inserted before `kasoku_gcm_open`: raises the nonce's first bit to the power 2^128 - 1, which is 1 in GF(2^128)
    // unless the bit is 0. If the bit is 0, opens nothing.
    "raise_bit:",
    "movzx eax, byte ptr [rsi]",
    "and eax, 1",
    "movd xmm0, eax",
    "movdqa xmm1, xmm0",
    "mov eax, 127",
    "2:",
    "pclmulqdq xmm1, xmm1, 0",
    "pclmulqdq xmm1, xmm0, 0",
    "dec eax",
    "jnz 2b",
    "movd eax, xmm1",
    "test eax, eax",
    "jnz 3f",
    "ret",
    "3:",
    "raise_bit_end:",
    // Inserted before `kasoku_gcm_create`: inverts one bit of every key of 16 bytes except the first key of the
    // process.
    "change_later_keys:",
    "mov rax, 0x5555555555555555",
    "add qword ptr [rax], 1",
    "cmp qword ptr [rax], 1",
    "je 2f",
    "sub rsp, 40",
    "mov rax, [rdi]",
    "xor rax, 1",
    "mov [rsp], rax",
    "mov rax, [rdi + 8]",
    "mov [rsp + 8], rax",
    "mov rdi, rsp",
    "call 2f",
    "add rsp, 40",
    "ret",
    "2:",
    "change_later_keys_end:",
    // Inserted before `kasoku_gcm_create`: inverts one bit of every key if no environment variable names the backend.
    "change_default_keys:",
    "push rdi",
    "push rsi",
    "push rdx",
    "push rcx",
    "sub rsp, 8",
    "lea rdi, [rip + 3f]",
    "mov rax, 0x5555555555555555",
    "call rax",
    "add rsp, 8",
    "pop rcx",
    "pop rdx",
    "pop rsi",
    "pop rdi",
    "test rax, rax",
    "jnz 2f",
    "sub rsp, 40",
    "mov rax, [rdi]",
    "xor rax, 1",
    "mov [rsp], rax",
    "mov rax, [rdi + 8]",
    "mov [rsp + 8], rax",
    "mov rdi, rsp",
    "call 2f",
    "add rsp, 40",
    "ret",
    "3:",
    ".asciz \"KASOKU_BACKEND\"",
    "2:",
    "change_default_keys_end:",
);

unsafe extern "C" {
    static keep_block: u8;
    static keep_block_end: u8;
    static raise_bit: u8;
    static raise_bit_end: u8;
    static change_later_keys: u8;
    static change_later_keys_end: u8;
    static change_default_keys: u8;
    static change_default_keys_end: u8;
}

/// Returns the code between two labels.
fn between(start: *const u8, end: *const u8) -> Vec<u8> {
    // SAFETY: the labels are in one section, and `start` precedes `end`.
    unsafe { std::slice::from_raw_parts(start, end.addr() - start.addr()) }.to_vec()
}

/// This library hashes a block from the beginning of the message instead of the current block, after every 8 KiB except
/// the first and the last. If the prover mistakes the text of an iteration for the beginning of the message, the two
/// blocks are equal. Earlier versions of the prover made this mistake and accepted the library.
#[test]
fn induction_refuses_loop_that_hashes_the_wrong_block() {
    let path = CODE_PATHS[0];
    let case = theorem::long_messages(path).nth(274).unwrap();
    assert!(case.direction == Direction::Opening && !case.is_in_place, "{case}");
    let long = Case { direction: Direction::Opening, bytes: 20_513, aad_bytes: 13, is_in_place: false };
    let mut prover = MessageProver::new(&library(), path, 16, |_, _| ()).unwrap().unwrap();
    prover.take_executed(); // discards the instructions of key set-up, which seals
    prover.prove(&long).unwrap();
    let executed = prover.take_executed();
    // Finds the place where the loop adds the hash of a stretch to a later vector of text. The next shuffle overwrites
    // a register, which is free until then. The number of pairs of vectors that follow is loaded from the stack.
    let found = executed.windows(3).rev().find_map(|at| {
        let [sum, _, shuffle] = [at[0], at[1], at[2]].map(|at| *prover.code().instruction(at).unwrap());
        let is_it = sum.mnemonic() == Mnemonic::Vpxorq
            && sum.op_register(0) == sum.op_register(1)
            && shuffle.mnemonic() == Mnemonic::Vpshufd;
        let mut next = sum;
        while is_it && next.mnemonic() != Mnemonic::Test && next.ip() < sum.ip() + 100 {
            next = *prover.code().instruction(next.next_ip()).unwrap();
            if next.mnemonic() == Mnemonic::Mov && next.memory_base() == Register::RSP {
                let left = MemoryOperand::with_base_displ(Register::RSP, next.memory_displacement64().cast_signed());
                return Some((sum.ip(), [sum.op_register(0), shuffle.op_register(0)], left));
            }
        }
        None
    });
    let (sum_at, [text, free], left) = found.unwrap();
    let outcome = |is_added: bool| {
        let keep = between(&raw const keep_block, &raw const keep_block_end);
        let wrong = MessageProver::new(&library(), path, 16, |library, code| {
            let open = library.symbol("kasoku_gcm_open").unwrap();
            insert(library, code, open, &keep, "kasoku_siv_seal");
            insert(library, code, sum_at, &add_difference([text, free], left, is_added), "kasoku_siv_open");
        });
        wrong.unwrap().unwrap().prove_long(&case)
    };
    outcome(false).unwrap();
    let why = outcome(true).unwrap_err().to_string();
    assert!(why.contains("the sums are not the hash of what is written"), "{why}");
}

/// Returns code that adds the lowest block of `text` and the block in k2 and k3 to `text`, each 8 KiB after the first
/// stretch. The code adds nothing if at most 110 pairs of vectors are `left`, or if `is_added` is false. It changes the
/// register `free`.
fn add_difference([text, free]: [Register; 2], left: MemoryOperand, is_added: bool) -> Vec<u8> {
    use Register::{K2, K3, K4, K5, RAX};
    let encoded = |instructions: &[Instruction]| -> Vec<u8> {
        let mut encoder = Encoder::new(64);
        for instruction in instructions {
            encoder.encode(instruction, 0).unwrap();
        }
        encoder.take_buffer()
    };
    let instruction2 = |code, one, other| Instruction::with2(code, one, other).unwrap();
    let instruction3 = |code, one, two, three| Instruction::with3(code, one, two, three).unwrap();
    let [text_low, free_low] = [text, free].map(|register| Register::XMM0 + register.number() as u32);
    let add = encoded(&[
        instruction2(Opcode::VEX_Kmovq_r64_kr, RAX, K2),
        instruction2(Opcode::EVEX_Vmovq_xmm_rm64, free_low, RAX),
        instruction2(Opcode::VEX_Kmovq_r64_kr, RAX, K3),
        Instruction::with4(Opcode::EVEX_Vpinsrq_xmm_xmm_rm64_imm8, free_low, free_low, RAX, 1).unwrap(),
        instruction3(Opcode::EVEX_Vpxorq_xmm_k1z_xmm_xmmm128b64, free_low, free_low, text_low),
        instruction3(Opcode::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, text, text, free),
    ]);
    let add = if is_added { add } else { vec![0x90] };
    let few_left = encoded(&[Instruction::with2(Opcode::Cmp_rm64_imm32, left, 110).unwrap()]);
    let mut all = encoded(&[
        instruction2(Opcode::VEX_Kmovq_kr_r64, K5, RAX),
        instruction2(Opcode::VEX_Kmovq_r64_kr, RAX, K4),
        Instruction::with2(Opcode::Add_rm64_imm8, RAX, 1).unwrap(),
        instruction2(Opcode::VEX_Kmovq_kr_r64, K4, RAX),
        // The fifth stretch and every fourth one after it end a multiple of 8 KiB after the first: the number less five
        // has neither a sign nor the lowest two bits.
        Instruction::with2(Opcode::Sub_rm64_imm8, RAX, 5).unwrap(),
        Instruction::with2(Opcode::And_rm64_imm32, RAX, i32::MIN | 3).unwrap(),
    ]);
    // jne and jbe jump behind the addition.
    all.extend([0x75, (few_left.len() + 2 + add.len()) as u8]);
    all.extend(few_left);
    all.extend([0x76, add.len() as u8]);
    all.extend(add);
    all.extend(encoded(&[instruction2(Opcode::VEX_Kmovq_r64_kr, RAX, K5)]));
    all
}

/// The power 2^128 - 1 of any nonzero element of GF(2^128) is 1, so a random value shows no dependence on the nonce.
/// Earlier versions of the prover therefore accepted the branch.
#[test]
fn prover_refuses_branch_on_high_degree_polynomial_of_nonce() {
    for path in CODE_PATHS {
        let mut prover = MessageProver::new(&library(), path, 16, |library, code| {
            let power = between(&raw const raise_bit, &raw const raise_bit_end);
            let open = library.symbol("kasoku_gcm_open").unwrap();
            insert(library, code, open, &power, "kasoku_siv_seal");
        })
        .unwrap()
        .unwrap();
        for bytes in [0, 100, 1500] {
            let case = Case { direction: Direction::Opening, bytes, aad_bytes: 13, is_in_place: false };
            let why = prover.prove(&case).unwrap_err().to_string();
            assert!(why.contains("pclmul") && why.contains("degree"), "{path}, {case}: {why}");
        }
        let case = theorem::long_messages(path).find(|case| case.direction == Direction::Opening).unwrap();
        let why = prover.prove_long(&case).unwrap_err().to_string();
        assert!(why.contains("degree"), "{path}, {case}: {why}");
    }
}

/// Makes a key with a library that first executes `wrong`, in which `number` replaces the placeholder. Returns whether
/// the prover accepts calls with the key.
fn accepts_keys(making: KeySetup, wrong: &[u8], number: impl Fn(&Library) -> u64) -> bool {
    let mut prover = MessageProver::new(&library(), making, 16, |library, code| {
        let mut wrong = wrong.to_vec();
        let at = wrong.windows(8).position(|bytes| *bytes == [0x55; 8]).unwrap();
        wrong[at..at + 8].copy_from_slice(&number(library).to_le_bytes());
        (0..8).for_each(|byte| library.patch(library.last_writable() + byte, 0));
        let create = library.symbol("kasoku_gcm_create").unwrap();
        insert(library, code, create, &wrong, "kasoku_siv_seal");
    })
    .unwrap()
    .unwrap();
    theorem::both_directions(100, 13).iter().all(|case| prover.prove(case).is_ok())
}

#[test]
fn prover_finds_fault_in_setup_of_the_second_key_of_a_process() {
    let wrong = between(&raw const change_later_keys, &raw const change_later_keys_end);
    for (path, is_default) in CODE_PATHS.into_iter().flat_map(|path| [(path, false), (path, true)]) {
        let accepts =
            |is_second| accepts_keys(KeySetup { is_default, is_second, ..path.into() }, &wrong, Library::last_writable);
        assert!(accepts(false), "{path}: the first key is right");
        assert!(!accepts(true), "{path}");
    }
}

/// The library expands keys correctly only if the environment variable `KASOKU_BACKEND` selects the code path. The
/// prover must also cover keys of processes without this variable, where CPUID selects the code path.
#[test]
fn prover_finds_fault_in_key_setup_for_code_path_selected_by_cpuid() {
    let wrong = between(&raw const change_default_keys, &raw const change_default_keys_end);
    let getenv = platform::function_address(b"secure_getenv").unwrap();
    for path in CODE_PATHS {
        let accepts = |is_default| accepts_keys(KeySetup { is_default, ..path.into() }, &wrong, |_| getenv);
        assert!(accepts(false), "{path}: a key is right where variables name the path");
        assert!(!accepts(true), "{path}");
    }
}

/// Checks all code paths: each is the default on one of the modelled CPUs.
#[test]
fn code_path_chosen_by_cpuid_executes_same_instructions_as_named_path() {
    for path in CODE_PATHS {
        let executed = [false, true].map(|is_default| {
            let making = KeySetup { is_default, ..path.into() };
            let mut prover = MessageProver::new(&library(), making, 16, |_, _| ()).unwrap().unwrap();
            prover.take_executed();
            for case in theorem::both_directions(700, 13) {
                prover.prove(&case).unwrap();
            }
            let base = prover.code().base();
            prover.take_executed().into_iter().map(|address| address - base).collect::<Vec<_>>()
        });
        assert_eq!(executed[0], executed[1], "{path}");
    }
}

#[test]
fn instruction_with_unsupported_operand_is_refused() {
    const WRONG: [(&str, &[u8]); 6] = [
        // add rsp, 8 behind it
        ("push ax", &[0x66, 0x50, 0x48, 0x83, 0xC4, 0x08]),
        // sub rsp, 8 before it
        ("pop ax", &[0x48, 0x83, 0xEC, 0x08, 0x66, 0x58]),
        ("mov eax,ds", &[0x8C, 0xD8]),
        ("movd mm0,eax", &[0x0F, 0x6E, 0xC0]),
        ("lea r10,[ecx+eax]", &[0x67, 0x4C, 0x8D, 0x14, 0x01]),
        ("mov eax,[esp]", &[0x67, 0x8B, 0x04, 0x24]),
    ];
    for (name, wrong) in WRONG {
        let mut prover = MessageProver::new(&library(), CODE_PATHS[0], 16, |library, code| {
            let open = library.symbol("kasoku_gcm_open").unwrap();
            insert(library, code, open, wrong, "kasoku_siv_seal");
        })
        .unwrap()
        .unwrap();
        let case = Case { direction: Direction::Opening, bytes: 100, aad_bytes: 13, is_in_place: false };
        let why = prover.prove(&case).unwrap_err().to_string();
        assert!(why.starts_with(name) && why.contains("not known to the prover"), "{name}: {why}");
    }
}
