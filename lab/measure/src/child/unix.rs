//! A child and what it starts are a group of processes.

use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process_group};

/// Ctrl-C is to reach the laboratory alone; its children die with it (see `cmd::worker`).
pub(super) fn set_apart(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// What a child starts: all of the group that has its number.
pub(crate) struct Descendants;

impl Descendants {
    pub(crate) fn attach(_: &Child) -> Descendants {
        Descendants
    }

    /// Ends them, and the child.
    pub(crate) fn end(&self, child: &mut Child) {
        // While it was not waited for, nobody else has its number, which is that of its group too.
        if let (Ok(None), Some(group)) = (child.try_wait(), group_of(child)) {
            let _ = kill_process_group(group, Signal::KILL); // gone meanwhile
        }
    }
}

fn group_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// How a process ended, in words that follow its name.
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
