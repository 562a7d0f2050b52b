//! The HTTPS server example with curl.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::built::example;
use crate::support::certificates::Identity;
use crate::support::children::{Running, program};
use crate::support::folder::Folder;

#[test]
fn curl_downloads_from_the_https_example() {
    if program("curl").is_none() {
        return;
    }
    let folder = Folder::new(&Identity::ecdsa());
    let mut command = example("https_server");
    command.arg(folder.certificate()).arg(folder.key()).arg("127.0.0.1:0").stdout(Stdio::piped());
    let mut server = Running::start(&mut command);
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().replace("127.0.0.1", "localhost");
    for (version, suite) in
        [("--tlsv1.3", "TLS13_AES_256_GCM_SHA384"), ("--tlsv1.2", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384")]
    {
        let mut curl = program("curl").unwrap();
        curl.args(["--silent", "--noproxy", "*", version, "--cacert"]).arg(folder.certificate());
        if version == "--tlsv1.2" {
            curl.args(["--tls-max", "1.2"]);
        }
        let (is_good, page) = Running::start(curl.arg(format!("{address}path"))).finish();
        assert!(is_good && page.contains("/path by way of") && page.contains(suite), "{page}");
    }
}

#[test]
fn https_example_without_arguments_prints_usage() {
    let output = example("https_server").output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("usage: https_server"));
}
