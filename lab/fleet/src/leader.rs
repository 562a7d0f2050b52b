//! The first host of a run on servers elsewhere: it says what is done, has all hosts begin at one time, and brings
//! together what they saw. Without other hosts it does the same alone.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::boot;
use super::clock::Clock;
use super::hosts::{Hosts, Wait, hear, tell};
use super::lines::Named;
use super::orders::{self, FollowerAnswer, LeaderOrder, StepOrder, check_part, shown};
use super::own_host::OwnHost;
use super::sharing::together;
use kasoku_libraries::nginx::Nginx;
use kasoku_measure::plan::{Offer, TlsCase};
use kasoku_measure::tls::field::{Field, StepRequest, TestBed};
use kasoku_measure::tls::host::{Part, now_ns, patience, shares};
use kasoku_measure::tls::{self, limits};
use kasoku_model::workload::served::LatencyOf;

/// From the word to the start: until each host's clients have read it.
const AHEAD: Duration = Duration::from_millis(15);
/// The longest text of the CPUs of all hosts that serve.
const MAX_NAMED: usize = 400;
/// How long a host may take beside its step.
const TO_ANSWER: Duration = Duration::from_secs(60);

/// The first host.
pub struct Leader<'h> {
    hosts: &'h mut dyn Hosts,
    own: OwnHost,
    /// What the hosts are called.
    names: Vec<String>,
    /// The cores of each host's clients.
    cores: Vec<Vec<usize>>,
    /// Whether a host is a machine that serves.
    is_shared: bool,
    headers: HashMap<TlsCase, Vec<u64>>,
    bytes: u64,
    number: u64,
    /// Why nothing more can be done.
    lost: Option<String>,
    /// How far apart the hosts began at most, in seconds.
    skew_s: Option<f64>,
}

impl<'h> Leader<'h> {
    /// With the other hosts' names, this one first, once they are ready.
    ///
    /// # Errors
    /// Why one is not.
    pub fn new(
        hosts: &'h mut dyn Hosts,
        own: OwnHost,
        names: Vec<String>,
        boots: &[String],
    ) -> Result<Leader<'h>, String> {
        let mut cores = vec![own.clients.cores().to_vec()];
        let mut why = None;
        for (host, name) in names.iter().enumerate().skip(1) {
            let answer = hear(hosts, host, orders::MAX, Wait::Until(Instant::now() + TO_ANSWER));
            match answer.map_err(|error| error.to_string()) {
                Ok(FollowerAnswer::Ready(of_host)) if (1..=8192).contains(&of_host.len()) => cores.push(of_host),
                Ok(FollowerAnswer::Failed(_, said)) => why = Some(format!("{name}: {}", shown(&said))),
                Ok(_) => why = Some(format!("{name}: invalid number of cores")),
                Err(error) => why = Some(error),
            }
        }
        let serving: Vec<String> = own.descriptions().map(|description| description.boot.clone()).collect();
        let is_shared = boots.iter().chain([&boot()]).any(|boot| serving.contains(boot));
        let leader = Leader {
            hosts,
            own,
            names,
            cores,
            is_shared,
            headers: HashMap::new(),
            bytes: 0,
            number: 0,
            lost: None,
            skew_s: None,
        };
        match why {
            Some(why) => Err(why), // dropped, it tells the others that it is over
            None => Ok(leader),
        }
    }

    /// What all hosts that serve have.
    ///
    /// # Errors
    /// If they have nothing in common.
    pub fn offer(&self) -> Result<Offer, String> {
        let distinct = self.own.distinct();
        let all: Vec<_> = self.own.descriptions().collect();
        let have = |named: &Named| distinct.iter().all(|&index| all[index].servers.iter().any(|(one, _)| one == named));
        let common: Vec<&Named> = all[0].servers.iter().map(|(named, _)| named).filter(|named| have(named)).collect();
        let mut workers: Vec<usize> = common.iter().map(|named| named.workers).collect();
        workers.sort_unstable();
        workers.dedup();
        if workers.is_empty() {
            return Err("the servers have no configuration in common; start all with the same --workers".to_owned());
        }
        Ok(Offer {
            nginx: Nginx {
                program: PathBuf::from("nginx"), // where it is there, nobody here needs to know
                version: all[0].nginx.clone(),
                openssl: all[0].openssl.clone(),
            },
            workers,
            has_ours: common.iter().any(|named| named.library != kasoku_libraries::openssl::ENTRY.name),
        })
    }

    /// Says that all is gathered; every host's file is complete then.
    ///
    /// # Errors
    /// If this host's cannot be written.
    pub fn gathered(&mut self) -> Result<(), String> {
        for host in 1..self.hosts.count() {
            tell(self.hosts, host, &LeaderOrder::Gathered);
        }
        self.own.file.as_mut().map_or(Ok(()), super::host_file::HostFile::is_gathered)
    }

    /// How far apart the hosts began at most, in seconds; `None` if there is but one.
    pub fn skew_s(&self) -> Option<f64> {
        self.skew_s
    }

    /// A step, before it is shared out.
    fn step_of(&self, case: &TlsCase, asked: StepRequest) -> StepOrder {
        let served = case.workload.served();
        StepOrder {
            number: self.number,
            server: Named {
                library: case.library.to_owned(),
                acceleration: case.acceleration,
                workers: served.map_or(0, |served| served.workers),
            },
            suite: case.workload.algorithm,
            bytes: case.workload.bytes as u64,
            headers: self.headers.get(case).cloned().unwrap_or_default(),
            connections: Vec::new(),
            of: asked.connections,
            latency_of: served.map_or(LatencyOf::default(), |served| served.latency_of),
            duration: asked.duration,
            patience: patience(case.workload.bytes as u64, asked.connections, asked.duration),
            round: asked.round,
        }
    }

    /// Has all hosts begin at one time; what each of them saw, and how far their clocks may be apart at most.
    fn carry_out(&mut self, steps: &[StepOrder]) -> Result<(Vec<Part>, Duration), String> {
        let count = self.hosts.count();
        for (host, step) in steps.iter().enumerate().skip(1) {
            tell(self.hosts, host, &LeaderOrder::Step(step.clone()));
        }
        self.hosts.barrier();
        let mut clocks = Vec::with_capacity(count);
        for host in 1..count {
            // The others wait for their start in vain and leave: nobody would come to another barrier.
            let clock = Clock::of(self.hosts, host).map_err(|error| format!("{}: {error}", self.names[host]));
            clocks.push(clock.inspect_err(|why| self.lost = Some(why.clone()))?);
        }
        let error = clocks.iter().map(|clock| clock.error_ns).max().unwrap_or(0);
        let start_ns = now_ns() + AHEAD.as_nanos() as u64 + 4 * error;
        for host in 1..count {
            tell(self.hosts, host, &LeaderOrder::Go(clocks[host - 1].there(start_ns)));
        }
        let own = self.own.load(&steps[0], start_ns);
        // All are waited for, whatever one of them says: the next step must find them idle.
        let until = Instant::now() + steps[0].patience * 2 + TO_ANSWER;
        let others: Vec<Result<Part, String>> =
            (1..count).map(|host| self.part_of(host, &steps[host], until)).collect();
        let parts = std::iter::once(own).chain(others).collect::<Result<Vec<Part>, String>>()?;
        Ok((parts, Duration::from_nanos(error)))
    }

    /// What a host saw; what it said of steps that are over is passed over.
    fn part_of(&mut self, host: usize, step: &StepOrder, until: Instant) -> Result<Part, String> {
        let name = self.names[host].clone();
        loop {
            match hear(self.hosts, host, orders::MAX, Wait::Until(until)) {
                Ok(FollowerAnswer::Part(number, part)) if number == step.number => {
                    return check_part(&part, step).map(|()| part).map_err(|why| format!("{name}: {why}"));
                }
                Ok(FollowerAnswer::Failed(Some(number), why)) if number == step.number => {
                    return Err(format!("{name}: {}", shown(&why)));
                }
                Ok(FollowerAnswer::Part(..) | FollowerAnswer::Failed(Some(_), _)) => {}
                Ok(FollowerAnswer::Ready(_)) => return Err(format!("{name}: unexpected message")),
                Ok(FollowerAnswer::Failed(None, why)) => {
                    self.lost = Some(format!("{name}: {}", shown(&why)));
                    return Err(format!("{name}: {}", shown(&why)));
                }
                Err(error) => {
                    self.lost = Some(format!("{name}: {error}"));
                    return Err(format!("{name}: {error}"));
                }
            }
        }
    }
}

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        for host in 1..self.hosts.count() {
            tell(self.hosts, host, &LeaderOrder::End(self.lost.clone()));
        }
    }
}

/// CPUs as one text, each once.
fn together_named<'d>(cpus: impl Iterator<Item = &'d str>) -> String {
    let mut names: Vec<&str> = cpus.collect();
    names.sort_unstable();
    names.dedup();
    let mut text = names.join(", ");
    text.truncate(text.floor_char_boundary(MAX_NAMED));
    text
}

const NOT_THERE: &str = "no server offers this suite with this number of workers";

impl Field for Leader<'_> {
    fn place(&mut self, case: &TlsCase) -> Result<TestBed, String> {
        let step = self.step_of(case, StepRequest { connections: 0, duration: Duration::ZERO, rate: 0.0, round: None });
        if !self.own.has(&step) {
            return Err(NOT_THERE.to_owned());
        }
        let (distinct, workers) = (self.own.distinct(), step.server.workers);
        let serving: Vec<_> = self.own.descriptions().collect();
        let serving: Vec<_> = distinct.iter().map(|&index| serving[index]).collect();
        let of_servers = serving.iter().map(|one| one.connections_of_a_worker.saturating_mul(workers as u64));
        let of_servers = of_servers.fold(0, u64::saturating_add);
        let client_cores: usize = self.cores.iter().map(Vec::len).sum();
        let clients = (client_cores * self.own.addresses()) as u64;
        let most = limits::open_files().0.saturating_sub(64).saturating_mul(clients).min(of_servers);
        Ok(TestBed {
            most: usize::try_from(most).unwrap_or(usize::MAX).max(1),
            server_cores: serving.iter().map(|one| one.cores.len()).sum(),
            working_cores: serving.iter().map(|one| one.cores.len().min(workers)).sum::<usize>().max(1),
            client_cores,
            are_apart: !self.is_shared || !serving.iter().any(|one| one.cores.iter().any(|core| self.has_core(*core))),
            hosts: self.hosts.count(),
            servers: distinct.len(),
            server_cpu: Some(together_named(serving.iter().map(|one| one.cpu.as_str()))),
        })
    }

    fn make_file(&mut self, bytes: usize) -> Result<(), String> {
        self.headers.clear();
        self.bytes = bytes as u64;
        self.own.make_file(self.bytes)
    }

    fn look(&mut self, case: &TlsCase) -> Result<(), String> {
        let step = self.step_of(case, StepRequest { connections: 0, duration: Duration::ZERO, rate: 0.0, round: None });
        let headers = self.own.look(&step)?;
        self.headers.insert(*case, headers);
        Ok(())
    }

    fn step(&mut self, case: &TlsCase, asked: StepRequest) -> Result<tls::LoadStep, String> {
        if let Some(why) = &self.lost {
            return Err(why.clone());
        }
        self.number += 1;
        let step = self.step_of(case, asked);
        let clients: Vec<usize> = self.cores.iter().map(|cores| cores.len() * self.own.addresses()).collect();
        let shares = shares(asked.connections, &clients, self.own.addresses());
        let steps: Vec<StepOrder> =
            shares.into_iter().map(|connections| StepOrder { connections, ..step.clone() }).collect();
        self.own.watch(&step)?;
        let begun = Instant::now();
        let carried_out = self.carry_out(&steps);
        let watched = begun.elapsed();
        let used = self.own.used(&step);
        let (parts, clock_error) = carried_out?;
        let step = together(parts, &used?, watched, clock_error, step.bytes)?;
        self.skew_s = self.skew_s.into_iter().chain(step.skew_s).reduce(f64::max);
        Ok(step)
    }

    fn remove_files(&mut self) {}
}

impl Leader<'_> {
    fn has_core(&self, core: usize) -> bool {
        self.cores.iter().any(|cores| cores.contains(&core))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::HostsError;

    /// Two hosts, of which the other never answers; counts the barriers.
    #[derive(Default)]
    struct Silent {
        barriers: usize,
    }

    impl Hosts for Silent {
        fn own(&self) -> usize {
            0
        }

        fn count(&self) -> usize {
            2
        }

        fn send(&mut self, _to: usize, _message: &[u8]) {}

        fn receive(&mut self, from: usize, _most: usize, _wait: Wait) -> Result<Vec<u8>, HostsError> {
            Err(HostsError::Silent(from))
        }

        fn barrier(&mut self) {
            self.barriers += 1;
        }
    }

    #[test]
    fn nobody_waits_at_a_barrier_for_a_host_that_does_not_tell_the_time() {
        use kasoku_model::acceleration::Acceleration;
        use kasoku_model::algorithm::{Algorithm, CipherSuite};
        use kasoku_model::workload::{Operation, Served, Setting, Workload};
        let mut hosts = Silent::default();
        let mut leader = Leader {
            hosts: &mut hosts,
            own: OwnHost::idle(),
            names: vec!["one".to_owned(), "two".to_owned()],
            cores: vec![vec![0], vec![0]],
            is_shared: false,
            headers: HashMap::new(),
            bytes: 1 << 20,
            number: 0,
            lost: None,
            skew_s: None,
        };
        let served = Served { workers: 1, client: Default::default(), latency_of: LatencyOf::Connection };
        let suite = Algorithm::CipherSuite(CipherSuite::Aes128Sha);
        let workload = Workload::new(Operation::Serve, suite, 1 << 20).with_setting(Setting::Served(served));
        let case = TlsCase { workload, library: "openssl", acceleration: Acceleration::On };
        let asked = StepRequest { connections: 2, duration: Duration::from_millis(10), rate: 1e9, round: None };
        for _ in 0..3 {
            let why = leader.step(&case, asked).unwrap_err();
            assert!(why.contains("two: host 1 does not answer"), "{why}");
        }
        drop(leader);
        assert_eq!(hosts.barriers, 1, "the other host is at no other one");
    }
}
