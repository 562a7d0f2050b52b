//! How the hosts of a run meet: each introduces itself, and the first one says what the run is, or why there is none.

use std::time::Instant;

use super::hosts::{Hosts, Wait, hear, tell};
use super::orders::{self, Introduction, LeaderOrder, shown};
use super::token::Token;
use super::{boot, host_name};
use kasoku_model::document::FleetPart;

/// What every host knows once they have met.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// What this host is in the run.
    pub part: FleetPart,
    /// The run's name on servers.
    pub run: Token,
    /// What the hosts are called; known to the first one.
    pub names: Vec<String>,
    /// What tells whether two are one machine; known to the first one.
    pub boots: Vec<String>,
}

/// Meets the others until `until`, for the run `id` if this is the first host; `error` says why this host cannot take
/// part.
///
/// # Errors
/// Why there is no run: on the first host with the reasons of all.
pub fn meet(hosts: &mut dyn Hosts, id: String, error: Option<String>, until: Instant) -> Result<Meeting, String> {
    let own = Introduction { name: host_name(), boot: boot(), kasoku: env!("CARGO_PKG_VERSION").to_owned(), error };
    if hosts.own() > 0 {
        tell(hosts, 0, &own);
        return match hear(hosts, 0, orders::MAX, Wait::Long).map_err(|error| error.to_string())? {
            LeaderOrder::Begin { part, run } if is_part(&part) => {
                Ok(Meeting { part, run, names: Vec::new(), boots: Vec::new() })
            }
            LeaderOrder::End(why) => Err(why.map_or("the first host ended the run".to_owned(), |why| shown(&why))),
            _ => Err("the first host sent an unexpected message".to_owned()),
        };
    }
    let mut all = vec![own];
    let mut why = None;
    for host in 1..hosts.count() {
        let heard = hear::<Introduction>(hosts, host, orders::MAX, Wait::Until(until));
        match heard.map_err(|error| error.to_string()).and_then(|one| one.check().map(|()| one)) {
            Ok(one) => all.push(one),
            Err(error) => why = Some(format!("host {host}: {error}")),
        }
    }
    let run = Token::random().map_err(|error| error.to_string());
    let met = match (why.or_else(|| objection(&all)), run) {
        (None, Ok(run)) => run,
        (Some(why), _) | (None, Err(why)) => {
            super::gathering::end(hosts, &why);
            return Err(why);
        }
    };
    let part = |host: &Introduction| FleetPart { run: id.clone(), host: host.name.clone(), hosts: all.len() };
    for (host, one) in all.iter().enumerate().skip(1) {
        tell(hosts, host, &LeaderOrder::Begin { part: part(one), run: met.clone() });
    }
    Ok(Meeting {
        part: part(&all[0]),
        run: met,
        names: all.iter().map(|one| one.name.clone()).collect(),
        boots: all.iter().map(|one| one.boot.clone()).collect(),
    })
}

/// What keeps these hosts from a run together.
fn objection(all: &[Introduction]) -> Option<String> {
    let errors: Vec<String> =
        all.iter().filter_map(|one| Some(format!("{}: {}", one.name, shown(one.error.as_ref()?)))).collect();
    if let Some(first) = errors.first() {
        // The same command line is wrong everywhere in the same way.
        let own = all[0].error.clone();
        return Some(own.unwrap_or_else(|| if errors.len() > 1 { errors.join("; ") } else { first.clone() }));
    }
    for (index, one) in all.iter().enumerate() {
        if all[..index].iter().any(|other| other.name == one.name) {
            return Some(format!(
                "two processes were started on {}, but each host takes part only once: use mpirun --map-by ppr:1:node; \
                 if they are two hosts, give them different names",
                one.name
            ));
        }
        if one.kasoku != all[0].kasoku {
            let versions = (&one.kasoku, &all[0].name, &all[0].kasoku);
            return Some(format!("{} has Kasoku {}, {} has {}", one.name, shown(versions.0), versions.1, versions.2));
        }
    }
    None
}

/// Whether what the first host says of the run can be: it becomes the name of a file.
pub fn is_part(part: &FleetPart) -> bool {
    let is_name = |text: &str| !text.is_empty() && text.len() <= 255;
    is_name(&part.host)
        && is_name(&part.run)
        && part.run.len() <= 45
        && part.run.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str) -> Introduction {
        Introduction { name: name.to_owned(), boot: "b".to_owned(), kasoku: "1".to_owned(), error: None }
    }

    #[test]
    fn hosts_that_do_not_fit_are_told() {
        assert_eq!(objection(&[host("a"), host("b")]), None);
        assert!(objection(&[host("a"), host("b"), host("a")]).unwrap().contains("two processes were started on a"));
        let older = Introduction { kasoku: "0".to_owned(), ..host("b") };
        assert!(objection(&[host("a"), older]).unwrap().contains("b has Kasoku 0"));
        let wrong = Introduction { error: Some("no\u{1b}[2J nginx".to_owned()), ..host("b") };
        assert_eq!(objection(&[host("a"), wrong]).unwrap(), "b: no\\u{1b}[2J nginx");
    }

    #[test]
    fn a_part_that_would_name_another_file_is_none() {
        let part = |run: &str| FleetPart { run: run.to_owned(), host: "h".to_owned(), hosts: 2 };
        assert!(is_part(&part("20261122-001122-ab")));
        for run in ["", "../x", "a/b", "a b", &"x".repeat(60)] {
            assert!(!is_part(&part(run)), "{run}");
        }
    }
}
