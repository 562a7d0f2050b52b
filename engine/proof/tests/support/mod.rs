//! Finds the library under test, and inserts faulty code into it.
#![allow(dead_code, reason = "each test file uses a part of this module")]

use std::path::{Path, PathBuf};

use iced_x86::FlowControl;
use kasoku_proof::code::Code;
use kasoku_proof::library::Library;

/// Returns the path of the library beside the command.
pub(crate) fn library() -> PathBuf {
    let library = Path::new(env!("CARGO_BIN_EXE_kasoku-proof")).with_file_name("libkasoku.so");
    assert!(library.exists(), "cargo build --release -p kasoku-c makes {}", library.display());
    library
}

/// Executes `inserted` before the instruction at `at`. The code of the function `room`, which no call of the tests
/// uses, is overwritten with `inserted`, with the instructions that make room for the jump, and with the jump back.
/// `inserted` can read itself as data.
pub(crate) fn insert(library: &mut Library, code: &mut Code, at: u64, inserted: &[u8], room: &str) {
    let room = library.symbol(room).unwrap();
    for (address, &byte) in (room..).zip(inserted) {
        library.patch(address, byte);
    }
    let jump = |from: u64, to: u64| {
        let distance = i32::try_from(to.wrapping_sub(from + 5).cast_signed()).unwrap();
        [&[0xE9][..], &distance.to_le_bytes()].concat()
    };
    let (mut behind, mut moved) = (at, inserted.to_vec());
    while behind < at + 5 {
        let instruction = code.instruction(behind).unwrap();
        assert!(!instruction.is_ip_rel_memory_operand() && instruction.flow_control() == FlowControl::Next);
        moved.extend(code.bytes(&instruction));
        behind = instruction.next_ip();
    }
    moved.extend(jump(room + moved.len() as u64, behind));
    code.patch(at, &jump(at, room));
    code.patch(room, &moved);
}
