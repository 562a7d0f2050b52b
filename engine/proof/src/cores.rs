//! Runs a closure on every CPU core.

use std::io;
use std::thread;

/// Runs `work` on as many threads as there are CPU cores. Returns the first error.
pub(crate) fn on_all_cores(work: impl Fn() -> io::Result<()> + Sync) -> io::Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        // If the system refuses a thread, fewer threads do the work.
        let others: Vec<_> =
            (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, &work).ok()).collect();
        work()?;
        for thread in others {
            thread.join().map_err(|_| io::Error::other("a thread has panicked"))??;
        }
        Ok(())
    })
}
