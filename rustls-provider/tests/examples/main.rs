//! Builds, starts and uses the examples as users do.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test program uses a part of this module")]
#[path = "../support"]
mod support {
    pub(crate) mod certificates;
    pub(crate) mod children;
    pub(crate) mod folder;
    pub(crate) mod providers;
}

mod batches;
mod built;
mod echo;
mod greeter;
mod page;
