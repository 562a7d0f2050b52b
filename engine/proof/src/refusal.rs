//! Reasons for which the prover refuses code.

use crate::field::Bit;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Refusal {
    /// The prover has no model of the executed instruction.
    #[error("this instruction is not known to the prover")]
    Unknown,
    /// An address, branch or count depends on secret or undefined values. Contains a description of that address,
    /// branch or count.
    #[error("{0} depends on what is secret or undefined")]
    Secret(&'static str),
    /// The code accesses memory that it must not access during the call.
    #[error("{bytes} bytes at {address:#x} may not be {verb}: {place}")]
    Access {
        address: u64,
        bytes: u64,
        verb: &'static str,
        /// Description of the memory region nearest to the accessed address.
        place: String,
    },
    /// The code calls a function outside the library for which the prover has no model. Contains the function's
    /// address.
    #[error("a call of {0:#x}, which is outside of the library and has no model")]
    Outside(u64),
    /// A branch depends on whether all contained bits, which are secret, are zero. The prover accepts such a branch
    /// only where the code compares tags.
    #[error("a branch on whether {} secret bits are zero", .0.len())]
    Verdict(Vec<Bit>),
    /// A bit is represented by a polynomial whose degree exceeds [`MAX_DEGREE`](crate::flow::MAX_DEGREE). Contains this
    /// degree.
    #[error("polynomials of a degree up to {0}, more than {most}", most = crate::flow::MAX_DEGREE)]
    Degree(u32),
    /// The code traps, does not end, or breaks a rule of the platform. Contains a description.
    #[error("the code {0}")]
    Stuck(&'static str),
    /// A result differs from the standard. Contains a description of the difference.
    #[error("{0}")]
    Wrong(String),
    /// A refusal with the instruction at which it occurred.
    #[error("{place}: {why}")]
    AtInstruction {
        /// Disassembly of the refused instruction, with its address in the library.
        place: String,
        why: Box<Refusal>,
    },
}

impl Refusal {
    pub(crate) fn wrong(what: impl Into<String>) -> Self {
        Self::Wrong(what.into())
    }

    /// Returns this refusal with `place`, the disassembly and address of the refused instruction.
    pub(crate) fn at_instruction(self, place: String) -> Self {
        Self::AtInstruction { place, why: Box::new(self) }
    }
}
