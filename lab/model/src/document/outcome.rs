//! What came of a series: in documents `verified`, which they always had, and `outcome`, which says more.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What came of a series.
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

/// How the note of a failed series began in schema 1, where nothing else told it. It still does, for people.
pub(super) const FAILED: &str = "failed: ";

#[derive(Serialize, Deserialize)]
struct Fields {
    verified: bool,
    #[serde(default)]
    outcome: Option<Outcome>,
}

pub(super) fn serialize<S: Serializer>(outcome: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
    let verified = *outcome == Outcome::Measured;
    Fields { verified, outcome: Some(outcome.clone()) }.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Outcome, D::Error> {
    let Fields { verified, outcome } = Fields::deserialize(deserializer)?;
    Ok(outcome.unwrap_or(if verified { Outcome::Measured } else { Outcome::Unverified }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, Series};
    use crate::library::Role;
    use serde_json::{Value, json};

    fn read(schema: u32, more: &[(&str, Value)]) -> Series {
        let mut series = json!({"level": "primitives", "operation": "hash", "algorithm": "sha-256", "bytes": 1,
            "library": "openssl", "library_version": "3", "acceleration": "on", "code_path": "unknown",
            "unit": "bytes/s", "samples": [], "median": null, "ci95": null, "cycles_per_byte": null, "verified": false,
            "note": null});
        more.iter().for_each(|(name, value)| series[*name] = value.clone());
        let document = json!({"schema": schema, "run": {}, "machine": {}, "series": [series]});
        serde_json::from_value::<Document>(document).unwrap().series.remove(0)
    }

    #[test]
    fn what_schema_1_told_by_beginnings_of_words_is_understood() {
        assert_eq!(read(1, &[("verified", true.into())]).outcome, Outcome::Measured);
        assert_eq!(read(1, &[("note", "not verified: why".into())]).outcome, Outcome::Unverified);
        assert_eq!(read(1, &[("note", "failed: it fell over".into())]).outcome, Outcome::Failed("it fell over".into()));
        for (library, role) in [
            ("openssl", Role::Library),
            ("openssl-speed", Role::OwnClock),
            ("limit-aes", Role::Bound),
            ("test-slow", Role::TestDouble),
        ] {
            assert_eq!(read(1, &[("library", library.into())]).role, role);
            assert_eq!(read(2, &[("library", library.into())]).role, Role::Library, "schema 2 says it");
        }
    }

    #[test]
    fn it_is_written_and_read_again() {
        for (outcome, word) in [
            (Outcome::Measured, json!("measured")),
            (Outcome::Unverified, json!("unverified")),
            (Outcome::Failed("why".into()), json!({"failed": "why"})),
        ] {
            let series = Series { outcome, role: Role::Bound, ..read(2, &[]) };
            let written = serde_json::to_value(&series).unwrap();
            assert_eq!((&written["outcome"], &written["role"]), (&word, &json!("bound")));
            assert_eq!(written["verified"], word == "measured");
            assert_eq!(serde_json::from_value::<Series>(written).unwrap(), series);
        }
    }
}
