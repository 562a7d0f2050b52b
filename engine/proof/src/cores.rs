//! Work for every core.

use std::io;
use std::thread;

/// Has every core do the work.
pub(crate) fn on_all_cores(work: impl Fn() -> io::Result<()> + Sync) -> io::Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        // Cores for which the system refuses a thread do without.
        let others: Vec<_> =
            (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, &work).ok()).collect();
        work()?;
        for thread in others {
            thread.join().map_err(|_| io::Error::other("a thread has panicked"))??;
        }
        Ok(())
    })
}
