//! Why something is not proven.

use crate::field::Bit;

/// Why the prover does not accept what the code does.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refusal {
    /// An instruction without semantics here, or one that does not exist.
    #[error("this instruction is not known to the prover")]
    Unknown,
    /// Something that has to be public is not the same for all secrets.
    #[error("{0} depends on what is secret or undefined")]
    Secret(&'static str),
    /// Memory that the call has no business with.
    #[error("{bytes} bytes at {address:#x} may not be {verb}: {place}")]
    Access {
        /// The address.
        address: u64,
        /// How many.
        bytes: u64,
        /// What was tried.
        verb: &'static str,
        /// The nearest memory that the call has.
        place: String,
    },
    /// A function outside of the library that has no model.
    #[error("a call of {0:#x}, which is outside of the library and has no model")]
    Outside(u64),
    /// A condition on secret bits, which only the verdict on a tag may be. (These are all zero where it holds.)
    #[error("a branch on whether {} secret bits are zero", .0.len())]
    Verdict(Vec<Bit>),
    /// Polynomials of a degree that the error bound does not allow for.
    #[error("polynomials of a degree up to {0}, more than {most}", most = crate::flow::MAX_DEGREE)]
    Degree(u32),
    /// A trap, or an execution that does not end.
    #[error("the code {0}")]
    Stuck(&'static str),
    /// A result that is not the standard's.
    #[error("{0}")]
    Wrong(String),
    /// The same, with its place in the code.
    #[error("{place}: {why}")]
    At {
        /// The instruction, and its place in the library.
        place: String,
        /// What is wrong with it.
        why: Box<Refusal>,
    },
}

impl Refusal {
    pub(crate) fn wrong(what: impl Into<String>) -> Self {
        Self::Wrong(what.into())
    }

    /// Adds the place of the instruction that is refused.
    pub(crate) fn at(self, place: String) -> Self {
        Self::At { place, why: Box::new(self) }
    }
}
