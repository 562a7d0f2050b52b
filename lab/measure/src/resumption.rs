//! Whether a series is there already: from before a run was interrupted, or from another start of its worker.

use kasoku_model::document::Series;

/// Whether two series of one run are the same one, begun twice.
pub fn is_same_series(one: &Series, other: &Series) -> bool {
    one.workload() == other.workload()
        && one.details.threads == other.details.threads
        && one.acceleration == other.acceleration
        && (&one.level, &one.library, &one.library_version) == (&other.level, &other.library, &other.library_version)
}
