//! Outcome of a series. Documents hold it as `outcome`, and once more as the flag `verified` for scripts.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Outcome of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The output agreed with an independent implementation or published vectors. Only then it is ranked.
    Measured,
    /// It could not be measured, and why.
    Failed(String),
    /// Nobody checked the output, or it was not what it must be.
    #[default]
    Unverified,
}

/// Beginning of the note of a failed series.
pub(super) const FAILED: &str = "failed: ";

#[derive(Serialize)]
struct Written<'o> {
    verified: bool,
    outcome: &'o Outcome,
}

#[derive(Deserialize)]
struct Read {
    outcome: Outcome,
}

pub(super) fn serialize<S: Serializer>(outcome: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
    Written { verified: *outcome == Outcome::Measured, outcome }.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Outcome, D::Error> {
    Read::deserialize(deserializer).map(|read| read.outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Series;
    use crate::library::Role;
    use serde_json::{Value, json};

    fn series(more: &[(&str, Value)]) -> serde_json::Result<Series> {
        let mut series = json!({"level": "primitives", "operation": "hash", "algorithm": "sha-256", "bytes": 1,
            "library": "openssl", "library_version": "3", "acceleration": "on", "code_path": "unknown",
            "unit": "bytes/s", "samples": [], "median": null, "ci95": null, "cycles_per_byte": null, "note": null});
        more.iter().for_each(|(name, value)| series[*name] = value.clone());
        serde_json::from_value(series)
    }

    #[test]
    fn outcome_is_required_and_decides_over_verified() {
        assert!(series(&[("verified", true.into())]).is_err());
        let both = [("verified", true.into()), ("outcome", "unverified".into())];
        assert_eq!(series(&both).unwrap().outcome, Outcome::Unverified);
    }

    #[test]
    fn outcome_round_trips_through_json() {
        for (outcome, word) in [
            (Outcome::Measured, json!("measured")),
            (Outcome::Unverified, json!("unverified")),
            (Outcome::Failed("why".into()), json!({"failed": "why"})),
        ] {
            let series = Series { role: Role::Bound, ..series(&[("outcome", word.clone())]).unwrap() };
            assert_eq!(series.outcome, outcome);
            let written = serde_json::to_value(&series).unwrap();
            assert_eq!((&written["outcome"], &written["role"]), (&word, &json!("bound")));
            assert_eq!(written["verified"], word == "measured");
            assert_eq!(serde_json::from_value::<Series>(written).unwrap(), series);
        }
    }
}
