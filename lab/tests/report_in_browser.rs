//! The page in a real browser: what it draws, and that its own policy has nothing to complain about.
//!
//! Needs Chromium (`apt-get install chromium`). Without it the test says so and, where `CI` is `true`, fails.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

mod synthetic;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kasoku_lab::report::html::render;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// What the browser made of a page.
struct Opened {
    dom: String,
    /// What it logged about the page: errors of scripts, resources and the security policy.
    console: Vec<String>,
}

#[test]
fn the_page_draws_its_charts_and_keeps_its_own_policy() {
    let Some(browser) = browser() else { return };
    let page = render(&[&synthetic::document()]);
    let opened = open(&browser, &page);
    assert!(opened.console.is_empty(), "{:#?}", opened.console);
    let charts = opened.dom.matches("<svg ").count();
    assert!(charts > 0);
    assert_eq!(charts, page.matches("<svg ").count(), "a chart was lost in parsing");
    assert_eq!(opened.dom.matches("<tr>").count(), page.matches("<tr>").count(), "a row was lost in parsing");
    assert!(opened.dom.contains("AES-256-CBC is 6.8 times") || opened.dom.contains(">AES-256-CBC</span> is 6.8 times"));
}

#[test]
fn a_hostile_document_neither_runs_nor_loads_anything() {
    let Some(browser) = browser() else { return };
    let opened = open(&browser, &render(&[&synthetic::hostile()]));
    assert!(opened.console.is_empty(), "{:#?}", opened.console);
    assert!(!opened.dom.contains("<img") && !opened.dom.contains("<script"));
    assert!(opened.dom.contains("&lt;/script&gt;&lt;img"));
}

/// The two above would prove nothing if a violation were not seen.
#[test]
fn a_violation_would_be_seen() {
    let Some(browser) = browser() else { return };
    let page = render(&[&synthetic::document()]).replace("</body>", "<script>document.title='ran'</script></body>");
    let opened = open(&browser, &page);
    assert!(opened.console.iter().any(|line| line.contains("Content Security Policy")), "{:#?}", opened.console);
    assert!(!opened.dom.contains("<title>ran</title>"), "the policy let a script run");
}

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .find(|candidate| candidate.is_file());
    if found.is_none() {
        let message = "no Chromium on the PATH: install it with `apt-get install chromium`";
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{message}");
        eprintln!("not tested: {message}");
    }
    found
}

fn open(browser: &Path, page: &str) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kasoku-report.html");
    std::fs::write(&file, page).unwrap();
    let mut child = Command::new(browser)
        // The sandbox needs privileges that containers and root lack; the page is our own.
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
        .args(["--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let out = read(child.stdout.take().unwrap());
    let log = read(child.stderr.take().unwrap());
    let deadline = Instant::now() + Duration::from_secs(120);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the browser did not end");
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(status.success(), "{status}");
    let (dom, log) = (out.join().unwrap(), log.join().unwrap());
    // The browser logs its own troubles (no D-Bus, no GPU) beside the page's; those of the page are marked.
    let is_of_page = |line: &&str| line.contains("CONSOLE") || line.contains("Content Security Policy");
    Opened { dom, console: log.lines().filter(is_of_page).map(str::to_owned).collect() }
}

/// Reads a pipe beside the wait, so that a full one cannot stop the browser.
fn read(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
