use super::super::load::LoadStep;
use super::super::processes::Busy;
use super::super::testbed::Capacity;
use super::*;
use crate::conclusion::conclude;
use crate::level::options::{LevelOptions, Pace};
use crate::level::tls::TlsOptions;
use crate::plan::{Offer, TlsPlan};
use kasoku_libraries::nginx::Nginx;
use kasoku_model::document::{Remark, Sample, Series};
use kasoku_model::histogram::Histogram;

/// A server that sends as many files in a step as there are connections, up to 64; in the rounds somebody waits three
/// seconds if there are more than `most` in them.
struct Fake {
    most: fn(u32) -> usize,
}

impl Testbed for Fake {
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

    fn look(&mut self, _case: &TlsCase) -> Result<(), String> {
        Ok(())
    }

    fn step(&mut self, _case: &TlsCase, asked: StepRequest) -> Result<LoadStep, String> {
        let is_exceeded = asked.round.is_some_and(|round| asked.connections > (self.most)(round));
        let mut times = Histogram::default();
        times.add(if is_exceeded { 3_000_000_000 } else { 1_000_000 });
        Ok(LoadStep {
            files: asked.connections.min(64) as u64 * 100,
            ns: 100_000_000,
            connection: times.clone(),
            request: times,
            server: Busy { mean: 1.0, most: 1.0, waited: 0.0, cpu_ns: 100_000_000 },
            clients: vec![Busy::default()],
            pressures: 0,
            provided: None,
            skew_s: None,
        })
    }

    fn remove_files(&mut self) {}
}

/// What is told, as the store keeps it.
#[derive(Default)]
struct Kept {
    samples: Vec<Sample>,
}

impl Observer for Kept {
    fn begins(&mut self, _index: usize, _series: &Series) -> Result<(), String> {
        Ok(())
    }

    fn sampled(&mut self, samples: &[(usize, Sample)]) -> Result<(), String> {
        self.samples.extend(samples.iter().map(|(_, sample)| *sample));
        Ok(())
    }

    fn forgotten(&mut self, _indices: &[usize]) -> Result<(), String> {
        self.samples.clear();
        Ok(())
    }

    fn progress(&mut self, _what: &str, _done: u64, _total: u64) {}
}

/// One case in this many rounds: its series, and what the run says about itself.
fn measured(rounds: u32, most: fn(u32) -> usize) -> (Series, Vec<Remark>) {
    let program = "nginx".into();
    let nginx = Nginx { program, version: "1.22.1".to_owned(), openssl: "3.0.19".to_owned() };
    let options = LevelOptions {
        pace: Pace::Quick,
        libraries: Some(vec!["openssl".to_owned()]),
        sizes: Some(vec![1 << 20]),
        algorithms: Some(vec!["aes128-sha".parse().unwrap()]),
        rounds: Some(rounds),
        tls: TlsOptions {
            duration: Some(Duration::from_millis(100)),
            elsewhere: Some(Offer { nginx, workers: vec![1], has_ours: false }),
            ..TlsOptions::default()
        },
        ..LevelOptions::default()
    };
    let plan = crate::level::tls::plan(&options, Vec::new());
    let tls: &TlsPlan = plan.tls().unwrap();
    let mut kept = Kept::default();
    let mut measured = run_on(&plan, tls, &mut Fake { most }, &mut kept).unwrap();
    assert!(measured.libraries.iter().all(|library| library.loaded_from.is_none()), "{:?}", measured.libraries);
    let conclusion = conclude(&plan, &mut measured.series);
    let series = measured.series.pop().unwrap();
    assert_eq!(kept.samples, series.samples, "what is kept is what is told");
    (series, conclusion.remarks)
}

fn rounds_of(series: &Series) -> Vec<u32> {
    series.samples.iter().map(|sample| sample.round).collect()
}

#[test]
fn one_round_in_which_somebody_waits_is_done_again_with_fewer_connections() {
    let (series, remarks) = measured(1, |_| 20);
    assert!(!series.has_failed() && series.median.is_some(), "{:?}", series.note);
    let details = series.server().unwrap();
    assert_eq!((details.concurrency, details.searched), (Some(16), true));
    assert!(
        series.note.unwrap().contains("with 64 connections the longest wait was 3.0 s; 16 are used from round 1 on")
    );
    assert_eq!(remarks, Vec::new(), "nobody took the cores away");
}

#[test]
fn a_series_is_of_one_number_of_connections() {
    let (series, _) = measured(6, |round| if round < 3 { 8192 } else { 16 });
    let details = series.server().unwrap();
    assert_eq!((details.concurrency, rounds_of(&series)), (Some(16), vec![3, 4, 5]));
    let rates: Vec<f64> = series.samples.iter().map(|sample| series.figure(sample)).collect();
    assert!(rates.iter().all(|rate| Some(*rate) == series.median), "{rates:?}");
    assert!(details.load.worst_latency_s.unwrap() < 0.1, "the longest wait is that of what counts");
    assert_eq!(details.server_machine.as_deref(), Some("a CPU"));
}

#[test]
fn a_limit_that_is_exceeded_whatever_is_tried_is_the_reason_that_is_told() {
    let (series, _) = measured(2, |round| if round == 0 { 8192 } else { 0 });
    assert!(series.has_failed());
    assert!(series.note.unwrap().contains("with 1 connections the longest wait was 3.0 s"));
}
