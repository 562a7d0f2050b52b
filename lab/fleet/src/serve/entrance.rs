//! How many connections may be in the handshake: few, and of one address fewer, so that hosts without the token keep
//! nobody out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most of all addresses together, and of one. A handshake takes an instant; each host has one connection for each
/// address of the server.
const MAX: usize = 128;
const MAX_OF_ONE: usize = 16;

/// Connections in the handshake, by address.
#[derive(Debug, Default)]
pub(super) struct Entrance(Mutex<HashMap<IpAddr, usize>>);

/// The place of one of them. Dropped, it is free again.
#[derive(Debug)]
pub(super) struct Entering {
    entrance: Arc<Entrance>,
    from: IpAddr,
}

impl Entrance {
    /// A place for a connection from there, if one is free.
    pub(super) fn enter(self: &Arc<Entrance>, from: IpAddr) -> Option<Entering> {
        let mut known = self.known();
        let is_full =
            known.values().sum::<usize>() >= MAX || known.get(&from).is_some_and(|of_one| *of_one >= MAX_OF_ONE);
        if is_full {
            return None;
        }
        *known.entry(from).or_default() += 1;
        Some(Entering { entrance: self.clone(), from })
    }

    fn known(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner) // nothing is changed by halves
    }
}

impl Drop for Entering {
    fn drop(&mut self) {
        let mut known = self.entrance.known();
        match known.get_mut(&self.from) {
            Some(of_one) if *of_one > 1 => *of_one -= 1,
            _ => drop(known.remove(&self.from)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_leaves_room_for_the_others() {
        let entrance = Arc::new(Entrance::default());
        let address = |last| IpAddr::from([10, 77, 0, last]);
        let mut held: Vec<Entering> = std::iter::from_fn(|| entrance.enter(address(1))).collect();
        assert_eq!(held.len(), MAX_OF_ONE);
        let other = entrance.enter(address(2)).unwrap();
        held.pop();
        assert!(entrance.enter(address(1)).is_some(), "whose place is free comes in");
        drop((held, other));
        assert!(entrance.known().is_empty());
    }

    #[test]
    fn all_together_are_bounded() {
        let entrance = Arc::new(Entrance::default());
        let held: Vec<Entering> = (0..=255).flat_map(|last| entrance.enter(IpAddr::from([10, 77, 0, last]))).collect();
        assert_eq!(held.len(), MAX);
        drop(held);
        assert!(entrance.enter(IpAddr::from([10, 77, 0, 255])).is_some());
    }
}
