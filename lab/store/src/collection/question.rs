//! The question that a ranking of machines answers: which workload, and on which library.

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Unit;
use kasoku_model::workload::{Operation, Workload};

/// Default message size in bytes: the largest size in most tables of `openssl speed`.
pub const DEFAULT_BYTES: usize = 16_384;

/// Default library. Nearly all imported and published figures are OpenSSL's, so they can be compared with it.
pub const DEFAULT_LIBRARY: &str = kasoku_model::library::OPENSSL;

/// Workload by which machines are ranked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RankingQuestion {
    pub algorithm: Algorithm,
    pub operation: Operation,
    /// Message size in bytes; 0 for algorithms without texts, such as key agreements (see [`Workload::new`]).
    pub bytes: usize,
    /// Library whose figures are ranked; `None` ranks the fastest library of each machine.
    pub library: Option<String>,
    pub acceleration: Acceleration,
}

impl RankingQuestion {
    /// Creates the question for the main operation of `algorithm` with default size and library, acceleration on.
    pub fn new(algorithm: Algorithm) -> RankingQuestion {
        let operation = Operation::of(algorithm.kind()).first().copied().unwrap_or(Operation::Encrypt);
        RankingQuestion {
            algorithm,
            operation,
            bytes: Workload::new(operation, algorithm, DEFAULT_BYTES).bytes,
            library: Some(DEFAULT_LIBRARY.to_owned()),
            acceleration: Acceleration::On,
        }
    }

    pub fn at(self, bytes: usize) -> RankingQuestion {
        RankingQuestion { bytes: Workload::new(self.operation, self.algorithm, bytes).bytes, ..self }
    }

    pub fn has_sizes(&self) -> bool {
        self.algorithm.kind().is_bulk()
    }

    pub fn unit(&self) -> Unit {
        if self.has_sizes() { Unit::BytesPerSecond } else { Unit::OperationsPerSecond }
    }
}
