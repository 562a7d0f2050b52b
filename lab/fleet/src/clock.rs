//! What time it is on another host, so that all begin at one moment: clocks of hosts have nothing in common.

use super::hosts::{Hosts, Wait, hear, tell};
use super::orders::LeaderOrder;
use kasoku_measure::tls::host::now_ns;

/// So often another host is asked; the fastest answer counts.
const ASKED: usize = 8;

/// Another host's clock beside this one's.
pub(super) struct Clock {
    /// What it shows more, which may be less.
    ahead_ns: i128,
    /// How wrong that may be.
    pub(super) error_ns: u64,
}

impl Clock {
    /// Asks what time it is there.
    ///
    /// # Errors
    /// If it does not say.
    pub(super) fn of(hosts: &mut dyn Hosts, host: usize) -> Result<Clock, String> {
        let mut best: Option<Clock> = None;
        for _ in 0..ASKED {
            let before = now_ns();
            tell(hosts, host, &LeaderOrder::Time);
            let there: u64 = hear(hosts, host, 64, Wait::Eagerly).map_err(|error| error.to_string())?;
            let error_ns = now_ns().saturating_sub(before) / 2;
            // Within the time that asking took, it was asked in the middle.
            let ahead_ns = i128::from(there) - i128::from(before + error_ns);
            if best.as_ref().is_none_or(|best| error_ns < best.error_ns) {
                best = Some(Clock { ahead_ns, error_ns });
            }
        }
        best.ok_or_else(|| "no clock was asked".to_owned())
    }

    /// What that clock shows when this one shows `ns`.
    pub(super) fn there(&self, ns: u64) -> u64 {
        u64::try_from(i128::from(ns) + self.ahead_ns).unwrap_or(0)
    }
}
