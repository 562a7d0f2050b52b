//! How the runs of all hosts come to the first one, and how all of them end.

use super::host_file::HostFile;
use super::hosts::{Hosts, Wait, hear, tell};
use super::meeting::Meeting;
use super::orders::{self, FollowerAnswer, LeaderOrder, shown};
use kasoku_import::{self as import, MAX_DOCUMENT_BYTES};
use kasoku_model::document::Document;

/// What came of a host.
#[derive(Debug)]
pub enum Gathered {
    /// Its run.
    Run(Box<Document>),
    /// Why none.
    Nothing(String),
}

/// On the first host: takes the run of every other.
pub fn gather(hosts: &mut dyn Hosts, met: &Meeting) -> Vec<Gathered> {
    (1..hosts.count())
        .map(|host| match hosts.receive(host, MAX_DOCUMENT_BYTES, Wait::Long) {
            Ok(message) => read(&message, &met.names[host], &met.part.run),
            Err(error) => Gathered::Nothing(error.to_string()),
        })
        .collect()
}

/// A host's message: its run, looked at as any file from elsewhere is, or why there is none.
pub fn read(message: &[u8], name: &str, run: &str) -> Gathered {
    if let Ok(FollowerAnswer::Failed(_, why)) = serde_json::from_slice(message) {
        return Gathered::Nothing(shown(&why));
    }
    let mut imported = match import::import(name, message) {
        Ok(imported) => imported,
        Err(error) => return Gathered::Nothing(format!("cannot read its run: {}", shown(&error.to_string()))),
    };
    let Some(found) = imported.machines.pop().filter(|_| imported.machines.is_empty()) else {
        return Gathered::Nothing("it did not send exactly one run".to_owned());
    };
    let mut document = found.document;
    let is_of_the_run = document.run.method.fleet.as_ref().is_some_and(|part| part.run == run && part.host == name);
    if !is_of_the_run || !document.run.id.starts_with(run) {
        return Gathered::Nothing("it sent a different run".to_owned());
    }
    document.machine.name = Some(name.to_owned());
    document.run.complete = document.machine.is_genuine();
    Gathered::Run(Box::new(document))
}

/// On every other host: sends its run, which is in its file already, and says there when it has arrived.
///
/// # Errors
/// If the first host does not take it.
pub fn hand_over(hosts: &mut dyn Hosts, mut file: HostFile) -> Result<(), String> {
    match serde_json::to_vec(file.document()) {
        Ok(text) if text.len() <= MAX_DOCUMENT_BYTES => hosts.send(0, &text),
        Ok(_) => fail(hosts, "its run is too large to send; import its file with kasoku import"),
        Err(error) => fail(hosts, &error.to_string()),
    }
    loop {
        match hear(hosts, 0, orders::MAX, Wait::Long).map_err(|error| error.to_string())? {
            LeaderOrder::Gathered => file.is_gathered()?,
            LeaderOrder::End(None) => return Ok(()),
            LeaderOrder::End(Some(why)) => return Err(shown(&why)),
            _ => return Err("the first host sent an unexpected message".to_owned()),
        }
    }
}

/// On the first host: says that all is gathered and over.
pub fn end_of_all(hosts: &mut dyn Hosts) {
    for host in 1..hosts.count() {
        tell(hosts, host, &LeaderOrder::Gathered);
        tell(hosts, host, &LeaderOrder::End(None));
    }
}

/// On the first host: says that it is over, and why.
pub fn end(hosts: &mut dyn Hosts, why: &str) {
    for host in 1..hosts.count() {
        tell(hosts, host, &LeaderOrder::End(Some(why.to_owned())));
    }
}

/// On every other host: says what went wrong.
pub fn fail(hosts: &mut dyn Hosts, why: &str) {
    tell(hosts, 0, &FollowerAnswer::Failed(None, why.to_owned()));
}

/// On every other host: waits until the first one says that it is over.
pub fn wait_for_the_end(hosts: &mut dyn Hosts) {
    while !matches!(hear(hosts, 0, orders::MAX, Wait::Long), Ok(LeaderOrder::End(_)) | Err(_)) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn document(run: &str, host: &str) -> Value {
        json!({"schema": 1, "machine": {"cpu": "c"}, "series": [],
               "run": {"id": format!("{run}-{host}"), "complete": false,
                       "method": {"fleet": {"run": run, "host": host, "hosts": 2}}}})
    }

    fn read(value: &Value) -> Result<Document, String> {
        match super::read(value.to_string().as_bytes(), "b", "r") {
            Gathered::Run(document) => Ok(*document),
            Gathered::Nothing(why) => Err(why),
        }
    }

    #[test]
    fn only_a_run_of_that_host_in_this_run_is_gathered() {
        let document_of_b = read(&document("r", "b")).unwrap();
        assert_eq!(document_of_b.machine.label(), "b");
        assert!(document_of_b.run.complete);
        for wrong in [document("r", "c"), document("other", "b"), json!([]), json!({"failed": 3}), json!(null)] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
        assert!(matches!(super::read(b"\xff\xfe", "b", "r"), Gathered::Nothing(_)));
        let failed = json!({"failed": [null, "no\u{1b}[2J store"]});
        assert_eq!(read(&failed).unwrap_err(), "no\\u{1b}[2J store");
    }
}
