//! Where the CPU is, asked some thousand times a second, and where it goes from there.
//!
//! The timer's signal goes to the observed thread alone (SIGEV_THREAD_ID), so other threads of the process neither see
//! it nor are seen. On x86-64 some samples are followed: the handler sets the trap flag in the interrupted context, and
//! each of the next instructions raises SIGTRAP, which notes its address. Without that, short messages would be told
//! wrong: their few AES instructions overlap with the code around them and are seldom where an interrupt lands.

#![allow(unsafe_code)] // timers and signal handlers have no safe interface

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Following;

/// Where the work was interrupted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    /// The address of the next instruction.
    pub(super) address: u64,
    /// The addresses of the instructions that were executed after it, in order. Empty if the sample was not followed.
    pub(super) followed: Vec<u64>,
}

/// Interrupts `run` while it is called again and again for at least `duration`. No samples if the timer could not be
/// had; `run` is then called once.
///
/// # Errors
/// The first error of `run`.
pub(super) fn samples<E>(
    run: &mut dyn FnMut() -> Result<(), E>,
    duration: Duration,
    following: Following,
) -> Result<Vec<Sample>, E> {
    let Some(sampler) = Sampler::start(following) else {
        run()?;
        return Ok(Vec::new());
    };
    let start = Instant::now();
    loop {
        run()?;
        let passed = start.elapsed();
        if passed >= duration && (TAKEN.load(Relaxed) >= ENOUGH || passed >= duration.saturating_mul(LONGEST)) {
            break;
        }
    }
    Ok(sampler.stop())
}

/// Reads this process's own code. Through the kernel and not through a pointer: a library that was unmapped meanwhile is
/// a short read and not a crash.
pub(super) fn code() -> impl Fn(u64, &mut [u8]) -> usize {
    let memory = File::open("/proc/self/mem").ok();
    move |address, buffer| memory.as_ref().and_then(|memory| memory.read_at(buffer, address).ok()).unwrap_or(0)
}

/// The most samples kept; then sampling ends by itself.
const MOST: usize = 512;

/// Below this many samples it is worth going on.
const ENOUGH: usize = 40;

/// How many times the asked duration that may take.
const LONGEST: u32 = 20;

/// The shortest time between two samples in nanoseconds, and a mask for what is added at random: a fixed period could
/// keep step with the work and always see the same place.
const SHORTEST_WAIT: u32 = 40_000;
const RANDOM_WAIT: u32 = (1 << 15) - 1;

/// How many samples are followed, which of them, and for how many instructions.
const MOST_FOLLOWED: usize = 5;
const FOLLOWED_EVERY: usize = 7;
const STEPS: usize = 128;

/// When following is given up, in nanoseconds: an emulated CPU may not know the trap flag.
const FOLLOWING_WAIT: u32 = 4_000_000;

/// The signal that is made for profiling. Its old disposition is put back, and that of SIGTRAP.
const SIGNAL: libc::c_int = libc::SIGPROF;

static EXCLUSIVE: Mutex<()> = Mutex::new(());
static ADDRESSES: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
static TAKEN: AtomicUsize = AtomicUsize::new(0);
/// The steps of the followed samples, one after the other, 0 behind the last of each.
static STEPPED: [AtomicU64; MOST_FOLLOWED * STEPS] = [const { AtomicU64::new(0) }; MOST_FOLLOWED * STEPS];
/// Which sample each of them belongs to.
static FOLLOWED: [AtomicUsize; MOST_FOLLOWED] = [const { AtomicUsize::new(0) }; MOST_FOLLOWED];
static FOLLOWED_COUNT: AtomicUsize = AtomicUsize::new(0);
/// Steps taken in the sample that is being followed; [`STEPS`] if none is.
static STEP: AtomicUsize = AtomicUsize::new(STEPS);
/// Whether samples are followed at all in this observation.
static IS_FOLLOWING: AtomicBool = AtomicBool::new(false);
static IS_ARMED: AtomicBool = AtomicBool::new(false);
static TIMER: AtomicPtr<libc::c_void> = AtomicPtr::new(ptr::null_mut());
static RANDOM: AtomicU32 = AtomicU32::new(1);

type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// A running timer with its handlers. Dropping it puts everything back, also when the observed work panics.
struct Sampler {
    timer: libc::timer_t,
    old_action: libc::sigaction,
    old_trap_action: libc::sigaction,
    old_mask: libc::sigset_t,
    /// One at a time in a process: the handlers' memory and the signals' dispositions are the process's.
    _exclusive: MutexGuard<'static, ()>,
}

impl Sampler {
    fn start(following: Following) -> Option<Sampler> {
        let exclusive = EXCLUSIVE.lock().unwrap_or_else(PoisonError::into_inner);
        IS_FOLLOWING.store(following == Following::Some, Relaxed);
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
        // SAFETY: no arguments, cannot fail.
        event.sigev_notify_thread_id = unsafe { libc::gettid() };
        let mut timer: libc::timer_t = ptr::null_mut();
        // SAFETY: both pointers are to live local variables.
        if unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) } != 0 {
            return None;
        }
        let old_action = handle(SIGNAL, note);
        let old_trap_action = handle(libc::SIGTRAP, step);
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
        arm(SHORTEST_WAIT);
        Some(sampler)
    }

    fn stop(self) -> Vec<Sample> {
        IS_ARMED.store(false, Relaxed);
        let taken = TAKEN.load(Relaxed).min(MOST);
        let mut samples: Vec<Sample> = ADDRESSES[..taken]
            .iter()
            .map(|address| Sample { address: address.load(Relaxed), followed: Vec::new() })
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
        // From here on a step that is still under way ends at the next instruction, before SIGTRAP is given back.
        IS_ARMED.store(false, Relaxed);
        // SAFETY: the timer and the old settings are this sampler's own, and each is given back once.
        unsafe {
            libc::timer_delete(self.timer);
            // A signal that is still pending would meet the old disposition, which by default ends the process;
            // ignoring it discards it.
            let mut ignore = std::mem::zeroed::<libc::sigaction>();
            ignore.sa_sigaction = libc::SIG_IGN;
            libc::sigaction(SIGNAL, &raw const ignore, ptr::null_mut());
            libc::sigaction(SIGNAL, &raw const self.old_action, ptr::null_mut());
            libc::sigaction(libc::SIGTRAP, &raw const self.old_trap_action, ptr::null_mut());
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.old_mask, ptr::null_mut());
        }
    }
}

/// Lets `handler` have the signal and gives the old disposition. Setting a valid signal's handler cannot fail.
fn handle(signal: libc::c_int, handler: Handler) -> libc::sigaction {
    // SAFETY: all-zero is a valid sigaction, the pointers are to live local variables, and both handlers are
    // async-signal-safe (see there).
    unsafe {
        let mut action = std::mem::zeroed::<libc::sigaction>();
        let mut old_action = std::mem::zeroed::<libc::sigaction>();
        action.sa_sigaction = handler as libc::sighandler_t;
        // ONSTACK: hand-written assembly may use the stack pointer for its own ends.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigaction(signal, &raw const action, &raw mut old_action);
        old_action
    }
}

/// Lets the timer go off once, after `wait` nanoseconds and some more at random. Once and not periodically, so that a
/// slow machine always gets on with its work between two samples.
fn arm(wait: u32) {
    let random = RANDOM.load(Relaxed).wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    RANDOM.store(random, Relaxed);
    let wait = wait + ((random >> 8) & RANDOM_WAIT);
    let time = libc::itimerspec {
        it_interval: libc::timespec { tv_sec: 0, tv_nsec: 0 },
        it_value: libc::timespec { tv_sec: 0, tv_nsec: wait as libc::c_long },
    };
    // SAFETY: timer_settime is async-signal-safe (POSIX.1-2024, 2.4.3), and errno, which is this thread's, is put back;
    // the timer lives while IS_ARMED holds, and its deletion runs on this same thread.
    unsafe {
        let errno = *libc::__errno_location();
        libc::timer_settime(TIMER.load(Relaxed), 0, &raw const time, ptr::null_mut());
        *libc::__errno_location() = errno;
    }
}

/// Handles the timer's signal: atomics and [`arm`], nothing that allocates, locks or prints.
extern "C" fn note(_signal: libc::c_int, _information: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if !IS_ARMED.load(Relaxed) || context.is_null() {
        return;
    }
    // SAFETY: with SA_SIGINFO the kernel passes a ucontext_t that is the handler's alone as long as it runs.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    if STEP.load(Relaxed) < STEPS {
        // Following takes too long, or the CPU does not trap at all.
        STEP.store(STEPS, Relaxed);
        set_trap_flag(context, false);
        arm(SHORTEST_WAIT);
        return;
    }
    let index = TAKEN.load(Relaxed);
    let Some(slot) = ADDRESSES.get(index) else { return };
    slot.store(program_counter(context), Relaxed);
    TAKEN.store(index + 1, Relaxed);

    let followed = FOLLOWED_COUNT.load(Relaxed);
    let is_followed = index.is_multiple_of(FOLLOWED_EVERY)
        && IS_FOLLOWING.load(Relaxed)
        && followed < MOST_FOLLOWED
        && !is_at_system_call(context);
    if is_followed && set_trap_flag(context, true) {
        FOLLOWED[followed].store(index, Relaxed);
        FOLLOWED_COUNT.store(followed + 1, Relaxed);
        STEP.store(0, Relaxed);
        arm(FOLLOWING_WAIT);
    } else {
        arm(SHORTEST_WAIT);
    }
}

/// Handles the trap after each instruction of a followed sample. Like [`note`] it only uses atomics and [`arm`].
extern "C" fn step(_signal: libc::c_int, _information: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if context.is_null() {
        return;
    }
    // SAFETY: as in `note`.
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
    // A system call could block SIGTRAP, and a trap that is blocked ends the process.
    let is_last = index + 1 == STEPS || is_at_system_call(context);
    STEP.store(if is_last { STEPS } else { index + 1 }, Relaxed);
    if is_last {
        set_trap_flag(context, false);
        arm(SHORTEST_WAIT);
    }
}

#[cfg(target_arch = "x86_64")]
fn program_counter(context: &libc::ucontext_t) -> u64 {
    context.uc_mcontext.gregs[libc::REG_RIP as usize] as u64
}

/// Makes the interrupted code trap after each instruction, or not any more. False where that cannot be had.
#[cfg(target_arch = "x86_64")]
fn set_trap_flag(context: &mut libc::ucontext_t, is_set: bool) -> bool {
    const TRAP_FLAG: libc::greg_t = 1 << 8;
    let flags = &mut context.uc_mcontext.gregs[libc::REG_EFL as usize];
    *flags = if is_set { *flags | TRAP_FLAG } else { *flags & !TRAP_FLAG };
    true
}

/// Whether the next instruction enters the kernel (SYSCALL, INT, SYSENTER) or sets the flags itself (POPF, IRET).
#[cfg(target_arch = "x86_64")]
fn is_at_system_call(context: &libc::ucontext_t) -> bool {
    let address = program_counter(context) as *const u8;
    // SAFETY: the CPU is about to execute the instruction at this address. One byte is read first, and a second only if
    // the first says that the instruction has two.
    let (first, second) = unsafe {
        let first = address.read();
        (first, if matches!(first, 0x0f | 0xcd) { address.add(1).read() } else { 0 })
    };
    matches!((first, second), (0x0f, 0x05 | 0x34) | (0xcd, _) | (0x9d | 0xcf, _))
}

#[cfg(target_arch = "aarch64")]
fn program_counter(context: &libc::ucontext_t) -> u64 {
    context.uc_mcontext.pc
}

/// AArch64 keeps its stepping bit from user code.
#[cfg(target_arch = "aarch64")]
fn set_trap_flag(_context: &mut libc::ucontext_t, _is_set: bool) -> bool {
    false
}

#[cfg(target_arch = "aarch64")]
fn is_at_system_call(_context: &libc::ucontext_t) -> bool {
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

    fn assert_put_back() {
        let _exclusive = EXCLUSIVE.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(disposition(SIGNAL), libc::SIG_DFL);
        assert_eq!(disposition(libc::SIGTRAP), libc::SIG_DFL);
    }

    #[test]
    fn samples_are_taken_and_everything_is_put_back() {
        let mut state = 1_u64;
        let taken = samples(
            &mut || {
                for _ in 0..1000 {
                    state = std::hint::black_box(state.rotate_left(5) ^ 3);
                }
                Ok::<(), ()>(())
            },
            Duration::from_millis(10),
            Following::Some,
        )
        .unwrap();
        assert_put_back();
        assert!(taken.len() >= ENOUGH, "{} samples", taken.len());
        let code = code();
        let mut bytes = [0; 16];
        assert!(taken.iter().all(|sample| code(sample.address, &mut bytes) > 0));
        assert_eq!(code(8, &mut bytes), 0);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn followed_samples_tell_every_step() {
        let mut state = 1_u64;
        let taken = samples(
            &mut || {
                for _ in 0..100_000 {
                    state = std::hint::black_box(state.rotate_left(5) ^ 3);
                }
                Ok::<(), ()>(())
            },
            Duration::from_millis(10),
            Following::Some,
        )
        .unwrap();
        // A loop of a few instructions: the same few addresses again and again. A sample may be followed into the
        // kernel's return or a signal's, so that one of them is enough.
        let is_the_loop = |sample: &Sample| {
            let distinct: std::collections::BTreeSet<_> = sample.followed.iter().collect();
            sample.followed.len() == STEPS && distinct.len() < 20
        };
        assert!(taken.iter().any(is_the_loop), "{taken:x?}");
    }

    #[test]
    fn work_that_calls_the_kernel_and_blocks_signals_lives_on() {
        let taken = samples(
            &mut || {
                std::thread::spawn(|| ()).join().unwrap(); // creating a thread blocks all signals for a while
                Ok::<(), ()>(())
            },
            Duration::from_millis(50),
            Following::Some,
        )
        .unwrap();
        assert!(!taken.is_empty());
        assert_put_back();
    }

    #[test]
    fn an_error_and_a_panic_of_the_work_put_everything_back_too() {
        assert_eq!(samples(&mut || Err("refused"), Duration::from_millis(1), Following::Some), Err("refused"));
        let panicked = std::panic::catch_unwind(|| {
            let _ = samples(&mut || -> Result<(), ()> { panic!("planted") }, Duration::from_millis(1), Following::Some);
        });
        assert!(panicked.is_err());
        assert_put_back();
    }

    #[test]
    fn long_work_does_not_overrun_the_memory() {
        let taken = samples(
            &mut || {
                let start = Instant::now();
                while start.elapsed() < Duration::from_millis(120) {}
                Ok::<(), ()>(())
            },
            Duration::from_millis(1),
            Following::Some,
        )
        .unwrap();
        assert!(taken.len() <= MOST && taken.len() >= ENOUGH);
    }

    #[test]
    fn many_observations_in_a_row_are_survived() {
        for _ in 0..50 {
            let mut state = 1_u64;
            samples(
                &mut || {
                    state = std::hint::black_box(state + 1);
                    Ok::<(), ()>(())
                },
                Duration::from_millis(1),
                Following::Some,
            )
            .unwrap();
        }
        assert_put_back();
    }
}
