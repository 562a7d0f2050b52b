//! Ends a child with its descendants on Windows: they form a job. The job ends when its last handle is closed, at the
//! latest when the laboratory ends.
// Calls C functions that create, fill and end a job.
#![allow(unsafe_code)]

use std::mem::size_of;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::ptr::null;

use windows_sys::Win32::Foundation::{
    STATUS_ACCESS_VIOLATION, STATUS_ILLEGAL_INSTRUCTION, STATUS_STACK_BUFFER_OVERRUN, STATUS_STACK_OVERFLOW,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

/// Puts the child in a process group of its own, so that Ctrl-C reaches only the laboratory, which ends its children.
pub(super) fn set_apart(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// The job that contains a child and its descendants. If the system refuses to create one, the child still ends when
/// its input does.
pub(crate) struct Descendants(Option<OwnedHandle>);

impl Descendants {
    pub(crate) fn attach(child: &Child) -> Descendants {
        Descendants(new_job().filter(|job| {
            // SAFETY: both handles are open. The child has received no request, so it has no children yet.
            unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) != 0 }
        }))
    }

    pub(crate) fn end(&self, _: &mut Child) {
        if let Some(job) = &self.0 {
            // SAFETY: the handle is open. It fails only if the job is empty.
            unsafe { TerminateJobObject(job.as_raw_handle(), 1) };
        }
    }
}

/// Creates a job whose processes end when its handle is closed. No process inherits the handle.
fn new_job() -> Option<OwnedHandle> {
    // SAFETY: attributes and name may be null.
    let handle = unsafe { CreateJobObjectW(null(), null()) };
    if handle.is_null() {
        return None;
    }
    // SAFETY: the handle is new, and nothing else owns it.
    let job = unsafe { OwnedHandle::from_raw_handle(handle) };
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    let bytes = u32::try_from(size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>()).ok()?;
    // SAFETY: the handle is open; the information class matches the structure, and `bytes` is its size.
    let is_set = unsafe {
        SetInformationJobObject(handle, JobObjectExtendedLimitInformation, (&raw const limits).cast(), bytes)
    };
    (is_set != 0).then_some(job)
}

pub(crate) fn ending(status: &ExitStatus) -> String {
    match status.code() {
        Some(STATUS_ILLEGAL_INSTRUCTION) => {
            "was ended by an illegal instruction: it ran one this CPU does not have".to_owned()
        }
        Some(STATUS_ACCESS_VIOLATION) => "was ended by an access violation".to_owned(),
        Some(STATUS_STACK_OVERFLOW) => "was ended by a stack overflow".to_owned(),
        // The status of abort() and of panics that must not unwind.
        Some(STATUS_STACK_BUFFER_OVERRUN) => "aborted".to_owned(),
        Some(code) => format!("ended with exit status {code}"),
        None => "ended".to_owned(),
    }
}
