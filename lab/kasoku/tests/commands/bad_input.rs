//! Wrong usage and bad input: each error is one line that names the fault, and leaves no file behind.

use crate::support::{Sandbox, check_status, error_of, output_of, short, text_of, words};

const FEW: &str = "run primitives --libraries rustcrypto --algorithms sha-256 --sizes 64";

/// Command lines with their exit status and a part of the error message.
const MISTAKES: &[(&[&str], i32, &str)] = &[
    // Numbers below zero are values, not options.
    (&["run", "--sizes", "-5"], 2, "invalid value '-5' for '--sizes <BYTES>': a size is a whole number of bytes"),
    (&["run", "--rounds", "-1"], 2, "the number of rounds must be from 1 to 10000"),
    (&["rank", "aes-128-gcm", "--bytes", "-1"], 2, "a size is a whole number of bytes"),
    (&["show", "-1"], 2, "there is no run \"-1\""),
    // Counts outside their range.
    (&["run", "--threads", "0"], 2, "the number of threads must be from 1 to 1024, or all"),
    (&["run", "--slice", "0"], 2, "the number of milliseconds must be from 1 to 2000"),
    (&["run", "files", "--repetitions", "0"], 2, "the number of repetitions must be from 1 to 10000"),
    (&["run", "tls", "--workers", "1,0"], 2, "the number of workers must be from 1 to"),
    (&["run", "tls", "--concurrency", "0"], 2, "the number of connections must be from 1 to 65536"),
    (&["run", "--slice", "9999999999999999999999"], 2, "the number of milliseconds must be from 1 to 2000"),
    (&["selfcheck", "--comparisons", "0"], 2, "the number of comparisons must be from 10 to 1000"),
    (&["ab", "--warmup", "-1", "true", "true"], 2, "the number of warm-up runs must be from 0 to 1000"),
    (&["compare", "last", "last-1", "--require", "0"], 2, "the number of workloads must be from 1 to"),
    (&["runs", "prune", "--keep", "few"], 2, "the number of runs must be from 0 to"),
    // Values that begin with a dash.
    (&["export", "last", "-o", "-x"], 2, "to give -o the value '-x', use '-o=-x'"),
    (&["run", "--json", "-x"], 2, "use '--json=-x'"),
    (&["runs", "--store", "-x"], 2, "use '--store=-x'"),
    (&["--store", "-x", "runs"], 2, "use '--store=-x'"),
    (&["report", "last", "--out", "-x.html"], 2, "use '--out=-x.html'"),
    // Misspelled words, for most of which the error suggests the right one.
    (&["encrypt", "--key", "key", "in"], 2, "unrecognized subcommand"),
    (&["run", "--libraries", "opensl"], 2, "did you mean openssl"),
    (&["run", "primitve"], 2, "a similar value exists: 'primitives'"),
    (&["run", "tsl"], 2, "[possible values: primitives, packets, files, jvm, tls]"),
    (&["run", "--acceleration", "of"], 2, "did you mean off"),
    (&["run", "--algorithms", "aes-129-gcm"], 2, "did you mean"),
    (&["run", "--operations", "encypt"], 2, "did you mean encrypt"),
    (&["run", "--workers", "2"], 2, "--workers is for the level tls: kasoku run tls --workers …"),
    (&["advise", "--for", "ngnix"], 2, "web-server"),
    (&["selfcheck", "--format", "csv"], 2, "invalid value 'csv'"),
    (&["libraries", "--format", "json", "--program", "true"], 2, "cannot be used with"),
    (&["run", "tls", "--server", "10.9.9.9", "--list"], 2, "it does not work with other hosts"),
    (&["steps", "last", "--algorithm", "sm3"], 2, "has nothing of that algorithm"),
    (&["openssl-conf", "--module", "/etc/passwd"], 2, "cannot be loaded"),
    // Missing runs and figures.
    (&["show", "nosuch"], 2, "there is no run \"nosuch\""),
    (&["show", ""], 2, "there is no run \"\""),
    (&["show", "last-99"], 2, "there is no run \"last-99\""),
    (&["runs", "delete", "nosuch", "--yes"], 2, "there is no run \"nosuch\""),
    (&["rank", "aes-128-gcm", "--bytes", "17"], 1, "17 B"),
    (&["rank", "chacha20"], 1, "did you mean chacha20-poly1305?"),
    (&["export", "x", "--store", "empty.sqlite"], 2, "holds no runs yet; make one with `kasoku run`"),
    (&["export", "last", "-o", "."], 2, "it is a folder"),
    // Queries that have no result.
    (&["rank", "aes-128-gcm", "--operation", "sign"], 2, "it supports seal and open"),
    (&["rank", "x25519", "--bytes", "16"], 2, "has no sizes"),
    (&["rank", "aes-128-gcm", "--store", "/nonexistent/kasoku.sqlite"], 2, "there is no store"),
    (&["steps", "a machine nobody has"], 2, "is not a published device"),
    (&["compare", "last", "last", "--threshold", "-1"], 2, "the threshold must be a percentage"),
    (&["compare", "last", "last", "--threshold", "nan"], 2, "the threshold must be a percentage"),
    (&["runs", "prune"], 2, "required arguments were not provided"),
    (&["runs", "prune", "--older-than", "30"], 2, "an age must be a number of hours"),
    // Runs that cannot be measured.
    (&["run", "--algorithms", "rot13"], 2, "aes-256-gcm"),
    (&["run", "--libraries", "nosuch"], 2, "rustcrypto"),
    (&["run", "--sizes", "0"], 2, "from 1 to"),
    (&["run", "--sizes", "16,many"], 2, "from 1 to"),
    (&["run", "--acceleration", "turbo"], 2, "no-vaes"),
    (&["run", "--threads", "1024"], 2, "each thread needs one"),
    (&["run", "--libcrypto", "/no/such/libcrypto.so"], 2, "no such file"),
    (&["run", "--quick", "--as-published"], 2, "cannot be used with"),
    (&["run", "primitives", "--sizes", "sweep"], 2, "name the algorithms"),
    (&["run", "--algorithms", "aes-128-ctr", "--sizes", "sweep"], 2, "level primitives"),
    (&["run", "primitives", "--algorithms", "aes-128-ctr", "--sizes", "sweeps"], 2, "sweep"),
    (&["run", "packets", "--dir", "."], 2, "--dir is for the levels files and tls: kasoku run files --dir …"),
    (&["run", "files", "--cold", "--end-to-end"], 2, "--end-to-end is for the level packets"),
    (&["run", "packets", "--cold"], 2, "--cold is for the level files"),
    (&["run", "packets", "--algorithms", "sha-256"], 2, "packets are protected with aes-128-gcm and aes-256-gcm"),
    (&["run", "packets", "--operations", "hash"], 2, "unprotect"),
    (&["run", "packets", "--libraries", "rustcrypto", "--nonces", "counted"], 2, "packets have a nonce each"),
    (&["run", "packets", "--libraries", "specjvm2008"], 2, "there is nothing to measure"),
    (
        &["run", "jvm", "--list", "--java", "/bin/true"],
        2,
        "--java /bin/true: /bin/true: does not report its Java version",
    ),
    (&["run", "jvm", "--java", "/nowhere/java"], 2, "no such program or folder"),
    (&["run", "jvm", "--jvm-flag", "-agentpath:/tmp/x.so"], 2, "a flag must be -XX:"),
    (&["run", "jvm", "--jvm-flag", "-XX:OnError=touch x"], 2, "a flag must be -XX:"),
    (&["run", "jvm", "--algorithms", "blowfish-cbc"], 2, "there is nothing to measure"),
    (&["run", "primitives", "--libcrypto", "diary", "--list"], 2, "--libcrypto diary: cannot load "),
    // The error includes the dynamic loader's reason.
    (&["run", "primitives", "--libraries", "openssl", "--libcrypto", "diary"], 2, "file too short"),
    (&["run", "primitives", "--libcrypto", "/etc/passwd"], 2, "invalid ELF header"),
    (&["run", "primitives", "--sizes", "100M"], 2, "only the levels files and tls allow more than"),
    (&["run", "files", "--dir", "nowhere"], 2, "no such folder"),
    (&["run", "files", "--dir", "/proc"], 2, "cannot create files there"),
    (&["run", "files", "--sizes", "2000G"], 2, "a size is a whole number"),
    (&["run", "files", "--algorithms", "sha-256"], 2, "files are encrypted with"),
    (&["run", "files", "primitives", "--resume", "last"], 2, "--resume works for runs of files"),
    (&["run", "files", "--resume", "last", "--store", "new/store.sqlite"], 2, "there is no store at"),
    (&["run", "tls", "--module", "nowhere.so"], 2, "no such file"),
    (&["run", "tls", "--max-latency", "never"], 2, "a duration must be from 0.01"),
    (&["run", "tls", "--latency-of", "handshake"], 2, "of a connection or of a request"),
    (&["run", "tls", "--algorithms", "aes-128-gcm"], 2, "measured with cipher suites"),
    (&["run", "tls", "--libraries", "ring"], 2, "the libraries openssl and kasoku"),
    (&["run", "packets", "--end-to-end", "--sizes", "100"], 2, "from 1200 to 65507 bytes"),
    (&["run", "packets", "--end-to-end", "--libraries", "openssl"], 2, "the libraries aws-lc, ring and kasoku"),
    (&["run", "packets", "--end-to-end", "--algorithms", "sha-256"], 2, "aes-128-gcm or aes-256-gcm"),
    (&["run", "packets", "--operations", "transfer", "--acceleration", "off"], 2, "with acceleration on"),
    // Files that cannot be written or read.
    (&["run", "--json", "no/such/folder/out.json"], 2, "folder"),
    (&["run", "--store", "."], 2, "it is not a regular file"),
    (&["run", "--store", "diary"], 2, "is not a Kasoku store"),
    (&["report", "--out", "/proc/x.html"], 2, "files cannot be created in its folder"),
    (&["report", "--out", "/etc/passwd/x.html"], 2, "its folder is a file"),
    (&["ab", "--json", "-", "true", "true"], 2, "something else goes to standard output: name a file"),
    (&["import", "--store", "new/store.sqlite", "/nonexistent"], 2, "nothing was stored"),
    (&["site", "--store", "none.sqlite", "--out", "new"], 2, "there is no store at"),
    (&["manual", "/nowhere"], 2, "/nowhere: "),
    // `kasoku ab`.
    (&["ab", "true", "nosuchprogram --x"], 2, "B: program not found: nosuchprogram"),
    (&["ab", "./nosuch", "true"], 2, "A: program not found: ./nosuch"),
    (&["ab", "true", "'true"], 2, "B: unclosed quote"),
    (&["ab", "true", ""], 2, "B is empty"),
    (&["ab", "--", "true", "--", "true", "--"], 2, "C is empty"),
    (&["ab", "-P", "n=1,2", "true", "true"], 2, "no command contains {n}, the place of --parameter n"),
    (&["ab", "-P", "n=1", "-P", "n=2", "sleep {n}"], 2, "--parameter n is given twice"),
    (&["ab", "-P", "n=1", "sleep {n}"], 2, "two commands are needed"),
    (&["ab", "-P", "n", "sleep {n}"], 2, "write NAME=a,b,c"),
    (
        &["ab", "-P", "a=0,1,2,3,4,5,6,7,8,9", "-P", "b=0,1,2,3,4,5,6,7,8,9,10", "echo {a}{b}"],
        2,
        "more than 100 commands",
    ),
    (&["ab", "--markdown", "-", "--format", "json", "true", "true"], 2, "something else goes to standard output"),
    (&["ab", "--", "true", "--"], 2, "B is empty"),
    (&["ab", "--shell", "--", "true", "--", "true"], 2, "--shell takes each command in quotes"),
    (&["ab", "true"], 2, "two commands are needed"),
    (&["ab", "--rounds", "4", "true", "true"], 2, "the number of rounds must be from 5 to 10000"),
    (&["ab", "--time", "0", "true", "true"], 2, "the number of seconds must be from 1 to 86400"),
    (&["ab", "--json", "nosuch/x.json", "true", "true"], 2, "its folder does not exist"),
    (&["run", "--report", "/etc/passwd/x.html", "--libraries", "rustcrypto"], 2, "its folder is a file"),
];

#[test]
fn usage_errors_print_one_line_and_leave_no_file() {
    let sandbox = Sandbox::new();
    sandbox.text(&short(FEW));
    std::fs::write(sandbox.path("diary"), "dear diary").unwrap();
    kasoku_store::Store::open(&sandbox.path("empty.sqlite")).unwrap();
    let pages = sandbox.pages();
    for &(arguments, status, says) in MISTAKES {
        let said = sandbox.message(arguments, status, says);
        // clap prints the usage after an empty line.
        let lines = said.lines().take_while(|line| !line.is_empty()).count();
        assert!((status == 1 || lines <= 2) && !said.contains("-- -"), "{arguments:?}: {said}");
    }
    assert_eq!(sandbox.pages(), pages);
    assert_eq!(sandbox.read("diary"), "dear diary");
    assert!(!sandbox.path("new").exists() && !sandbox.path("-").exists());
}

#[test]
fn dash_as_output_file_is_standard_output() {
    let sandbox = Sandbox::new();
    for (arguments, begins) in
        [(&["export", "i7-950", "-o", "-"][..], "{"), (&["report", "i7-950", "--out", "-"], "<!DOCTYPE html>")]
    {
        let output = sandbox.kasoku_without_a_store(arguments);
        check_status(&output, 0);
        assert!(text_of(&output).starts_with(begins), "{arguments:?}");
    }
    assert!(!sandbox.path("-").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn full_standard_output_still_writes_the_result_files() {
    let sandbox = Sandbox::new();
    let run = format!("{FEW} --rounds 18 --slice 1 --json run.json --report page.html");
    for (line, says) in
        [(&run[..], "; the run is kept as "), ("ab --rounds 8 --json ab.json true true", "standard output")]
    {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = output_of(sandbox.command(&words(line)).stdout(full), 1);
        assert!(error_of(&output).contains(says), "{}", error_of(&output));
    }
    for file in ["run.json", "ab.json", "page.html"] {
        assert!(std::fs::metadata(sandbox.path(file)).unwrap().len() > 1000, "{file}");
    }
}
