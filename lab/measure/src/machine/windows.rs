//! Describes the machine by Windows' own functions.
// Calls C functions that fill structures.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::os::windows::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::null_mut;

use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};
use windows_sys::Win32::System::SystemInformation::{
    GlobalMemoryStatusEx, MEMORYSTATUSEX, OSVERSIONINFOEXW, OSVERSIONINFOW,
};
use windows_sys::w;

use super::described;
use crate::cpu::Cpu;
use kasoku_model::document::Machine;
use kasoku_model::printable::printable;

pub(super) fn describe(cpu: &Cpu) -> Machine {
    let version = version();
    let [major, minor, build] = [version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber];
    Machine {
        logical_cpus: std::thread::available_parallelism().ok().map(usize::from),
        kernel: format!("Windows {major}.{minor}.{build}"),
        os: name(&version).map(str::to_owned),
        memory: memory().map(|memory| memory.ullTotalPhys),
        wine: wine(),
        ..described(cpu, |_| None)
    }
}

pub(crate) fn free_memory() -> Option<u64> {
    memory().map(|memory| memory.ullAvailPhys)
}

pub(crate) fn free_on(dir: &Path) -> Option<u64> {
    let name: Vec<u16> = dir.as_os_str().encode_wide().chain([0]).collect();
    let mut free = 0;
    // SAFETY: the name ends with zero, `free` is written, and the other two pointers may be null.
    (unsafe { GetDiskFreeSpaceExW(name.as_ptr(), &mut free, null_mut(), null_mut()) } != 0).then_some(free)
}

/// Returns the true version of Windows. Other functions hide it from programs that do not declare support for it.
fn version() -> OSVERSIONINFOEXW {
    let mut version =
        OSVERSIONINFOEXW { dwOSVersionInfoSize: size_of::<OSVERSIONINFOEXW>() as u32, ..OSVERSIONINFOEXW::default() };
    // SAFETY: OSVERSIONINFOEXW begins like OSVERSIONINFOW, and contains its size.
    unsafe { RtlGetVersion((&raw mut version).cast::<OSVERSIONINFOW>()) };
    version
}

/// Returns the name of a Windows version. Windows 11 still has the major version 10.
fn name(version: &OSVERSIONINFOEXW) -> Option<&'static str> {
    const WORKSTATION: u8 = 1;
    Some(match (version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber) {
        _ if version.wProductType != WORKSTATION => "Windows Server",
        (10, _, 22_000..) => "Windows 11",
        (10, ..) => "Windows 10",
        (6, 2 | 3, _) => "Windows 8",
        (6, 1, _) => "Windows 7",
        _ => return None,
    })
}

fn memory() -> Option<MEMORYSTATUSEX> {
    let mut status = MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..MEMORYSTATUSEX::default() };
    // SAFETY: the structure contains its size.
    (unsafe { GlobalMemoryStatusEx(&mut status) } != 0).then_some(status)
}

/// Returns the version of Wine, or `None` on Windows. Only Wine's ntdll has a function for it.
fn wine() -> Option<String> {
    // SAFETY: ntdll.dll is always loaded in every process.
    let ntdll = unsafe { GetModuleHandleW(w!("ntdll.dll")) };
    // SAFETY: the handle is a library or null, for which the call fails; the name is a C string.
    let function = unsafe { GetProcAddress(ntdll, c"wine_get_version".as_ptr().cast()) }?;
    // SAFETY: only Wine exports this function, and with this type.
    let function: extern "C" fn() -> *const c_char = unsafe { std::mem::transmute(function) };
    // SAFETY: the function returns a constant C string.
    let version = unsafe { CStr::from_ptr(function()) };
    Some(printable(&version.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_versions_have_their_marketing_names() {
        let named = |major, minor, build, kind| {
            name(&OSVERSIONINFOEXW {
                dwMajorVersion: major,
                dwMinorVersion: minor,
                dwBuildNumber: build,
                wProductType: kind,
                ..OSVERSIONINFOEXW::default()
            })
        };
        assert_eq!(named(10, 0, 22_631, 1), Some("Windows 11"));
        assert_eq!(named(10, 0, 19_045, 1), Some("Windows 10"));
        assert_eq!(named(10, 0, 20_348, 3), Some("Windows Server"));
        assert_eq!(named(6, 1, 7601, 1), Some("Windows 7"));
        assert_eq!(named(5, 1, 2600, 1), None);
    }
}
