//! The README's server, in a new project outside the workspace.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::echo::echoed;
use crate::support::certificates::Identity;
use crate::support::children::{self, Running, program};
use crate::support::folder::Folder;

const README: &str = include_str!("../../README.md");

#[test]
fn readme_server_builds_and_runs_in_a_new_project() {
    if program("curl").is_none() {
        return;
    }
    let identity = Identity::ecdsa();
    let folder = Folder::new(&identity);
    let here = env!("CARGO_MANIFEST_DIR");
    let ports = [free_port(), free_port()];
    let manifest = block("toml");
    assert!(manifest.contains("\"kasoku/rustls-provider\""));
    // A separate workspace, because Cargo's folder for test files lies inside this one.
    let manifest = format!("{}\n[workspace]\n", manifest.replace("kasoku/rustls-provider", here));
    let program_text =
        block("rust").replace(":8443", &format!(":{}", ports[0])).replace(":4433", &format!(":{}", ports[1]));
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
    assert!(built.success(), "the README's example does not compile");

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

/// All Rust code in documents must be compiled: the READMEs of kasoku-aead, of the engine and of encrypted files by doc
/// tests, this crate's server by the test above.
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
    assert_eq!(
        with_rust,
        ["README.md", "aead/README.md", "engine/README.md", "file/README.md", "rustls-provider/README.md"]
            .map(Path::new)
    );
}

/// Returns the README's block in that language.
fn block(language: &str) -> &'static str {
    let start = README.split_once(&format!("```{language}\n")).unwrap().1;
    start.split_once("```").unwrap().0
}

/// Returns a port that was just free for TCP and UDP.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}
