//! CPU time as Windows tells it: in cycles, which on CPUs of the last fifteen years are ticks of the time stamp
//! counter; its times in seconds go by ticks of 15.6 ms, longer than a slice.
// Calls of C that fill what they are given.
#![allow(unsafe_code)]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{FILETIME, HANDLE};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadTimes};
use windows_sys::Win32::System::WindowsProgramming::{QueryProcessCycleTime, QueryThreadCycleTime};
use windows_sys::core::BOOL;

/// CPU time of the calling thread in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    // SAFETY: a handle that stands for the calling thread, whichever it is.
    let thread = unsafe { GetCurrentThread() };
    in_cycles(QueryThreadCycleTime, thread)
        .or_else(|| in_ticks(GetThreadTimes, thread).map(|[kernel, user]| kernel + user))
        .unwrap_or(0)
}

/// CPU time of all threads of this process in nanoseconds.
pub fn process_cpu_ns() -> u64 {
    // SAFETY: a handle that stands for this process.
    let process = unsafe { GetCurrentProcess() };
    in_cycles(QueryProcessCycleTime, process)
        .or_else(|| in_ticks(GetProcessTimes, process).map(|[kernel, user]| kernel + user))
        .unwrap_or(0)
}

/// Of the CPU time of all threads of this process, what was spent in the kernel, in nanoseconds; `None` where the
/// system does not tell. It goes by ticks of 15.6 ms.
pub fn process_kernel_ns() -> Option<u64> {
    // SAFETY: a handle that stands for this process.
    in_ticks(GetProcessTimes, unsafe { GetCurrentProcess() }).map(|[kernel, _]| kernel)
}

type CyclesOf = unsafe extern "system" fn(HANDLE, *mut u64) -> BOOL;
type TimesOf = unsafe extern "system" fn(HANDLE, *mut FILETIME, *mut FILETIME, *mut FILETIME, *mut FILETIME) -> BOOL;

/// `None` where it is not known how long a cycle is, or cycles are not counted (as by Wine 8).
fn in_cycles(query: CyclesOf, of: HANDLE) -> Option<u64> {
    let ticks_a_nanosecond = (*TICKS_A_NANOSECOND)?;
    let mut cycles = 0;
    // SAFETY: one number is written.
    (unsafe { query(of, &mut cycles) } != 0).then(|| (cycles as f64 / ticks_a_nanosecond) as u64)
}

/// Time in the kernel and outside it, in nanoseconds.
fn in_ticks(query: TimesOf, of: HANDLE) -> Option<[u64; 2]> {
    let [mut begun, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: four times are written.
    let is_told = unsafe { query(of, &mut begun, &mut ended, &mut kernel, &mut user) } != 0;
    is_told.then(|| [nanoseconds(kernel), nanoseconds(user)])
}

/// A FILETIME counts tenths of a microsecond.
fn nanoseconds(time: FILETIME) -> u64 {
    (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100
}

/// How fast the time stamp counter goes, held against the clock once: within 0.1 %, a tenth of what a slice may lack.
static TICKS_A_NANOSECOND: LazyLock<Option<f64>> = LazyLock::new(|| {
    let (begin, first) = (Instant::now(), counter()?);
    std::thread::sleep(Duration::from_millis(20));
    let (passed, last) = (begin.elapsed(), counter()?);
    (last > first).then(|| (last - first) as f64 / passed.as_nanos() as f64)
});

#[cfg(target_arch = "x86_64")]
fn counter() -> Option<u64> {
    // SAFETY: every CPU of this architecture has it, and Windows lets programs read it.
    Some(unsafe { std::arch::x86_64::_rdtsc() })
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> Option<u64> {
    None
}
