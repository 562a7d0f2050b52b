//! Reports the first problem with the counter file: to the program by a parameter, and to other processes by the name
//! of a mapping in `/proc/PID/maps`, which needs no writable file.

#![allow(unsafe_code, reason = "maps a name into memory and shares the kept problem by a pointer")]

use std::ffi::{CStr, CString};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The first reported problem, if any.
#[derive(Default)]
pub(crate) struct Trouble {
    /// The kept problem, or NULL. Not a `OnceLock`: a process forked while another thread sets the lock would wait for
    /// ever.
    kept: AtomicPtr<Kept>,
}

struct Kept {
    text: CString,
    /// Memory mapping whose name shows the end of the text in `/proc/PID/maps`. Unmapped when the text is freed.
    _shown: Option<Mapping>,
}

impl Trouble {
    /// Keeps the description of a problem and shows it in the process's memory map. Does nothing if an earlier problem
    /// is kept.
    #[cold]
    pub(crate) fn keep(&self, text: &str) {
        if !self.kept.load(Ordering::Acquire).is_null() {
            return;
        }
        let text = text.replace('\0', " ");
        let kept = Kept { _shown: shown(&text), text: CString::new(text).unwrap_or_default() };
        let kept = Box::into_raw(Box::new(kept));
        if self.kept.compare_exchange(null_mut(), kept, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            // SAFETY: the pointer was a box, and nothing else has seen it.
            drop(unsafe { Box::from_raw(kept) });
        }
    }

    /// Returns the kept text, or an empty string. It does not move while `self` lives.
    pub(crate) fn text(&self) -> &CStr {
        // SAFETY: NULL, or a box that is freed together with `self`.
        unsafe { self.kept.load(Ordering::Acquire).as_ref() }.map_or(c"", |kept| &kept.text)
    }
}

impl Drop for Trouble {
    fn drop(&mut self) {
        let kept = *self.kept.get_mut();
        if !kept.is_null() {
            // SAFETY: the pointer was a box, and nothing else can use it any more.
            drop(unsafe { Box::from_raw(kept) });
        }
    }
}

/// Memory mapping without access rights. Its only purpose is its name, which is visible in `/proc/PID/maps`.
#[cfg(target_os = "linux")]
struct Mapping(*mut std::ffi::c_void);

/// Length of the mapping in bytes: one page.
#[cfg(target_os = "linux")]
const BYTES: usize = 4096;

#[cfg(target_os = "linux")]
fn shown(text: &str) -> Option<Mapping> {
    use rustix::fs::{MemfdFlags, memfd_create};
    use rustix::mm::{MapFlags, ProtFlags, mmap};

    /// Maximum length in bytes of a name for memfd_create(2), minus our prefix.
    const MAX: usize = 249 - 16;
    // Keeps the end of the text, because the reason is after the path.
    let start = (text.len().saturating_sub(MAX)..=text.len()).find(|start| text.is_char_boundary(*start))?;
    let name = format!("kasoku-counter: {}", &text[start..]);
    let file = memfd_create(name, MemfdFlags::CLOEXEC).ok()?;
    // SAFETY: a new mapping at an address that the kernel chooses. The file is empty, and nothing reads it.
    let start = unsafe { mmap(null_mut(), BYTES, ProtFlags::empty(), MapFlags::SHARED, file, 0) };
    start.ok().map(Mapping)
}

#[cfg(target_os = "linux")]
impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: `shown` mapped it, and nothing refers to it.
        let _ = unsafe { rustix::mm::munmap(self.0, BYTES) };
    }
}

#[cfg(not(target_os = "linux"))]
struct Mapping;

#[cfg(not(target_os = "linux"))]
fn shown(_: &str) -> Option<Mapping> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maps() -> String {
        std::fs::read_to_string("/proc/self/maps").expect("there")
    }

    #[test]
    fn trouble_shows_only_the_first_counter_problem_until_dropped() {
        let trouble = Trouble::default();
        assert_eq!(trouble.text(), c"");
        let path = "é".repeat(200);
        let text = format!("/{path}/first: cannot be written");
        trouble.keep(&text);
        trouble.keep("/second: cannot be read");
        assert_eq!(trouble.text().to_str(), Ok(text.as_str()));
        let maps_now = maps();
        let line = maps_now.lines().find(|line| line.contains("/memfd:kasoku-counter: ")).expect("shown");
        assert!(line.ends_with("/first: cannot be written (deleted)"), "{line}");
        assert!(!maps_now.contains("/second"));
        drop(trouble);
        assert!(!maps().contains("/first: cannot be written"));
    }
}
