//! Which cores the server has and which the clients: apart where there are enough of them.

/// The cores of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cores {
    /// The server's.
    pub server: Vec<usize>,
    /// The clients', one process on each.
    pub clients: Vec<usize>,
    /// Whether no core is in both.
    pub are_apart: bool,
}

/// Cores for `workers`: one for each and the others for the clients, or, where none are left, all for both.
pub fn allot(cores: &[usize], workers: usize) -> Cores {
    if workers < cores.len() {
        let (server, clients) = cores.split_at(workers);
        return Cores { server: server.to_vec(), clients: clients.to_vec(), are_apart: true };
    }
    Cores { server: cores.to_vec(), clients: cores.to_vec(), are_apart: false }
}

/// All of them for the server, for clients that are elsewhere.
pub fn all_for_the_server(cores: &[usize], _workers: usize) -> Cores {
    Cores { server: cores.to_vec(), clients: Vec::new(), are_apart: true }
}

/// The cores this process may run on.
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
    fn cores_are_apart_as_long_as_they_suffice() {
        assert_eq!(allot(&[0, 1], 1), Cores { server: vec![0], clients: vec![1], are_apart: true });
        assert_eq!(allot(&[0, 1], 2), Cores { server: vec![0, 1], clients: vec![0, 1], are_apart: false });
        assert_eq!(allot(&[4, 5, 6, 7], 1).clients, [5, 6, 7]);
        assert!(!allot(&[3], 4).are_apart);
    }
}
