//! Checks that the machine code of `libkasoku.so` computes AES-GCM, for any key, nonce, text and AAD of given lengths.
//!
//! The machine code is executed instruction by instruction ([`execution`], [`machine`], [`semantics`]) over bits that
//! are elements of a large field ([`field`]), drawn at random for all that a caller may choose; what it writes is
//! compared with the standard's formulas at the same point ([`mod@reference`]). Two polynomials that agree there are
//! the same, but for a small probability. docs/PROOF.md has the statement, its error, what it assumes and what it does
//! not cover.
//!
//! * [`library`] loads the code, [`memory`] holds what it may touch, [`outside`] stands for what it calls in libc;
//! * [`flow`] follows the polynomials' degrees, on which that probability depends;
//! * [`symbols`] draws values, and has AES's S-box as a function of which nothing is known; [`memo`] keeps what was
//!   computed from them;
//! * [`case`] and [`packet`] are one call and what must come of it, [`theorem`] all of them;
//! * [`mutants`] changes the code, to show that the proof sees it;
//! * [`native`] compares the semantics of each instruction with this CPU.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod abi;
pub mod aes;
pub mod affine;
pub mod case;
pub mod code;
pub mod context;
mod cores;
pub mod execution;
pub mod explanation;
pub mod field;
pub mod flow;
pub mod induction;
pub mod library;
pub mod machine;
pub mod memo;
pub mod memory;
pub mod mutants;
pub mod native;
pub mod packet;
pub mod platform;
pub mod reference;
pub mod refusal;
pub mod semantics;
pub mod symbols;
pub mod theorem;
pub mod word;
