//! What is asked of the collection.

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Unit;
use kasoku_model::workload::{Operation, Workload};

/// The size that is asked for where none is said: the largest that most tables have.
pub const DEFAULT_BYTES: usize = 16_384;

/// The library that is asked for where none is said: what nearly all figures anywhere are of.
pub const DEFAULT_LIBRARY: &str = kasoku_model::library::OPENSSL;

/// One workload, by which machines are ranked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RankingQuestion {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The operation.
    pub operation: Operation,
    /// The size; always what [`Workload::new`] makes of it.
    pub bytes: usize,
    /// By what it is done.
    pub libraries: Libraries,
    /// The state.
    pub acceleration: Acceleration,
}

/// By what the work is done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Libraries {
    /// By the library of that name.
    Only(String),
    /// By whichever is the fastest of each machine.
    Any,
}

impl RankingQuestion {
    /// The main operation of an algorithm at the usual size, by the usual library, with acceleration on.
    pub fn new(algorithm: Algorithm) -> RankingQuestion {
        let operation = Operation::of(algorithm.kind()).first().copied().unwrap_or(Operation::Encrypt);
        RankingQuestion {
            algorithm,
            operation,
            bytes: Workload::new(operation, algorithm, DEFAULT_BYTES).bytes,
            libraries: Libraries::Only(DEFAULT_LIBRARY.to_owned()),
            acceleration: Acceleration::On,
        }
    }

    /// The same at another size, if its algorithm has sizes.
    pub fn at(self, bytes: usize) -> RankingQuestion {
        RankingQuestion { bytes: Workload::new(self.operation, self.algorithm, bytes).bytes, ..self }
    }

    /// Whether there are sizes to choose from.
    pub fn has_sizes(&self) -> bool {
        self.algorithm.kind().is_bulk()
    }

    /// What its figures are in.
    pub fn unit(&self) -> Unit {
        if self.has_sizes() { Unit::BytesPerSecond } else { Unit::OperationsPerSecond }
    }

    /// Returns the one library by which the work is done; `None` for any.
    pub(crate) fn library(&self) -> Option<&str> {
        match &self.libraries {
            Libraries::Only(library) => Some(library),
            Libraries::Any => None,
        }
    }
}
