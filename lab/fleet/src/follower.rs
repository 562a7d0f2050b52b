//! Every other host of a run on servers elsewhere: it does what the first one says, as far as that can be.

use super::hosts::{Hosts, Wait, hear, tell};
use super::orders::{self, FollowerAnswer, LeaderOrder, StepOrder, shown};
use super::own_host::OwnHost;
use kasoku_measure::tls::host::now_ns;

/// Follows until it is over; what was said went wrong, if something did.
///
/// # Errors
/// If the first host cannot be understood, or this host's file cannot be written.
pub fn follow(hosts: &mut dyn Hosts, mut own: OwnHost) -> Result<Option<String>, String> {
    tell(hosts, 0, &FollowerAnswer::Ready(own.clients.cores().to_vec()));
    loop {
        match hear(hosts, 0, orders::MAX, Wait::Long).map_err(|error| error.to_string())? {
            LeaderOrder::Step(step) => {
                let answer = match take_part(hosts, &mut own, &step)? {
                    Ok(part) => FollowerAnswer::Part(step.number, part),
                    Err(why) => FollowerAnswer::Failed(Some(step.number), why),
                };
                tell(hosts, 0, &answer);
            }
            LeaderOrder::Gathered => {
                if let Some(file) = &mut own.file {
                    file.is_gathered()?;
                }
            }
            LeaderOrder::End(why) => return Ok(why.map(|why| shown(&why))),
            LeaderOrder::Begin { .. } | LeaderOrder::Time | LeaderOrder::Go(_) => {
                return Err("the first host sent an unexpected message".to_owned());
            }
        }
    }
}

type Part = Result<kasoku_measure::tls::host::Part, String>;

fn take_part(hosts: &mut dyn Hosts, own: &mut OwnHost, step: &StepOrder) -> Result<Part, String> {
    let is_sound = step.check(own.addresses(), own.clients.processes());
    hosts.barrier();
    loop {
        match hear(hosts, 0, orders::MAX, Wait::Eagerly).map_err(|error| error.to_string())? {
            LeaderOrder::Time => tell(hosts, 0, &now_ns()),
            LeaderOrder::Go(start_ns) => {
                let can_begin = is_sound.and_then(|()| orders::check_start(start_ns, now_ns()));
                return Ok(can_begin.and_then(|()| own.load(step, start_ns)));
            }
            LeaderOrder::End(why) => {
                return Err(why.map_or("the first host ended the run".to_owned(), |why| shown(&why)));
            }
            _ => return Err("the first host sent an unexpected message".to_owned()),
        }
    }
}
