//! The example project `greeter`, outside the workspace.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::echo::echoed;
use crate::support::certificates::Identity;
use crate::support::children::{self, Running, program};
use crate::support::folder::Folder;

const MANIFEST: &str = include_str!("../../examples/greeter/Cargo.toml");
const PROGRAM: &str = include_str!("../../examples/greeter/src/main.rs");

#[test]
fn greeter_builds_and_runs_outside_the_workspace() {
    if program("curl").is_none() {
        return;
    }
    let identity = Identity::ecdsa();
    let folder = Folder::new(&identity);
    let here = env!("CARGO_MANIFEST_DIR");
    let ports = [free_port(), free_port()];
    assert!(MANIFEST.contains("path = \"../..\""));
    let manifest = MANIFEST.replace("../..", here);
    let program_text =
        PROGRAM.replace("1:8443", &format!("1:{}", ports[0])).replace("1:4433", &format!("1:{}", ports[1]));
    std::fs::create_dir(folder.0.join("src")).unwrap();
    std::fs::write(folder.0.join("Cargo.toml"), manifest).unwrap();
    std::fs::write(folder.0.join("src/main.rs"), program_text).unwrap();
    // Uses the workspace's versions, so that nothing is downloaded, and its settings and target folder, so that little
    // is built.
    std::fs::copy(Path::new(here).join("../Cargo.lock"), folder.0.join("Cargo.lock")).unwrap();
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--offline"])
        .current_dir(&folder.0)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo")
        .status()
        .unwrap();
    assert!(built.success(), "the example project does not compile");

    let mut server = children::command(target.join("release/greeter"));
    let _server = Running::start(server.current_dir(&folder.0).stdin(Stdio::null()));
    let start = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, ports[0])).is_err() {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not listen");
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut curl = program("curl").unwrap();
    curl.args(["--silent", "--noproxy", "*", "--cacert"]).arg(folder.certificate());
    let (is_good, page) = Running::start(curl.arg(format!("https://localhost:{}/", ports[0]))).finish();
    assert!(is_good && page == "Hello.\n", "{page}");
    assert_eq!(echoed((Ipv4Addr::LOCALHOST, ports[1]).into(), &identity, b"hello"), b"hello");
}

/// All Rust code in documents must be compiled: doc tests compile the code in these READMEs.
#[test]
fn documentation_contains_no_uncompiled_rust_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut with_rust = Vec::new();
    for folder in [
        "",
        "aead",
        "docs",
        "engine",
        "file",
        "lab",
        "c-abi",
        "openssl-provider",
        "rustls-provider",
        "collect",
        "vectors",
    ] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let page = entry.unwrap().path();
            if page.extension().is_some_and(|extension| extension == "md")
                && std::fs::read_to_string(&page).unwrap().lines().any(|line| line.trim_start().starts_with("```rust"))
            {
                with_rust.push(page.strip_prefix(&root).unwrap().to_owned());
            }
        }
    }
    with_rust.sort();
    assert_eq!(with_rust, ["README.md", "aead/README.md", "engine/README.md", "file/README.md"].map(Path::new));
}

/// Returns a port that was just free for TCP and UDP.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}
