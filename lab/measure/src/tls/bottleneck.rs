//! What kept a server from sending more.

use super::processes::Busy;
use kasoku_model::workload::served::Bottleneck;

/// From here on a core has nothing left.
const FULL: f64 = 0.9;
/// The same of all cores together, where server and clients share them.
const FULL_TOGETHER: f64 = 0.92;

/// What was seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    /// The server's workers.
    pub(super) server: Busy,
    /// The cores that are theirs.
    pub(super) server_cores: usize,
    /// Each client, which has one core.
    pub(super) clients: &'a [Busy],
    /// Whether no core is the server's and a client's.
    pub(super) are_apart: bool,
    /// How often TCP was short of memory.
    pub(super) pressures: u64,
}

/// The verdict on what was seen.
pub(super) fn judge(seen: Seen<'_>) -> Bottleneck {
    // Whoever waited for a core would have used it.
    let wanted = |busy: &Busy| busy.mean + busy.waited;
    let server = wanted(&seen.server) / seen.server_cores.max(1) as f64;
    let busiest = seen.clients.iter().map(wanted).fold(0.0, f64::max);
    let together = seen.server.mean + seen.clients.iter().map(|client| client.mean).sum::<f64>();
    match () {
        () if !seen.are_apart && together >= FULL_TOGETHER * seen.server_cores as f64 => Bottleneck::SharedCpu,
        () if seen.are_apart && server >= FULL => Bottleneck::ServerCpu,
        () if seen.are_apart && busiest >= FULL => Bottleneck::ClientCpu,
        () if seen.pressures > 0 => Bottleneck::Memory,
        () => Bottleneck::Neither,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_has_its_case() {
        let busy = |mean| Busy { mean, most: mean, waited: 0.0, cpu_ns: 0 };
        let judge = |server, server_cores, clients: &[f64], are_apart, pressures| {
            let clients: Vec<Busy> = clients.iter().map(|&mean| busy(mean)).collect();
            judge(Seen { server: busy(server), server_cores, clients: &clients, are_apart, pressures })
        };
        assert_eq!(judge(0.97, 1, &[0.6], true, 0), Bottleneck::ServerCpu);
        let disturbed = Busy { waited: 0.3, ..busy(0.65) };
        let seen = Seen { server: disturbed, server_cores: 1, clients: &[busy(0.6)], are_apart: true, pressures: 0 };
        assert_eq!(super::judge(seen), Bottleneck::ServerCpu);
        assert_eq!(judge(0.6, 1, &[0.3, 0.95], true, 0), Bottleneck::ClientCpu);
        assert_eq!(judge(1.1, 2, &[0.5, 0.35], false, 0), Bottleneck::SharedCpu);
        assert_eq!(judge(0.9, 2, &[0.2, 0.2], false, 0), Bottleneck::Neither);
        assert_eq!(judge(0.5, 1, &[0.5], true, 1), Bottleneck::Memory);
        assert_eq!(judge(0.5, 1, &[0.5], true, 0), Bottleneck::Neither);
    }
}
