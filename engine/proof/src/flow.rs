//! Tracks the degrees of polynomials from one instruction to the next.
//!
//! The error bound of the method is proportional to the degree (docs/PROOF.md), so code must not reach a high degree. A
//! [`Degree`] is kept for each register and for every eight bytes of memory. A [`Flow`] collects the degrees of the
//! operands that one instruction reads. From these degrees follows an upper bound for the degree of the instruction's
//! results.

use crate::field::Bit;

/// Maximum degree of a polynomial that the prover accepts in a register or in memory.
pub const MAX_DEGREE: u32 = 1 << 14;

/// Upper bound of the degrees of the polynomials that represent the bits in a register, lane or memory word. Known bits
/// have degree 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degree(pub u16);

impl Degree {
    pub const VARIABLE: Self = Self(1);

    /// Returns 0 if all bits are known, otherwise `self`.
    #[must_use]
    pub fn for_bits(self, bits: &[Bit]) -> Self {
        if bits.iter().all(|bit| bit.known().is_some()) { Self(0) } else { self }
    }
}

/// Rule by which the degree of an instruction's result follows from the degrees of its operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rule {
    /// The result is a sum of operands; its degree is the maximum of the operands' degrees.
    #[default]
    Sum,
    /// The result is a sum of products in which each operand is a factor at most once. Its degree is the sum of the
    /// operands' degrees.
    Product,
    /// The result is a sum of products of at most the contained number of bits of the operands.
    Factors(u32),
}

/// Maximum and sum of the polynomial degrees of an instruction's operands.
#[derive(Clone, Copy, Debug, Default)]
struct Operands {
    greatest: u32,
    sum: u32,
}

/// Polynomial degrees of the operands that the current instruction has read, and the rule for the result's degree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flow {
    whole: Operands,
    lanes: [Operands; 4],
    is_by_lane: bool,
    rule: Rule,
}

impl Operands {
    #[inline]
    fn read(&mut self, degree: Degree) {
        self.greatest = self.greatest.max(degree.0.into());
        self.sum += u32::from(degree.0);
    }

    /// Returns the polynomial degree of the instruction's result by a rule.
    fn result(self, rule: Rule) -> u32 {
        match rule {
            Rule::Sum => self.greatest,
            Rule::Product => self.sum,
            Rule::Factors(factors) => self.greatest * factors,
        }
    }
}

impl Flow {
    #[inline]
    pub fn read(&mut self, degree: Degree) {
        self.read_lanes([degree; 4]);
    }

    /// Adds an operand, with one polynomial degree for each 128-bit lane.
    #[inline]
    pub fn read_lanes(&mut self, degrees: [Degree; 4]) {
        self.whole.read(degrees.into_iter().fold(Degree(0), Degree::max));
        for (lane, degree) in self.lanes.iter_mut().zip(degrees) {
            lane.read(degree);
        }
    }

    /// Declares that each lane of the result depends only on the same lane of the operands.
    pub fn keep_lanes(&mut self) {
        self.is_by_lane = true;
    }

    /// Declares that any lane of the result may depend on any lane of the operands.
    pub fn mix_lanes(&mut self) {
        self.is_by_lane = false;
    }

    /// Declares that the operands are multiplied with each other.
    pub fn multiply(&mut self) {
        self.rule = Rule::Product;
    }

    /// Declares that up to `factors` bits of the operands are multiplied with each other.
    pub fn multiply_bits(&mut self, factors: usize) {
        self.rule = Rule::Factors(factors as u32);
    }

    /// Declares that all bits read so far are S-box arguments. The S-box outputs, new variables, have degree 1. Returns
    /// the maximum degree of the arguments.
    pub fn substitute(&mut self) -> u32 {
        let degree = self.whole.greatest;
        let variable = Operands { greatest: 1, sum: 1 };
        (self.whole, self.lanes) = (variable, [variable; 4]);
        degree
    }

    /// Returns the maximum polynomial degree of the instruction's results, which may exceed [`MAX_DEGREE`].
    #[must_use]
    pub fn greatest(&self) -> u32 {
        let lanes = self.lanes.iter().map(|lane| lane.result(self.rule));
        if self.is_by_lane { lanes.max().unwrap_or(0) } else { self.whole.result(self.rule) }
    }

    /// Returns the polynomial degree of a lane of the result. A degree too large for a [`Degree`] is cut to its
    /// maximum; the prover then refuses the instruction.
    #[must_use]
    pub fn lane(&self, lane: usize) -> Degree {
        let operands = if self.is_by_lane { self.lanes[lane] } else { self.whole };
        Degree(u16::try_from(operands.result(self.rule)).unwrap_or(u16::MAX))
    }

    /// Returns the maximum polynomial degree of the instruction's results, cut to the maximum of a [`Degree`].
    #[must_use]
    pub fn degree(&self) -> Degree {
        Degree(u16::try_from(self.greatest()).unwrap_or(u16::MAX))
    }

    /// Returns an upper bound of the number of bit comparisons that the model makes in one instruction, either on
    /// vectors or on integers and masks. Three operands of up to 512 bits are compared with 0, 1 and each other, and
    /// the result with 0 and 1. A product also compares its factors with 0, 1 and each other. VPTERNLOG has up to
    /// twelve products for each bit.
    #[must_use]
    pub fn comparisons(&self, is_of_vectors: bool) -> u64 {
        match (is_of_vectors, self.rule) {
            (false, _) => 1 << 11,
            (true, Rule::Sum) => 1 << 13,
            (true, _) => 1 << 16,
        }
    }
}

/// Numbers that determine the error bound of a proof: comparisons at one random point, and polynomial degrees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Number of comparisons of field elements in one call.
    pub comparisons: u64,
    /// Number of look-ups in caches of earlier results in one call.
    pub lookups: u64,
    /// Number of unknown bytes to which the S-box was applied.
    pub arguments: u64,
    /// Maximum degree of the polynomials to which the S-box was applied.
    pub argument_degree: u32,
    /// Maximum degree of all polynomials.
    pub degree: u32,
}

/// Maximum number of entries of a cache of earlier results.
pub const MAX_TABLE_LEN: usize = 1 << 15;

impl Tally {
    /// Returns the larger of the two tallies' values in each field.
    #[must_use]
    pub fn greatest(&self, other: &Self) -> Self {
        Self {
            comparisons: self.comparisons.max(other.comparisons),
            lookups: self.lookups.max(other.lookups),
            arguments: self.arguments.max(other.arguments),
            argument_degree: self.argument_degree.max(other.argument_degree),
            degree: self.degree.max(other.degree),
        }
    }

    /// Returns -log₂ of an upper bound of the probability that a false statement is accepted at one random point
    /// (Schwartz–Zippel lemma). By chance, two S-box arguments, two compared values, or a value and a cache entry may
    /// agree.
    #[must_use]
    pub fn error_exponent(&self) -> f64 {
        let pairs = (self.arguments as f64).powi(2) / 2.0 * f64::from(self.argument_degree);
        let others = self.comparisons as f64 + self.lookups as f64 * MAX_TABLE_LEN as f64;
        128.0 - (pairs + others * f64::from(self.degree)).log2()
    }
}
