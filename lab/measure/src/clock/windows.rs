//! Reads the CPU time on Windows, from cycle counts.
//!
//! On CPUs since about 2010, the counted cycles are ticks of the time stamp counter. Windows reports CPU times in
//! seconds with a resolution of 15.6 ms only, which is longer than a slice.
// Calls C functions that fill structures.
#![allow(unsafe_code)]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{FILETIME, HANDLE};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadTimes};
use windows_sys::Win32::System::WindowsProgramming::{QueryProcessCycleTime, QueryThreadCycleTime};
use windows_sys::core::BOOL;

pub fn thread_cpu_ns() -> u64 {
    // SAFETY: the call returns a pseudo-handle of the calling thread.
    let thread = unsafe { GetCurrentThread() };
    in_cycles(QueryThreadCycleTime, thread)
        .or_else(|| in_ticks(GetThreadTimes, thread).map(|[kernel, user]| kernel + user))
        .unwrap_or(0)
}

pub fn process_cpu_ns() -> u64 {
    // SAFETY: the call returns a pseudo-handle of this process.
    let process = unsafe { GetCurrentProcess() };
    in_cycles(QueryProcessCycleTime, process)
        .or_else(|| in_ticks(GetProcessTimes, process).map(|[kernel, user]| kernel + user))
        .unwrap_or(0)
}

/// Returns the CPU time in nanoseconds that this process spent in the kernel; `None` if unknown. Its resolution is 15.6
/// ms.
pub fn process_kernel_ns() -> Option<u64> {
    // SAFETY: the call returns a pseudo-handle of this process.
    in_ticks(GetProcessTimes, unsafe { GetCurrentProcess() }).map(|[kernel, _]| kernel)
}

type CyclesOf = unsafe extern "system" fn(HANDLE, *mut u64) -> BOOL;
type TimesOf = unsafe extern "system" fn(HANDLE, *mut FILETIME, *mut FILETIME, *mut FILETIME, *mut FILETIME) -> BOOL;

/// Converts a cycle count to nanoseconds. Returns `None` if the length of a cycle is unknown, or if the system (such as
/// Wine 8) does not count cycles.
fn in_cycles(query: CyclesOf, of: HANDLE) -> Option<u64> {
    let ticks_a_nanosecond = (*TICKS_A_NANOSECOND)?;
    let mut cycles = 0;
    // SAFETY: the call writes only `cycles`.
    (unsafe { query(of, &mut cycles) } != 0).then(|| (cycles as f64 / ticks_a_nanosecond) as u64)
}

/// Returns the CPU time in the kernel and in user mode, in nanoseconds.
fn in_ticks(query: TimesOf, of: HANDLE) -> Option<[u64; 2]> {
    let [mut begun, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the call writes only the four times.
    let is_told = unsafe { query(of, &mut begun, &mut ended, &mut kernel, &mut user) } != 0;
    is_told.then(|| [nanoseconds(kernel), nanoseconds(user)])
}

/// Converts a FILETIME, which counts units of 100 ns, to nanoseconds.
fn nanoseconds(time: FILETIME) -> u64 {
    (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100
}

/// Ticks of the time stamp counter per nanosecond. This program measures them once against the system clock, to 0.1 %.
static TICKS_A_NANOSECOND: LazyLock<Option<f64>> = LazyLock::new(|| {
    let (begin, first) = (Instant::now(), counter()?);
    std::thread::sleep(Duration::from_millis(20));
    let (passed, last) = (begin.elapsed(), counter()?);
    (last > first).then(|| (last - first) as f64 / passed.as_nanos() as f64)
});

#[cfg(target_arch = "x86_64")]
fn counter() -> Option<u64> {
    // SAFETY: every CPU of this architecture has RDTSC, and Windows allows it in programs.
    Some(unsafe { std::arch::x86_64::_rdtsc() })
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> Option<u64> {
    None
}
