//! What `--sizes` takes: sizes in bytes, and the word `sweep`.

use super::super::Failure;
use super::request::RunRequest;
use kasoku_model::document::extent::MAX_SIZES;
use kasoku_model::level::Level;
use kasoku_model::steps::sweep;
use kasoku_model::workload::{MAX_BYTES, size};

/// What `--sizes` names: one size, or all of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    /// So many bytes.
    One(usize),
    /// All of a sweep.
    Sweep,
}

/// The sizes that `text` names, for the command line.
pub(super) fn sizes(text: &str) -> Result<Sizes, String> {
    if text == "sweep" { Ok(Sizes::Sweep) } else { size(text).map(Sizes::One).map_err(|why| why + ", or sweep") }
}

/// All that is named: as it was typed, or with a sweep in it, rising.
pub(super) fn all_sizes(sizes: &[Sizes]) -> Vec<usize> {
    if !sizes.contains(&Sizes::Sweep) {
        return sizes
            .iter()
            .filter_map(|sizes| if let Sizes::One(bytes) = sizes { Some(*bytes) } else { None })
            .collect();
    }
    let of = |sizes: &Sizes| match sizes {
        Sizes::One(bytes) => vec![*bytes],
        Sizes::Sweep => sweep::sizes(),
    };
    let all: std::collections::BTreeSet<usize> = sizes.iter().flat_map(of).collect();
    all.into_iter().collect()
}

/// Whether the levels can have these sizes.
pub(super) fn check_sizes(request: &RunRequest) -> Result<(), Failure> {
    let Some(named) = request.common.sizes.as_deref() else { return Ok(()) };
    let sizes = all_sizes(named);
    if sizes.len() > MAX_SIZES {
        let count = sizes.len();
        return Err(Failure::new(format!("--sizes takes at most {MAX_SIZES} sizes, not {count}")));
    }
    if named.contains(&Sizes::Sweep) {
        check_sweep(request)?;
    }
    let has_whole_files = request.levels.is_empty() || request.names(Level::Files) || request.names(Level::Tls);
    if let Some(bytes) = sizes.into_iter().find(|&bytes| bytes > MAX_BYTES && !has_whole_files) {
        return Err(Failure::new(format!(
            "--sizes {bytes}: only the levels files and tls allow more than {MAX_BYTES} bytes"
        )));
    }
    Ok(())
}

/// A sweep of everything would take hours, and its slices would be too short to tell anything.
fn check_sweep(request: &RunRequest) -> Result<(), Failure> {
    let example = "kasoku run primitives --algorithms aes-128-ctr --libraries openssl --sizes sweep";
    if !request.names_only(Level::Primitives) {
        return Err(Failure::new(format!("--sizes sweep works only for the level primitives: {example}")));
    }
    let most = sweep::MAX_ALGORITHMS;
    match request.common.algorithms.as_ref().map(Vec::len) {
        None => Err(Failure::new(format!(
            "--sizes sweep measures {} sizes of each algorithm; name the algorithms: {example}",
            sweep::sizes().len()
        ))),
        Some(count) if count > most => {
            Err(Failure::new(format!("--sizes sweep takes at most {most} algorithms, not {count}")))
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stay_as_typed_and_a_sweep_takes_others_in() {
        assert_eq!(all_sizes(&[Sizes::One(64), Sizes::One(16)]), [64, 16]);
        let all = all_sizes(&[Sizes::One(100), Sizes::Sweep, Sizes::One(16)]);
        assert_eq!((all.len(), all.is_sorted()), (sweep::sizes().len() + 1, true));
        assert_eq!(sizes("sweep"), Ok(Sizes::Sweep));
        assert!(sizes("sweeps").unwrap_err().contains("or sweep"));
    }
}
