//! Work for every core.

use std::io;
use std::thread;

/// Has every core do the work.
pub(crate) fn on_all_cores(work: impl Fn() -> io::Result<()> + Sync) -> io::Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        for thread in threads {
            thread.join().map_err(|_| io::Error::other("a thread has panicked"))??;
        }
        Ok(())
    })
}
