//! The run: start after start, and in each round after round, every case in turn.

use std::time::{Duration, Instant};

use super::case::HttpsMeasurement;
use super::fixture::JavaFixture;
use crate::plan::{HttpsCase, HttpsPlan, Plan};
use crate::procedure::{Procedure, SamplePosition, carry_out};
use crate::record::PlanRecord;
use kasoku_model::document::Omission;

/// How long warming up takes at most, and a trial in it.
const MAX_WARM_UP: Duration = Duration::from_millis(2_500);
const TRIAL: Duration = Duration::from_millis(200);
/// A virtual machine is warm once this many trials in turn were no faster…
const WITHOUT_GAIN: u32 = 2;
/// … than the best before by this factor.
const GAIN: f64 = 1.03;

/// Measures what `https` has, with workers of `plan`.
///
/// # Errors
/// Only what the observer ends it with; everything that goes wrong otherwise stands in the series or the omissions.
pub(crate) fn run(plan: &Plan, https: &HttpsPlan, record: &mut PlanRecord<'_>) -> Result<(), String> {
    record.progress("making the file for the HTTPS servers", 0, 1);
    let fixture = match compile(plan).and_then(|()| JavaFixture::make(https)) {
        Ok(ground) => ground,
        Err(why) => {
            let why = format!("no HTTPS servers: {why}");
            record.omit(Omission { level: plan.level, why, ..Omission::default() });
            return Ok(());
        }
    };
    let new = |case: &HttpsCase| HttpsMeasurement::new(*case, &plan.workers);
    let cases: Vec<HttpsMeasurement<'_>> = https.cases.iter().filter_map(new).collect();
    carry_out(&mut HttpsRun { plan, https, fixture, done: 0 }, cases, record)
}

/// Compiles the server with one of the JDKs that are measured.
fn compile(plan: &Plan) -> Result<(), String> {
    let mut last = "no virtual machine is measured".to_owned();
    for setting in plan.workers.iter().rev().filter_map(|worker| worker.jvm.as_ref()) {
        match setting.classes.add_server(&setting.runtime) {
            Ok(()) => return Ok(()),
            Err(why) => last = why.to_string(),
        }
    }
    Err(last)
}

struct HttpsRun<'a> {
    plan: &'a Plan,
    https: &'a HttpsPlan,
    fixture: JavaFixture,
    /// Steps that are done, for whoever watches.
    done: u64,
}

impl<'a> Procedure for HttpsRun<'a> {
    type Case = HttpsMeasurement<'a>;

    fn extent(&self) -> (u32, u32) {
        (self.https.processes, self.https.rounds)
    }

    fn start(
        &mut self,
        _process: u32,
        cases: &mut Vec<HttpsMeasurement<'a>>,
        record: &mut PlanRecord<'_>,
    ) -> Result<(), String> {
        for case in cases.iter_mut() {
            self.progress(&format!("starting an HTTPS server with {}", case.name.entry.name), record);
            if let Err(why) = self.begin(case, record)? {
                match case.series {
                    Some(series) => record.series(series).fail(why),
                    None => record.omit(self.omission(case, why)),
                }
            }
        }
        cases.retain(|case| case.running.is_some());
        Ok(())
    }

    /// One step that counts.
    fn visit(
        &mut self,
        case: &mut HttpsMeasurement<'a>,
        moment: SamplePosition,
        record: &mut PlanRecord<'_>,
    ) -> Result<bool, String> {
        self.progress(&format!("HTTPS servers: round {} of {}", moment.round + 1, self.https.all_rounds()), record);
        let (Some((server, file)), Some(series)) = (&mut case.running, case.series) else { return Ok(false) };
        let step = self.fixture.step(server, file, case.how.connections, self.https.step);
        match step {
            Ok(step) => {
                let sample = case.take(&step, moment.process, moment.round);
                case.describe(record.series(series));
                record.sample(series, sample)?;
                record.described(series)?;
                Ok(true)
            }
            Err(why) => {
                case.running = None;
                record.series(series).fail(why);
                record.described(series)?;
                Ok(false)
            }
        }
    }

    fn end(
        &mut self,
        _process: u32,
        cases: &mut Vec<HttpsMeasurement<'a>>,
        _record: &mut PlanRecord<'_>,
    ) -> Result<(), String> {
        cases.iter_mut().for_each(|case| case.running = None);
        Ok(())
    }
}

impl<'a> HttpsRun<'a> {
    /// Starts the server of a case, looks at what it serves, and warms it up. The inner error is why it cannot be
    /// measured.
    fn begin(
        &mut self,
        case: &mut HttpsMeasurement<'a>,
        record: &mut PlanRecord<'_>,
    ) -> Result<Result<(), String>, String> {
        let server = match self.fixture.start(case.name, case.suite, case.how.connections) {
            Ok(server) => server,
            Err(why) => return Ok(Err(why)),
        };
        if case.series.is_none() {
            let found = case.found(&server);
            let libraries = &mut record.measured.libraries;
            if !libraries.iter().any(|one| (&one.library, &one.version) == (&found.library, &found.version)) {
                libraries.push(found);
            }
            case.series = Some(record.begin(case.empty_series(self.plan.level, &server, &self.fixture))?);
        }
        let file = match self.fixture.look(&server, case.suite, case.wanted.workload.bytes) {
            Ok(file) => file,
            Err(why) => return Ok(Err(why)),
        };
        case.running = Some((server, file));
        let warmed_up = self.warm_up(case);
        if warmed_up.is_err() {
            case.running = None;
        }
        Ok(warmed_up)
    }

    /// Puts load on until it no longer gets faster, for a time at most.
    fn warm_up(&mut self, case: &mut HttpsMeasurement<'a>) -> Result<(), String> {
        let Some((server, file)) = &mut case.running else { return Ok(()) };
        let until = Instant::now() + MAX_WARM_UP;
        let (mut best, mut without_gain) = (0.0, 0);
        while without_gain < WITHOUT_GAIN && Instant::now() < until {
            let step = self.fixture.step(server, file, case.how.connections, self.https.step.min(TRIAL))?;
            let rate = step.files as f64 / step.ns.max(1) as f64;
            without_gain = if rate > best * GAIN { 0 } else { without_gain + 1 };
            best = f64::max(best, rate);
        }
        Ok(())
    }

    fn omission(&self, case: &HttpsMeasurement<'_>, why: String) -> Omission {
        Omission {
            level: self.plan.level,
            library: case.name.entry.name.to_owned(),
            acceleration: Some(case.name.acceleration),
            algorithm: Some(case.wanted.workload.algorithm.name().to_owned()),
            why: format!("no HTTPS server: {why}"),
            ..Omission::default()
        }
    }

    fn progress(&mut self, what: &str, record: &mut PlanRecord<'_>) {
        let steps = u64::from(self.https.all_rounds() + self.https.processes) * self.https.cases.len() as u64;
        record.progress(what, self.done, steps);
        self.done += 1;
    }
}
