//! The progress bar on a terminal: bytes done, speed, time left.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Creates a bar for `bytes` bytes, or for an unknown number. The bar is hidden unless standard error is a terminal.
pub(crate) fn new(bytes: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::no_length();
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        return bar;
    }
    let template = match bytes {
        Some(bytes) => {
            bar.set_length(bytes);
            "{bar:30} {percent:>3} %  {binary_bytes} of {binary_total_bytes}  {binary_bytes_per_sec}  {eta} left"
        }
        None => "{spinner} {binary_bytes}  {binary_bytes_per_sec}  {elapsed}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
