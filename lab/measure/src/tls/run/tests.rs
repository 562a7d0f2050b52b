use super::super::load::ServerUse;
use super::*;
use crate::conclusion::conclude;
use crate::level::options::{LevelOptions, Pace};
use crate::level::tls::TlsOptions;
use crate::plan::Offer;
use kasoku_libraries::nginx::Nginx;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::document::{Experiment, Remark, Sample, ServerDetails};
use kasoku_model::histogram::Histogram;
use kasoku_model::workload::{Operation, Served, Setting, Workload};

/// A testbed whose server's throughput grows with the number of connections, up to 64. In the rounds, a client waits
/// three seconds if there are more than `most` connections.
struct FakeTestbed {
    most: fn(u32) -> usize,
}

impl Testbed for FakeTestbed {
    fn capacity(&mut self, _case: &TlsCase) -> Result<Capacity, String> {
        Ok(Capacity {
            most: 8192,
            server_cores: 1,
            working_cores: 1,
            client_cores: 1,
            are_apart: true,
            hosts: 1,
            server_cpu: Some("a CPU".to_owned()),
        })
    }

    fn make_file(&mut self, _bytes: usize) -> Result<(), String> {
        Ok(())
    }

    fn verify_file(&mut self, _case: &TlsCase) -> Result<(), String> {
        Ok(())
    }

    fn step(&mut self, _case: &TlsCase, asked: StepRequest) -> Result<LoadStep, String> {
        let is_exceeded = asked.round.is_some_and(|round| asked.connections > (self.most)(round));
        let mut times = Histogram::default();
        times.add(if is_exceeded { 3_000_000_000 } else { 1_000_000 });
        let load = ClientLoad {
            files: asked.connections.min(64) as u64 * 100,
            ns: 100_000_000,
            connection: times.clone(),
            request: times,
            clients: vec![CpuUse::default()],
            ..ClientLoad::default()
        };
        let workers = CpuUse { mean: 1.0, most: 1.0, waited: 0.0, cpu_ns: 100_000_000 };
        Ok(LoadStep { load, server: ServerUse { workers, ..ServerUse::default() }, skew_s: None })
    }
}

/// An observer that keeps samples like the store.
#[derive(Default)]
struct RecordingObserver {
    samples: Vec<Sample>,
}

impl Observer for RecordingObserver {
    fn sampled(&mut self, samples: &[(usize, Sample)]) -> Result<(), String> {
        self.samples.extend(samples.iter().map(|(_, sample)| *sample));
        Ok(())
    }

    fn forgotten(&mut self, _indices: &[usize]) -> Result<(), String> {
        self.samples.clear();
        Ok(())
    }
}

fn plan(rounds: u32, before: Vec<Series>) -> Plan {
    let program = "nginx".into();
    let nginx = Nginx { program, version: "1.22.1".to_owned(), openssl: "3.0.19".to_owned() };
    let options = LevelOptions {
        pace: Pace::Quick,
        libraries: Some(vec!["openssl".to_owned()]),
        sizes: Some(vec![1 << 20]),
        algorithms: Some(vec!["aes128-sha".parse().unwrap()]),
        rounds: Some(rounds),
        before,
        tls: TlsOptions {
            duration: Some(Duration::from_millis(100)),
            elsewhere: Some(Offer { nginx, workers: vec![1], has_ours: false }),
            ..TlsOptions::default()
        },
        ..LevelOptions::default()
    };
    crate::level::tls::plan(&options, Vec::new())
}

/// Measures one case in `rounds` rounds. Returns its series, and the remarks of the run.
fn measured(rounds: u32, most: fn(u32) -> usize) -> (Series, Vec<Remark>) {
    let plan = plan(rounds, Vec::new());
    let mut kept = RecordingObserver::default();
    let mut measured =
        run_on(&mut FakeTestbed { most }, Instant::now(), &plan, plan.tls().unwrap(), &mut kept).unwrap();
    assert!(measured.libraries.iter().all(|library| library.loaded_from.is_none()), "{:?}", measured.libraries);
    let conclusion = conclude(&plan, &mut measured.series);
    let series = measured.series.pop().unwrap();
    assert_eq!(kept.samples, series.samples, "the observer received every sample");
    (series, conclusion.remarks)
}

fn rounds_of(series: &Series) -> Vec<u32> {
    series.samples.iter().map(|sample| sample.round).collect()
}

#[test]
fn round_with_a_slow_client_is_repeated_with_fewer_connections() {
    let (series, remarks) = measured(1, |_| 20);
    assert!(!series.has_failed() && series.median.is_some(), "{:?}", series.note);
    let details = series.server().unwrap();
    assert_eq!((details.concurrency, details.searched), (Some(16), true));
    assert!(
        series.note.unwrap().contains("with 64 connections the longest wait was 3.0 s; 16 are used from round 1 on")
    );
    assert_eq!(remarks, Vec::new(), "no core was taken away");
}

#[test]
fn samples_with_more_connections_than_the_chosen_number_are_discarded() {
    let (series, _) = measured(6, |round| if round < 3 { 8192 } else { 16 });
    let details = series.server().unwrap();
    assert_eq!((details.concurrency, rounds_of(&series)), (Some(16), vec![3, 4, 5]));
    let rates: Vec<f64> = series.samples.iter().map(|sample| series.figure(sample)).collect();
    assert!(rates.iter().all(|rate| Some(*rate) == series.median), "{rates:?}");
    assert!(details.load.worst_latency_s.unwrap() < 0.1, "the longest wait excludes discarded samples");
    assert_eq!(details.server_machine.as_deref(), Some("a CPU"));
}

#[test]
fn series_fails_with_the_latency_limit_when_no_number_of_connections_meets_it() {
    let (series, _) = measured(2, |round| if round == 0 { 8192 } else { 0 });
    assert!(series.has_failed());
    assert!(series.note.unwrap().contains("with 1 connections the longest wait was 3.0 s"));
}

fn case(bytes: usize, library: &'static str) -> TlsCase {
    let served = Served { workers: 1, ..Served::default() };
    let algorithm = Algorithm::CipherSuite(CipherSuite::Tls13Aes128Gcm);
    let workload = Workload::new(Operation::Serve, algorithm, bytes).with_setting(Setting::Served(served));
    TlsCase { workload, library, acceleration: Acceleration::On, build: None }
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
fn resume_keeps_only_finished_file_sizes() {
    let cases = [case(1 << 20, "openssl"), case(1 << 20, "kasoku")];
    let version = |_: &TlsCase| "3.0.19".to_owned();
    let kept = |before: &[Series]| {
        finished(before, 1 << 20, &cases, 3, version).map(|found| found.iter().map(Option::is_some).collect::<Vec<_>>())
    };
    let [all, some] = [3, 2].map(|samples| cases.map(|case| series(case, samples)));
    assert_eq!(kept(&all), Some(vec![true, true]));
    assert_eq!(kept(&some), None);
    assert_eq!(kept(&all[..1]), None, "the second case has no series");
    assert_eq!(kept(&[all[0].clone(), some[1].clone()]), None);
    let mut forgotten = all[1].clone();
    forgotten.samples.drain(..2);
    assert_eq!(kept(&[all[0].clone(), forgotten]), Some(vec![true, true]));
    let mut failed = some[1].clone();
    failed.fail("gone");
    assert_eq!(kept(&[all[0].clone(), failed]), Some(vec![true, true]));
    // A case for which no number of connections was found has no series. A series of the next size shows that this
    // size was finished.
    let next = series(case(4 << 20, "openssl"), 1);
    assert_eq!(kept(&[all[0].clone(), next.clone()]), Some(vec![true, false]));
    assert_eq!(finished(&[all[0].clone(), next], 4 << 20, &[case(4 << 20, "openssl")], 3, version), None);
    let newer = |_: &TlsCase| "3.5.5".to_owned();
    assert_eq!(finished(&all, 1 << 20, &cases, 3, newer), None, "another build of OpenSSL was measured");
    let mut other = all.clone();
    let served = Served { workers: 2, ..Served::default() };
    for series in &mut other {
        series.details.experiment = Experiment::Server(ServerDetails { served, ..ServerDetails::default() });
    }
    assert_eq!(kept(&other), None);
}

#[test]
fn resume_rejects_another_library_version() {
    let resume = |library_version: &str, library| {
        let before = Series { library_version: library_version.to_owned(), ..series(case(1 << 20, library), 1) };
        let plan = plan(1, vec![before]);
        run_on(&mut FakeTestbed { most: |_| 64 }, Instant::now(), &plan, plan.tls().unwrap(), &mut ()).map(drop)
    };
    assert_eq!(resume("3.0.19", "openssl"), Ok(()));
    assert_eq!(resume("3.5.1", "openssl"), Err("openssl was 3.5.1 before and is 3.0.19 now".to_owned()));
    assert_eq!(resume("0.1.0", "kasoku"), Ok(()), "kasoku is not measured, so its version may change");
}

#[test]
fn judge_finds_each_bottleneck() {
    let busy = |mean| CpuUse { mean, most: mean, waited: 0.0, cpu_ns: 0 };
    let judge = |workers, working_cores, clients: &[f64], are_apart, pressures| {
        let load = ClientLoad { clients: clients.iter().map(|&mean| busy(mean)).collect(), ..ClientLoad::default() };
        let server = ServerUse { workers, pressures, provided: None };
        let capacity = Capacity { working_cores, are_apart, ..Capacity::default() };
        judge(&LoadStep { load, server, skew_s: None }, &capacity)
    };
    assert_eq!(judge(busy(0.97), 1, &[0.6], true, 0), Bottleneck::ServerCpu);
    let disturbed = CpuUse { waited: 0.3, ..busy(0.65) };
    assert_eq!(judge(disturbed, 1, &[0.6], true, 0), Bottleneck::ServerCpu);
    assert_eq!(judge(busy(0.6), 1, &[0.3, 0.95], true, 0), Bottleneck::ClientCpu);
    assert_eq!(judge(busy(1.1), 2, &[0.5, 0.35], false, 0), Bottleneck::SharedCpu);
    assert_eq!(judge(busy(0.9), 2, &[0.2, 0.2], false, 0), Bottleneck::Neither);
    assert_eq!(judge(busy(0.5), 1, &[0.5], true, 1), Bottleneck::Memory);
    assert_eq!(judge(busy(0.5), 1, &[0.5], true, 0), Bottleneck::Neither);
}
