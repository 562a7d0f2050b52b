use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Unit;
use kasoku_model::workload::{Operation, Workload};

/// Default size: the largest that most tables have.
pub const DEFAULT_BYTES: usize = 16_384;

/// Default library: nearly all quoted figures are of OpenSSL.
pub const DEFAULT_LIBRARY: &str = kasoku_model::library::OPENSSL;

/// Workload by which machines are ranked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RankingQuestion {
    pub algorithm: Algorithm,
    pub operation: Operation,
    /// Size, as [`Workload::new`] adjusts it.
    pub bytes: usize,
    /// Library whose figures count; `None` if the fastest library of each machine does.
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
