//! Samples the program counter by a timer signal, and single-steps the instructions after some of the samples.
//!
//! The timer's signal goes only to the observed thread (SIGEV_THREAD_ID), so other threads of the process neither
//! receive it nor are sampled. On x86-64 some samples are followed: the handler sets the trap flag in the interrupted
//! context. Each of the next instructions then raises SIGTRAP, whose handler notes the address. Without this, short
//! messages would be misjudged: their few AES instructions overlap with the code around them, and interrupts seldom
//! land there.
//!
//! A trap while SIGTRAP is blocked ends the process. So a sample is followed only if SIGTRAP is not blocked, and only
//! up to an instruction that could block it. Each handler blocks the signal of the other, so no handler is ever
//! followed.

#![allow(unsafe_code)] // timers and signal handlers have no safe interface

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::SingleStepping;

/// Program counter at one interrupt, and the instructions that were single-stepped after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct InstructionSample {
    pub(super) address: u64,
    /// Addresses of the instructions executed after the interrupt, in order. Empty if the sample was not
    /// single-stepped.
    pub(super) followed: Vec<u64>,
}

/// Calls `run` repeatedly for at least `duration`, and samples it. Without a timer, calls `run` once and returns no
/// samples.
pub(super) fn samples<E>(
    wait: Interval,
    run: &mut dyn FnMut() -> Result<(), E>,
    duration: Duration,
    following: SingleStepping,
) -> Result<Vec<InstructionSample>, E> {
    let Some(sampler) = Sampler::start(wait, following) else {
        run()?;
        return Ok(Vec::new());
    };
    let start = Instant::now();
    loop {
        run()?;
        let passed = start.elapsed();
        if passed >= duration
            && (TAKEN.load(Relaxed) >= ENOUGH_SAMPLES || passed >= duration.saturating_mul(MAX_FACTOR))
        {
            break;
        }
    }
    Ok(sampler.stop())
}

/// Returns a function that reads this process's code. It reads through the kernel, so that unmapped memory gives a
/// short read instead of a crash.
pub(super) fn code() -> impl Fn(u64, &mut [u8]) -> usize {
    let memory = File::open("/proc/self/mem").ok();
    move |address, buffer| memory.as_ref().and_then(|memory| memory.read_at(buffer, address).ok()).unwrap_or(0)
}

const MAX_SAMPLES: usize = 512;

/// Number of samples after which sampling may end.
const ENOUGH_SAMPLES: usize = 40;

/// Maximum duration of sampling, as a multiple of the requested duration.
const MAX_FACTOR: u32 = 20;

#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    /// Shortest time between two samples in nanoseconds, at least 1.
    shortest: u32,
    /// Bit mask for a random number of nanoseconds that is added to `shortest`. A fixed period could keep pace with the
    /// observed loop and always meet the same instruction.
    random: u32,
}

impl Interval {
    pub(super) const USUAL: Interval = Interval { shortest: 40_000, random: (1 << 15) - 1 };
}

/// Maximum number of samples that are followed: the handlers single-step the instructions after such a sample.
const MAX_FOLLOWED: usize = 5;
/// One in this many samples is followed by single-stepping, since each step costs a trap.
const FOLLOWED_EVERY: usize = 7;
/// Maximum number of instructions that are single-stepped after a sample.
const STEPS: usize = 128;

/// Nanoseconds between two checks on a sample that is being single-stepped. If no instruction was stepped between two
/// checks, the sample is abandoned: an emulated CPU may not know the trap flag. The first check alone does not count,
/// since the observed code may not have run before it.
const FOLLOWING_WAIT: u32 = 2_000_000;

/// The signal for profiling. Sampling restores its old disposition at the end, and that of SIGTRAP.
const SIGNAL: libc::c_int = libc::SIGPROF;

static EXCLUSIVE: Mutex<()> = Mutex::new(());
static ADDRESSES: [AtomicU64; MAX_SAMPLES] = [const { AtomicU64::new(0) }; MAX_SAMPLES];
static TAKEN: AtomicUsize = AtomicUsize::new(0);
/// Addresses of the single-stepped instructions, [`STEPS`] for each followed sample. A group with fewer ends with 0.
static STEPPED: [AtomicU64; MAX_FOLLOWED * STEPS] = [const { AtomicU64::new(0) }; MAX_FOLLOWED * STEPS];
/// For each group of single-stepped instructions, the index of the sample at which the stepping began.
static FOLLOWED: [AtomicUsize; MAX_FOLLOWED] = [const { AtomicUsize::new(0) }; MAX_FOLLOWED];
static FOLLOWED_COUNT: AtomicUsize = AtomicUsize::new(0);
/// Number of instructions stepped so far after the current sample; [`STEPS`] if no sample is being followed.
static STEP: AtomicUsize = AtomicUsize::new(STEPS);
/// Value of [`STEP`] when the timer last checked the single-stepped sample; [`STEPS`] before the first check.
static STEP_SEEN: AtomicUsize = AtomicUsize::new(STEPS);
static IS_FOLLOWING: AtomicBool = AtomicBool::new(false);
static IS_ARMED: AtomicBool = AtomicBool::new(false);
static TIMER: AtomicPtr<libc::c_void> = AtomicPtr::new(ptr::null_mut());
static MIN_WAIT: AtomicU32 = AtomicU32::new(Interval::USUAL.shortest);
static RANDOM_WAIT: AtomicU32 = AtomicU32::new(Interval::USUAL.random);
static RANDOM: AtomicU32 = AtomicU32::new(1);

type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// A running timer with its signal handlers. Dropping it restores the old handlers, even if the observed code panics.
struct Sampler {
    timer: libc::timer_t,
    old_action: libc::sigaction,
    old_trap_action: libc::sigaction,
    old_mask: libc::sigset_t,
    /// Lock for the whole process, since the handlers' memory and the signals' dispositions are global.
    _exclusive: MutexGuard<'static, ()>,
}

impl Sampler {
    fn start(wait: Interval, following: SingleStepping) -> Option<Sampler> {
        let exclusive = EXCLUSIVE.lock().unwrap_or_else(PoisonError::into_inner);
        MIN_WAIT.store(wait.shortest, Relaxed);
        RANDOM_WAIT.store(wait.random, Relaxed);
        IS_FOLLOWING.store(following == SingleStepping::Sampled, Relaxed);
        TAKEN.store(0, Relaxed);
        FOLLOWED_COUNT.store(0, Relaxed);
        STEP.store(STEPS, Relaxed);
        STEPPED.iter().for_each(|step| step.store(0, Relaxed));

        // SAFETY: all-zero is a valid value of these C structures; they are filled in below or by the call they go to.
        let (mut event, mut set, mut old_mask) = unsafe {
            (
                std::mem::zeroed::<libc::sigevent>(),
                std::mem::zeroed::<libc::sigset_t>(),
                std::mem::zeroed::<libc::sigset_t>(),
            )
        };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = SIGNAL;
        // rustix makes the system call itself; the C library has gettid only since glibc 2.30.
        event.sigev_notify_thread_id = rustix::thread::gettid().as_raw_nonzero().get();
        let mut timer: libc::timer_t = ptr::null_mut();
        // SAFETY: both pointers are to live local variables.
        if unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) } != 0 {
            return None;
        }
        let old_action = install_handler(SIGNAL, on_timer);
        let old_trap_action = install_handler(libc::SIGTRAP, on_trap);
        // SAFETY: the pointers are to live local variables; the signals are valid.
        unsafe {
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, SIGNAL);
            libc::sigaddset(&raw mut set, libc::SIGTRAP);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, &raw mut old_mask);
        }

        TIMER.store(timer, Relaxed);
        IS_ARMED.store(true, Relaxed);
        let sampler = Sampler { timer, old_action, old_trap_action, old_mask, _exclusive: exclusive };
        arm(wait.shortest);
        Some(sampler)
    }

    fn stop(self) -> Vec<InstructionSample> {
        IS_ARMED.store(false, Relaxed);
        let taken = TAKEN.load(Relaxed).min(MAX_SAMPLES);
        let mut samples: Vec<InstructionSample> = ADDRESSES[..taken]
            .iter()
            .map(|address| InstructionSample { address: address.load(Relaxed), followed: Vec::new() })
            .collect();
        let followed = FOLLOWED.iter().zip(STEPPED.chunks(STEPS)).take(FOLLOWED_COUNT.load(Relaxed));
        for (index, steps) in followed {
            if let Some(sample) = samples.get_mut(index.load(Relaxed)) {
                sample.followed = steps.iter().map(|step| step.load(Relaxed)).take_while(|&step| step != 0).collect();
            }
        }
        samples
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // From here on a step in progress ends at the next instruction, before the SIGTRAP handler is restored.
        IS_ARMED.store(false, Relaxed);
        // SAFETY: the sampler owns the timer and the old settings, and releases or restores each once.
        unsafe {
            libc::timer_delete(self.timer);
            // A pending signal would meet the old disposition, which by default ends the process. Ignoring the signal
            // discards it.
            let mut ignore = std::mem::zeroed::<libc::sigaction>();
            ignore.sa_sigaction = libc::SIG_IGN;
            libc::sigaction(SIGNAL, &raw const ignore, ptr::null_mut());
            libc::sigaction(SIGNAL, &raw const self.old_action, ptr::null_mut());
            libc::sigaction(libc::SIGTRAP, &raw const self.old_trap_action, ptr::null_mut());
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.old_mask, ptr::null_mut());
        }
    }
}

/// Installs `handler` and returns the old disposition. Never fails for a valid signal.
fn install_handler(signal: libc::c_int, handler: Handler) -> libc::sigaction {
    // SAFETY: all-zero is a valid sigaction, the pointers are to live local variables, and both handlers are
    // async-signal-safe (see there).
    unsafe {
        let mut action = std::mem::zeroed::<libc::sigaction>();
        let mut old_action = std::mem::zeroed::<libc::sigaction>();
        action.sa_sigaction = handler as libc::sighandler_t;
        // ONSTACK, since hand-written assembly may use the stack pointer for other purposes.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        // Otherwise the timer could interrupt the trap's handler, which would then be followed.
        for blocked in [SIGNAL, libc::SIGTRAP] {
            libc::sigaddset(&raw mut action.sa_mask, blocked);
        }
        libc::sigaction(signal, &raw const action, &raw mut old_action);
        old_action
    }
}

/// Arms the timer for one signal after `wait` nanoseconds and a random addition. The timer does not repeat, so that a
/// slow machine can make progress between two samples.
fn arm(wait: u32) {
    let random = RANDOM.load(Relaxed).wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    RANDOM.store(random, Relaxed);
    let wait = wait + ((random >> 8) & RANDOM_WAIT.load(Relaxed));
    let time = libc::itimerspec {
        it_interval: libc::timespec { tv_sec: 0, tv_nsec: 0 },
        it_value: libc::timespec { tv_sec: 0, tv_nsec: wait as libc::c_long },
    };
    // SAFETY: timer_settime is async-signal-safe (POSIX.1-2024, 2.4.3), and errno, which is thread-local, is restored.
    // The timer exists while IS_ARMED is set, and only this thread deletes it.
    unsafe {
        let errno = *libc::__errno_location();
        libc::timer_settime(TIMER.load(Relaxed), 0, &raw const time, ptr::null_mut());
        *libc::__errno_location() = errno;
    }
}

/// Handles the timer's signal. It uses only atomics and [`arm`], and never allocates, locks or prints.
extern "C" fn on_timer(_signal: libc::c_int, _information: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if !IS_ARMED.load(Relaxed) || context.is_null() {
        return;
    }
    // SAFETY: with SA_SIGINFO, the kernel passes a ucontext_t that only this handler uses while it runs.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    let step = STEP.load(Relaxed);
    if step < STEPS {
        if STEP_SEEN.swap(step, Relaxed) != step {
            arm(FOLLOWING_WAIT);
            return;
        }
        STEP.store(STEPS, Relaxed);
        set_trap_flag(context, false);
        arm(MIN_WAIT.load(Relaxed));
        return;
    }
    let index = TAKEN.load(Relaxed);
    let Some(slot) = ADDRESSES.get(index) else { return };
    slot.store(program_counter(context), Relaxed);
    TAKEN.store(index + 1, Relaxed);

    let followed = FOLLOWED_COUNT.load(Relaxed);
    let is_followed = index.is_multiple_of(FOLLOWED_EVERY)
        && IS_FOLLOWING.load(Relaxed)
        && followed < MAX_FOLLOWED
        && !are_traps_blocked(context)
        && !leads_out_of_sight(context);
    if is_followed && set_trap_flag(context, true) {
        FOLLOWED[followed].store(index, Relaxed);
        FOLLOWED_COUNT.store(followed + 1, Relaxed);
        STEP.store(0, Relaxed);
        STEP_SEEN.store(STEPS, Relaxed);
        arm(FOLLOWING_WAIT);
    } else {
        arm(MIN_WAIT.load(Relaxed));
    }
}

/// Handles SIGTRAP, which arrives after each single-stepped instruction, and records the instruction's address. The
/// handler only uses atomics and [`arm`], like [`on_timer`], since a signal handler must not allocate, lock or print.
extern "C" fn on_trap(_signal: libc::c_int, _information: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if context.is_null() {
        return;
    }
    // SAFETY: as in `on_timer`.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    let index = STEP.load(Relaxed);
    if !IS_ARMED.load(Relaxed) || index >= STEPS {
        set_trap_flag(context, false);
        return;
    }
    let slot = FOLLOWED_COUNT.load(Relaxed).checked_sub(1).and_then(|followed| STEPPED.get(followed * STEPS + index));
    if let Some(slot) = slot {
        slot.store(program_counter(context), Relaxed);
    }
    let is_last = index + 1 == STEPS || leads_out_of_sight(context);
    STEP.store(if is_last { STEPS } else { index + 1 }, Relaxed);
    if is_last {
        set_trap_flag(context, false);
        arm(MIN_WAIT.load(Relaxed));
    }
}

/// Whether the interrupted code has SIGTRAP blocked, either by itself or because it is a signal handler.
fn are_traps_blocked(context: &libc::ucontext_t) -> bool {
    // SAFETY: sigismember is async-signal-safe (POSIX.1-2024, 2.4.3) and only reads the mask.
    unsafe { libc::sigismember(&raw const context.uc_sigmask, libc::SIGTRAP) == 1 }
}

#[cfg(target_arch = "x86_64")]
fn program_counter(context: &libc::ucontext_t) -> u64 {
    context.uc_mcontext.gregs[libc::REG_RIP as usize] as u64
}

/// Sets or clears the trap flag of the interrupted code. Returns false on CPUs without it.
#[cfg(target_arch = "x86_64")]
fn set_trap_flag(context: &mut libc::ucontext_t, is_set: bool) -> bool {
    const TRAP_FLAG: libc::greg_t = 1 << 8;
    let flags = &mut context.uc_mcontext.gregs[libc::REG_EFL as usize];
    *flags = if is_set { *flags | TRAP_FLAG } else { *flags & !TRAP_FLAG };
    true
}

/// Whether the next instruction may carry the trap flag into the kernel or into memory. The kernel could block SIGTRAP
/// (SYSCALL, SYSENTER, INT, the vsyscall page). From memory the flag could come back later (PUSHF, POPF, IRET).
#[cfg(target_arch = "x86_64")]
fn leads_out_of_sight(context: &libc::ucontext_t) -> bool {
    const MAX_INSTRUCTION: u64 = 15;
    let start = program_counter(context);
    if start >> 63 == 1 {
        return true; // the vsyscall page, which user code cannot read
    }
    // SAFETY: the CPU is about to execute the instruction at `start`. Bytes are read one by one, and only if the
    // earlier ones show that the instruction continues.
    let byte = |address: u64| unsafe { (address as *const u8).read() };
    let mut addresses = start..start + MAX_INSTRUCTION;
    let Some(opcode) = addresses.find(|&address| !is_prefix(byte(address))) else { return true };
    match byte(opcode) {
        0x0f => matches!(byte(opcode + 1), 0x05 | 0x34),
        opcode => matches!(opcode, 0x9c | 0x9d | 0xcc | 0xcd | 0xcf),
    }
}

#[cfg(target_arch = "x86_64")]
fn is_prefix(byte: u8) -> bool {
    matches!(byte, 0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3)
}

#[cfg(target_arch = "aarch64")]
fn program_counter(context: &libc::ucontext_t) -> u64 {
    context.uc_mcontext.pc
}

/// Does nothing: on AArch64, user code cannot set the single-stepping bit.
#[cfg(target_arch = "aarch64")]
fn set_trap_flag(_context: &mut libc::ucontext_t, _is_set: bool) -> bool {
    false
}

#[cfg(target_arch = "aarch64")]
fn leads_out_of_sight(_context: &libc::ucontext_t) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disposition(signal: libc::c_int) -> libc::sighandler_t {
        // SAFETY: all-zero is a valid sigaction; with a null new action the call only reads.
        unsafe {
            let mut action = std::mem::zeroed::<libc::sigaction>();
            libc::sigaction(signal, ptr::null(), &raw mut action);
            action.sa_sigaction
        }
    }

    fn assert_handlers_restored() {
        let _exclusive = EXCLUSIVE.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(disposition(SIGNAL), libc::SIG_DFL);
        assert_eq!(disposition(libc::SIGTRAP), libc::SIG_DFL);
    }

    fn sampled(milliseconds: u64, mut work: impl FnMut()) -> Vec<InstructionSample> {
        let mut run = || {
            work();
            Ok::<(), ()>(())
        };
        samples(Interval::USUAL, &mut run, Duration::from_millis(milliseconds), SingleStepping::Sampled).unwrap()
    }

    fn rotate(turns: usize) {
        let mut state = 1_u64;
        for _ in 0..turns {
            state = std::hint::black_box(state.rotate_left(5) ^ 3);
        }
    }

    #[test]
    fn sampling_restores_signal_handlers() {
        let taken = sampled(50, || rotate(1000));
        assert_handlers_restored();
        assert!(taken.len() >= ENOUGH_SAMPLES, "{} samples", taken.len());
        let code = code();
        let mut bytes = [0; 16];
        assert!(taken.iter().all(|sample| code(sample.address, &mut bytes) > 0));
        assert_eq!(code(8, &mut bytes), 0);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn single_stepped_sample_records_consecutive_instructions() {
        let taken = sampled(50, || rotate(100_000));
        // The loop has few distinct addresses. One complete sample suffices, because others may be followed into the
        // return from the kernel or a signal.
        let is_the_loop = |sample: &InstructionSample| {
            let distinct: std::collections::BTreeSet<_> = sample.followed.iter().collect();
            sample.followed.len() == STEPS && distinct.len() < 20
        };
        assert!(taken.iter().any(is_the_loop), "{taken:x?}");
    }

    /// Blocks or unblocks SIGTRAP, as a library may around its own code.
    fn set_traps_blocked(how: libc::c_int) {
        // SAFETY: all-zero is a valid set; the pointers are to that set or null, which is allowed.
        unsafe {
            let mut set = std::mem::zeroed::<libc::sigset_t>();
            libc::sigaddset(&raw mut set, libc::SIGTRAP);
            libc::pthread_sigmask(how, &raw const set, ptr::null_mut());
        }
    }

    fn spin() {
        for turn in 0..200 {
            std::hint::black_box(turn);
        }
    }

    fn block_traps_for_a_while() {
        set_traps_blocked(libc::SIG_BLOCK);
        spin();
        set_traps_blocked(libc::SIG_UNBLOCK);
    }

    /// Saves the CPU flags, blocks SIGTRAP and then restores the flags. If the saved flags contained the trap flag, a
    /// trap would now end the process.
    #[cfg(target_arch = "x86_64")]
    fn keep_flags_while_traps_are_blocked() {
        let flags: u64;
        // SAFETY: the block leaves the stack as it was.
        unsafe { std::arch::asm!("pushfq", "pop {}", out(reg) flags) };
        set_traps_blocked(libc::SIG_BLOCK);
        // SAFETY: the block leaves the stack as it was, and restores the earlier flags.
        unsafe { std::arch::asm!("push {}", "popfq", in(reg) flags) };
        spin();
        set_traps_blocked(libc::SIG_UNBLOCK);
    }

    extern "C" fn spin_in_a_handler(_: libc::c_int) {
        spin();
    }

    fn handle_another_signal() {
        let handler: extern "C" fn(libc::c_int) = spin_in_a_handler;
        // SAFETY: the handler only counts, and no other test uses SIGUSR1.
        unsafe {
            libc::signal(libc::SIGUSR1, handler as libc::sighandler_t);
            libc::raise(libc::SIGUSR1);
        }
    }

    fn create_a_thread() {
        std::thread::spawn(spin).join().unwrap();
    }

    /// The timer goes off in a signal handler, between any two instructions of the observed code, and while traps are
    /// blocked. The test runs in a process of its own, since a fault would end the process.
    #[test]
    fn timer_signals_at_any_instruction_do_not_end_the_process() {
        const CHILD: &str = "KASOKU_TEST_SAMPLED_CHILD";
        const NAME: &str = "code_path::sampling::tests::timer_signals_at_any_instruction_do_not_end_the_process";
        if std::env::var_os(CHILD).is_none() {
            let mut child = std::process::Command::new(std::env::current_exe().unwrap());
            let output = child.args(["--exact", NAME, "--nocapture"]).env(CHILD, "").output().unwrap();
            let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
            assert!(output.status.success() && said.contains("1 passed"), "{}: {said}", output.status);
            return;
        }
        let works: &[(&str, fn())] = &[
            ("spinning", spin),
            ("traps blocked", block_traps_for_a_while),
            #[cfg(target_arch = "x86_64")]
            ("flags kept", keep_flags_while_traps_are_blocked),
            ("another signal", handle_another_signal),
            ("a thread", create_a_thread),
        ];
        // Delays from the return of `timer_settime` to some time after the handler. This takes seconds with a slow
        // timer, as in many virtual machines. Without the masks, the first samples fail.
        let waits = [Interval { shortest: 1, random: 0 }, Interval { shortest: 1, random: (1 << 13) - 1 }];
        for ((name, work), wait) in works.iter().flat_map(|work| waits.map(|wait| (work, wait))) {
            println!("{name}, {wait:?}"); // printed in case the test ends the process
            let (start, mut count, mut followed) = (Instant::now(), 0, 0);
            while count < 5_000 && start.elapsed() < Duration::from_secs(60) {
                let mut run = || {
                    work();
                    Ok::<(), ()>(())
                };
                let taken = samples(wait, &mut run, Duration::ZERO, SingleStepping::Sampled).unwrap();
                count += taken.len();
                followed += taken.iter().filter(|sample| !sample.followed.is_empty()).count();
            }
            println!("{count} samples, {followed} of them followed");
            assert!(count > 0 && (followed > 0 || cfg!(not(target_arch = "x86_64"))), "{name}");
            assert_handlers_restored();
        }
    }

    #[test]
    fn errors_and_panics_of_sampled_work_restore_signal_handlers() {
        let refused = &mut || Err("refused");
        let millisecond = Duration::from_millis(1);
        assert_eq!(samples(Interval::USUAL, refused, millisecond, SingleStepping::Sampled), Err("refused"));
        let panicked = std::panic::catch_unwind(|| sampled(1, || panic!("planted")));
        assert!(panicked.is_err());
        assert_handlers_restored();
    }

    #[test]
    fn sampling_stops_at_the_maximum_number_of_samples() {
        let taken = sampled(1, || {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(120) {}
        });
        assert!(!taken.is_empty() && taken.len() <= MAX_SAMPLES, "{} samples", taken.len());
    }
}
