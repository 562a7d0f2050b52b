//! Reads the CPU time on Unix, through POSIX functions.
// Calls a C function that fills a structure.
#![allow(unsafe_code)]

use rustix::time::{ClockId, clock_gettime};

pub fn thread_cpu_ns() -> u64 {
    cpu_ns(ClockId::ThreadCPUTime)
}

pub fn process_cpu_ns() -> u64 {
    cpu_ns(ClockId::ProcessCPUTime)
}

fn cpu_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Returns the CPU time in nanoseconds that this process spent in the kernel; `None` if unknown. Most kernels count it
/// in ticks, so it is inaccurate for short times.
pub fn process_kernel_ns() -> Option<u64> {
    usage(libc::RUSAGE_SELF).map(|usage| nanoseconds(usage.ru_stime))
}

/// Returns the CPU time in nanoseconds of the children that this process has waited for, including their own children;
/// 0 if unknown.
pub fn children_cpu_ns() -> u64 {
    usage(libc::RUSAGE_CHILDREN).map_or(0, |usage| nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime))
}

fn usage(whose: libc::c_int) -> Option<libc::rusage> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage(2) only writes to `usage`.
    let outcome = unsafe { libc::getrusage(whose, usage.as_mut_ptr()) };
    // SAFETY: all fields are integers, so the zeros are valid even if the call wrote nothing.
    let usage = unsafe { usage.assume_init() };
    (outcome == 0).then_some(usage)
}

fn nanoseconds(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000
}
