//! The file in which a host of a run keeps what it measured before it tells anybody else: a run document, incomplete
//! until the first host has gathered all. `kasoku import` takes it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::lines::{Named, ServerDescription};
use super::orders::StepOrder;
use kasoku_libraries::fixtures::to_hexadecimal;
use kasoku_measure::observer::Observer;
use kasoku_measure::tls::host::Part;
use kasoku_measure::tls::library_version;
use kasoku_model::document::{Document, FleetPart, Method, Outcome, Run, SCHEMA, Sample, Series, Unit};
use kasoku_model::statistics;
use kasoku_model::workload::served::Client;
use kasoku_model::workload::{Operation, Served, Setting, Workload};
use kasoku_store::output_file;
use kasoku_store::restore::{CONNECTION, OF_ALL, REQUEST, is_same, times_in};

/// The file, and what is in it.
#[derive(Debug)]
pub struct HostFile {
    path: PathBuf,
    document: Document,
}

impl HostFile {
    /// In `folder`, for a host that is `part` of a run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(folder: &Path, part: FleetPart, command: &str) -> Result<HostFile, String> {
        let id = format!("{}-{}", part.run, in_a_name(&part.host));
        let mut machine = kasoku_measure::machine::this();
        machine.name = Some(part.host.clone());
        let run = Run {
            id: id.clone(),
            started: kasoku_model::run_name::now(),
            kasoku: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.to_owned(),
            method: Method { fleet: Some(part), ..Method::default() },
            ..Run::default()
        };
        let document = Document { schema: SCHEMA, run, machine, series: Vec::new() };
        let file = HostFile { path: folder.join(format!("kasoku-{id}.json")), document };
        file.write()?;
        Ok(file)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Puts another document in its place, which stays this host's part and incomplete.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn hold(&mut self, document: Document) -> Result<(), String> {
        let Run { id, method: Method { fleet, .. }, .. } = std::mem::take(&mut self.document.run);
        let name = self.document.machine.name.take();
        self.document = document;
        self.document.machine.name = name;
        self.document.run.id = id;
        self.document.run.method.fleet = fleet;
        self.document.run.complete = false;
        self.write()
    }

    /// Keeps what this host's clients saw in a step.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep_part(
        &mut self,
        step: &StepOrder,
        round: u32,
        part: &Part,
        from: &ServerDescription,
    ) -> Result<(), String> {
        let new = series_of(step, &self.document.machine.name, from);
        let series = &mut self.document.series;
        let index = match series.iter().position(|one| is_same(one, &new)) {
            Some(index) => index,
            None => {
                series.push(new);
                series.len() - 1
            }
        };
        let series = &mut series[index];
        // With fewer connections a round is done again, and those before do not count.
        let of_all = Some(&Value::from(step.of));
        if series.parameters.get(OF_ALL) != of_all {
            series.samples.clear();
            [CONNECTION, REQUEST].iter().for_each(|name| drop(series.parameters.remove(*name)));
        }
        series.parameters.insert(OF_ALL.to_owned(), step.of.into());
        series.samples.push(Sample {
            round,
            iterations: part.files,
            ns: part.ns,
            cpu_ns: part.clients.iter().fold(0, |sum, client| sum.saturating_add(client.cpu_ns)),
            ..Sample::default()
        });
        for (name, times) in [(CONNECTION, &part.connection), (REQUEST, &part.request)] {
            let mut all = times_in(series, name);
            all.merge(times);
            series.parameters.insert(name.to_owned(), serde_json::to_value(&all).unwrap_or_default());
        }
        series.parameters.insert("concurrency".to_owned(), step.connections.iter().sum::<usize>().into());
        let longest = times_in(series, CONNECTION).longest_s();
        series.parameters.insert("worst_latency_s".to_owned(), longest.map_or(Value::Null, Value::from));
        statistics::summarize(series);
        self.write()
    }

    /// Says that the first host has all of it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn is_gathered(&mut self) -> Result<(), String> {
        self.document.run.complete = self.document.machine.is_genuine();
        self.write()
    }

    fn write(&self) -> Result<(), String> {
        let text = serde_json::to_string(&self.document).map_err(|error| error.to_string())?;
        output_file::write(&self.path, text.as_bytes()).map_err(|error| error.to_string())
    }
}

fn series_of(step: &StepOrder, host: &Option<String>, from: &ServerDescription) -> Series {
    let bytes = usize::try_from(step.bytes).unwrap_or(usize::MAX);
    let Named { library, acceleration, workers } = &step.server;
    let served = Served { workers: *workers, client: Client::Draining, latency_of: step.latency_of };
    let workload = Workload::new(Operation::Serve, step.suite, bytes).with_setting(Setting::Served(served));
    let version = library_version(library, &from.openssl);
    let mut series = Series::empty("tls", &workload, library, version, *acceleration, Unit::BytesPerSecond);
    series.outcome = Outcome::Measured;
    series.note = Some("what this host's clients fetched, of what several did".to_owned());
    let mut set = |name: &str, value: Value| drop(series.parameters.insert(name.to_owned(), value));
    set("hosts", 1.into());
    set("elsewhere", true.into());
    set("host", host.clone().into());
    set("server", format!("nginx {}", from.nginx).into());
    series
}

/// A host's name as a part of a file's name. One that must be changed for it has a hash behind it, since others become
/// alike.
fn in_a_name(host: &str) -> String {
    const MAX: usize = 50;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if host.len() <= MAX && host.chars().all(is_plain) {
        return host.to_owned();
    }
    let hash = to_hexadecimal(&Sha256::digest(host)[..6]);
    let start = host.chars().map(|c| if is_plain(c) { c } else { '_' }).take(MAX - 1 - hash.len());
    format!("{}-{hash}", start.collect::<String>())
}

/// Keeps what is sampled in the host's file too, every now and then, beside whoever else wants to know.
pub struct Keeping<'a> {
    file: &'a mut HostFile,
    beside: &'a mut dyn Observer,
    /// Series of the levels before, which have numbers of their own.
    before: usize,
    written: Instant,
}

/// What is measured in less time is lost if the host is.
const NOW_AND_THEN: Duration = Duration::from_secs(2);

impl<'a> Keeping<'a> {
    /// For the next level.
    pub fn new(file: &'a mut HostFile, beside: &'a mut dyn Observer) -> Keeping<'a> {
        let before = file.document.series.len();
        Keeping { file, beside, before, written: Instant::now() }
    }
}

impl Observer for Keeping<'_> {
    fn begins(&mut self, index: usize, series: &Series) -> Result<(), String> {
        self.file.document.series.truncate(self.before + index);
        self.file.document.series.push(series.clone());
        self.beside.begins(index, series)
    }

    fn forgotten(&mut self, indices: &[usize]) -> Result<(), String> {
        for index in indices {
            if let Some(series) = self.file.document.series.get_mut(self.before + index) {
                series.samples.clear();
            }
        }
        self.beside.forgotten(indices)
    }

    fn sampled(&mut self, samples: &[(usize, Sample)]) -> Result<(), String> {
        for (index, sample) in samples {
            if let Some(series) = self.file.document.series.get_mut(self.before + index) {
                series.samples.push(*sample);
            }
        }
        if self.written.elapsed() >= NOW_AND_THEN {
            for series in self.file.document.series[self.before..].iter_mut().filter(|one| !one.has_failed()) {
                statistics::summarize(series);
            }
            self.file.write()?;
            self.written = Instant::now();
        }
        self.beside.sampled(samples)
    }

    fn described(&mut self, index: usize, series: &Series) -> Result<(), String> {
        if let Some(kept) = self.file.document.series.get_mut(self.before + index) {
            let samples = std::mem::take(&mut kept.samples);
            *kept = Series { samples, ..series.clone() };
        }
        self.beside.described(index, series)
    }

    fn progress(&mut self, what: &str, done: u64, total: u64) {
        self.beside.progress(what, done, total);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_incomplete_until_all_is_gathered() {
        let folder = tempfile::tempdir().unwrap();
        let part = FleetPart { run: "r".to_owned(), host: "a/b".to_owned(), hosts: 2 };
        let mut file = HostFile::new(folder.path(), part.clone(), "kasoku run").unwrap();
        let written = |file: &HostFile| -> Document {
            assert_eq!(file.path(), folder.path().join("kasoku-r-a_b-c14cddc033f6.json"));
            serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap()
        };
        assert!(!written(&file).run.complete);
        // A run that is over here is not yet gathered, and stays this host's part under this host's name.
        let mut over = file.document().clone();
        over.run.complete = true;
        over.run.id = "another".to_owned();
        over.run.method.fleet = None;
        over.machine.name = None;
        file.hold(over).unwrap();
        let held = written(&file);
        assert!(!held.run.complete, "a host that is lost now must be told from one that was gathered");
        assert_eq!((held.run.id.as_str(), held.run.method.fleet), ("r-a_b-c14cddc033f6", Some(part)));
        assert_eq!(held.machine.name.as_deref(), Some("a/b"));
        file.is_gathered().unwrap();
        assert!(written(&file).run.complete);
    }

    #[test]
    fn hosts_with_names_alike_have_files_of_their_own() {
        let long = "n".repeat(60);
        let names = ["a_b", "a/b", "a:b", &long[..50], &format!("{long}1"), &format!("{long}2")].map(in_a_name);
        assert_eq!((names[0].as_str(), names[3].as_str()), ("a_b", &long[..50]));
        assert!(names.iter().all(|name| name.len() <= 50), "{names:?}");
        assert_eq!(names.iter().collect::<std::collections::BTreeSet<_>>().len(), names.len(), "{names:?}");
    }

    #[test]
    fn what_was_measured_with_more_connections_is_not_kept_beside_what_was_with_fewer() {
        use crate::lines::Named;
        use crate::token::Token;
        use kasoku_model::acceleration::Acceleration;
        use kasoku_model::algorithm::{Algorithm, CipherSuite};
        use kasoku_model::workload::served::LatencyOf;
        let folder = tempfile::tempdir().unwrap();
        let part = FleetPart { run: "r".to_owned(), host: "a".to_owned(), hosts: 2 };
        let mut file = HostFile::new(folder.path(), part, "kasoku run tls").unwrap();
        let token = Token::random().unwrap();
        let server = Named { library: "openssl".to_owned(), acceleration: Acceleration::On, workers: 1 };
        let from = ServerDescription {
            id: token.clone(),
            boot: String::new(),
            nginx: "1".to_owned(),
            openssl: "3".to_owned(),
            cpu: "c".to_owned(),
            cores: vec![0],
            connections_of_a_worker: 100,
            folder: token.to_string(),
            servers: Vec::new(),
        };
        let mut keep = |of: usize, round: u32, ns: u64| {
            let step = StepOrder {
                number: 1,
                server: server.clone(),
                suite: Algorithm::CipherSuite(CipherSuite::Aes128Sha),
                bytes: 1 << 20,
                headers: vec![0],
                connections: vec![of / 2],
                of,
                latency_of: LatencyOf::Connection,
                duration: Duration::from_secs(1),
                patience: Duration::from_secs(20),
                round: Some(round),
            };
            let mut seen = Part { files: 1, ns: 1_000, ..Part::default() };
            seen.connection.add(ns);
            file.keep_part(&step, round, &seen, &from).unwrap();
        };
        keep(16, 0, 1_000);
        keep(16, 1, 3_000_000_000); // somebody waited: the round is done again
        keep(4, 1, 2_000);
        keep(4, 2, 2_000);
        let text = std::fs::read_to_string(file.path()).unwrap();
        let document: Document = serde_json::from_str(&text).unwrap();
        let [series] = &document.series[..] else { panic!("{text}") };
        assert_eq!(series.samples.iter().map(|sample| sample.round).collect::<Vec<_>>(), [1, 2]);
        assert!(times_in(series, CONNECTION).longest_s().unwrap() < 1e-5);
    }
}
