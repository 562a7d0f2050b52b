//! Allots cores to the server and the clients. They get separate cores if there are enough.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cores {
    pub server: Vec<usize>,
    /// Cores of the client processes, one for each client.
    pub clients: Vec<usize>,
    /// Whether the server and the clients share no core.
    pub are_apart: bool,
}

/// Assigns one core to each of the server's `workers` (nginx processes), and the other cores to the clients. If no
/// cores are left for clients, server and clients share all cores.
pub fn allot(cores: &[usize], workers: usize) -> Cores {
    if workers < cores.len() {
        let (server, clients) = cores.split_at(workers);
        return Cores { server: server.to_vec(), clients: clients.to_vec(), are_apart: true };
    }
    Cores { server: cores.to_vec(), clients: cores.to_vec(), are_apart: false }
}

pub fn usable() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity};
        if let Ok(set) = sched_getaffinity(None) {
            return (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect();
        }
    }
    (0..std::thread::available_parallelism().map_or(1, usize::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allot_separates_server_and_clients_while_cores_suffice() {
        assert_eq!(allot(&[0, 1], 1), Cores { server: vec![0], clients: vec![1], are_apart: true });
        assert_eq!(allot(&[0, 1], 2), Cores { server: vec![0, 1], clients: vec![0, 1], are_apart: false });
        assert_eq!(allot(&[4, 5, 6, 7], 1).clients, [5, 6, 7]);
        assert!(!allot(&[3], 4).are_apart);
    }
}
