//! Proves that the machine code of `libkasoku.so` computes AES-GCM, for all keys, nonces, texts and AAD of given
//! lengths.
//!
//! The prover executes the machine code symbolically, one instruction at a time. It represents each bit by an element
//! of a large field: secrets are random elements, and results are compared with the standard's formulas at the same
//! random point. Polynomials that agree at this point are equal, except with a small probability. docs/PROOF.md has the
//! statement, its error bound and its assumptions.
//!
//! * [`library`] loads the code, [`memory`] holds what a call may access, [`platform`] models libc and the CPU
//! * [`execution`], [`machine`] and [`semantics`] execute instructions over the field in [`field`]
//! * [`flow`] bounds the degrees of the polynomials, on which the error depends
//! * [`symbols`] draws random values and models the S-box as an unknown function; [`memo`] caches results
//! * [`mod@reference`] has the standard's formulas, [`case`] and [`packet`] have the calls, [`theorem`] lists them all
//! * [`mutants`] inserts faults into the code to show that the prover refuses them
//! * [`native`] compares the semantics of instructions with this CPU

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
