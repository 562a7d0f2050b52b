//! Batches over real GSO and GRO, where the example checks each packet itself; and the example that measures.

use std::process::{Command, Stdio};

use crate::built::example;
use crate::support::children::Running;

#[test]
fn packets_of_several_sizes_arrive() {
    for bytes in ["40", "200", "1452", "9000", "65507"] {
        let mut command = Command::new(example("gso"));
        let (is_good, said) = Running::start(command.args([bytes, "2"]).stdout(Stdio::piped())).finish();
        assert!(is_good && said.contains("in batches"), "{bytes} bytes: {said}");
    }
}

/// The measuring example, too short to say anything: that it comes to an end with every cryptography.
#[test]
fn a_gigabyte_can_be_measured() {
    let mut command = Command::new(example("throughput"));
    command.args(["--rounds", "1", "--gigabytes", "0.01"]).stdout(Stdio::piped());
    let (is_good, said) = Running::start(&mut command).finish();
    assert!(is_good, "{said}");
    for (name, times) in [("aws-lc ", 3), ("ring ", 3), ("kasoku ", 3), ("kasoku-one-pass ", 2)] {
        assert_eq!(said.lines().filter(|line| line.starts_with(name)).count(), times, "{name}: {said}");
    }
}
