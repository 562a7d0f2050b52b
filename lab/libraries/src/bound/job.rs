//! The jobs of bounds: generate the candidate loops, select the fastest, run it.
#![allow(unsafe_code)] // runs loops of generated machine code

#[cfg_attr(target_arch = "aarch64", path = "job/aarch64.rs")]
#[cfg_attr(target_arch = "x86_64", path = "job/x86_64.rs")]
mod machine;
mod mix;
mod page;

use std::time::{Duration, Instant};

use super::{Kind, NOTE, Registers};
use crate::buffer::Buffer;
use crate::fixtures::Fixtures;
use crate::{Job, JobError, Library, LibraryDescription, PreparedJob, Unavailable, Unsupported};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Packets, Workload};
use machine::{MIN_CHAINS, PLACE, function};
use mix::{VECTORS, mixes, orders};
use page::MachineCode;

/// Stages in which candidate loops compete. The fastest loops of a stage enter the next stage. One turn of a loop takes
/// about 80 cycles (200 on AArch64). The second stage is longer, since an interrupt can make the fastest loop lose a
/// short stage.
const TRIAL_STAGES: [TrialStage; 2] =
    [TrialStage { trials: 60, turns: 60, best: 6 }, TrialStage { trials: 100, turns: 300, best: 1 }];

struct TrialStage {
    /// Number of times that each loop is timed.
    trials: usize,
    /// Number of turns of the loop in one trial.
    turns: u64,
    /// Number of loops that the stage selects: those with the shortest trials.
    best: usize,
}

pub(super) fn open(kind: Kind, registers: Registers) -> Result<Box<dyn Library>, Unavailable> {
    if !registers.is_supported() {
        let bits = 8 * registers.bytes();
        return Err(Unavailable::new(format!(
            "this CPU has no AES and carry-less products in registers of {bits} bits"
        )));
    }
    match MachineCode::new(&function(registers, &[])) {
        Ok(_) => Ok(Box::new(BoundLibrary { kind, registers })),
        Err(error) => Err(Unavailable::new(format!("the system does not allow code generated at run time: {error}"))),
    }
}

impl Registers {
    pub(super) fn bytes(self) -> usize {
        match self {
            Registers::Xmm | Registers::XmmOfAvx | Registers::Neon => 16,
            Registers::Ymm => 32,
            Registers::Zmm => 64,
        }
    }
}

struct BoundLibrary {
    kind: Kind,
    registers: Registers,
}

impl Library for BoundLibrary {
    fn description(&self) -> LibraryDescription {
        LibraryDescription::new(env!("CARGO_PKG_VERSION"))
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let Workload { operation, algorithm, bytes, .. } = *workload;
        let rounds = match algorithm {
            Algorithm::Aes128Gcm => 10,
            Algorithm::Aes256Gcm => 14,
            _ => return Err(Unsupported::new(format!("no such bound for {algorithm}"))),
        };
        if operation != Operation::Seal || bytes == 0 {
            return Err(Unsupported::new("the bound is that of sealing one byte or more"));
        }
        let BoundLibrary { kind, registers } = *self;
        let orders = mixes(kind, registers, rounds).iter().flat_map(orders).collect::<Vec<_>>();
        let loops: Result<Vec<MachineCode>, _> =
            orders.iter().map(|order| MachineCode::new(&function(registers, order))).collect();
        let loops =
            loops.map_err(|error| Unsupported::new(format!("cannot allocate memory for machine code: {error}")))?;
        let [first, mut state] = [(); 2].map(|()| state(registers, &fixtures.text));
        let Some(fastest) = fastest(loops, &mut state) else { return Err(Unsupported::new("there is no loop for it")) };
        let mut turns = BoundJob { fastest, first, state, bytes, turn: (VECTORS * registers.bytes()) as u64 };
        turns.state.copy_from_slice(&turns.first);
        Ok(Box::new(turns))
    }

    /// Prepares the cipher alone. Packets with headers are not supported.
    fn prepare_packets(&self, workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        if packets == Packets::CIPHER {
            return self.prepare_primitive(workload, fixtures);
        }
        Err(Unsupported::new("the bound is that of the cipher alone"))
    }
}

/// Creates the registers' initial values: arbitrary bits, since zeros would consume less power than a cipher does, and
/// the constant that reverses a block's bytes.
fn state(registers: Registers, bits: &[u8]) -> Buffer {
    let places = usize::from(registers.count());
    let bits: Vec<u8> = bits.iter().copied().chain([0xa5]).cycle().take(places * PLACE).collect();
    let mut state = Buffer::input(&bits);
    let constant = PLACE * usize::from(registers.constant());
    for (place, byte) in state[constant..constant + PLACE].iter_mut().enumerate() {
        *byte = 15 - place as u8 % 16;
    }
    state
}

/// Returns the loop with the shortest of many short runs. The loops take turns, because the core's clock rate may
/// change.
fn fastest(mut loops: Vec<MachineCode>, state: &mut Buffer) -> Option<MachineCode> {
    for TrialStage { trials, turns, best } in TRIAL_STAGES {
        let mut timed: Vec<(Duration, MachineCode)> = loops.into_iter().map(|page| (Duration::MAX, page)).collect();
        for _ in 0..trials {
            for (shortest, page) in &mut timed {
                let start = Instant::now();
                work(page, turns, state);
                *shortest = start.elapsed().min(*shortest);
            }
        }
        timed.sort_by_key(|(shortest, _)| *shortest);
        loops = timed.into_iter().take(best).map(|(_, page)| page).collect();
    }
    loops.into_iter().next()
}

fn work(page: &MachineCode, turns: u64, state: &mut Buffer) {
    assert!(turns > 0);
    // SAFETY: `page` holds code of `function` for registers that `open` found on this CPU. The code needs at least one
    // turn, and a page-aligned `state` with space for every register.
    unsafe { page.call(turns, state.as_mut_ptr()) }
}

struct BoundJob {
    fastest: MachineCode,
    first: Buffer,
    state: Buffer,
    bytes: usize,
    /// Number of message bytes that one turn of the loop would process.
    turn: u64,
}

impl Job for BoundJob {
    fn reset(&mut self) -> Result<(), JobError> {
        self.state.copy_from_slice(&self.first);
        Ok(())
    }

    /// Runs as many turns of the loop as all messages together would take, rounded up. Nothing happens between
    /// messages.
    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        work(&self.fastest, (iterations * self.bytes as u64).div_ceil(self.turn), &mut self.state);
        Ok(())
    }

    /// Returns the final values of the registers that hold AES states. These values do not depend on the order of
    /// instructions, which differs between processes. A bound that only multiplies has no AES state, but its loop has
    /// only one order.
    fn output(&mut self) -> Vec<u8> {
        self.state[..MIN_CHAINS * PLACE].to_vec()
    }

    fn note(&self) -> Option<&'static str> {
        Some(NOTE)
    }
}

#[cfg(test)]
mod tests {
    use kasoku_engine::{AesGcm, Backend};

    use super::*;

    pub(super) const ALL: &[Registers] = if cfg!(target_arch = "aarch64") {
        &[Registers::Neon]
    } else {
        &[Registers::Xmm, Registers::XmmOfAvx, Registers::Ymm, Registers::Zmm]
    };
    /// Machine code of a function that adds its first argument to the 64-bit word that its second argument points to.
    const ADD_TURNS: &[u8] = if cfg!(target_arch = "aarch64") {
        // ldr x2, [x1]; add x2, x2, x0; str x2, [x1]; ret
        &[0x22, 0, 0x40, 0xf9, 0x42, 0, 0, 0x8b, 0x22, 0, 0, 0xf9, 0xc0, 0x03, 0x5f, 0xd6]
    } else {
        &[0x48, 0x01, 0x3e, 0xc3] // add [rsi], rdi; ret
    };
    const ALGORITHMS: [Algorithm; 2] = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];

    pub(super) fn available() -> Vec<Registers> {
        let available: Vec<Registers> = ALL.iter().copied().filter(|registers| registers.is_supported()).collect();
        if available.len() < ALL.len() {
            eprintln!("left out: this CPU has only {available:?}");
        }
        available
    }

    /// Returns the registers before and after this many turns of `code`.
    pub(super) fn after(registers: Registers, code: &[u8], turns: u64) -> [Buffer; 2] {
        let bits: Vec<u8> = (0..3000_usize).map(|index| (index * index / 7 + index) as u8).collect();
        let [before, mut after] = [(); 2].map(|()| state(registers, &bits));
        work(&MachineCode::new(code).unwrap(), turns, &mut after);
        [before, after]
    }

    fn job(kind: Kind, registers: Registers, algorithm: Algorithm, bytes: usize) -> PreparedJob {
        let workload = Workload::new(Operation::Seal, algorithm, bytes);
        BoundLibrary { kind, registers }.prepare(&workload, &Fixtures::of(&workload))
    }

    /// Maximum number of times that a test repeats a comparison of measured times until it holds. Another process that
    /// pauses while one function is timed makes that function look faster.
    const TRIES: usize = 5;

    /// Returns the shortest time of each function in seconds. Runs the functions alternately, since the clock rate and
    /// the load may change.
    fn shortest<const N: usize>(mut runs: [Box<dyn FnMut() + '_>; N]) -> [f64; N] {
        let mut shortest = [Duration::MAX; N];
        for _ in 0..400 {
            for (run, shortest) in runs.iter_mut().zip(&mut shortest) {
                let start = Instant::now();
                run();
                *shortest = start.elapsed().min(*shortest);
            }
        }
        shortest.map(|time| time.as_secs_f64())
    }

    #[test]
    fn gcm_bound_takes_at_least_as_long_as_the_aes_and_clmul_bounds() {
        for (registers, algorithm) in available().into_iter().flat_map(|r| ALGORITHMS.map(|a| (r, a))) {
            let holds = |_| {
                let [aes, clmul, gcm] = shortest([Kind::Aes, Kind::Clmul, Kind::Gcm].map(|kind| {
                    let mut job = job(kind, registers, algorithm, 16384).unwrap();
                    Box::new(move || job.run(10).unwrap()) as Box<dyn FnMut()>
                }));
                println!("{registers:?}, {algorithm}: {gcm}, {aes} and {clmul} s");
                gcm > 0.95 * aes.max(clmul)
            };
            assert!((0..TRIES).any(holds), "{registers:?}, {algorithm}");
        }
    }

    #[test]
    fn engine_does_not_exceed_the_speed_bound_of_its_register_width() {
        let backends = [
            (Backend::Aesni, Registers::Xmm),
            (Backend::Vaes256, Registers::Ymm),
            (Backend::Vaes512, Registers::Zmm),
            (Backend::AesPmull, Registers::Neon),
            (Backend::AesEor3, Registers::Neon),
        ];
        for ((backend, registers), algorithm) in backends.into_iter().flat_map(|b| ALGORITHMS.map(|a| (b, a))) {
            let key = vec![7; algorithm.key_bytes()];
            let Ok(key) = AesGcm::with_backend(&key, backend) else {
                eprintln!("left out: this CPU cannot run the backend {backend}");
                continue;
            };
            const MESSAGES: u64 = 10;
            let [from, mut to, mut tag] = [Buffer::input(&[1; 16384]), Buffer::output(16384), Buffer::output(16)];
            // Concurrent tests may disturb the selection of the fastest loop, so there are three.
            let [mut first, mut second, mut third] =
                [(); 3].map(|()| job(Kind::Gcm, registers, algorithm, from.len()).unwrap());
            let holds = |_| {
                let [bounds @ .., engine] = shortest([
                    Box::new(|| first.run(MESSAGES).unwrap()),
                    Box::new(|| second.run(MESSAGES).unwrap()),
                    Box::new(|| third.run(MESSAGES).unwrap()),
                    Box::new(|| {
                        for _ in 0..MESSAGES {
                            tag.copy_from_slice(&key.seal_to(&[0; 12], &[], &from, &mut to).unwrap());
                        }
                    }),
                ]);
                let bound = bounds.into_iter().fold(f64::MAX, f64::min);
                let gigabytes = |seconds: f64| MESSAGES as f64 * from.len() as f64 / seconds / 1e9;
                println!("{backend}, {algorithm}: {:.2} of {:.2} GB/s", gigabytes(engine), gigabytes(bound));
                engine > 0.98 * bound
            };
            assert!((0..TRIES).any(holds), "{backend}, {algorithm}");
        }
    }

    #[test]
    fn bound_job_repeats_its_loop_until_all_message_bytes_are_covered() {
        for registers in available() {
            let page = MachineCode::new(ADD_TURNS).unwrap();
            let turn = (VECTORS * registers.bytes()) as u64;
            let [first, state] = [(); 2].map(|()| Buffer::output(VECTORS * PLACE));
            let mut turns = BoundJob { fastest: page, first, state, bytes: 1440, turn };
            turns.run(1000).unwrap();
            let counted = u64::from_le_bytes(turns.output()[..8].try_into().unwrap());
            assert_eq!(counted, 1000 * 1440 / turn, "{registers:?}");
        }
    }

    /// The laboratory compares a job's output with its first output, in every slice and process.
    #[test]
    fn bound_output_is_equal_for_every_instruction_order() {
        for (registers, kind) in available().into_iter().flat_map(|r| [(r, Kind::Clmul), (r, Kind::Gcm)]) {
            let workload = Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 16384);
            let bits = Fixtures::of(&workload).text;
            let mixes = mixes(kind, registers, 10);
            let outputs = mixes.iter().flat_map(orders).map(|order| {
                let [first, state] = [(); 2].map(|()| state(registers, &bits));
                let fastest = MachineCode::new(&function(registers, &order)).unwrap();
                let mut turns = BoundJob { fastest, first, state, bytes: 16384, turn: 4096 };
                let mut output = || {
                    turns.reset().unwrap();
                    turns.run(1).unwrap();
                    turns.output()
                };
                let first = output();
                assert_eq!(output(), first, "{registers:?}, {kind:?}");
                first
            });
            let outputs: Vec<Vec<u8>> = outputs.collect();
            assert!(outputs.iter().all(|output| *output == outputs[0]), "{registers:?}, {kind:?}");
        }
    }

    #[test]
    fn bound_supports_only_sealing_with_aes_gcm() {
        for (registers, kind) in available().into_iter().flat_map(|r| [(r, Kind::Aes), (r, Kind::Gcm)]) {
            let library = BoundLibrary { kind, registers };
            let taken = |operation, algorithm, bytes| {
                let workload = Workload::new(operation, algorithm, bytes);
                library.prepare(&workload, &Fixtures::of(&workload)).is_ok()
            };
            assert!(taken(Operation::Seal, Algorithm::Aes128Gcm, 16384));
            assert!(taken(Operation::Seal, Algorithm::Aes256Gcm, 1440));
            assert!(!taken(Operation::Seal, Algorithm::Aes128Gcm, 0));
            assert!(!taken(Operation::Seal, Algorithm::ChaCha20Poly1305, 16384));
            assert!(!taken(Operation::Open, Algorithm::Aes128Gcm, 16384));
        }
    }
}
