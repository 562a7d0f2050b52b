//! A run of several hosts, restored from what each of them kept: if one was lost in the middle, the first host never
//! gathered it.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::{Document, FleetPart, Method, Outcome, Run, Sample, Series};
use kasoku_model::histogram::Histogram;
use kasoku_model::statistics;
use kasoku_model::workload::Workload;

/// The parameters of a host's series that hold its latencies, so that those of several hosts can be counted together.
pub const CONNECTION: &str = "connection_times";
/// The same of whole requests.
pub const REQUEST: &str = "request_times";
/// How many connections all hosts had together in the steps of a host's series.
pub const OF_ALL: &str = "concurrency_of_all";
/// What is only a host's own.
const OWN: [&str; 4] = ["host", OF_ALL, CONNECTION, REQUEST];
/// The longest name of the hosts together.
const MAX_NAME: usize = 200;

/// The runs in which hosts put load on servers together and that were interrupted, each with the number of the first of
/// `documents` that is a part of it.
pub fn restored(documents: &[&Document]) -> Vec<(usize, Document)> {
    let mut runs: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, document) in documents.iter().enumerate() {
        if let Some(part) = document.run.method.fleet.as_ref().filter(|_| is_shared(document)) {
            let known = runs.entry(&part.run).or_default();
            // A host that is given twice counts once.
            if known.iter().all(|&other| part_of(documents[other]) != Some(part)) {
                known.push(index);
            }
        }
    }
    let is_interrupted = |parts: &Vec<usize>| parts.iter().any(|&index| !documents[index].run.complete);
    let parts = runs.into_values().filter(is_interrupted);
    parts
        .filter_map(|parts| {
            let documents: Vec<&Document> = parts.iter().map(|&index| documents[index]).collect();
            Some((parts[0], together(&documents)?))
        })
        .collect()
}

fn part_of(document: &Document) -> Option<&FleetPart> {
    document.run.method.fleet.as_ref()
}

/// Whether its series are parts of what several hosts did together, and no measurements of the host itself.
fn is_shared(document: &Document) -> bool {
    !document.series.is_empty() && document.series.iter().all(|series| series.parameters.contains_key(CONNECTION))
}

fn together(documents: &[&Document]) -> Option<Document> {
    let first = documents.first()?;
    let part = part_of(first)?;
    let names: Vec<&str> = documents.iter().filter_map(|one| Some(part_of(one)?.host.as_str())).collect();
    let mut note = format!("restored from what {} of {} hosts kept ({})", names.len(), part.hosts, names.join(", "));
    note.truncate(note.floor_char_boundary(900));
    let mut machine = first.machine.clone();
    let mut name = names.join(" + ");
    name.truncate(name.floor_char_boundary(MAX_NAME));
    machine.name = Some(name);
    let is_whole = documents.len() == part.hosts;
    let by_case: Vec<HashMap<CaseKey<'_>, &Series>> = documents.iter().map(|document| by_case(document)).collect();
    let (mut series, mut known) = (Vec::new(), HashSet::new());
    for one in documents.iter().flat_map(|document| &document.series) {
        let case = case_of(one);
        if known.insert(case) {
            let parts = by_case.iter().map(|of_host| of_host.get(&case).copied());
            series.extend(parts.collect::<Option<Vec<_>>>().map(|parts| joined(&parts, part.hosts, is_whole)));
        }
    }
    Some(Document {
        schema: first.schema,
        run: Run {
            id: format!("{}-restored", part.run),
            complete: false,
            seconds: None,
            notes: vec![note],
            method: Method { fleet: None, ..first.run.method.clone() },
            ..first.run.clone()
        },
        machine,
        series,
    })
}

/// The parts of one case, of the rounds that all hosts have. A host that was lost when the others went on with fewer
/// connections has none of theirs.
fn joined(parts: &[&Series], hosts: usize, is_whole: bool) -> Series {
    let mut series = parts[0].clone();
    let rounds: Vec<HashMap<u32, Sample>> = parts.iter().map(|part| by_round(part)).collect();
    let are_of_one_step = parts.iter().all(|part| part.parameters.get(OF_ALL) == parts[0].parameters.get(OF_ALL));
    let samples = parts[0].samples.iter().filter(|_| are_of_one_step).filter_map(|sample| {
        let of_all = rounds.iter().map(|of| of.get(&sample.round).copied()).collect::<Option<Vec<Sample>>>()?;
        Some(Sample {
            round: sample.round,
            iterations: of_all.iter().fold(0, |sum, one| sum.saturating_add(one.iterations)),
            ns: of_all.iter().map(|one| one.ns).max()?,
            ..Sample::default() // what the server used was known to the first host only
        })
    });
    series.samples = samples.collect();
    let (mut connection, mut request) = (Histogram::default(), Histogram::default());
    for part in parts {
        connection.merge(&times_in(part, CONNECTION));
        request.merge(&times_in(part, REQUEST));
    }
    let concurrency = parts.iter().filter_map(|part| part.parameters.get("concurrency")?.as_u64());
    let concurrency = concurrency.fold(0, u64::saturating_add);
    OWN.iter().for_each(|name| drop(series.parameters.remove(*name)));
    series.parameters.insert("hosts".to_owned(), hosts.into());
    series.parameters.insert("concurrency".to_owned(), concurrency.into());
    for (name, value) in [
        ("worst_latency_s", connection.longest_s()),
        ("connection_p50_s", connection.quantile_s(0.5)),
        ("connection_p99_s", connection.quantile_s(0.99)),
        ("worst_request_s", request.longest_s()),
    ] {
        series.parameters.insert(name.to_owned(), value.map_or(Value::Null, Value::from));
    }
    series.outcome = if is_whole { Outcome::Measured } else { Outcome::Unverified };
    series.note = Some(match is_whole {
        true => "restored from what each host kept".to_owned(),
        false => format!("what {} of {hosts} hosts fetched: the server sent more", parts.len()),
    });
    statistics::summarize(&mut series);
    series
}

/// The samples of a series by their round; of two of one round the first.
fn by_round(series: &Series) -> HashMap<u32, Sample> {
    let mut all = HashMap::with_capacity(series.samples.len());
    for sample in &series.samples {
        all.entry(sample.round).or_insert(*sample);
    }
    all
}

/// The times that a series holds; none if those are none.
pub fn times_in(series: &Series, name: &str) -> Histogram {
    let value = series.parameters.get(name).cloned().unwrap_or_default();
    serde_json::from_value::<Histogram>(value).ok().filter(Histogram::is_sound).unwrap_or_default()
}

/// Whether two series are the same case.
pub fn is_same(one: &Series, other: &Series) -> bool {
    case_of(one) == case_of(other)
}

/// What makes two series the same case.
type CaseKey<'s> = (Workload, &'s str, Acceleration);

fn case_of(series: &Series) -> CaseKey<'_> {
    (series.workload(), &series.library, series.acceleration)
}

/// The series of a host; of two of one case the first.
fn by_case(document: &Document) -> HashMap<CaseKey<'_>, &Series> {
    let mut all = HashMap::with_capacity(document.series.len());
    for series in &document.series {
        all.entry(case_of(series)).or_insert(series);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What host `host` of three kept: rounds of this many files in this many nanoseconds.
    fn kept(host: &str, rounds: &[(u64, u64)], times: &[u64]) -> Document {
        let mut histogram = Histogram::default();
        times.iter().for_each(|&ns| histogram.add(ns));
        let samples: Vec<Value> = rounds
            .iter()
            .enumerate()
            .map(|(round, (files, ns))| serde_json::json!({"round": round, "iterations": files, "ns": ns, "cpu_ns": 7}))
            .collect();
        let text = serde_json::json!({
            "schema": 1,
            "run": {"id": format!("r-{host}"), "complete": false,
                    "method": {"fleet": {"run": "r", "host": host, "hosts": 3}}},
            "machine": {"cpu": "c"},
            "series": [{"level": "tls", "operation": "serve", "algorithm": "aes128-sha", "bytes": 1_000_000,
                        "library": "openssl", "library_version": "3", "acceleration": "on", "code_path": "unknown",
                        "unit": "bytes/s", "samples": samples, "median": null, "ci95": null,
                        "cycles_per_byte": null, "verified": true, "note": null,
                        "parameters": {"workers": 1, "concurrency": 2, "host": host,
                                       CONNECTION: histogram, REQUEST: histogram}}],
        });
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn what_the_hosts_kept_adds_up_to_the_rounds_that_all_have() {
        let [a, b, c] = [
            kept("a", &[(10, 1_000_000_000), (11, 1_100_000_000), (12, 1)], &[1_000; 99]),
            kept("b", &[(20, 900_000_000), (21, 2_000_000_000)], &[2_000; 100]),
            kept("c", &[(30, 800_000_000), (31, 1_000_000_000)], &[5_000_000]),
        ];
        let all = restored(&[&a, &b, &a, &c]);
        let [(0, document)] = &all[..] else { panic!("{all:?}") };
        let [series] = &document.series[..] else { panic!() };
        let samples: Vec<_> =
            series.samples.iter().map(|one| (one.round, one.iterations, one.ns, one.cpu_ns)).collect();
        assert_eq!(samples, [(0, 60, 1_000_000_000, 0), (1, 63, 2_000_000_000, 0)]);
        assert_eq!(document.run.id, "r-restored");
        assert!(!document.run.complete && series.is_verified() && series.median.is_some());
        assert_eq!(series.parameters["worst_latency_s"], 0.005);
        assert!(series.parameters["connection_p99_s"].as_f64().unwrap() < 3e-6);
        assert_eq!((&series.parameters["concurrency"], &series.parameters["hosts"]), (&6.into(), &3.into()));
        assert!(!series.parameters.contains_key("host"));
    }

    #[test]
    fn steps_with_other_numbers_of_connections_are_not_added_up() {
        let of = |host: &str, connections: u64| {
            let mut one = kept(host, &[(10, 1_000_000_000)], &[1_000]);
            one.series[0].parameters.insert(OF_ALL.to_owned(), connections.into());
            one
        };
        let (_, document) = restored(&[&of("a", 12), &of("b", 12), &of("c", 12)]).pop().unwrap();
        assert_eq!(document.series[0].samples.len(), 1);
        assert!(!document.series[0].parameters.contains_key(OF_ALL));
        let (_, document) = restored(&[&of("a", 12), &of("b", 3), &of("c", 3)]).pop().unwrap();
        assert_eq!(document.series[0].samples, []);
    }

    #[test]
    fn very_many_series_are_brought_together_in_a_moment() {
        let [mut a, mut b] = ["a", "b"].map(|host| kept(host, &[(1, 1_000)], &[1]));
        for document in [&mut a, &mut b] {
            let one = document.series.pop().unwrap();
            document.series.extend((1..=50_000).map(|bytes| Series { bytes, ..one.clone() }));
        }
        b.series.reverse();
        let begin = std::time::Instant::now();
        let (_, document) = restored(&[&a, &b]).pop().unwrap();
        assert_eq!(document.series.len(), 50_000);
        assert!(begin.elapsed() < std::time::Duration::from_secs(20), "{:?}", begin.elapsed());
    }

    #[test]
    fn a_part_is_said_to_be_one() {
        let (a, b) = (kept("a", &[(10, 1_000)], &[1]), kept("b", &[(10, 1_000)], &[1]));
        let (_, document) = restored(&[&a, &b]).pop().unwrap();
        assert!(!document.series[0].is_verified());
        assert!(document.series[0].note.as_ref().unwrap().contains("2 of 3 hosts"), "{:?}", document.series[0].note);
    }

    #[test]
    fn what_was_gathered_or_is_no_part_is_left_alone() {
        let mut gathered = kept("a", &[(1, 1)], &[1]);
        gathered.run.complete = true;
        let mut own = kept("a", &[(1, 1)], &[1]);
        own.series[0].parameters.remove(CONNECTION);
        let mut alone = kept("a", &[(1, 1)], &[1]);
        alone.run.method.fleet = None;
        assert_eq!(restored(&[&gathered, &own, &alone]), []);
    }
}
