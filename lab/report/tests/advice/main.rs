//! Tests of the rules of advice: advice on published devices, each rule by itself, and sentences in both languages.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod devices;
mod each_rule;
#[path = "../page/mod.rs"]
mod page;
mod safety;
mod web_server;

use std::collections::BTreeSet;

use kasoku_advice::advice;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{
    Document, FoundLibrary, Machine, Method, Origin, OriginKind, Outcome, Run, SCHEMA, Sample, Series, Unit,
};
use kasoku_model::level::Level;
use kasoku_model::workload::{Operation, Workload};

fn rules_of(document: &Document) -> BTreeSet<&'static str> {
    advice(document).iter().map(|one| one.rule.id).collect()
}

fn quoted() -> Document {
    let origin = Origin { kind: OriginKind::Published, source: "a test".to_owned(), address: None, note: None };
    Document {
        schema: SCHEMA,
        run: Run { id: "test".to_owned(), complete: true, origin: Some(origin), ..Run::default() },
        machine: Machine::default(),
        series: Vec::new(),
    }
}

fn measured(features: &[&str]) -> Document {
    let method = Method { noise_floor: Some(0.01), ..Method::default() };
    let features = features.iter().map(|name| (*name).to_owned()).collect();
    Document {
        run: Run { id: "test".to_owned(), complete: true, method, ..Run::default() },
        machine: Machine { arch: "x86_64".to_owned(), features, ..Machine::default() },
        ..quoted()
    }
}

/// Builds documents for tests.
trait Made: Sized {
    fn figure(self, algorithm: Algorithm, value: f64) -> Self;
    fn series(self, algorithm: Algorithm, value: f64, change: impl FnOnce(&mut Series)) -> Self;
    fn arch(self, arch: &str) -> Self;
    fn version(self, version: &str) -> Self;
    fn path(self, path: &str) -> Self;
    fn settings(self, settings: &str) -> Self;
}

impl Made for Document {
    fn figure(self, algorithm: Algorithm, value: f64) -> Document {
        self.series(algorithm, value, |_| {})
    }

    fn series(mut self, algorithm: Algorithm, value: f64, change: impl FnOnce(&mut Series)) -> Document {
        let operation = Operation::of(algorithm.kind())[0];
        let workload = Workload::new(operation, algorithm, 16_384);
        let is_bulk = algorithm.kind().is_bulk();
        let unit = if is_bulk { Unit::BytesPerSecond } else { Unit::OperationsPerSecond };
        let version = "OpenSSL 3.0.2".to_owned();
        let mut series = Series {
            median: Some(value),
            outcome: if self.run.origin.is_none() { Outcome::Measured } else { Outcome::Unverified },
            ..Series::empty(Level::Primitives, &workload, "openssl", version, Acceleration::On, unit)
        };
        change(&mut series);
        if self.run.origin.is_none() {
            let amount = if is_bulk { series.bytes as f64 } else { 1.0 };
            // Vary samples by 0.1 %, so that medians have an interval.
            let sample = |round: u32| Sample {
                process: round % 3,
                round,
                iterations: 1_000,
                ns: (1e12 * amount / value * (1.0 + f64::from(round % 5) * 1e-3)) as u64,
                ..Sample::default()
            };
            series.samples = (0..30).map(sample).collect();
        }
        self.series.push(series);
        self
    }

    fn arch(mut self, arch: &str) -> Document {
        arch.clone_into(&mut self.machine.arch);
        self
    }

    fn version(mut self, version: &str) -> Document {
        self.series.iter_mut().for_each(|series| version.clone_into(&mut series.library_version));
        self
    }

    fn path(mut self, path: &str) -> Document {
        self.series.iter_mut().for_each(|series| path.clone_into(&mut series.code_path));
        self
    }

    fn settings(mut self, settings: &str) -> Document {
        self.run.libraries.push(FoundLibrary {
            library: "openssl".to_owned(),
            acceleration: Some(Acceleration::On),
            cpu_features: Some(settings.to_owned()),
            ..FoundLibrary::default()
        });
        self
    }
}
