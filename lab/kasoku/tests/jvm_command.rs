//! `kasoku run jvm` as a user meets it, and with a `java` that is broken or hostile.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // all of this file is tests; clippy sees only the functions marked so

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use support::{Sandbox, error_of, find, has, is_there, series, wait_until, words};

/// The `java` of this machine; without one a test fails where CI says it runs there, and says so elsewhere.
fn java() -> Option<PathBuf> {
    if has(&["java"]) { find("java") } else { None }
}

/// A program `java` that answers as a JDK of version 99 when it is asked what it is, and does `script` as a worker.
fn fake(sandbox: &Sandbox, name: &str, script: &str) -> PathBuf {
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in *-XshowSettings:properties*) \
         printf '    java.specification.version = 99\\n    java.runtime.version = 99-{name}\\n' >&2; \
         printf '     bool UseSHA   = true   {{product}} {{default}}\\n'; exit 0;; esac\n{script}\n"
    );
    sandbox.program(name, &text)
}

const SHORT: &str = "--quick --libraries sunjce --algorithms aes-128-gcm --sizes 1350";

fn run(sandbox: &Sandbox, javas: &[PathBuf], more: &[&str]) -> (std::process::Output, Value) {
    let rounds: &[&str] = if more.contains(&"--rounds") { &[] } else { &["--rounds", "2"] };
    let mut arguments = [&words(SHORT)[..], rounds, more].concat();
    for java in javas {
        arguments.extend(["--java", java.to_str().unwrap()]);
    }
    sandbox.run_level("jvm", &arguments)
}

fn omissions(document: &Value) -> Vec<String> {
    let all = document["run"]["omissions"].as_array().cloned().unwrap_or_default();
    all.iter().map(|one| format!("{} {}", one["acceleration"], one["why"])).collect()
}

/// Folders that the laboratory left among the temporary files.
fn left(sandbox: &Sandbox) -> usize {
    std::fs::read_dir(sandbox.path("tmp")).unwrap().count()
}

#[test]
fn both_states_are_measured_and_verified_and_nothing_is_left_behind() {
    let Some(_) = java() else { return };
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("tmp")).unwrap();
    let line = format!("run jvm --json out.json {SHORT} --rounds 2 --jvm-flag=-XX:-UseGHASHIntrinsics");
    let mut command = sandbox.command(&words(&line));
    let output = command.env("TMPDIR", sandbox.path("tmp")).env("JAVA_TOOL_OPTIONS", "-XX:-UseAES").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let document = sandbox.written("out.json");
    let all = series(&document, "sunjce");
    for one in &all {
        assert_eq!((&one["level"], &one["outcome"]), (&"jvm".into(), &"measured".into()), "{one}");
        assert_eq!(one["library_version"], one["details"]["jdk"]);
        assert!(one["median"].as_f64().unwrap() > 1e6, "{one}");
    }
    let of = |state: &str| all.iter().filter(|one| one["acceleration"] == state).collect::<Vec<_>>();
    let (on, off) = (of("on"), of("off"));
    assert!(off.iter().all(|one| one["code_path"] == "compiled-java"), "{off:?}");
    assert!(off.iter().all(|one| one["details"]["flags"].as_str().unwrap().contains("-XX:-UseAES")));
    let flagged = on.iter().filter(|one| one["details"]["flags"] == "-XX:-UseGHASHIntrinsics").count();
    assert_eq!(2 * flagged, on.len(), "one as the machine is, one with the flag: {on:?}");
    // On a CPU with the instructions they are used whatever the user's shell says.
    if cfg!(target_arch = "x86_64") && std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains(" aes"))
    {
        assert!(on.iter().all(|one| one["code_path"].as_str().unwrap().contains("aes-intrinsics")), "{on:?}");
    }
    assert_eq!(left(&sandbox), 0);
}

#[test]
fn a_broken_java_costs_its_own_series_and_not_the_run() {
    let Some(_) = java() else { return };
    let sandbox = Sandbox::new();
    let javas = [
        fake(&sandbox, "garbage", "echo this is no answer; cat >/dev/null"),
        fake(&sandbox, "flood", "exec yes"),
        fake(&sandbox, "endless", "exec tr '\\0' x </dev/zero"),
        fake(&sandbox, "refuses", "echo \"Unrecognized VM option 'UseFoo'\" >&2; exit 1"),
        fake(&sandbox, "silent", "exec sleep 600"),
    ];
    let (output, document) = run(&sandbox, &javas, &["--acceleration", "on"]);
    assert_eq!(output.status.code(), Some(1), "{}", error_of(&output));
    let told = omissions(&document).join("\n");
    for expected in ["this is no answer", "sent an invalid answer: y", "line too long", "UseFoo", "no answer within"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    let measured = series(&document, "sunjce");
    assert!(measured.iter().any(|one| one["outcome"] == "measured"), "{}", error_of(&output));
}

#[test]
fn a_flag_that_is_not_known_makes_its_state_unavailable() {
    let Some(real) = java() else { return };
    let sandbox = Sandbox::new();
    let script = format!("exec {} \"$@\"", real.display());
    let (output, document) = run(&sandbox, &[fake(&sandbox, "older", &script)], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let told = omissions(&document).join("\n");
    assert!(told.contains("\"off\" \"unavailable: JDK 99-older has no flag UseAES"), "{told}");
    let is_older = |one: &&&Value| one["details"]["jdk"] == "99-older";
    let all = series(&document, "sunjce");
    assert_eq!(all.iter().filter(is_older).count(), 1, "on is measured all the same");
}

#[test]
fn a_worker_that_is_killed_fails_its_own_series() {
    let Some(real) = java() else { return };
    let sandbox = Sandbox::new();
    // It lives long enough to be verified, and not to its end; each later one dies at once. What kills it has a session
    // of its own, since a worker is ended together with what it started.
    let script = format!(
        "if [ -e killed ]; then kill -9 $$; fi; \
         setsid sh -c \"sleep 6; touch killed; kill -9 $$\" >/dev/null 2>&1 & exec {} \"$@\"",
        real.display()
    );
    let (output, document) = run(
        &sandbox,
        &[fake(&sandbox, "mortal", &script)],
        &["--acceleration", "on", "--rounds", "30", "--slice", "200"],
    );
    assert_eq!(output.status.code(), Some(1), "{}", error_of(&output));
    let all = series(&document, "sunjce");
    let (mortal, others): (Vec<&Value>, Vec<&Value>) =
        all.iter().copied().partition(|one| one["details"]["jdk"] == "99-mortal");
    assert!(mortal[0]["note"].as_str().unwrap().contains("SIGKILL"), "{mortal:?}");
    assert!(!others.is_empty() && others.iter().all(|one| one["outcome"] == "measured"), "{others:?}");
}

#[test]
fn what_is_no_java_is_told_and_wrong_usage_is_refused() {
    let Some(_) = java() else { return };
    let sandbox = Sandbox::new();
    for list in [&[][..], &["--list"]] {
        let arguments = [&["run", "jvm", "--java", "/bin/true"], list].concat();
        assert!(sandbox.refusal(&arguments, "does not report its Java version").contains("--java /bin/true"));
        assert!(!sandbox.path("store.sqlite").exists(), "it is said before anything is measured");
    }
    for arguments in [
        ["--java", "/nowhere/java"],
        ["--jvm-flag", "-agentpath:/tmp/x.so"],
        ["--jvm-flag", "-XX:OnError=touch x"],
        ["--algorithms", "blowfish-cbc"],
    ] {
        sandbox.refusal(&[&["run", "jvm"], &arguments[..]].concat(), "");
    }
}

#[test]
fn the_original_benchmark_is_run_by_who_has_it() {
    let Some(real) = java() else { return };
    let sandbox = Sandbox::new();
    let script = format!(
        "case \"$*\" in *' -jar '*' -it 10s crypto.aes') \
         case \"$*\" in *-UseAES*) echo 'Score on crypto.aes: 40.6 ops/m';; *) echo 'Score on crypto.aes: 42.73 \
         ops/m';; esac; exit 0;; esac; exec {} \"$@\"",
        real.display()
    );
    // It knows the flags of both states.
    let java = fake(&sandbox, "spec", &script);
    let text = std::fs::read_to_string(&java).unwrap();
    let more = ["UseAES", "UseGHASHIntrinsics", "UseCLMUL"]
        .map(|name| format!("     bool {name} = true {{product}} {{default}}\\n"));
    let all = text.replacen("     bool UseSHA", &format!("{}     bool UseSHA", more.concat()), 1);
    let status = Command::new("/bin/sh").args(["-c", "printf '%s' \"$1\" >\"$0\""]).arg(&java).arg(all).status();
    assert!(status.unwrap().success());
    std::fs::write(sandbox.path("SPECjvm2008.jar"), "").unwrap();
    let jar = sandbox.path("SPECjvm2008.jar");
    let (output, document) = run(&sandbox, &[java], &["--specjvm", jar.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let scores: Vec<_> = series(&document, "specjvm2008")
        .iter()
        .map(|one| (one["acceleration"].as_str().unwrap().to_owned(), one["median"].as_f64().unwrap()))
        .collect();
    assert_eq!(scores.len(), 2);
    for (state, score) in scores {
        let expected = if state == "on" { 42.73 } else { 40.6 };
        assert!((score - expected).abs() < 0.001, "{state}: {score}");
    }
}

/// Asks the worker of a library by hand.
fn ask(library: &str, more: &[&str], lines: &str) -> Vec<Value> {
    let temporary = tempfile::tempdir().unwrap();
    let mut worker = Command::new(env!("CARGO_BIN_EXE_kasoku"))
        .args(["worker", library])
        .args(more)
        .env("TMPDIR", temporary.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut worker.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    let output = worker.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().filter(is_ours).count(), 0);
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn is_ours(entry: &std::io::Result<std::fs::DirEntry>) -> bool {
    entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("kasoku"))
}

#[test]
fn the_source_alone_is_a_worker_that_refuses_nonsense_and_goes_on() {
    let Some(_) = java() else { return };
    let deep = "[".repeat(10_000);
    let lines = format!(
        "{}\n{deep}\n{{\"operation\":7}}\nnull\n\n{}\n",
        [
            r#"{"operation":"hash","algorithm":"sha-256"}"#,
            r#"{"operation":"seal","algorithm":"aes-128-cbc"}"#,
            r#"{"operation":"seal","algorithm":"aes-128-gcm","bytes":999999999999}"#,
            r#"{"operation":"seal","algorithm":"aes-128-gcm","bytes":-1}"#,
            r#"{"operation":"seal","algorithm":"aes-128-gcm","threads":0}"#,
            r#"{"operation":"seal","algorithm":"aes-128-gcm","keys":9}"#,
            r#"{"operation":"seal","algorithm":"aes-128-gcm","packets":{"batch":2,"setup":true}}"#,
            concat!(
                r#"{"operation":"encrypt","algorithm":"aes-128-cbc","iterations":1,"#,
                r#""file":{"input":"/nowhere","output":"/nowhere/x","buffer":1}}"#
            ),
            r#"{"operation":"seal","algorithm":"aes-128-gcm","fixtures":{"key":"zz"}}"#,
            r#"{"operation":"seal","algorithm":"aes-128-gcm"} {}"#,
        ]
        .join("\n"),
        r#"{"operation":"describe"}"#
    );
    let answers = ask("sunjce", &[], &lines);
    let (last, refused) = answers.split_last().unwrap();
    assert_eq!(refused.len(), 14);
    for answer in refused {
        assert!(answer["error"].is_string() || answer["unsupported"].is_string(), "{answer}");
    }
    assert!(last["version"].is_string(), "{last}");
}

#[test]
fn without_nss_it_is_said_what_would_install_it() {
    let Some(_) = java() else { return };
    // On a machine of no known architecture the library is looked for in places where it is not.
    let answers = ask("nss", &["--jvm-flag=-Dos.arch=none"], "{\"operation\":\"describe\"}\n");
    if let Some(why) = answers[0]["unavailable"].as_str() {
        assert!(why.contains("libsoftokn3.so"), "{why}");
        assert_eq!(answers[0]["install"], "apt install libnss3");
    } else {
        let known = ["/usr/lib64", "/usr/lib", "/usr/local/lib"];
        assert!(known.iter().any(|folder| Path::new(folder).join("libsoftokn3.so").exists()), "{answers:?}");
    }
}

/// The providers that come as a jar.
fn providers() -> [&'static str; 4] {
    kasoku_libraries::jvm::PROVIDERS.map(|entry| entry.name)
}

fn run_providers(sandbox: &Sandbox, cache: Option<&Path>) -> (Option<i32>, String, Value) {
    let libraries = [&providers()[..], &["sunjce"]].concat().join(",");
    let line = format!(
        "run jvm --json out.json --quick --rounds 2 --libraries {libraries} --algorithms aes-256-gcm --sizes 1440"
    );
    let output = sandbox.command(&words(&line)).envs(cache.map(|cache| ("KASOKU_CACHE", cache))).output().unwrap();
    assert!(sandbox.path("out.json").exists(), "{}", error_of(&output));
    (output.status.code(), error_of(&output), sandbox.written("out.json"))
}

#[test]
fn providers_that_a_program_can_add_are_measured_and_verified_where_they_are() {
    let Some(_) = java() else { return };
    let sandbox = Sandbox::new();
    let (code, error, document) = run_providers(&sandbox, None);
    assert_eq!(code, Some(0), "{error}");
    let told = omissions(&document).join("\n");
    for library in providers() {
        let all = series(&document, library);
        if !is_there(!all.is_empty(), &format!("{library} (jvm/fetch_providers.sh; {told})")) {
            continue;
        }
        for one in &all {
            assert_eq!(one["outcome"], "measured", "{one}");
            let version = format!(" (JDK {})", one["details"]["jdk"].as_str().unwrap());
            assert!(one["library_version"].as_str().unwrap().ends_with(&version), "{one}");
        }
        let of = |state: &str| all.iter().filter(|one| one["acceleration"] == state).count();
        let has_switch = library != "bouncy-castle";
        assert_eq!((of("on"), of("off")), (1, usize::from(has_switch)), "{library}");
    }
    assert!(told.contains("never uses the instructions"), "{told}");
    let state = |state: &str| series(&document, "kasoku-jca").into_iter().find(|one| one["acceleration"] == state);
    if let Some((on, off)) = state("on").zip(state("off")) {
        assert_eq!(off["code_path"], "portable");
        assert_ne!(on["code_path"], "unknown");
    }
}

#[test]
fn a_provider_that_is_not_there_is_left_out_and_it_is_said_what_gets_it() {
    let Some(_) = java() else { return };
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("cache/java")).unwrap();
    std::fs::write(sandbox.path("cache/java/bcprov-jdk18on-99.9.jar"), "no archive").unwrap();
    let (code, error, document) = run_providers(&sandbox, Some(&sandbox.path("cache")));
    assert_eq!(code, Some(0), "{error}");
    assert!(!series(&document, "sunjce").is_empty(), "the rest is measured");
    let all = document["run"]["omissions"].as_array().unwrap();
    let has = |library: &str, field: &str, text: &str| {
        let is_it =
            |one: &Value| one["library"] == library && one[field].as_str().is_some_and(|one| one.contains(text));
        assert!(series(&document, library).is_empty() && all.iter().any(is_it), "{library}: {all:?}");
    };
    for library in ["accp", "conscrypt"] {
        has(library, "install", "jvm/fetch_providers.sh");
        has(library, "why", "is neither beside this command");
    }
    has("bouncy-castle", "why", "cannot be used");
    let answers = ask("accp", &["--library-file", "/no/such.jar"], "{\"operation\":\"describe\"}\n");
    assert!(answers[0]["unavailable"].as_str().unwrap().contains("no such file"), "{answers:?}");
}

/// Short: a file of one MiB, sent for some milliseconds a step.
const SERVE: &str = "run jvm --operations serve --sizes 1M --rounds 2 --slice 30 --json out.json";

#[test]
#[cfg(target_os = "linux")]
fn an_https_server_has_its_ciphers_from_each_provider_that_is_here() {
    let Some(_) = java() else { return };
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("tmp")).unwrap();
    let algorithms = ["--algorithms", "tls_aes_128_gcm_sha256,tls_aes_256_gcm_sha384"];
    let mut command = sandbox.command(&[&words(SERVE)[..], &algorithms].concat());
    let output = command.env("TMPDIR", sandbox.path("tmp")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let document = sandbox.written("out.json");
    let told = omissions(&document).join("\n");
    for (library, cipher) in [("sunjce", "SunJCE"), ("kasoku-jca", "Kasoku"), ("accp", "AmazonCorrettoCryptoProvider")]
    {
        let all = series(&document, library);
        if !is_there(!all.is_empty(), &format!("{library} (jvm/fetch_providers.sh; {told})")) {
            continue;
        }
        assert_eq!(all.len(), 2, "{library}");
        for one in all {
            assert_eq!((&one["level"], &one["operation"]), (&"jvm".into(), &"serve".into()));
            assert_eq!((&one["outcome"], &one["bytes"]), (&"measured".into(), &(1 << 20).into()), "{one}");
            assert!(one["median"].as_f64().unwrap() > 1e6, "{one}");
            let parameters = &one["details"];
            assert_eq!((&parameters["experiment"], &parameters["connections"]), (&"https".into(), &2.into()), "{one}");
            assert_eq!(parameters["cipher"], cipher);
            assert!(parameters["server_cpu_s_per_gb"].as_f64().unwrap() > 0.0, "{one}");
            // Whoever counts has done all of it; whoever does not has no such figure.
            let share = parameters["provider_share"].as_f64();
            assert_eq!(share.is_some(), library == "kasoku-jca", "{one}");
            assert!(share.is_none_or(|share| (0.9..1.3).contains(&share)), "{one}");
        }
    }
    let read: kasoku_model::document::Document = serde_json::from_value(document.clone()).unwrap();
    assert!(read.series.iter().all(|one| one.workload().https().is_some_and(|https| https.connections == 2)));
    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(summary.contains("HTTPS servers in Java: TLS_AES_128_GCM_SHA256, files of 1 MiB"), "{summary}");
    assert_eq!(left(&sandbox), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_jdk_without_the_server_is_told_and_costs_nothing_else() {
    let Some(real) = java() else { return };
    let sandbox = Sandbox::new();
    let script = format!(
        "case \"$*\" in *' Server '*) exec {0} --limit-modules java.se,jdk.management,jdk.unsupported \"$@\";; esac; \
         exec {0} \"$@\"",
        real.display()
    );
    let java = fake(&sandbox, "little", &script);
    sandbox.text(&[&words(SERVE)[..], &["--libraries", "sunjce", "--java", java.to_str().unwrap()]].concat());
    let document = sandbox.written("out.json");
    assert!(series(&document, "sunjce").is_empty(), "the newest is that one");
    let told = omissions(&document).join("\n");
    assert!(told.contains("no HTTPS server: JDK") && told.contains("has no module jdk.httpserver"), "{told}");
}

/// The servers of Java that the process `id` has.
#[cfg(target_os = "linux")]
fn servers_of(id: u32) -> Vec<u32> {
    let is_server = |id: &u32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == b"Server")
    };
    kasoku_measure::tls::children_of(id).into_iter().filter(is_server).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn servers_die_with_the_laboratory_and_one_that_dies_costs_its_own_series() {
    let Some(_) = java() else { return };
    for kills_all in [false, true] {
        let sandbox = Sandbox::new();
        let line = "run jvm --libraries sunjce --operations serve --sizes 1M --rounds 8 --slice 500 --json out.json";
        let mut run = sandbox.start(&words(line));
        wait_until("there is a server", || !servers_of(run.id()).is_empty());
        let server = servers_of(run.id())[0];
        let victim = if kills_all { run.id() } else { server };
        Command::new("kill").args(["-9", &victim.to_string()]).status().unwrap();
        let status = run.wait().unwrap();
        if kills_all {
            // One that nobody waits for keeps its number, and has no command any more.
            let command = || std::fs::read(format!("/proc/{server}/cmdline")).unwrap_or_default();
            wait_until("the server ends", || command().is_empty());
        } else {
            let document = sandbox.written("out.json");
            let told = format!("{:?} {}", series(&document, "sunjce"), omissions(&document).join("\n"));
            assert!(told.contains("SIGKILL"), "{status:?}: {told}");
        }
    }
}

/// What the level `files` asks: both directions of both modes, in pieces that are not whole blocks.
#[test]
fn a_file_comes_back_as_it_was() {
    let Some(_) = java() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text: Vec<u8> = (0..100_003_u32).map(|byte| ((byte * 7) >> 3) as u8).collect();
    std::fs::write(path("text"), &text).unwrap();
    for (library, algorithm) in [("sunjce", "aes-128-cbc"), ("sunjce", "aes-256-gcm"), ("kasoku-jca", "aes-256-gcm")] {
        let line = |operation: &str, input: &str, output: &str| {
            serde_json::json!({"operation": operation, "algorithm": algorithm, "iterations": 2, "output": true,
                               "file": {"input": path(input), "output": path(output), "buffer": 1000}})
        };
        let lines = format!("{}\n{}\n", line("encrypt", "text", "sealed"), line("decrypt", "sealed", "back"));
        let answers = ask(library, &[], &lines);
        let is_here = library == "sunjce" || !answers[0]["unavailable"].is_string();
        if !is_there(is_here, &format!("{library} (java/build.sh; {answers:?})")) {
            continue;
        }
        for answer in &answers {
            assert!(answer["nanoseconds"].as_u64().unwrap() > 0 && answer["iterations"] == 2, "{answer}");
            assert_eq!(answer["check"].as_str().unwrap().len(), 32);
        }
        assert_ne!(answers[0]["check"], answers[1]["check"]);
        assert!(std::fs::read(path("back")).unwrap() == text, "{algorithm}");
        let longer = if algorithm.ends_with("cbc") { 13 } else { 16 };
        assert_eq!(std::fs::metadata(path("sealed")).unwrap().len(), text.len() as u64 + longer);
    }
}
