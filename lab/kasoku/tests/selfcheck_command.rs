//! `kasoku selfcheck` in short, as far as a machine that is busy with tests lets it be judged.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

mod support;

use serde_json::Value;
use support::{Sandbox, error_of};

fn checked(arguments: &[&str]) -> Value {
    let sandbox = Sandbox::new();
    let common = ["selfcheck", "--comparisons", "12", "--algorithms", "sha-256", "--format", "json"];
    let output = sandbox.kasoku(&[&common[..], arguments].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", error_of(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["is_good"], output.status.code() == Some(0), "{report}");
    report
}

#[test]
fn what_is_slower_is_found_and_what_is_the_same_is_not() {
    let report = checked(&[]);
    assert_eq!((&report["comparisons"], &report["percent"], &report["rounds"]), (&12.into(), &2.into(), &30.into()));
    assert!(report["claimed_of_same"].as_u64().unwrap() <= 1, "{report}");
    assert_eq!(report["algorithms"][0]["algorithm"], "sha-256");
}

/// How much is found depends on who else is there: the simulations of `kasoku_model::statistics` hold that.
#[test]
fn a_neighbour_half_of_the_time_costs_no_intervals_and_makes_no_claims() {
    let report = checked(&["--neighbour"]);
    let count = |one: &Value, name: &str| one[name].as_u64().unwrap();
    let intervals = report["intervals"].as_array().unwrap();
    assert_eq!(intervals.len(), 2);
    for one in intervals {
        assert!(count(one, "series") > 0 && count(one, "with_interval") * 100 >= count(one, "series") * 90, "{one}");
    }
    let comparisons = report["comparisons"].as_array().unwrap();
    assert_eq!(comparisons.iter().map(|one| count(one, "percent")).collect::<Vec<_>>(), [5, 5, 2]);
    for one in comparisons {
        assert_eq!(one["comparisons"], 12, "{one}");
        assert!(count(one, "claimed_of_same") <= 1, "{one}");
    }
}
