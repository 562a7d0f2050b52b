//! Hosts that were started together by MPI: `mpirun`, or `srun --mpi=pmix`.

use mpi::Threading;
use mpi::datatype::Equivalence;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, MatchedReceiveVec, Source};

use super::hosts::{Hosts, HostsError, Wait};

/// They. Dropped, MPI is ended, once all others have come that far.
pub struct Mpi {
    world: SimpleCommunicator,
    _universe: Universe,
}

impl Mpi {
    /// Joins the others.
    ///
    /// # Errors
    /// If MPI does not start.
    pub fn join() -> Result<Mpi, String> {
        // Other threads read what clients say; none of them uses MPI.
        let (universe, _) =
            mpi::initialize_with_threading(Threading::Funneled).ok_or("MPI was initialized twice in one process")?;
        Ok(Mpi { world: universe.world(), _universe: universe })
    }
}

/// A number of ours as one of MPI's, which holds any number of hosts.
fn rank(host: usize) -> mpi::Rank {
    mpi::Rank::try_from(host).unwrap_or(mpi::Rank::MAX)
}

impl Hosts for Mpi {
    fn own(&self) -> usize {
        usize::try_from(self.world.rank()).unwrap_or(0)
    }

    fn count(&self) -> usize {
        usize::try_from(self.world.size()).unwrap_or(1)
    }

    fn send(&mut self, to: usize, message: &[u8]) {
        self.world.process_at_rank(rank(to)).send(message);
    }

    fn receive(&mut self, from: usize, most: usize, wait: Wait) -> Result<Vec<u8>, HostsError> {
        let end = wait.end();
        loop {
            if let Some((message, status)) = self.world.process_at_rank(rank(from)).immediate_matched_probe() {
                // Looked at before there is room for it.
                let bytes = usize::try_from(status.count(u8::equivalent_datatype())).unwrap_or(usize::MAX);
                if bytes > most {
                    return Err(HostsError::TooLong { host: from, bytes, most });
                }
                return Ok((message, status).matched_receive_vec::<u8>().0);
            }
            if end.is_some_and(|end| std::time::Instant::now() >= end) {
                return Err(HostsError::Silent(from));
            }
            wait.rest();
        }
    }

    fn barrier(&mut self) {
        self.world.barrier();
    }
}
