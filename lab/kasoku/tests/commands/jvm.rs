//! `kasoku run jvm`: Java providers, HTTPS servers, and faulty or hostile `java` programs.

use std::path::{Path, PathBuf};

use kasoku_libraries::jvm::PROVIDERS;
use serde_json::Value;

use crate::support::{
    Sandbox, ask_worker, check_status, command_line, error_of, find, has, is_there, list, names, omissions, output_of,
    send_signal, series, text_of, wait_until, words,
};

/// The `java` of this machine. Panics in CI if there is none.
fn java() -> Option<PathBuf> {
    if has(&["java"]) { find("java") } else { None }
}

/// Writes a program `java` that reports itself as JDK 99 with `flags`, and runs `script` as a worker.
fn fake_java(sandbox: &Sandbox, name: &str, flags: &str, script: &str) -> PathBuf {
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in *-XshowSettings:properties*) \
         printf '    java.specification.version = 99\\n    java.runtime.version = 99-{name}\\n' >&2; \
         printf '     bool %s   = true   {{product}} {{default}}\\n' {flags}; exit 0;; esac\n{script}\n"
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
    sandbox.run("jvm", &arguments)
}

/// Runs `kasoku` with a folder for temporary files, of which nothing may be left. Returns the run document.
fn measure_without_leftovers(sandbox: &Sandbox, line: &str) -> (String, Value) {
    std::fs::create_dir(sandbox.path("tmp")).unwrap();
    let mut command = sandbox.command(&words(line));
    let output = output_of(command.env("TMPDIR", sandbox.path("tmp")).env("JAVA_TOOL_OPTIONS", "-XX:-UseAES"), 0);
    assert_eq!(names(&sandbox.path("tmp")), [""; 0]);
    (text_of(&output), sandbox.written("out.json"))
}

#[test]
fn run_jvm_measures_acceleration_on_and_off_and_flags_and_leaves_no_file() {
    let Some(_) = java() else { return };
    let line = format!("run jvm --json out.json {SHORT} --rounds 2 --jvm-flag=-XX:-UseGHASHIntrinsics");
    let (_, document) = measure_without_leftovers(&Sandbox::new(), &line);
    let all = series(&document, "sunjce");
    for one in &all {
        assert_eq!((&one["level"], &one["outcome"]), (&"jvm".into(), &"measured".into()), "{one}");
        assert_eq!(one["library_version"], one["details"]["jdk"]);
        assert!(one["median"].as_f64().unwrap() > 1e6, "{one}");
    }
    let in_state = |state: &str| all.iter().filter(|one| one["acceleration"] == state).collect::<Vec<_>>();
    let (on, off) = (in_state("on"), in_state("off"));
    assert!(off.iter().all(|one| one["code_path"] == "compiled-java"), "{off:?}");
    assert!(off.iter().all(|one| one["details"]["flags"].as_str().unwrap().contains("-XX:-UseAES")));
    let flagged = on.iter().filter(|one| one["details"]["flags"] == "-XX:-UseGHASHIntrinsics").count();
    assert_eq!(2 * flagged, on.len(), "half of the series have the flag: {on:?}");
    // JAVA_TOOL_OPTIONS must not switch the instructions off.
    if cfg!(target_arch = "x86_64") && std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains(" aes"))
    {
        assert!(on.iter().all(|one| one["code_path"].as_str().unwrap().contains("aes-intrinsics")), "{on:?}");
    }
}

#[test]
fn broken_java_programs_are_omitted_and_the_rest_measured() {
    let Some(_) = java() else { return };
    let sandbox = Sandbox::new();
    let javas = [
        fake_java(&sandbox, "garbage", "UseSHA", "echo this is no answer; cat >/dev/null"),
        fake_java(&sandbox, "flood", "UseSHA", "exec yes"),
        fake_java(&sandbox, "endless", "UseSHA", "exec tr '\\0' x </dev/zero"),
        fake_java(&sandbox, "refuses", "UseSHA", "echo \"Unrecognized VM option 'UseFoo'\" >&2; exit 1"),
        fake_java(&sandbox, "silent", "UseSHA", "exec sleep 600"),
    ];
    let (output, document) = run(&sandbox, &javas, &["--acceleration", "on"]);
    check_status(&output, 1);
    let told = omissions(&document);
    for expected in ["this is no answer", "sent an invalid answer: y", "line too long", "UseFoo", "no answer within"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    let measured = series(&document, "sunjce");
    assert!(measured.iter().any(|one| one["outcome"] == "measured"), "{}", error_of(&output));
}

#[test]
fn state_with_an_unknown_flag_is_omitted() {
    let Some(real) = java() else { return };
    let sandbox = Sandbox::new();
    let script = format!("exec {} \"$@\"", real.display());
    let (output, document) = run(&sandbox, &[fake_java(&sandbox, "older", "UseSHA", &script)], &[]);
    check_status(&output, 0);
    let is_told = |one: &Value| {
        one["acceleration"] == "off"
            && one["why"].as_str().unwrap().contains("unavailable: JDK 99-older has no flag UseAES")
    };
    assert!(list(&document["run"]["omissions"]).iter().any(is_told), "{}", omissions(&document));
    let is_older = |one: &&Value| one["details"]["jdk"] == "99-older";
    assert_eq!(series(&document, "sunjce").into_iter().filter(is_older).count(), 1, "acceleration on is measured");
}

#[test]
fn specjvm_scores_are_read_with_acceleration_on_and_off() {
    let Some(real) = java() else { return };
    let sandbox = Sandbox::new();
    let script = format!(
        "case \"$*\" in *' -jar '*' -it 10s crypto.aes') \
         case \"$*\" in *-UseAES*) echo 'Score on crypto.aes: 40.6 ops/m';; *) echo 'Score on crypto.aes: 42.73 \
         ops/m';; esac; exit 0;; esac; exec {} \"$@\"",
        real.display()
    );
    let java = fake_java(&sandbox, "spec", "UseAES UseGHASHIntrinsics UseCLMUL UseSHA", &script);
    std::fs::write(sandbox.path("SPECjvm2008.jar"), "").unwrap();
    let (output, document) = run(&sandbox, &[java], &["--specjvm", "SPECjvm2008.jar"]);
    check_status(&output, 0);
    let scores = series(&document, "specjvm2008");
    assert_eq!(scores.len(), 2);
    for one in scores {
        let expected = if one["acceleration"] == "on" { 42.73 } else { 40.6 };
        assert!((one["median"].as_f64().unwrap() - expected).abs() < 0.001, "{one}");
    }
}

/// Sends JSON lines to the worker of a library, which must leave no temporary file. Returns its answers.
fn ask(library: &str, more: &[&str], lines: &str) -> Vec<Value> {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("tmp")).unwrap();
    let mut worker = sandbox.command(&[&["worker", library], more].concat());
    let answers = ask_worker(worker.env("TMPDIR", sandbox.path("tmp")), lines);
    assert!(!names(&sandbox.path("tmp")).iter().any(|name| name.starts_with("kasoku")));
    answers
}

#[test]
fn java_worker_rejects_invalid_requests_and_continues() {
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
fn missing_nss_names_its_package() {
    let Some(_) = java() else { return };
    // For an unknown architecture, the worker searches only folders that rarely contain NSS.
    let answers = ask("nss", &["--jvm-flag=-Dos.arch=none"], "{\"operation\":\"describe\"}\n");
    if let Some(why) = answers[0]["unavailable"].as_str() {
        assert!(why.contains("libsoftokn3.so"), "{why}");
        assert_eq!(answers[0]["install"], "apt install libnss3");
    } else {
        let known = ["/usr/lib64", "/usr/lib", "/usr/local/lib"];
        assert!(known.iter().any(|folder| Path::new(folder).join("libsoftokn3.so").exists()), "{answers:?}");
    }
}

fn providers() -> [&'static str; 4] {
    PROVIDERS.map(|entry| entry.name)
}

/// Measures all Java providers, which Kasoku looks for in the folder `cache` if it is given.
fn measure_providers(sandbox: &Sandbox, cache: Option<&Path>) -> Value {
    let libraries = [&providers()[..], &["sunjce"]].concat().join(",");
    let line = format!(
        "run jvm --json out.json --quick --rounds 2 --libraries {libraries} --algorithms aes-256-gcm --sizes 1440"
    );
    output_of(sandbox.command(&words(&line)).envs(cache.map(|cache| ("KASOKU_CACHE", cache))), 0);
    sandbox.written("out.json")
}

#[test]
fn installed_java_providers_are_measured_and_verified() {
    let Some(_) = java() else { return };
    let document = measure_providers(&Sandbox::new(), None);
    let told = omissions(&document);
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
        let count_in_state = |state: &str| all.iter().filter(|one| one["acceleration"] == state).count();
        let has_switch = library != "bouncy-castle";
        assert_eq!((count_in_state("on"), count_in_state("off")), (1, usize::from(has_switch)), "{library}");
    }
    assert!(told.contains("never uses the instructions"), "{told}");
    let state = |state: &str| series(&document, "kasoku-jca").into_iter().find(|one| one["acceleration"] == state);
    if let Some((on, off)) = state("on").zip(state("off")) {
        assert_eq!(off["code_path"], "portable");
        assert_ne!(on["code_path"], "unknown");
    }
}

#[test]
fn missing_java_providers_are_omitted_with_an_install_command() {
    let Some(_) = java() else { return };
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("cache/java")).unwrap();
    std::fs::write(sandbox.path("cache/java/bcprov-jdk18on-99.9.jar"), "no archive").unwrap();
    let document = measure_providers(&sandbox, Some(&sandbox.path("cache")));
    assert!(!series(&document, "sunjce").is_empty(), "the other providers are measured");
    let all = list(&document["run"]["omissions"]);
    for (library, field, text) in [
        ("accp", "install", "jvm/fetch_providers.sh"),
        ("conscrypt", "why", "is neither beside this command"),
        ("bouncy-castle", "why", "cannot be used"),
    ] {
        let is_it = |one: &Value| one["library"] == library && one[field].to_string().contains(text);
        assert!(series(&document, library).is_empty() && all.iter().any(is_it), "{library}: {all:?}");
    }
    let answers = ask("accp", &["--library-file", "/no/such.jar"], "{\"operation\":\"describe\"}\n");
    assert!(answers[0]["unavailable"].as_str().unwrap().contains("no such file"), "{answers:?}");
}

/// A short run of HTTPS servers, which send a file of one MiB.
const SERVE: &str = "run jvm --operations serve --sizes 1M --rounds 2 --slice 30 --json out.json";

#[test]
#[cfg(target_os = "linux")]
fn https_server_uses_the_ciphers_of_each_provider() {
    let Some(_) = java() else { return };
    let line = format!("{SERVE} --algorithms tls_aes_128_gcm_sha256,tls_aes_256_gcm_sha384");
    let (screen, document) = measure_without_leftovers(&Sandbox::new(), &line);
    let told = omissions(&document);
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
            // Only Kasoku's provider counts its operations.
            let share = parameters["provider_share"].as_f64();
            assert_eq!(share.is_some(), library == "kasoku-jca", "{one}");
            assert!(share.is_none_or(|share| (0.9..1.3).contains(&share)), "{one}");
        }
    }
    assert!(screen.contains("HTTPS servers in Java: TLS_AES_128_GCM_SHA256, files of 1 MiB"), "{screen}");
}

#[test]
#[cfg(target_os = "linux")]
fn jdk_without_an_https_server_is_omitted_with_the_reason() {
    let Some(real) = java() else { return };
    let sandbox = Sandbox::new();
    let script = format!(
        "case \"$*\" in *' Server '*) exec {0} --limit-modules java.se,jdk.management,jdk.unsupported \"$@\";; esac; \
         exec {0} \"$@\"",
        real.display()
    );
    let java = fake_java(&sandbox, "little", "UseSHA", &script);
    sandbox.text(&[&words(SERVE)[..], &["--libraries", "sunjce", "--java", java.to_str().unwrap()]].concat());
    let document = sandbox.written("out.json");
    assert!(series(&document, "sunjce").is_empty(), "the fake JDK is the newest, and cannot serve");
    let told = omissions(&document);
    assert!(told.contains("no HTTPS server: JDK") && told.contains("has no module jdk.httpserver"), "{told}");
}

/// Process IDs of the Java servers that the process `id` started.
#[cfg(target_os = "linux")]
fn servers_of(id: u32) -> Vec<u32> {
    let is_server = |id: &u32| command_line(*id).contains(" Server ");
    kasoku_measure::tls::children_of(id).into_iter().filter(is_server).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn https_servers_end_with_the_laboratory_and_fail_only_their_series() {
    let Some(_) = java() else { return };
    for kills_all in [false, true] {
        let sandbox = Sandbox::new();
        let line = "run jvm --libraries sunjce --operations serve --sizes 1M --rounds 8 --slice 500 --json out.json";
        let mut run = sandbox.start(&words(line));
        wait_until("there is a server", || !servers_of(run.id()).is_empty());
        let server = servers_of(run.id())[0];
        send_signal("-9", if kills_all { run.id() } else { server });
        let status = run.wait().unwrap();
        if kills_all {
            // A zombie process keeps its ID, but has no command line.
            wait_until("the server ends", || command_line(server).is_empty());
        } else {
            let document = sandbox.written("out.json");
            let told = format!("{:?} {}", series(&document, "sunjce"), omissions(&document));
            assert!(told.contains("SIGKILL"), "{status:?}: {told}");
        }
    }
}

/// The level `files` asks a worker for encryption and decryption. The buffer is no multiple of the block size.
#[test]
fn java_worker_decrypts_the_file_that_it_encrypted() {
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
