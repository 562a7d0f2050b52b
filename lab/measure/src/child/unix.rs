//! Ends a child with its descendants on Unix: they form a process group.

use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process_group};

/// Puts the child in a process group of its own, so that Ctrl-C reaches only the laboratory. The child ends when it
/// notices that the laboratory has ended.
pub(super) fn set_apart(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

pub(crate) struct Descendants;

impl Descendants {
    pub(crate) fn attach(_: &Child) -> Descendants {
        Descendants
    }

    pub(crate) fn end(&self, child: &mut Child) {
        // Until this process waits for the child, no other process can get the child's ID, which is also the ID of its
        // group.
        if let (Ok(None), Some(group)) = (child.try_wait(), group_of(child)) {
            let _ = kill_process_group(group, Signal::KILL); // fails if the group has just ended
        }
    }
}

fn group_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Describes how a process ended, in words that follow its name.
pub(crate) fn ending(status: &ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(libc::SIGILL), _) => "was ended by SIGILL: it ran an instruction this CPU does not have".to_owned(),
        (Some(libc::SIGSEGV), _) => "was ended by SIGSEGV".to_owned(),
        (Some(libc::SIGABRT), _) => "aborted".to_owned(),
        (Some(libc::SIGKILL), _) => "was killed (SIGKILL)".to_owned(),
        (Some(signal), _) => format!("was ended by signal {signal}"),
        (None, Some(code)) => format!("ended with exit status {code}"),
        (None, None) => "ended".to_owned(),
    }
}
