//! Opens pages in headless Chromium.
//!
//! Needs Chromium (`apt-get install chromium`). Without it, a test prints a message and, if `CI` is `true`, fails.

#![allow(dead_code)] // each test binary uses its part

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Result of opening a page in the browser.
pub(crate) struct Opened {
    /// HTML of the page after it was loaded.
    pub(crate) dom: String,
    /// Messages about the page: errors of scripts, resources and the security policy.
    pub(crate) console: Vec<String>,
}

pub(crate) fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .find(|candidate| candidate.is_file());
    if found.is_none() {
        let message = "no Chromium on the PATH: install it with `apt-get install chromium`";
        assert!(std::env::var("CI").unwrap_or_default().is_empty(), "{message}");
        eprintln!("not tested: {message}");
    }
    found
}

pub(crate) fn open(browser: &Path, page: &str) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kasoku-report.html");
    std::fs::write(&file, page).unwrap();
    let mut child = Command::new(browser)
        // Containers and root cannot use the browser's sandbox. The page is trusted.
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
    // The browser also logs its own errors (no D-Bus, no GPU). Messages of the page are marked.
    let is_of_page = |line: &&str| line.contains("CONSOLE") || line.contains("Content Security Policy");
    Opened { dom, console: log.lines().filter(is_of_page).map(str::to_owned).collect() }
}

/// Returns a page with `page` in a frame of `width` pixels, since browser windows cannot be so narrow. Runs `script`
/// after loading; the script reaches the frame as `frame`.
pub(crate) fn in_frame(page: &str, width: u32, script: &str) -> String {
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<!DOCTYPE html><meta charset=utf-8><title></title><iframe id=frame \
         style=\"width:{width}px;height:900px;border:0\" srcdoc=\"{escaped}\"></iframe><script>window.onload = () => \
         {{{script}}};</script>"
    )
}

/// Returns a page with `page` in a frame of `width` pixels. The outer page's title reports the measurements of the
/// inner page, which [`figure`] reads.
pub(crate) fn measuring(page: &str, width: u32) -> String {
    let script = "
        const inner = frame.contentDocument;
        const width = inner.documentElement.clientWidth;
        inner.querySelectorAll('details').forEach(fold => fold.open = true);
        const all = selector => [...inner.querySelectorAll(selector)];
        // The content of scrolling containers may be wider than the page.
        const scrolls = element => element.closest('.scroll table, pre code');
        const box = element => element.getBoundingClientRect();
        const outside = all('body *').filter(element => !scrolls(element) && !element.closest('defs')
            && (box(element).right > width + 1 || box(element).left < -1));
        const labels = all('svg text').filter(text => {
            const chart = box(text.closest('svg'));
            return box(text).right > chart.right + 2 || box(text).left < chart.left - 2;
        });
        const lost = all('a[href]').filter(link => !inner.querySelector(link.getAttribute('href')));
        const cut = all('.places table').filter(table => box(table).width > box(table.parentElement).width + 1);
        const drawn = all('.in-packets svg rect').filter(bar => /--s[0-9]/.test(bar.getAttribute('fill')));
        const places = all('.places .bar');
        const flat = drawn.filter(bar => !(box(bar).width > 0.2 && box(bar).height > 5))
            .concat(places.filter(bar => !(box(bar).width >= 1 && box(bar).height >= 3)));
        const counts = {outside, labels, lost, cut, drawn, places, flat, links: inner.links};
        document.title = 'wide=' + inner.documentElement.scrollWidth + ';'
            + Object.entries(counts).map(([name, found]) => name + '=' + found.length + ';').join('');";
    in_frame(page, width, script)
}

/// Reads a measurement of [`measuring`].
pub(crate) fn figure(dom: &str, name: &str) -> f64 {
    let text = dom.split_once(&format!("{name}=")).expect("the script measured nothing").1;
    text.split([';', '<']).next().unwrap().parse().unwrap()
}

/// Reads a pipe in a thread while the caller waits, so that a full pipe cannot block the browser.
fn read(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
