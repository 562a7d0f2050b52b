//! Reasons for which the prover refuses code.

use crate::field::Bit;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Refusal {
    /// The prover has no model of the instruction.
    #[error("this instruction is not known to the prover")]
    Unknown,
    /// An address, branch or count depends on secret or undefined values. Contains its description.
    #[error("{0} depends on what is secret or undefined")]
    Secret(&'static str),
    /// The code accesses memory that the call may not access.
    #[error("{bytes} bytes at {address:#x} may not be {verb}: {place}")]
    Access {
        address: u64,
        bytes: u64,
        verb: &'static str,
        /// Description of the memory region nearest to the access.
        place: String,
    },
    /// The code calls a function outside the library that has no model. Contains its address.
    #[error("a call of {0:#x}, which is outside of the library and has no model")]
    Outside(u64),
    /// A branch depends on whether all contained bits, which are secret, are zero. The prover accepts such a branch
    /// only for the comparison of a tag.
    #[error("a branch on whether {} secret bits are zero", .0.len())]
    Verdict(Vec<Bit>),
    /// The degree of a polynomial that represents a bit exceeds [`MAX_DEGREE`](crate::flow::MAX_DEGREE).
    #[error("polynomials of a degree up to {0}, more than {most}", most = crate::flow::MAX_DEGREE)]
    Degree(u32),
    /// The code traps, does not end, or breaks a rule of the platform.
    #[error("the code {0}")]
    Stuck(&'static str),
    /// A result differs from the standard. Contains a description.
    #[error("{0}")]
    Wrong(String),
    /// Another refusal, with the instruction at which it occurred.
    #[error("{place}: {why}")]
    AtInstruction {
        /// Disassembly of the instruction, with its address in the library.
        place: String,
        why: Box<Refusal>,
    },
}

impl Refusal {
    pub(crate) fn wrong(what: impl Into<String>) -> Self {
        Self::Wrong(what.into())
    }

    /// Adds `place`, which describes the refused instruction and its address.
    pub(crate) fn at_instruction(self, place: String) -> Self {
        Self::AtInstruction { place, why: Box::new(self) }
    }
}
