//! A child and its descendants form a process group.

use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process_group};

/// Puts the child in a group of its own: Ctrl-C must reach the laboratory alone, whose end its children notice.
pub(super) fn set_apart(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

pub(crate) struct Descendants;

impl Descendants {
    pub(crate) fn attach(_: &Child) -> Descendants {
        Descendants
    }

    pub(crate) fn end(&self, child: &mut Child) {
        // Until the child is waited for, no other process can have its ID, which is also its group's.
        if let (Ok(None), Some(group)) = (child.try_wait(), group_of(child)) {
            let _ = kill_process_group(group, Signal::KILL); // gone meanwhile
        }
    }
}

fn group_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Says how a process ended, in words that follow its name.
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
