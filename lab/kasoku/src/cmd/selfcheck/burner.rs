//! A neighbour on the very core that measures: a thread that burns its time, on and off, for seconds on end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::cmd::Failure;
use crate::cmd::become_program::bind_to;
use kasoku_libraries::command::refusal;
use kasoku_measure::tls::cores;

/// For so many milliseconds it burns, and then rests for as many.
const BURSTS: [u64; 5] = [700, 2_100, 1_300, 2_900, 1_700];
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// A thread that burns, on the one core to which it binds all that is started meanwhile. Dropped, it ends, and so does
/// the bond; it cannot outlive the process.
pub(super) struct Burner {
    cores: Vec<usize>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Burner {
    /// Lights it.
    pub(super) fn start() -> Result<Burner, Failure> {
        let cores = cores::usable();
        bind_to(&cores[..cores.len().min(1)])?;
        let mut burner = Burner { cores, is_over: Arc::default(), thread: None };
        let is_over = Arc::clone(&burner.is_over);
        let thread = std::thread::Builder::new().spawn(move || burn(&is_over));
        burner.thread = Some(thread.map_err(|error| {
            Failure::in_the_middle(format!("cannot start the neighbour's thread: {}", refusal(&error)))
        })?);
        Ok(burner)
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it does not panic
        }
        let _ = bind_to(&self.cores); // what was allowed before
    }
}

fn burn(is_over: &AtomicBool) {
    for milliseconds in BURSTS.into_iter().cycle() {
        for is_burning in [true, false] {
            let end = Instant::now() + Duration::from_millis(milliseconds);
            while Instant::now() < end {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                if is_burning {
                    for turn in 0..10_000 {
                        std::hint::black_box(turn);
                    }
                } else {
                    std::thread::sleep(BETWEEN_LOOKS);
                }
            }
        }
    }
}
