//! Tracks polynomial degrees from the operands of each instruction to its results.
//!
//! Symbolic bits are polynomials in the random field elements. The error bound of the method is proportional to their
//! degree (docs/PROOF.md), so the prover refuses code whose bits reach a high degree. The prover keeps a [`Degree`] for
//! each register and for every eight bytes of memory. A [`Flow`] collects the degrees of the operands that one
//! instruction reads, and derives an upper bound for the degree of the instruction's results.

use crate::field::Bit;

/// Maximum polynomial degree (in the random field elements) of a bit in a register or in memory. The prover refuses
/// code that exceeds this degree, because the error bound grows with the degree.
pub const MAX_DEGREE: u32 = 1 << 14;

/// Upper bound of the polynomial degree (in the random field elements) of all bits in a register, lane or memory word.
/// Concrete bits have degree 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degree(pub u16);

impl Degree {
    pub const VARIABLE: Self = Self(1);

    /// Returns degree 0 if all of `bits` are concrete, otherwise `self`.
    #[must_use]
    pub fn for_bits(self, bits: &[Bit]) -> Self {
        if bits.iter().all(|bit| bit.known().is_some()) { Self(0) } else { self }
    }
}

/// Rule that gives the polynomial degree of an instruction's result from the polynomial degrees of its operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rule {
    /// The result is a sum of operands. The degree of the result is the maximum of the operands' degrees.
    #[default]
    Sum,
    /// The result is a sum of products, in which each operand is a factor at most once. The degree of the result is the
    /// sum of the operands' degrees.
    Product,
    /// The result is a sum of products of operand bits. The contained number is the maximum number of factors in a
    /// product.
    Factors(u32),
}

/// Maximum and sum of the polynomial degrees of an instruction's operands.
#[derive(Clone, Copy, Debug, Default)]
struct Operands {
    greatest: u32,
    sum: u32,
}

/// Polynomial degrees of the operands that the current instruction has read, and the rule for the degree of its result.
/// The variables are the random field elements in place of unknown bits; the degree bounds the probability that two
/// different polynomials have the same value.
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

    /// Returns the polynomial degree of the instruction's result by the rule `rule`.
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

    /// Adds an operand of the current instruction. `degrees` has a polynomial degree for each 128-bit lane of the
    /// operand.
    #[inline]
    pub fn read_lanes(&mut self, degrees: [Degree; 4]) {
        self.whole.read(degrees.into_iter().fold(Degree(0), Degree::max));
        for (lane, degree) in self.lanes.iter_mut().zip(degrees) {
            lane.read(degree);
        }
    }

    /// Declares that each 128-bit lane of the result depends only on the same lane of the operands.
    pub fn keep_lanes(&mut self) {
        self.is_by_lane = true;
    }

    /// Declares that each 128-bit lane of the result may depend on all lanes of the operands.
    pub fn mix_lanes(&mut self) {
        self.is_by_lane = false;
    }

    /// Declares that the current instruction multiplies its operands with each other.
    pub fn multiply(&mut self) {
        self.rule = Rule::Product;
    }

    /// Declares that the current instruction multiplies up to `factors` bits of its operands with each other.
    pub fn multiply_bits(&mut self, factors: usize) {
        self.rule = Rule::Factors(factors as u32);
    }

    /// Declares that all operand bits read so far are S-box inputs. The S-box outputs are new random field elements, so
    /// their polynomial degree is 1. Returns the maximum polynomial degree of the inputs.
    pub fn substitute(&mut self) -> u32 {
        let degree = self.whole.greatest;
        let variable = Operands { greatest: 1, sum: 1 };
        (self.whole, self.lanes) = (variable, [variable; 4]);
        degree
    }

    /// Returns the maximum polynomial degree of the current instruction's results, which may exceed [`MAX_DEGREE`].
    #[must_use]
    pub fn greatest(&self) -> u32 {
        let lanes = self.lanes.iter().map(|lane| lane.result(self.rule));
        if self.is_by_lane { lanes.max().unwrap_or(0) } else { self.whole.result(self.rule) }
    }

    /// Returns the polynomial degree of one 128-bit lane of the current instruction's result. A degree that does not
    /// fit in a [`Degree`] is replaced by the maximum of that type; the prover then refuses the instruction.
    #[must_use]
    pub fn lane(&self, lane: usize) -> Degree {
        let operands = if self.is_by_lane { self.lanes[lane] } else { self.whole };
        Degree(u16::try_from(operands.result(self.rule)).unwrap_or(u16::MAX))
    }

    /// Returns the maximum polynomial degree of the current instruction's results. A degree that does not fit in a
    /// [`Degree`] is replaced by the maximum of that type.
    #[must_use]
    pub fn degree(&self) -> Degree {
        Degree(u16::try_from(self.greatest()).unwrap_or(u16::MAX))
    }

    /// Returns an upper bound of the number of comparisons of bits while the prover models one instruction.
    /// `is_of_vectors` tells vector instructions from instructions on integers and masks.
    #[must_use]
    pub fn comparisons(&self, is_of_vectors: bool) -> u64 {
        // Three operands of up to 512 bits are compared with 0, 1 and each other, and the result with 0 and 1. A
        // product also compares its factors with 0, 1 and each other. VPTERNLOG has up to twelve products for each bit.
        match (is_of_vectors, self.rule) {
            (false, _) => 1 << 11,
            (true, Rule::Sum) => 1 << 13,
            (true, _) => 1 << 16,
        }
    }
}

/// Numbers from which the bound of a proof's error probability is computed: comparisons of field elements at one random
/// point, and degrees of polynomials in the random field elements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Number of comparisons of field elements in one call.
    pub comparisons: u64,
    /// Number of look-ups in caches of earlier results during one call.
    pub lookups: u64,
    /// Number of different symbolic bytes to which the S-box was applied.
    pub arguments: u64,
    /// Maximum degree of the polynomials (in the random field elements) to which the S-box was applied.
    pub argument_degree: u32,
    /// Maximum degree of all polynomials in the random field elements.
    pub degree: u32,
}

/// Maximum number of entries of a cache of earlier results. The limit bounds the comparisons in each look-up, and
/// thereby the error.
pub const MAX_TABLE_LEN: usize = 1 << 15;

impl Tally {
    /// Returns the maximum of the two tallies, field by field.
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

    /// Returns an upper bound of the number of pairs of polynomials that the prover compares at one random point.
    #[must_use]
    pub fn identity_tests(&self) -> u64 {
        let pairs = self.arguments.saturating_mul(self.arguments) / 2;
        let in_tables = self.lookups.saturating_mul(MAX_TABLE_LEN as u64);
        pairs.saturating_add(in_tables).saturating_add(self.comparisons)
    }

    /// Returns -log₂ of an upper bound of the probability that the prover accepts a false statement at one random point
    /// (Schwartz–Zippel lemma). It would do so if different polynomials had equal values at that point: two S-box
    /// inputs, two compared values, or a value and a cache key.
    #[must_use]
    pub fn error_exponent(&self) -> f64 {
        let pairs = (self.arguments as f64).powi(2) / 2.0 * f64::from(self.argument_degree);
        let others = self.comparisons as f64 + self.lookups as f64 * MAX_TABLE_LEN as f64;
        128.0 - (pairs + others * f64::from(self.degree)).log2()
    }
}
