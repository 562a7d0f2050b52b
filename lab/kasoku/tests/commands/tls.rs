//! `kasoku run tls` with a real nginx, and `kasoku openssl-conf` and `kasoku libraries --program` with the provider.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{
    Sandbox, check_status, command_line, count_samples, error_of, has, list, names, omissions, output_of, processes_of,
    provider, send_signal, series, text_of, wait_until, words,
};

/// Returns a sandbox with a folder `served` for the server's files, or `None` where nginx or openssl is missing.
fn server_sandbox() -> Option<Sandbox> {
    let sandbox = Sandbox::new();
    sandbox.open_folder("served");
    has(&["nginx", "openssl"]).then_some(sandbox)
}

fn measure(sandbox: &Sandbox, line: &str) -> (String, Value) {
    sandbox.measure("tls", &[&["--dir", "served"], &words(line)[..]].concat())
}

/// Names of the server's files, and command lines of its processes.
fn leftovers(sandbox: &Sandbox) -> (Vec<String>, Vec<String>) {
    (names(&sandbox.path("served")), processes_of(sandbox))
}

#[test]
fn run_tls_measures_every_suite_and_removes_the_server() {
    let Some(sandbox) = server_sandbox() else { return };
    let (screen, document) =
        measure(&sandbox, "--libraries openssl --sizes 1M,300000 --workers 1,2 --rounds 2 --duration 0.1");
    assert_eq!(leftovers(&sandbox), (Vec::new(), Vec::new()));
    assert_eq!(document["run"]["complete"], true);

    let all = series(&document, "openssl");
    assert_eq!(all.len(), 5 * 2 * 2, "five suites, two sizes, two numbers of workers");
    for one in all {
        assert_eq!(
            (&one["level"], &one["operation"], &one["unit"]),
            (&"tls".into(), &"serve".into(), &"bytes/s".into())
        );
        assert_eq!((&one["outcome"], &one["note"]), (&"measured".into(), &Value::Null), "{one}");
        assert!(one["median"].as_f64().unwrap() > 1e6, "{one}");
        let parameter = |name: &str| one["details"][name].as_f64().unwrap_or_else(|| panic!("no {name}: {one}"));
        assert!(parameter("concurrency") >= parameter("workers"));
        let worst = parameter("worst_latency_s");
        assert!(worst > 0.0 && worst <= 2.0 && parameter("worst_request_s") >= worst, "{one}");
        assert!(parameter("connection_p50_s") <= parameter("connection_p99_s"));
        assert!(parameter("server_cpu") > 0.01 && parameter("server_cpu") <= 1.2, "{one}");
        assert!(parameter("server_cpu_max") >= parameter("server_cpu") && parameter("client_cpu") > 0.0);
        assert_eq!(parameter("hosts"), 1.0);
        let bottlenecks = ["server-cpu", "client-cpu", "shared-cpu", "memory", "neither"];
        assert!(bottlenecks.contains(&one["details"]["bottleneck"].as_str().unwrap()));
        let is_plain = |sample: &Value| sample["iterations"].as_u64() > Some(0) && sample["cpu_ns"].as_u64() > Some(0);
        assert!(list(&one["samples"]).iter().all(is_plain), "{one}");
    }
    let limits = list(&document["run"]["method"]["limits"]);
    assert!(limits.iter().any(|limit| limit["name"] == "nofile" && limit["published"] == "150000 180000"));
    let notes = document["run"]["notes"].to_string();
    assert!(
        notes.contains("the first system limit to be reached") && notes.contains("code paths are unknown"),
        "{notes}"
    );

    assert_eq!(sandbox.shown("last")["series"], document["series"]);
    assert!(screen.contains("Web server: throughput in Gbit/s") && screen.contains("times the throughput"), "{screen}");
    let page = sandbox.page();
    assert!(page.contains("150000 180000") && page.contains("AES128-GCM-SHA256"), "{page}");
}

/// Copies the system's libcrypto and libssl to the folder `name`, as files with `suffix`. The copies report another
/// version, which is returned. Returns `None` without a libcrypto.
fn copy_openssl(sandbox: &Sandbox, name: &str, suffix: &str) -> Option<String> {
    let libraries = sandbox.json(&["libraries", "--format", "json"]);
    let libcrypto = std::fs::canonicalize(libraries[0]["loaded_from"].as_str()?).unwrap();
    let folder = sandbox.open_folder(name);
    let find = |bytes: &[u8], text: &[u8]| bytes.windows(text.len()).position(|window| window == text);
    let bytes = std::fs::read(&libcrypto).unwrap();
    let version = libraries[0]["version"].as_str().unwrap();
    let text = [b"OpenSSL ", version.as_bytes(), b" "].concat();
    assert!(find(&bytes, &text).is_some(), "{} has no {version}", libcrypto.display());
    let last = if version.ends_with('9') { "8" } else { "9" };
    let other = format!("{}{last}", &version[..version.len() - 1]);
    let replaced = [b"OpenSSL ", other.as_bytes(), b" "].concat();
    for library in ["libcrypto", "libssl"] {
        let file = libcrypto.file_name().unwrap().to_str().unwrap().replace("libcrypto", library);
        let mut bytes = std::fs::read(libcrypto.with_file_name(file)).unwrap();
        while let Some(start) = find(&bytes, &text) {
            bytes[start..start + text.len()].copy_from_slice(&replaced);
        }
        std::fs::write(folder.join(format!("{library}{suffix}")), bytes).unwrap();
    }
    Some(other)
}

#[test]
fn run_tls_measures_another_openssl_under_the_same_nginx() {
    let Some(sandbox) = server_sandbox() else { return };
    let Some(other) = copy_openssl(&sandbox, "other", ".so.3") else { return };
    let line = "--libcrypto other/libcrypto.so.3 --libraries openssl --operations serve,handshake --sizes 300000 \
                --algorithms tls_aes_128_gcm_sha256 --workers 1 --concurrency 2 --rounds 5 --duration 0.1";
    let (screen, document) = measure(&sandbox, line);
    assert_eq!(leftovers(&sandbox), (Vec::new(), Vec::new()));
    let all = series(&document, "openssl");
    for operation in ["serve", "handshake"] {
        let of_operation: Vec<_> = all.iter().filter(|one| one["operation"] == operation).collect();
        let versions: Vec<&str> = of_operation.iter().map(|one| one["library_version"].as_str().unwrap()).collect();
        assert!(versions.len() == 2 && versions[0] != other && versions[1] == other, "{versions:?}");
        for one in of_operation {
            let (unit, file) = if operation == "serve" { ("bytes/s", 300_000) } else { ("ops/s", 0) };
            assert_eq!(
                (&one["outcome"], &one["unit"], &one["bytes"]),
                (&"measured".into(), &unit.into(), &file.into())
            );
            assert_eq!((list(&one["samples"]).len(), &one["details"]["concurrency"]), (5, &2.into()), "{one}");
            let server = one["details"]["server_cpu_s_per_handshake"].as_f64();
            let client = one["details"]["client_cpu_s_per_handshake"].as_f64();
            let is_cost = |seconds: Option<f64>| seconds.is_some_and(|seconds| seconds > 1e-5 && seconds < 0.1);
            let is_handshake = operation == "handshake";
            assert!(is_cost(server) == is_handshake && is_cost(client) == is_handshake, "{one}");
        }
    }
    let path = sandbox.path("other/libcrypto.so.3").canonicalize().unwrap();
    let found = list(&document["run"]["libraries"]);
    let found = found.iter().find(|found| found["version"] == *other);
    assert_eq!(found.unwrap()["loaded_from"].as_str(), path.to_str());
    for said in ["handshakes a second", &format!("openssl {other}")] {
        assert!(screen.contains(said), "{said} in {screen}");
    }
}

#[test]
fn run_tls_refuses_an_openssl_that_nginx_does_not_load() {
    let Some(sandbox) = server_sandbox() else { return };
    if copy_openssl(&sandbox, "alone", ".so.9").is_none() {
        return;
    }
    let list_only = words("run tls --list --libcrypto alone/libcrypto.so.9");
    // The loader ignores files of another name, so nginx starts with the system's.
    let line = "--dir served --algorithms tls_aes_128_gcm_sha256 --libraries openssl --sizes 300000 --workers 1 \
                --rounds 2 --duration 0.1 --libcrypto alone/libcrypto.so.9";
    let (output, document) = sandbox.run("tls", &words(line));
    check_status(&output, 1);
    let outcomes: Vec<&Value> = series(&document, "openssl").iter().map(|one| &one["outcome"]).collect();
    assert!(outcomes.len() == 2 && outcomes[0] == "measured" && outcomes[1] != "measured", "{outcomes:?}");
    assert!(document.to_string().contains("instead of the OpenSSL of"), "{document}");

    std::fs::write(sandbox.path("alone/libssl.so.3"), "no library").unwrap();
    sandbox.refusal(&list_only, "--libcrypto alone/libcrypto.so.9: ");
    for library in ["libssl.so.3", "libssl.so.9"] {
        std::fs::remove_file(sandbox.path("alone").join(library)).unwrap();
    }
    sandbox.refusal(&list_only, "nginx needs libssl too, and there is none beside it");
    let remote = words("run tls --libcrypto alone/libcrypto.so.9 --clients x --addresses 127.0.0.1");
    sandbox.refusal(&remote, "is of this host");
}

#[test]
fn killed_run_tls_resumes_at_the_unfinished_size() {
    let Some(sandbox) = server_sandbox() else { return };
    let line = "run tls --dir served --algorithms aes128-gcm-sha256,aes128-sha --libraries openssl --workers 1 \
                --sizes 300000,1M --duration 0.3 --rounds 4 --concurrency 2";
    let of_size = |document: &Value, bytes: u64| -> Vec<Value> {
        let series = document["series"].as_array().cloned().unwrap_or_default();
        series.into_iter().filter(|one| one["bytes"] == bytes).collect()
    };
    let has_samples = |one: &Value| !list(&one["samples"]).is_empty();
    let is_time = |document: &Value| of_size(document, 1 << 20).iter().any(has_samples);
    let (before, document) = sandbox.kill_and_resume(line, is_time, || {
        wait_until("nothing is left", || leftovers(&sandbox) == (Vec::new(), Vec::new()));
    });
    assert!(document["run"]["notes"].to_string().contains("was interrupted and resumed"));
    // The finished size keeps its samples. The other size has none from before the interruption.
    let (kept, known) = (of_size(&document, 300_000), of_size(&before, 300_000));
    assert_eq!((kept.len(), known.len()), (2, 2));
    for (one, before) in kept.iter().zip(&known) {
        assert_eq!((&one["samples"], &one["details"]), (&before["samples"], &before["details"]));
        assert!(one["details"]["worst_latency_s"].as_f64().unwrap() > 0.0 && one["median"].as_f64().unwrap() > 0.0);
    }
    let (anew, interrupted) = (of_size(&document, 1 << 20), of_size(&before, 1 << 20));
    assert_eq!(anew.len(), 2);
    let is_old = |sample: &Value| interrupted.iter().any(|before| list(&before["samples"]).contains(sample));
    assert!(!anew.iter().flat_map(|one| list(&one["samples"])).any(is_old));
    for one in kept.iter().chain(&anew) {
        assert_eq!(one["outcome"], "measured", "{one}");
        let mut rounds: Vec<_> = list(&one["samples"]).iter().map(|sample| sample["round"].as_u64()).collect();
        rounds.sort_unstable();
        assert_eq!(rounds, [0, 1, 2, 3].map(Some), "{one}");
    }
}

#[test]
fn killed_tls_client_is_restarted_and_no_series_fails() {
    let Some(sandbox) = server_sandbox() else { return };
    let line = "run tls --dir served --algorithms aes128-sha --libraries openssl --workers 1 --sizes 1M --duration 1 \
                --rounds 4 --concurrency 2 --json out.json";
    let mut run = sandbox.start(&words(line));
    wait_until("the run measures", || count_samples(&sandbox.last_if_any()) > 0);
    let is_client = |process: &u32| command_line(*process).contains("tls-client");
    let client = kasoku_measure::tls::children_of(run.id()).into_iter().find(is_client).unwrap();
    send_signal("-9", client);
    assert!(run.wait().unwrap().success());
    let document = sandbox.written("out.json");
    assert_eq!((&document["series"][0]["outcome"], count_samples(&document)), (&"measured".into(), 4), "{document}");
}

#[test]
fn run_tls_omits_unreachable_latency_limits_and_oversized_files() {
    let Some(sandbox) = server_sandbox() else { return };
    let (_, document) = measure(
        &sandbox,
        "--libraries openssl --algorithms aes128-sha --sizes 64M,1024G --workers 1 --latency-of request \
         --max-latency 0.01 --rounds 2 --duration 0.1",
    );
    for why in ["a request takes longer than 0.01 s", "files of 1024 GiB do not fit"] {
        assert!(omissions(&document).contains(why), "{}", omissions(&document));
    }
    assert_eq!(leftovers(&sandbox).0, [""; 0]);
}

#[test]
fn run_names_the_package_of_a_missing_nginx() {
    let sandbox = Sandbox::new();
    let without_path =
        |line: &str| sandbox.command(&words(line)).env("PATH", sandbox.path("nothing")).output().unwrap();
    let refused = without_path("run tls --quick --list");
    check_status(&refused, 2);
    assert!(error_of(&refused).contains("nginx is not in PATH"), "{}", error_of(&refused));
    // If other levels can run, tls is only left out.
    let listed = without_path("run --quick --list");
    check_status(&listed, 0);
    for part in ["not available: tls: nginx is not in PATH", "apt install nginx"] {
        assert!(text_of(&listed).contains(part), "{}", text_of(&listed));
    }
}

#[test]
fn run_tls_rejects_files_and_libraries_that_are_no_provider() {
    let Some(sandbox) = server_sandbox() else { return };
    let module = sandbox.path("kasoku.so");
    std::fs::write(&module, "no library").unwrap();
    let list_only = words("run tls --list --module kasoku.so");
    sandbox.refusal(&list_only, "--module kasoku.so: cannot be loaded: ");
    // OpenSSL silently ignores a library that is no provider. Kasoku does not.
    let libraries = sandbox.json(&["libraries", "--format", "json"]);
    let Some(libcrypto) = libraries[0]["loaded_from"].as_str() else { return };
    std::fs::copy(libcrypto, &module).unwrap();
    let line = "--dir served --algorithms tls_aes_128_gcm_sha256 --sizes 300000 --workers 1 --rounds 2 --duration 0.1";
    let (output, document) = sandbox.run("tls", &[&words(line)[..], &["--module", module.to_str().unwrap()]].concat());
    check_status(&output, 1);
    let (ours, theirs) = (series(&document, "kasoku"), series(&document, "openssl"));
    assert!(ours.len() == 1 && theirs.len() == 1 && theirs[0]["outcome"] == "measured", "{document}");
    let note = ours[0]["note"].as_str().unwrap();
    assert!(note.contains("did not load") && note.contains("openssl list -providers"), "{note}");
}

#[test]
fn openssl_conf_makes_node_use_the_provider() {
    let Some(provider) = provider().filter(|_| has(&["node"])) else { return };
    let sandbox = Sandbox::new();
    let counter = sandbox.path("counter");
    let arguments = ["openssl-conf", "--module", provider.to_str().unwrap(), "--counter", counter.to_str().unwrap()];
    std::fs::write(sandbox.path("openssl.cnf"), sandbox.text(&arguments)).unwrap();
    let script = "require('crypto').createCipheriv('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12)).update('a')";
    let output = Command::new("node").args(["-e", script]).env("OPENSSL_CONF", sandbox.path("openssl.cnf")).output();
    assert!(output.as_ref().is_ok_and(|output| output.status.success()), "{output:?}");
    let count = kasoku_libraries::openssl_provider::Count::read(&counter);
    assert!(count.is_some_and(|count| count.operations == 1), "{count:?}");
}

#[test]
fn libraries_command_says_that_a_process_does_not_use_the_provider() {
    let sandbox = Sandbox::new();
    let output = output_of(&mut sandbox.command(&["libraries", "--program", &std::process::id().to_string()]), 1);
    assert!(text_of(&output).contains("does not use Kasoku"));
    sandbox.refusal(&["libraries", "--program", "4999999"], "no such process: 4999999");
}

/// Waits until `kasoku libraries --program` prints `wanted` about a process, and returns what it prints. The provider
/// is loaded before it opens its counter.
fn program_report(sandbox: &Sandbox, process: &Child, wanted: &str) -> String {
    let mut told = String::new();
    wait_until(wanted, || {
        let output = sandbox.kasoku(&["libraries", "--program", &process.id().to_string()]);
        told = text_of(&output);
        told.contains(wanted)
    });
    told
}

/// Ends a process that reads its input to the end.
fn end(mut process: Child) {
    drop(process.stdin.take());
    assert!(process.wait().unwrap().success());
}

#[test]
fn libraries_program_prints_operation_counts_or_the_counter_error() {
    if provider().is_none() || !has(&["openssl"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let counter = sandbox.path("counter");
    for (path, says) in [
        (None, "no counter is configured"),
        (counter.to_str(), "0 operations on 0 bytes in 0 contexts"),
        (Some("/nowhere/counter"), "its counter failed: /nowhere/counter: cannot be opened: No such file"),
    ] {
        let named: Vec<&str> = path.iter().flat_map(|path| ["--counter", path]).collect();
        let configuration = sandbox.text(&[&["openssl-conf"], &named[..]].concat());
        std::fs::write(sandbox.path("openssl.cnf"), configuration).unwrap();
        let mut program = Command::new("openssl");
        program.args(["dgst", "-sha256"]).env("OPENSSL_CONF", sandbox.path("openssl.cnf"));
        let process = program.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        program_report(&sandbox, &process, says);
        end(process);
    }
}

/// A process chooses its own name and the names of the files that it maps.
#[test]
fn libraries_command_escapes_names_that_another_process_chooses() {
    if !has(&["python3"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let folder = sandbox.path("\u{1b}]0;owned\u{7}\u{1b}[31mred");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("kasoku.so"), [0; 4096]).unwrap();
    let script = "import mmap, os, sys; open('/proc/self/comm', 'w').write('\\x1b[32mgreen')\n\
                  module = mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 4096, prot=mmap.PROT_READ)\n\
                  named = os.memfd_create('kasoku-counter: \\x1b[33myellow'); os.ftruncate(named, 4096)\n\
                  trouble = mmap.mmap(named, 4096); sys.stdin.read()";
    let mut program = Command::new("python3");
    program.args(["-I", "-c", script]).arg(folder.join("kasoku.so"));
    let process = program.stdin(Stdio::piped()).spawn().unwrap();
    let told = program_report(&sandbox, &process, "yellow");
    for shown in ["\\u{1b}[32mgreen", "\\u{1b}]0;owned\\u{7}\\u{1b}[31mred/kasoku.so", "\\u{1b}[33myellow"] {
        assert!(told.contains(shown), "{told:?}");
    }
    assert!(!told.trim_end().contains(char::is_control), "{told:?}");
    end(process);
}

/// A service whose module is in a build folder loses the provider silently when the folder is cleaned.
#[test]
fn openssl_conf_prints_absolute_paths_and_warns_of_a_module_in_a_build_folder() {
    let Some(provider) = provider() else { return };
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("target/release")).unwrap();
    let module = sandbox.path("target/release/libkasoku_openssl.so");
    std::fs::copy(provider, &module).unwrap();
    let configured = || sandbox.kasoku(&["openssl-conf", "--module", module.to_str().unwrap(), "--counter", "count"]);
    let (text, module_line) = (text_of(&configured()), module.canonicalize().unwrap());
    let module_line = format!("module = {}\n", module_line.display());
    assert!(text.contains(&module_line) && text.contains("counter = /"), "{text}");
    assert_eq!(error_of(&configured()), "");
    std::fs::write(sandbox.path("target/CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55").unwrap();
    let output = configured();
    assert!(output.status.success() && text_of(&output).contains("module = "));
    let warning = error_of(&output);
    assert!(warning.contains("is in a build folder") && warning.contains("openssl-provider/install.sh"), "{warning}");
}

#[test]
fn run_tls_proves_the_use_of_the_provider() {
    let Some(sandbox) = server_sandbox().filter(|_| provider().is_some()) else { return };
    let (_, document) = measure(
        &sandbox,
        "--algorithms aes128-gcm-sha256,tls_aes_256_gcm_sha384 --sizes 1M --workers 1 --rounds 2 --duration 0.1",
    );
    assert_eq!((series(&document, "openssl").len(), series(&document, "kasoku").len()), (2, 2));
    for one in series(&document, "kasoku") {
        assert_eq!((&one["outcome"], &one["note"]), (&"measured".into(), &Value::Null), "{one}");
        let share = one["details"]["provider_share"].as_f64().unwrap();
        assert!((0.9..1.3).contains(&share), "{one}");
    }
    for (command, status, says) in
        [("openssl speed -seconds 1 -evp aes-128-gcm", 0, "used Kasoku: "), ("openssl version", 1, "Kasoku")]
    {
        sandbox.message(&[&["libraries", "--program"], &words(command)[..]].concat(), status, says);
    }
}
