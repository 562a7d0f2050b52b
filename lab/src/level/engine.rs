//! The engine against its rivals: which stacks in which states it is held against, with which backend, and how much
//! faster it is meant to be. The table of `kasoku engine`; the code that measures is that of every other level.

use std::time::Duration;

use kasoku_engine::Backend;

use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::document::{Omission, Series};
use crate::measure::plan::{Item, Plan};
use crate::measure::probe::ProbeName;
use crate::measure::statistics::{self, Nested};
use crate::stack::{self, Entry, kasoku, limit};
use crate::workload::{NonceForm, Operation, Workload};

/// The level's name.
pub const NAME: &str = "engine";

/// What the user asked for; what is not said is as the table has it.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Fewer sizes and rounds: at most 20 seconds.
    pub quick: bool,
    /// These rivals only.
    pub against: Option<Vec<String>>,
    /// These operations only.
    pub operations: Option<Vec<Operation>>,
    /// These algorithms only.
    pub algorithms: Option<Vec<Algorithm>>,
    /// These sizes instead.
    pub sizes: Option<Vec<usize>>,
    /// These forms of nonces at every size, instead of both at small ones and made ahead at the others.
    pub nonces: Option<Vec<NonceForm>>,
    /// Rounds in all.
    pub rounds: Option<u32>,
    /// The length of a slice, instead of one that fills the time.
    pub slice: Option<Duration>,
}

/// What the engine does.
pub const OPERATIONS: [Operation; 2] = [Operation::Seal, Operation::Open];
/// With which algorithms.
pub const ALGORITHMS: [Algorithm; 2] = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];

/// The sizes of the table: records, packets of usual and large networks, files.
const SIZES: [usize; 12] = [16, 64, 256, 1024, 1200, 1440, 4096, 8192, 9000, 16384, 65536, 1 << 20];
const QUICK_SIZES: [usize; 5] = [16, 64, 256, 1440, 16384];
/// The payload of a QUIC packet on Ethernet.
const PACKET: usize = 1440;
/// Up to this size it shows how the nonces come about.
const SMALL: usize = 256;
/// More keys than the nearest caches hold.
const MANY_KEYS: usize = 4096;
/// Messages below this are as much call as cipher; the mean of the others has a target of its own.
const SMALLEST_OF_MEAN: usize = 256;

/// One rival in one state, held against one backend.
pub struct Contest {
    /// The rival.
    pub stack: &'static str,
    /// Its state.
    pub state: Acceleration,
    /// The engine's backend.
    pub backend: Backend,
    /// How many times as fast the backend is meant to be at a size.
    target: fn(usize) -> f64,
    /// The same of the geometric mean over the sizes from 256 bytes.
    target_of_mean: Option<f64>,
    /// The same of a packet under one of many keys, used at random; where it is not measured, none.
    target_with_many_keys: Option<f64>,
}

/// Every contest, in the order the table shows them.
pub const CONTESTS: [Contest; 7] = [
    Contest {
        stack: "ipsec-mb",
        state: Acceleration::On,
        backend: Backend::Vaes512,
        target: |bytes| if bytes <= 64 { 1.4 } else { 1.2 },
        target_of_mean: Some(1.3),
        target_with_many_keys: Some(1.0),
    },
    of_a_library("aws-lc"),
    of_a_library("ring"),
    of_a_library("graviola"),
    of_a_library("openssl"),
    Contest {
        stack: "ring",
        state: Acceleration::On,
        backend: Backend::Vaes256,
        target: |_| 1.1,
        target_of_mean: None,
        target_with_many_keys: None,
    },
    Contest {
        stack: "ipsec-mb",
        state: Acceleration::NoVaes,
        backend: Backend::Aesni,
        target: |_| 1.0,
        target_of_mean: None,
        target_with_many_keys: None,
    },
];

const fn of_a_library(stack: &'static str) -> Contest {
    Contest {
        stack,
        state: Acceleration::On,
        backend: Backend::Vaes512,
        target: |bytes| if bytes == PACKET { 1.8 } else { 1.2 },
        target_of_mean: None,
        target_with_many_keys: None,
    }
}

/// What names the contest with the CPU itself in a wish.
pub const LIMIT: &str = "limit";
/// A backend held against the CPU itself: the instructions it cannot do without, in registers of its width.
struct Bound {
    backend: Backend,
    limit: &'static Entry,
    bytes: usize,
    /// The share of it that it is meant to reach.
    target: Option<f64>,
}

impl Bound {
    fn workload(&self) -> Workload {
        Workload::new(Operation::Seal, Algorithm::Aes128Gcm, self.bytes)
    }
}

const LARGE: usize = 16384;
/// The share of the slower of rounds and products that is meant to be reached; the aim is 0.9.
const SHARE: f64 = 0.8;
/// Every bound, in the order the table shows them. For the widest registers also the two kinds of instructions alone, of
/// which the slower is a bound that nothing passes, and both without the rest of GCM.
const BOUNDS: [Bound; 11] = [
    bound(Backend::Vaes512, &limit::AES, LARGE, None),
    bound(Backend::Vaes512, &limit::CLMUL, LARGE, None),
    bound(Backend::Vaes512, &limit::MIXED, LARGE, None),
    bound(Backend::Vaes512, limit::ZMM.gcm, LARGE, None),
    bound(Backend::Vaes512, limit::ZMM.gcm, PACKET, None),
    bound(Backend::Vaes256, limit::YMM.gcm, LARGE, None),
    bound(Backend::Vaes256, limit::YMM.gcm, PACKET, None),
    bound(Backend::Aesni, limit::XMM.gcm, LARGE, None),
    bound(Backend::Aesni, limit::XMM.gcm, PACKET, Some(0.9)),
    // What the encoding of AVX, which this backend does not ask for, would change.
    bound(Backend::Aesni, limit::XMM_OF_AVX.gcm, LARGE, None),
    bound(Backend::Aesni, limit::XMM_OF_AVX.gcm, PACKET, None),
];

const fn bound(backend: Backend, limit: &'static Entry, bytes: usize, target: Option<f64>) -> Bound {
    Bound { backend, limit, bytes, target }
}

/// The bounds that are wanted: by their name in the wish, or those of a size that is measured.
fn bounds(wish: &Wish) -> impl Iterator<Item = &'static Bound> {
    let is_named = wish.against.as_ref().map(|names| names.iter().any(|name| name == LIMIT));
    let measured = workloads(wish);
    BOUNDS.iter().filter(move |bound| is_named.unwrap_or_else(|| measured.contains(&bound.workload())))
}

fn state_of(backend: Backend) -> Option<Acceleration> {
    kasoku::backend_states().into_iter().find(|&state| kasoku::backend_of(state) == backend)
}

impl Contest {
    /// The state in which the engine takes this contest's backend; `None` if this CPU cannot run it.
    fn own_state(&self) -> Option<Acceleration> {
        state_of(self.backend)
    }

    /// What it is held on.
    fn workloads(&self, wish: &Wish) -> Vec<Workload> {
        let mut workloads = workloads(wish);
        if self.target_with_many_keys.is_some() && sizes(wish).contains(&PACKET) {
            let packet = |(operation, algorithm)| Workload::new(operation, algorithm, PACKET).with_keys(MANY_KEYS);
            workloads.extend(tasks(wish).into_iter().map(packet));
        }
        workloads
    }

    fn target_of(&self, workload: Workload) -> Option<f64> {
        if workload.keys > 1 { self.target_with_many_keys } else { Some((self.target)(workload.bytes)) }
    }

    fn is_wanted(&self, wish: &Wish) -> bool {
        wish.against.as_ref().is_none_or(|names| names.iter().any(|name| name == self.stack))
    }
}

/// The rivals' names, each once.
pub fn rivals() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for contest in &CONTESTS {
        if !names.contains(&contest.stack) {
            names.push(contest.stack);
        }
    }
    names.push(LIMIT);
    names
}

/// The probes that the contests need: the engine's first.
pub fn candidates(wish: &Wish) -> Vec<ProbeName> {
    let wanted = || CONTESTS.iter().filter(|contest| contest.is_wanted(wish));
    let own = wanted().filter_map(Contest::own_state).map(|state| (kasoku::ENTRY.name, state));
    let others = wanted().filter(|contest| contest.own_state().is_some()).map(|contest| (contest.stack, contest.state));
    let limit_own = bounds(wish).filter_map(|one| state_of(one.backend)).map(|state| (kasoku::ENTRY.name, state));
    let limits = bounds(wish).filter(|one| state_of(one.backend).is_some());
    let limits = limits.map(|one| (one.limit.name, Acceleration::On));
    let mut probes: Vec<ProbeName> = Vec::new();
    for (name, acceleration) in own.chain(limit_own).chain(others).chain(limits) {
        let is_new = probes.iter().all(|probe| (probe.entry.name, probe.acceleration) != (name, acceleration));
        if let Some(entry) = stack::find(name).filter(|_| is_new) {
            probes.push(ProbeName::new(entry, acceleration));
        }
    }
    probes
}

/// The plan for `probes`, all of which are there.
pub fn plan(wish: &Wish, mut probes: Vec<ProbeName>) -> Plan {
    let mut items: Vec<Item> = Vec::new();
    let place = |name: &str, state: Acceleration| {
        probes.iter().position(|probe| (probe.entry.name, probe.acceleration) == (name, state))
    };
    let mut held = |workload: Workload, pair: [Option<usize>; 2]| {
        let [Some(own), Some(rival)] = pair else { return };
        let known = items.iter().position(|item| item.workload == workload);
        let index = known.unwrap_or_else(|| {
            items.push(Item { workload, threads: 1, probes: Vec::new() });
            items.len() - 1
        });
        for probe in [own, rival] {
            if !items[index].probes.contains(&probe) {
                items[index].probes.push(probe);
            }
        }
    };
    for contest in CONTESTS.iter().filter(|contest| contest.is_wanted(wish)) {
        let own = contest.own_state().and_then(|state| place(kasoku::ENTRY.name, state));
        for workload in contest.workloads(wish) {
            held(workload, [own, place(contest.stack, contest.state)]);
        }
    }
    for bound in bounds(wish) {
        let own = state_of(bound.backend).and_then(|state| place(kasoku::ENTRY.name, state));
        held(bound.workload(), [own, place(bound.limit.name, Acceleration::On)]);
    }
    // One more probe of the engine repeats its largest and smallest messages, for the noise floor.
    let twin = (!items.is_empty()).then_some((probes.len(), 0));
    if let Some((twin, original)) = twin {
        probes.push(probes[original].clone());
        let sizes = || items.iter().map(|item| item.workload.bytes);
        let ends = [sizes().min(), sizes().max()];
        let is_at_an_end = |item: &&mut Item| {
            let Workload { bytes, nonces, keys, .. } = item.workload;
            ends.contains(&Some(bytes)) && nonces == NonceForm::Ahead && keys == 1 && item.probes.contains(&original)
        };
        for item in items.iter_mut().filter(is_at_an_end) {
            item.probes.push(twin);
        }
    }
    let (processes, rounds) = match (wish.rounds, wish.quick) {
        (Some(rounds), _) if rounds < 30 => (rounds.div_ceil(3).min(3), 3),
        (Some(rounds), _) => (10, rounds.div_ceil(10)),
        (None, true) => (5, 2),
        (None, false) => (10, 3),
    };
    Plan {
        level: NAME,
        probes,
        twin,
        items,
        cross_checks: Vec::new(),
        cross_checked_processes: 0,
        processes,
        rounds,
        budget: if wish.quick { Duration::from_millis(18_500) } else { Duration::from_secs(73) },
        slice: wish.slice,
        files: None,
        tls: None,
        transfer: None,
    }
}

fn workloads(wish: &Wish) -> Vec<Workload> {
    let mut workloads = Vec::new();
    for (operation, algorithm) in tasks(wish) {
        for bytes in sizes(wish) {
            let workload = Workload::new(operation, algorithm, bytes);
            let is_wanted = |form: &&NonceForm| match &wish.nonces {
                Some(forms) => forms.contains(form),
                None => **form == NonceForm::Ahead || bytes <= SMALL,
            };
            workloads.extend(NonceForm::ALL.iter().filter(is_wanted).map(|&form| workload.with_nonces(form)));
        }
    }
    workloads
}

fn tasks(wish: &Wish) -> Vec<(Operation, Algorithm)> {
    let mut tasks = Vec::new();
    for operation in OPERATIONS {
        for algorithm in ALGORITHMS {
            let is_wanted = wish.operations.as_ref().is_none_or(|wanted| wanted.contains(&operation))
                && wish.algorithms.as_ref().is_none_or(|wanted| wanted.contains(&algorithm));
            if is_wanted {
                tasks.push((operation, algorithm));
            }
        }
    }
    tasks
}

fn sizes(wish: &Wish) -> Vec<usize> {
    match (&wish.sizes, wish.quick) {
        (Some(sizes), _) => sizes.clone(),
        (None, true) => QUICK_SIZES.to_vec(),
        (None, false) => SIZES.to_vec(),
    }
}

/// What a row is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// One workload.
    Workload(Workload),
    /// The geometric mean of the rows at these sizes.
    Mean {
        /// What is done.
        operation: Operation,
        /// With which algorithm.
        algorithm: Algorithm,
        /// At which sizes.
        sizes: Vec<usize>,
    },
    /// The whole contest, which could not be held.
    Contest,
}

/// One comparison of the engine with a rival.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The rival.
    pub against: &'static str,
    /// Its state.
    pub state: Acceleration,
    /// The engine's backend.
    pub backend: Backend,
    /// On what.
    pub subject: Subject,
    /// The engine's bytes a second.
    pub ours: Option<f64>,
    /// The rival's bytes a second.
    pub theirs: Option<f64>,
    /// How many times as fast the engine is: the median over the rounds.
    pub ratio: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// How many times as fast it is meant to be.
    pub target: Option<f64>,
    /// Why there is no figure, or what must be known of it.
    pub note: Option<String>,
}

impl Row {
    /// Nothing said yet.
    const EMPTY: Row = Row {
        against: "",
        state: Acceleration::On,
        backend: Backend::Portable,
        subject: Subject::Contest,
        ours: None,
        theirs: None,
        ratio: None,
        interval: None,
        target: None,
        note: None,
    };

    /// Whether the target was met; `None` if there is none, or no figure.
    pub fn is_met(&self) -> Option<bool> {
        Some(self.ratio? >= self.target?)
    }
}

/// The table: what `series` and `omissions` say of what was wished for.
pub fn table(wish: &Wish, series: &[Series], omissions: &[Omission]) -> Vec<Row> {
    let mut rows = Vec::new();
    for contest in CONTESTS.iter().filter(|contest| contest.is_wanted(wish)) {
        let row = |subject| Row {
            against: contest.stack,
            state: contest.state,
            backend: contest.backend,
            subject,
            ..Row::EMPTY
        };
        let Some(own_state) = contest.own_state() else {
            let note = Some(format!("this CPU cannot run the backend {}", contest.backend));
            rows.push(Row { note, ..row(Subject::Contest) });
            continue;
        };
        if let Some(why) = missing(contest.stack, contest.state, omissions) {
            rows.push(Row { note: Some(why), ..row(Subject::Contest) });
            continue;
        }
        for task in tasks(wish) {
            let (operation, algorithm) = task;
            let mut of_mean: Vec<(usize, f64)> = Vec::new();
            let of_task = |workload: &Workload| (workload.operation, workload.algorithm) == task;
            for workload in contest.workloads(wish).into_iter().filter(of_task) {
                let ours = find(series, kasoku::ENTRY.name, own_state, workload);
                let theirs = find(series, contest.stack, contest.state, workload);
                let compared = compared(verified(ours), verified(theirs), row(Subject::Workload(workload)));
                let is_of_mean =
                    workload.keys == 1 && workload.nonces == NonceForm::Ahead && workload.bytes >= SMALLEST_OF_MEAN;
                if let Some(ratio) = compared.ratio.filter(|_| is_of_mean) {
                    of_mean.push((workload.bytes, ratio));
                }
                rows.push(Row { target: contest.target_of(workload), ..compared });
            }
            if of_mean.len() > 1 {
                let (sizes, ratios): (Vec<usize>, Vec<f64>) = of_mean.into_iter().unzip();
                let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
                let subject = Subject::Mean { operation, algorithm, sizes };
                rows.push(Row { ratio: Some(mean), target: contest.target_of_mean, ..row(subject) });
            }
        }
    }
    rows.extend(limits(wish, series, omissions));
    rows
}

/// The engine against the CPU's bounds. The limits are no ciphers, so there is nothing of theirs to verify.
fn limits(wish: &Wish, series: &[Series], omissions: &[Omission]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for bound in bounds(wish) {
        let row = Row { against: bound.limit.name, backend: bound.backend, ..Row::EMPTY };
        let why = match state_of(bound.backend) {
            None => Some(format!("this CPU cannot run the backend {}", bound.backend)),
            Some(_) => missing(bound.limit.name, Acceleration::On, omissions),
        };
        let Some(own_state) = state_of(bound.backend).filter(|_| why.is_none()) else {
            rows.push(Row { note: why, ..row });
            continue;
        };
        let ours = find(series, kasoku::ENTRY.name, own_state, bound.workload());
        let theirs = find(series, bound.limit.name, Acceleration::On, bound.workload());
        let row = Row { subject: Subject::Workload(bound.workload()), target: bound.target, ..row };
        rows.push(compared(verified(ours), theirs.ok_or_else(|| "not measured".to_owned()), row));
    }
    let rate = |row: &Row| row.theirs.unwrap_or(f64::MAX);
    let necessary = rows.iter_mut().filter(|row| [limit::AES.name, limit::CLMUL.name].contains(&row.against));
    if let Some(bound) = necessary.min_by(|one, other| rate(one).total_cmp(&rate(other))) {
        bound.target = Some(SHARE);
        bound.note.get_or_insert_with(|| "the CPU's bound".to_owned());
    }
    rows
}

fn find<'a>(series: &'a [Series], stack: &str, state: Acceleration, workload: Workload) -> Option<&'a Series> {
    let is_it =
        |one: &&Series| one.stack == stack && one.acceleration == state && one.workload() == workload && !one.is_twin();
    series.iter().find(is_it)
}

/// A series, if it may be compared; else why not.
fn verified(series: Option<&Series>) -> Result<&Series, String> {
    let one = series.ok_or_else(|| "not measured".to_owned())?;
    if one.verified {
        return Ok(one);
    }
    Err(format!("{}: {}", one.stack, one.note.as_deref().unwrap_or("not verified")))
}

/// Why the rival could not be opened, if it could not.
fn missing(stack: &str, state: Acceleration, omissions: &[Omission]) -> Option<String> {
    let is_it = |one: &&Omission| {
        one.stack == stack && one.algorithm.is_none() && one.acceleration.is_none_or(|other| other == state)
    };
    let omission = omissions.iter().find(is_it)?;
    Some(match &omission.install {
        Some(install) => format!("{}; to install it: {install}", omission.why),
        None => omission.why.clone(),
    })
}

/// `row` with the figures of the engine's series and the rival's.
fn compared(ours: Result<&Series, String>, theirs: Result<&Series, String>, row: Row) -> Row {
    let (ours, theirs) = match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (Err(why), _) | (_, Err(why)) => return Row { note: Some(why), ..row },
    };
    let ratios: Nested = statistics::log_ratios(ours, theirs);
    Row {
        ours: ours.median,
        theirs: theirs.median,
        ratio: ratios.median().map(f64::exp),
        interval: ratios.interval().map(|[low, high]| [low.exp(), high.exp()]),
        ..row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Sample, Unit};

    fn names(wish: &Wish) -> Vec<String> {
        candidates(wish).iter().map(ProbeName::label).collect()
    }

    /// A series of `stack` that does `bytes` a nanosecond in ten rounds.
    fn series(stack: &str, state: Acceleration, workload: Workload, rate: f64) -> Series {
        let sample = |round| Sample {
            process: round / 5,
            round,
            iterations: 1000,
            ns: (1000.0 * workload.bytes as f64 / rate) as u64,
            ..Sample::default()
        };
        let mut parameters = serde_json::Map::new();
        parameters.insert("nonces".to_owned(), workload.nonces.name().into());
        parameters.insert("keys".to_owned(), workload.keys.into());
        let mut series = Series {
            level: NAME.to_owned(),
            operation: workload.operation,
            algorithm: workload.algorithm,
            bytes: workload.bytes,
            stack: stack.to_owned(),
            stack_version: "1".to_owned(),
            acceleration: state,
            code_path: "unknown".to_owned(),
            unit: Unit::BytesPerSecond,
            samples: (0..10).map(sample).collect(),
            median: None,
            ci95: None,
            cycles_per_byte: None,
            verified: true,
            note: None,
            parameters,
        };
        statistics::summarize(&mut series);
        series
    }

    fn has_every_backend() -> bool {
        state_of(Backend::Vaes512).is_some()
    }

    #[test]
    fn every_backend_and_rival_takes_part_and_the_time_is_kept() {
        if !has_every_backend() {
            eprintln!("left out: this CPU has not every backend");
            return;
        }
        for (quick, limit) in [(true, 20.0), (false, 75.0)] {
            let wish = Wish { quick, ..Wish::default() };
            let plan = plan(&wish, candidates(&wish));
            for name in
                ["kasoku (on)", "kasoku (no-avx512)", "kasoku (no-vaes)", "ipsec-mb (no-vaes)", "limit-mixed (on)"]
            {
                assert!(names(&wish).iter().any(|one| one == name), "{name}: {:?}", names(&wish));
            }
            let seconds = plan.duration(plan.most_series()).as_secs_f64();
            assert!(seconds <= limit, "{seconds} s");
            let counted = plan.items.iter().filter(|item| item.workload.nonces == NonceForm::Counted);
            assert!(counted.clone().count() > 0 && counted.clone().all(|item| item.workload.bytes <= SMALL));
            let many = plan.items.iter().filter(|item| item.workload.keys == MANY_KEYS);
            assert!(many.clone().count() == 4 && many.clone().all(|item| item.probes.len() == 2));
        }
    }

    #[test]
    fn what_is_wished_for_is_what_is_measured() {
        let wish = Wish {
            against: Some(vec!["ring".to_owned()]),
            operations: Some(vec![Operation::Open]),
            sizes: Some(vec![1024]),
            nonces: Some(vec![NonceForm::Counted]),
            ..Wish::default()
        };
        assert!(names(&wish).iter().all(|name| name.starts_with("kasoku") || name == "ring (on)"));
        let plan = plan(&wish, candidates(&wish));
        let counted = |algorithm| Workload::new(Operation::Open, algorithm, 1024).with_nonces(NonceForm::Counted);
        let workloads: Vec<Workload> = plan.items.iter().map(|item| item.workload).collect();
        if state_of(Backend::Vaes256).is_some() {
            assert_eq!(workloads, [counted(Algorithm::Aes128Gcm), counted(Algorithm::Aes256Gcm)]);
        }
    }

    #[test]
    fn rows_say_what_was_met_and_the_mean_what_it_is_of() {
        let Some(state) = state_of(Backend::Vaes512) else { return };
        let wish = Wish {
            against: Some(vec!["ipsec-mb".to_owned()]),
            operations: Some(vec![Operation::Seal]),
            algorithms: Some(vec![Algorithm::Aes128Gcm]),
            sizes: Some(vec![64, 256, 1024]),
            nonces: Some(vec![NonceForm::Ahead]),
            ..Wish::default()
        };
        let mut all = Vec::new();
        for (bytes, faster) in [(64, 1.3), (256, 1.25), (1024, 1.6)] {
            let workload = Workload::new(Operation::Seal, Algorithm::Aes128Gcm, bytes);
            all.push(series("kasoku", state, workload, 10.0 * faster));
            all.push(series("ipsec-mb", Acceleration::On, workload, 10.0));
        }
        let rows = table(&wish, &all, &[]);
        let verdicts: Vec<Option<bool>> = rows.iter().take(4).map(Row::is_met).collect();
        assert_eq!(verdicts, [Some(false), Some(true), Some(true), Some(true)], "{rows:?}");
        assert!((rows[3].ratio.unwrap() - 2f64.sqrt()).abs() < 1e-2, "{:?}", rows[3]);
        assert!(matches!(&rows[3].subject, Subject::Mean { sizes, .. } if *sizes == [256, 1024]));
        all[0].verified = false;
        assert_eq!(table(&wish, &all, &[])[0].is_met(), None, "what is not verified is not compared");
    }

    #[test]
    fn a_rival_that_is_not_here_is_told_in_one_row() {
        if !has_every_backend() {
            return;
        }
        let wish = Wish { against: Some(vec!["ipsec-mb".to_owned()]), ..Wish::default() };
        let omission = |state| Omission {
            level: NAME.to_owned(),
            stack: "ipsec-mb".to_owned(),
            acceleration: Some(state),
            why: "no such file".to_owned(),
            install: Some("apt install libipsec-mb1".to_owned()),
            ..Omission::default()
        };
        let rows = table(&wish, &[], &[omission(Acceleration::On), omission(Acceleration::NoVaes)]);
        assert_eq!(rows.len(), 2);
        assert!(rows.iter().all(|row| row.note.as_deref().is_some_and(|note| note.contains("apt install"))));
    }
}
