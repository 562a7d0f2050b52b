//! Batches over real GSO and GRO; the example itself checks each packet.

use std::process::Stdio;

use crate::built::example;
use crate::support::children::Running;

#[test]
fn gso_example_transfers_packets_of_several_sizes() {
    for bytes in ["40", "200", "1452", "9000", "65507"] {
        let (is_good, said) = Running::start(example("gso").args([bytes, "2"]).stdout(Stdio::piped())).finish();
        assert!(is_good && said.contains("in batches"), "{bytes} bytes: {said}");
    }
}
