//! Lines of JSON that the leader of a run and `kasoku host` on another host exchange: a request, then its answer.
//!
//! Every host runs the same version of Kasoku, which the leader checks first. So it trusts their answers.

use std::net::IpAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::tls::client::Target;
use crate::tls::fixture::ServerId;
use crate::tls::load::LoadOrder;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::printable::printable;

/// Maximum length of an answer in bytes. The longest answer is a run document.
pub const MAX_ANSWER: usize = 64 << 20;
/// Maximum number of characters of a host's text that messages show.
const MAX_TEXT: usize = 1000;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostRequest {
    /// Start web servers. Answer: [`ServingDescription`].
    Serve(ServeOrder),
    /// Serve a file of this many random bytes in place of the previous file.
    MakeFile(u64),
    /// Start observing the CPU time and memory that a web server uses.
    Watch(ServerId),
    /// Stop observing the server and report the CPU time and memory it used since the observation began. Answer:
    /// `ServerUse`.
    ReportUse,
    /// Start one client on each core for each of this many server addresses.
    StartClients(usize),
    /// Fetch a file once and compare its content with the expected content. Answer:
    /// [`RemoteFile`](crate::tls::client::RemoteFile).
    Look(Target),
    /// Put load on a server. Answers: an empty one at once, and [`ClientLoad`](crate::tls::client::ClientLoad) at the
    /// end.
    Load(LoadOrder),
    /// Carry out `kasoku run` with these arguments. Answer: the run's document, after any number of progress reports
    /// ([`HostAnswer::Working`]).
    Run(Vec<String>),
}

/// An answer of a host to the leader. It does not name its type, which the leader knows from the request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostAnswer<T> {
    /// The first line, which the host sends without a request.
    Hello(HostDescription),
    Done(T),
    /// Progress report of a run, with its last line of progress.
    Working(String),
    /// The request failed, but the host still accepts others.
    Failed(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostDescription {
    pub kasoku: String,
    /// Identifier of the kernel's last boot, equal for all processes of a machine.
    pub boot: String,
    pub cores: Vec<usize>,
    /// Maximum number of open files per process.
    pub open_files: u64,
    pub cpu: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServeOrder {
    pub addresses: Vec<IpAddr>,
    /// Numbers of nginx workers. The host starts a server for each of them.
    pub workers: Vec<usize>,
    /// Acceleration states of OpenSSL. The host starts a server for each of them.
    pub acceleration: Option<Vec<Acceleration>>,
    /// Path of Kasoku's OpenSSL provider on the host; `None` if it is beside `kasoku` there.
    pub module: Option<PathBuf>,
    pub dir: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServingDescription {
    pub nginx: String,
    pub openssl: String,
    /// Number of simultaneous connections that the host's limits allow for each nginx worker.
    pub connections_of_a_worker: u64,
    /// Each running server, with the port of each cipher suite.
    pub servers: Vec<(ServerId, Vec<(Algorithm, u16)>)>,
}

impl HostDescription {
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.kasoku != env!("CARGO_PKG_VERSION") {
            let (theirs, ours) = (shown(&self.kasoku), env!("CARGO_PKG_VERSION"));
            return Err(format!("has Kasoku {theirs}, and this host {ours}; install the same version on all hosts"));
        }
        Ok(())
    }
}

/// Returns a text from another host in a shortened form that is safe to print.
pub fn shown(text: &str) -> String {
    printable(&text.chars().take(MAX_TEXT).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_description_rejects_another_version() {
        let host = HostDescription {
            kasoku: env!("CARGO_PKG_VERSION").to_owned(),
            boot: "b".to_owned(),
            cores: vec![0],
            open_files: 1024,
            cpu: "c".to_owned(),
        };
        assert_eq!(host.check(), Ok(()));
        let older = HostDescription { kasoku: "0.0.1\u{1b}[2J".to_owned(), ..host };
        assert!(older.check().unwrap_err().starts_with("has Kasoku 0.0.1\\u{1b}[2J, and this host"));
    }
}
