//! quinn connections whose packets Kasoku protects on one side or both; the other side may have other cryptography.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test program uses a part of this module")]
#[path = "../support"]
mod support {
    pub(crate) mod certificates;
    pub(crate) mod providers;
    pub(crate) mod published;
}

mod conditions;
mod configurations;
mod connections;
mod initial;
mod limits;
mod phases;
mod relay;
mod sessions;
