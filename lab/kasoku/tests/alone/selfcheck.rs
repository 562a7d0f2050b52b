//! `kasoku selfcheck` with few comparisons. A machine that is busy with tests may fail a full self-check.

use serde_json::Value;

use crate::lock_machine;
use crate::support::{Sandbox, error_of, list};

fn check(arguments: &[&str]) -> Value {
    let common = ["selfcheck", "--comparisons", "12", "--algorithms", "sha-256", "--format", "json"];
    let output = Sandbox::new().kasoku(&[&common[..], arguments].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", error_of(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["is_good"], output.status.code() == Some(0), "{report}");
    report
}

#[test]
fn selfcheck_claims_at_most_one_false_difference() {
    let _machine = lock_machine();
    let report = check(&[]);
    assert_eq!((&report["comparisons"], &report["percent"], &report["rounds"]), (&12.into(), &2.into(), &30.into()));
    assert!(report["claimed_of_same"].as_u64().unwrap() <= 1, "{report}");
    assert_eq!(report["algorithms"][0]["algorithm"], "sha-256");
}

/// How many differences are found depends on other load; the simulations in `kasoku_model::statistics` check that.
#[test]
fn selfcheck_beside_a_neighbour_keeps_intervals_and_claims_nothing_false() {
    let _machine = lock_machine();
    let report = check(&["--neighbour"]);
    let count = |one: &Value, name: &str| one[name].as_u64().unwrap();
    let intervals = list(&report["intervals"]);
    assert_eq!(intervals.len(), 2);
    for one in intervals {
        assert!(count(one, "series") > 0 && count(one, "with_interval") * 100 >= count(one, "series") * 90, "{one}");
    }
    let comparisons = list(&report["comparisons"]);
    assert_eq!(comparisons.iter().map(|one| count(one, "percent")).collect::<Vec<_>>(), [5, 5, 2]);
    for one in comparisons {
        assert!(one["comparisons"] == 12 && count(one, "claimed_of_same") <= 1, "{one}");
    }
}
