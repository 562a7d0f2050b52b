//! `kasoku report`: chart files, and the language of the page.

use crate::support::Sandbox;

/// A device with published figures, so that no run is needed.
const DEVICE: &str = "i7-13700";

#[test]
fn report_writes_each_chart_by_its_name() {
    let sandbox = Sandbox::new();
    let listed = sandbox.text(&["report", DEVICE, "--chart", "list"]);
    assert!(listed.lines().any(|line| line.starts_with("hashes-hash ")), "{listed}");
    for line in listed.lines() {
        let name = line.split_whitespace().next().unwrap();
        sandbox.text(&["report", DEVICE, "--chart", &name.to_uppercase(), "-o", "x.svg"]);
        let svg = sandbox.read("x.svg");
        assert!(svg.starts_with("<svg xmlns=") && svg.contains(DEVICE), "{name}: {svg}");
    }
    let first = listed.split_whitespace().next().unwrap();
    sandbox.text(&["report", DEVICE, "--chart", first]);
    assert!(sandbox.path(&format!("{first}.svg")).is_file() && !sandbox.path("kasoku-report.html").exists());

    let error = sandbox.refusal(&["report", DEVICE, "--chart", "nothing"], "unknown chart \"nothing\"");
    assert!(error.contains(first), "{error}");
    sandbox.refusal(&["report", DEVICE, "Raspberry Pi4", "--chart", first], "--chart takes only one run");
}

#[test]
fn report_language_follows_the_lang_option_then_the_locale() {
    let sandbox = Sandbox::new();
    for (locale, arguments, language) in [
        ("ja_JP.UTF-8", &[][..], "ja"),
        ("ja_JP.UTF-8", &["--lang", "en"], "en"),
        ("en_US.UTF-8", &[], "en"),
        ("C", &["--lang", "ja"], "ja"),
    ] {
        let mut command = sandbox.command(&["report", DEVICE, "--out", "page.html"]);
        command.args(arguments).env_remove("LC_ALL").env_remove("LC_MESSAGES").env("LANG", locale);
        assert!(command.output().unwrap().status.success());
        let page = sandbox.read("page.html");
        assert!(page.contains(&format!("<html lang=\"{language}\">")), "{locale} {arguments:?}");
    }
}
