//! What a resumed run has of a web server: finished file sizes are kept, and the one at which it was interrupted is
//! measured anew. Its cases take part in the same rounds, and half of them cannot be put beside later rounds.

use crate::plan::TlsCase;
use kasoku_model::document::Series;
use kasoku_model::level::Level;

/// What became of the cases of a size before, in their order: the series of each, or `None` for one that was left out.
/// It is `None` if the size is to be measured.
pub(super) fn of_size<'a>(
    before: &'a [Series],
    bytes: usize,
    cases: &[TlsCase],
    rounds: u32,
) -> Option<Vec<Option<&'a Series>>> {
    let of_case = |case: &TlsCase| before.iter().find(|series| is_of(series, case));
    let found: Vec<Option<&Series>> = cases.iter().map(of_case).collect();
    // Earlier rounds may have been forgotten, when the later ones were made with fewer connections.
    let has_last = |series: &Series| series.samples.iter().any(|sample| sample.round + 1 >= rounds);
    let is_over = |series: &Series| has_last(series) || series.has_failed();
    // The next size begins when all of one is over.
    let has_gone_on = before.iter().any(|series| series.level == Level::Tls && series.bytes > bytes);
    let are_over = found.iter().all(|series| series.is_some_and(is_over));
    (has_gone_on || are_over).then_some(found)
}

/// A version that was measured and is not `version`, which the same library has now.
pub(super) fn other_version<'a>(before: &'a [Series], library: &str, version: &str) -> Option<&'a str> {
    let of_library = before.iter().filter(|series| series.level == Level::Tls && series.library == library);
    of_library.map(|series| series.library_version.as_str()).find(|before| *before != version)
}

fn is_of(series: &Series, case: &TlsCase) -> bool {
    series.level == Level::Tls
        && (series.workload(), series.library.as_str(), series.acceleration)
            == (case.workload, case.library, case.acceleration)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::acceleration::Acceleration;
    use kasoku_model::algorithm::{Algorithm, CipherSuite};
    use kasoku_model::document::{Experiment, ServerDetails};
    use kasoku_model::workload::{Operation, Served, Setting, Workload};

    fn case(bytes: usize, library: &'static str) -> TlsCase {
        let served = Served { workers: 1, latency_of: Default::default() };
        let algorithm = Algorithm::CipherSuite(CipherSuite::Tls13Aes128Gcm);
        let workload = Workload::new(Operation::Serve, algorithm, bytes).with_setting(Setting::Served(served));
        TlsCase { workload, library, acceleration: Acceleration::On }
    }

    fn series(case: TlsCase, samples: usize) -> Series {
        let sample = |round| serde_json::json!({"round": round, "iterations": 1, "ns": 1});
        let text = serde_json::json!({
            "level": "tls", "operation": "serve",
            "algorithm": case.workload.algorithm.name(), "bytes": case.workload.bytes,
            "library": case.library, "library_version": "3.0.19", "acceleration": "on", "code_path": "unknown",
            "unit": "bytes/s", "samples": (0..samples).map(sample).collect::<Vec<_>>(),
            "median": null, "ci95": null, "cycles_per_byte": null,
            "outcome": "measured", "note": null, "details": {"experiment": "server", "workers": 1},
        });
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn a_size_is_kept_when_all_of_it_is_over() {
        let cases = [case(1 << 20, "openssl"), case(1 << 20, "kasoku")];
        let kept = |before: &[Series]| {
            of_size(before, 1 << 20, &cases, 3).map(|found| found.iter().map(Option::is_some).collect::<Vec<_>>())
        };
        let [all, some] = [3, 2].map(|samples| cases.map(|case| series(case, samples)));
        assert_eq!(kept(&all), Some(vec![true, true]));
        assert_eq!(kept(&some), None);
        assert_eq!(kept(&all[..1]), None, "the other was never begun");
        assert_eq!(kept(&[all[0].clone(), some[1].clone()]), None);
        let mut forgotten = all[1].clone();
        forgotten.samples.drain(..2);
        assert_eq!(kept(&[all[0].clone(), forgotten]), Some(vec![true, true]));
        let mut failed = some[1].clone();
        failed.fail("gone");
        assert_eq!(kept(&[all[0].clone(), failed]), Some(vec![true, true]));
        // A case without a number of connections has no series; that the size was over, the next one shows.
        let next = series(case(4 << 20, "openssl"), 1);
        assert_eq!(kept(&[all[0].clone(), next.clone()]), Some(vec![true, false]));
        assert_eq!(of_size(&[all[0].clone(), next], 4 << 20, &[case(4 << 20, "openssl")], 3), None);
        let mut other = all.clone();
        let served = Served { workers: 2, ..Served::default() };
        for series in &mut other {
            series.details.experiment = Experiment::Server(ServerDetails { served, ..ServerDetails::default() });
        }
        assert_eq!(kept(&other), None);
    }

    #[test]
    fn another_version_is_found() {
        let before = [series(case(1 << 20, "openssl"), 1)];
        assert_eq!(other_version(&before, "openssl", "3.0.19"), None);
        assert_eq!(other_version(&before, "openssl", "3.5.1"), Some("3.0.19"));
        assert_eq!(other_version(&before, "kasoku", "0.1.0"), None);
    }
}
