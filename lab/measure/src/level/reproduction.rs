//! Options that repeat the published measurements, for `kasoku run --as-published`. They are the tables
//! `[measure.LEVEL]` of the files in `reproductions/`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

use super::options::LevelOptions;
use kasoku_model::level::Level;
use kasoku_model::workload::{Operation, size};

macro_rules! files {
    ($($name:literal),* $(,)?) => { [$(($name, include_str!(concat!("../../reproductions/", $name)))),*] };
}

const FILES: [(&str, &str); 5] = files![
    "aes-ni-story.toml",
    "openssl-perf.toml",
    "fusion.toml",
    "intel-aes-ni-java.toml",
    "intel-aes-gcm-nginx.toml",
];

/// A file in `reproductions/`, without the tables that only the report reads.
#[derive(Deserialize)]
struct Reproduction {
    #[serde(default)]
    measure: BTreeMap<String, Table>,
}

/// Returns `options`, completed by the options of the published measurement of `level`. Handshakes, end-to-end transfers
/// and HTTPS servers in Java were not published. If only these are requested, returns `options` unchanged.
pub fn as_published(level: Level, options: LevelOptions) -> LevelOptions {
    let published = published(level).unwrap_or_else(|error| panic!("reproductions/: {level}: {error}"));
    let is_other = |operation: &Operation| {
        matches!(operation, Operation::Serve | Operation::Handshake | Operation::Transfer)
            && !published.operations.as_ref().is_some_and(|published| published.contains(operation))
    };
    let asks_for_others = options.operations.as_ref().is_some_and(|wanted| wanted.iter().all(is_other));
    if options.end_to_end == Some(true) || asks_for_others { options } else { with_published(options, published) }
}

/// Returns the published options of `level` from all files. Several publications of one level are measured together, so
/// their lists are joined.
fn published(level: Level) -> Result<LevelOptions, toml::de::Error> {
    let mut all = Table::new();
    for (name, text) in FILES {
        let mut file: Reproduction =
            toml::from_str(text).map_err(|error| toml::de::Error::custom(format!("{name}: {error}")))?;
        for (key, value) in file.measure.remove(level.name()).unwrap_or_default() {
            match (all.get_mut(&key), value) {
                (Some(Value::Array(all)), Value::Array(more)) => {
                    let missing: Vec<Value> = more.into_iter().filter(|one| !all.contains(one)).collect();
                    all.extend(missing);
                }
                (_, value) => drop(all.insert(key, value)),
            }
        }
    }
    all.try_into()
}

/// Fills the fields of `$options` that are `None` from `$published`.
macro_rules! fill {
    ($options:expr, $published:expr, $($field:ident)*) => {
        $($options.$field = $options.$field.take().or($published.$field);)*
    };
}

fn with_published(mut options: LevelOptions, mut published: LevelOptions) -> LevelOptions {
    published.jvm.flags.retain(|flag| !options.jvm.flags.contains(flag));
    options.jvm.flags.splice(..0, published.jvm.flags);
    fill!(options, published, libraries acceleration algorithms operations sizes threads rounds slice end_to_end);
    fill!(options.files, published.files, repetitions);
    fill!(options.jvm, published.jvm, specjvm_starts warm_up score);
    fill!(options.tls, published.tls, max_workers duration);
    options.everything |= published.everything;
    options.largest_control_only |= published.largest_control_only;
    options.files.disk_only |= published.files.disk_only;
    options.packet_tasks.extend(published.packet_tasks);
    options
}

/// Reads sizes, which are numbers of bytes or have the suffix K, M or G.
pub(super) fn sizes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<usize>>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| size(text).map_err(D::Error::custom)).collect::<Result<_, _>>().map(Some)
}

pub(super) fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map(Some).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproduction_files_parse_for_every_level() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("reproductions");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".toml")).collect();
        let mut known = FILES.map(|(name, _)| name);
        names.sort_unstable();
        known.sort_unstable();
        assert_eq!(names, known);
        for (name, text) in FILES {
            let file: Reproduction = toml::from_str(text).unwrap();
            assert!(!file.measure.is_empty(), "{name}");
            for (level, options) in file.measure {
                assert!(level.parse::<Level>().is_ok(), "{name}: {level}");
                options.try_into::<LevelOptions>().unwrap();
            }
        }
        for &level in Level::ALL {
            assert!(published(level).unwrap().sizes.is_some() || level == Level::Jvm, "{level}");
        }
    }

    #[test]
    fn reproduction_rejects_unknown_options() {
        for text in ["libraris = []", "tls = { durations = 1 }", "cores = 3"] {
            assert!(toml::from_str::<LevelOptions>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn user_options_override_published_ones() {
        let asked = LevelOptions { sizes: Some(vec![77]), ..LevelOptions::default() };
        let options = as_published(Level::Primitives, asked);
        assert_eq!((options.sizes, options.rounds), (Some(vec![77]), Some(30)));
        assert_eq!(options.slice, Some(Duration::from_millis(100)));
        let served = LevelOptions { operations: Some(vec![Operation::Serve]), ..LevelOptions::default() };
        assert_eq!(as_published(Level::Jvm, served.clone()).slice, None, "no publication measured servers in Java");
        assert_eq!(as_published(Level::Tls, served).rounds, Some(1));
    }
}
