//! Transcripts as people publish them: prompts, masks, engines, remarks, trimmed and joined tables.

#![allow(clippy::unwrap_used)]

use kasoku_import::{ImportError, Imported, ImportedMachine, import};
use kasoku_model::document::Series;
use kasoku_model::openssl_speed::AeadRow;

/// Lines of OpenSSL 1.1.1 above the rows of a table.
const HEAD: &str = "OpenSSL 1.1.1w  11 Sep 2023\nbuilt on: Wed Sep 13 19:21:33 2023 UTC\noptions:bn(64,64)\n\
    compiler: gcc -fPIC -pthread\ntype             16 bytes     64 bytes\n";
const CBC: &str = "aes-128-cbc     101111.11k   202222.22k\n";
/// Mask that disables AES and carry-less multiply.
const OFF: &str = "~0x200000200000000";

fn read(text: &str) -> Imported {
    import("test", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns the operation, acceleration and figure of the only machine's first series.
fn first_series(text: &str) -> (String, String, f64) {
    let imported = read(text);
    assert_eq!((imported.machines.len(), imported.left_out.len()), (1, 0), "{:?}\n{text}", imported.left_out);
    let series = &imported.machines[0].document.series[0];
    (series.operation.to_string(), series.acceleration.to_string(), series.median.unwrap())
}

/// Returns the numbers of the lines that are left out, with the reasons.
fn left_out(text: &str) -> Vec<(usize, String)> {
    read(text).left_out.into_iter().map(|remark| (remark.line.unwrap(), remark.text)).collect()
}

fn series(text: &str) -> Vec<Series> {
    read(text).machines.into_iter().flat_map(|machine| machine.document.series).collect()
}

#[test]
fn import_finds_commands_behind_any_prompt_or_wrapper() {
    for command in [
        "pi@raspberrypi:~ $ openssl",
        "[root@server ~]# openssl",
        "[[email protected] ~]$ openssl",
        "[12:34:56] # openssl",
        "C:\\>openssl",
        "C:\\Program Files\\Git> \"bin\\openssl.exe\"",
        "PS C:\\Users\\me> .\\openssl.exe",
        "(base) me@mac bin % ./openssl-1.1",
        "➜  ~ apps/openssl",
        "BusyBox v1.36 / # openssl11",
        "$openssl",
        "$ ${OPENSSL_BIN}",
        "OpenSSL>",
        "for i in 1 2; do sudo perf stat -e cycles nice -n -5 eopenssl33",
        "ssh router 'openssl",
        "Results of openssl",
        "### `openssl",
        "<code>openssl",
    ] {
        let text = format!("First:\n{command} speed -elapsed -evp aes-128-cbc -decrypt 2>&1 | tee log\n{HEAD}{CBC}");
        let text = text.trim_start_matches(if command.starts_with('[') { "First:\n" } else { "" });
        assert_eq!(first_series(text), ("decrypt".into(), "on".into(), 101_111_110.0), "{command}");
    }
    let heading = format!("openssl speed -evp aes-128-cbc -decrypt:\n{HEAD}{CBC}");
    assert_eq!(first_series(&heading).0, "decrypt");
    let continued = format!("$ openssl speed -elapsed \\\n    -decrypt \\\n    -evp aes-128-cbc\n{HEAD}{CBC}");
    assert_eq!(first_series(&continued).0, "decrypt");
}

#[test]
fn import_reads_options_however_they_are_typeset() {
    for line in [
        "$ openssl speed –evp aes-128-cbc –decrypt",
        "\u{a0}openssl speed -decrypt -evp aes-128-cbc",
        "東京\u{3000}openssl speed -decrypt -evp aes-128-cbc",
        "**openssl speed -evp aes-128-cbc -decrypt**",
        "--- openssl speed -evp aes-128-cbc -decrypt ---",
        "\"$OPENSSL\" speed -evp \"aes-128-cbc\" -decrypt",
        "$ openssl speed -evp aes-128-cbc 2>/dev/null -decrypt > log",
        "$ ./opensslwrap.sh speed -evp aes-128-cbc -decrypt",
        "$ openssl speed -evp aes-128-cbc\n-decrypt",
        "C:\\>openssl speed -evp aes-128-cbc ^\nMore? -decrypt",
        "for c in md5 sha1; do openssl speed -decrypt $c; done",
    ] {
        assert_eq!(first_series(&format!("{line}\n{HEAD}{CBC}")).0, "decrypt", "{line}");
    }
    for line in ["openssl speed - Raspberry Pi 4", "=== openssl speed aes ===", "openssl speed (20% faster)"] {
        assert_eq!(first_series(&format!("{line}\n{HEAD}{CBC}")).0, "encrypt", "{line}");
    }
    let multi = format!("$ openssl speed -multi=4 -evp aes-128-cbc\n{HEAD}{CBC}");
    assert_eq!(series(&multi)[0].details.threads, 4);
}

#[test]
fn import_keeps_the_command_of_a_loop_for_all_its_outputs() {
    let outputs = format!("{HEAD}{CBC}{HEAD}aes-256-cbc 11111.11k 22222.22k\n");
    for line in [
        "for c in aes-128-cbc aes-256-cbc; do openssl speed -decrypt -evp $c; done",
        "openssl speed -decrypt -evp aes-128-cbc; openssl speed -decrypt -evp aes-256-cbc",
        "for c in aes-128-cbc aes-256-cbc; do\nopenssl speed -decrypt -evp $c\ndone",
        "for c in aes-128-cbc aes-256-cbc\ndo\nopenssl speed -decrypt -evp $c\ndone",
    ] {
        let text = format!("$ {line}\n{outputs}");
        assert!(series(&text).iter().all(|series| series.operation.name() == "decrypt"), "{line}");
        assert_eq!(series(&text).len(), 4, "{line}");
    }
    for line in [
        "openssl speed $OPTIONS",
        "for o in \"-decrypt\" \"-mr\"; do openssl speed $o; done",
        "openssl speed -multi $(nproc) rsa; openssl speed -multi $(nproc) dsa",
    ] {
        assert_eq!(series(&format!("$ {line}\n{outputs}")), [], "{line}");
    }
}

#[test]
fn import_keeps_a_command_that_prose_mentions_before_its_output() {
    let text = format!("$ openssl speed -evp aes-128-cbc -decrypt\nopenssl speed results:\n{HEAD}{CBC}");
    assert_eq!(first_series(&text).0, "decrypt");
    // zsh prints the command again after its output.
    let time = "openssl speed -evp aes-128-cbc -decrypt  18.02s user 0.01s system 99% cpu 18.048 total\n";
    let text = format!("$ time openssl speed -evp aes-128-cbc -decrypt\n{HEAD}{CBC}{time}");
    assert_eq!(first_series(&text).0, "decrypt");
}

#[test]
fn import_replaces_a_command_by_the_next_one_as_a_whole() {
    let speed = "openssl speed -evp aes-128-cbc";
    let text = format!("$ {speed} -multi 4 -decrypt\nfailed\nme@host $ {speed}\n{HEAD}{CBC}");
    assert_eq!(first_series(&text).0, "encrypt");
    assert_eq!(series(&text)[0].details.threads, 1);
}

#[test]
fn import_reads_masks_before_a_command_and_exported_ones() {
    let speed = "openssl speed -evp aes-128-cbc";
    for lines in [
        format!("[root@server ~]# OPENSSL_ia32cap=\"{OFF}\" {speed}"),
        format!("Masked:\nhost> env OPENSSL_ia32cap='{OFF}' {speed}"),
        format!("export OPENSSL_ia32cap=\"{OFF}\"\n$ {speed}"),
        format!("C:\\>set OPENSSL_ia32cap={OFF}\nC:\\>{speed}"),
        format!("PS> $env:OPENSSL_ia32cap = \"{OFF}\"\nPS> {speed}"),
        format!("% setenv OPENSSL_ia32cap {OFF}\n% {speed}"),
        format!("> set -gx OPENSSL_ia32cap {OFF}\n> {speed}"),
        format!("export LC_ALL=C OPENSSL_ia32cap={OFF}; {speed}"),
        format!("`export OPENSSL_ia32cap={OFF}`"),
        format!("sudo -u nobody perf stat -e cycles env OPENSSL_ia32cap={OFF} {speed}"),
        format!("(export OPENSSL_ia32cap={OFF}; {speed})"),
        format!("sh -c 'export OPENSSL_ia32cap={OFF}; {speed}'"),
        format!("docker run -e OPENSSL_ia32cap={OFF} image {speed}"),
        format!("OPENSSL_armcap=0 {speed}"),
        format!("OPENSSL_ppccap=0x3 {speed}"),
        format!("OPENSSL_riscvcap=rv64gc {speed}"),
    ] {
        assert_eq!(first_series(&format!("{lines}\n{HEAD}{CBC}")).1, "off", "{lines}");
    }
    for lines in [
        format!("export OPENSSL_ia32cap={OFF}\nunset OPENSSL_ia32cap\n{speed}"),
        format!("set OPENSSL_ia32cap={OFF}\nset OPENSSL_ia32cap=\n{speed}"),
        format!("export OPENSSL_ia32cap={OFF}\nenv -u OPENSSL_ia32cap {speed}"),
        format!("OPENSSL_ia32cap={OFF} {speed}\nfailed\n{speed}"),
        format!("set OPENSSL_ia32cap={OFF}\n$env:OPENSSL_ia32cap = \"\"\n{speed}"),
        format!("OPENSSL_ia32cap={OFF} ./other; {speed}"),
        format!("(export OPENSSL_ia32cap={OFF}; ./other)\n$ {speed}"),
        format!("root@a:~# export OPENSSL_ia32cap={OFF}\nmike@b:~$ {speed}"),
        format!("export OPENSSL_ia32cap={OFF}; {speed}; unset OPENSSL_ia32cap\nfailed\n{speed}"),
    ] {
        assert_eq!(first_series(&format!("{lines}\n{HEAD}{CBC}")).1, "on", "{lines}");
    }
    // An exported mask stays for later calls.
    let export = format!("export OPENSSL_ia32cap={OFF}\n$ {speed}");
    let twice = format!("{export}\n{HEAD}{CBC}\n{HEAD}aes-256-cbc 11111.11k 22222.22k\n");
    assert!(series(&twice).iter().all(|series| series.acceleration.name() == "off"));
    // The line CPUINFO of 3.x is better evidence than any command.
    let info = "CPUINFO: OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab";
    let text = format!("{export}\nversion: 3.0.2\n{info}\ntype 16 bytes\naes-128-cbc 101111.11k\n");
    assert_eq!(first_series(&text).1, "on");
}

#[test]
fn import_leaves_out_rows_under_commands_that_are_not_understood() {
    for line in [
        "run openssl speed with -decrypt",
        "openssl speed $OPTIONS",
        "openssl speed \"$@\"",
        "C:\\>openssl speed %*",
        "openssl speed -faster -evp aes-128-cbc",
        "openssl speed -evp aes-128-cbc && openssl speed -evp aes-128-cbc -decrypt",
        "OPENSSL_ia32cap=~0x200000200000000 ./bench.sh",
        "To switch it off, set OPENSSL_ia32cap=~0x200000200000000 before the start",
        "To switch it off, set OPENSSL_ia32cap=~0x200000200000000.",
        "rem set OPENSSL_ia32cap=~0x200000200000000",
        "openssl speed -evp aes-128-cbc (with OPENSSL_ia32cap=\"~0x200000200000000\")",
        "OPENSSL_ia32cap=~0x200000200000000 sudo openssl speed -evp aes-128-cbc",
        "usage: openssl speed [-decrypt] [-evp cipher]",
    ] {
        let left_out = left_out(&format!("{line}\n{HEAD}{CBC}"));
        let lines: Vec<usize> = left_out.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 7], "{line}: {left_out:?}");
    }
    for value in ["s390xcap=z13", "sparcv9cap=0", "ia32cap=0x0:0x0", "riscvcap=rv64gc_zvkned"] {
        let below = "version: 3.5.6\nCPUINFO: N/A\ntype 16 bytes\naes-128-cbc 101111.11k\n";
        let left_out = left_out(&format!("OPENSSL_{value} openssl speed -evp aes-128-cbc\n{below}"));
        assert!(left_out.len() == 1 && left_out[0].1.contains("named after OPENSSL_"), "{value}: {left_out:?}");
    }
    // An `export` or a wrapped line may make the variable effective.
    let alone = format!("$ OPENSSL_ia32cap=~0x200000200000000\n$ export OPENSSL_ia32cap\n$ openssl speed\n{HEAD}{CBC}");
    assert_eq!((series(&alone).len(), left_out(&alone).len()), (0, 2));
    // A later command is understood, and CPUINFO shows whether a mask was in force.
    let later = format!("OPENSSL_ia32cap=~0x2 ./bench.sh\n$ openssl speed -evp aes-128-cbc\n{HEAD}{CBC}");
    assert_eq!((series(&later).len(), left_out(&later).len()), (2, 1));
    let shown = "OPENSSL_ia32cap=~0x2 ./bench.sh\nversion: 3.0.2\nCPUINFO: \
        OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6\n\
        type 16 bytes\naes-128-cbc 101111.11k\n";
    assert_eq!((series(shown).len(), left_out(shown).len()), (1, 1));
}

#[test]
fn import_keeps_figures_below_prose_that_mentions_openssl_speed() {
    for line in [
        "openssl speed is a benchmark.",
        "I ran openssl speed -evp aes-128-cbc on my laptop",
        "OPENSSL_ia32cap is a variable",
    ] {
        assert_eq!(first_series(&format!("{line}\n{HEAD}{CBC}")).2, 101_111_110.0, "{line}");
    }
}

#[test]
fn import_omits_figures_if_the_process_count_is_unknown() {
    for value in ["$(nproc)", "`nproc`", "N", "%NUMBER_OF_PROCESSORS%"] {
        let text = format!("$ openssl speed -multi {value} -evp aes-128-cbc\n{HEAD}{CBC}");
        assert!(left_out(&text)[0].1.contains("how many processes"), "{value}");
        let announced = text.replace("OpenSSL 1.1.1w", "Forked child 0\nForked child 1\nOpenSSL 1.1.1w");
        assert_eq!(series(&announced)[0].details.threads, 2, "{value}");
    }
}

#[test]
fn import_marks_figures_of_engines_and_foreign_providers_as_not_representative() {
    for (lines, apart) in [
        ("$ openssl speed -evp aes-128-cbc -engine devcrypto\nengine \"devcrypto\" set.", "engine devcrypto"),
        ("Engine \"afalg\" set.", "engine afalg"),
        ("$ openssl speed -provider oqsprovider -evp aes-128-cbc", "provider oqsprovider"),
        ("$ openssl speed -async_jobs 8 -evp aes-128-cbc", "async_jobs 8"),
        ("$ openssl speed -mb -evp aes-128-cbc", "mb"),
        ("$ OPENSSL_CONF=afalg.cnf openssl speed -evp aes-128-cbc", "OPENSSL_CONF=afalg.cnf"),
        ("export OPENSSL_CONF=/etc/qat.cnf", "OPENSSL_CONF=/etc/qat.cnf"),
    ] {
        let series = series(&format!("{lines}\n{HEAD}{CBC}"));
        assert_eq!((series.len(), series[0].apart()), (2, Some(apart)), "{lines}");
        assert!(!series[0].is_representative(), "{lines}");
    }
    for line in ["openssl speed -provider legacy -provider default -evp aes", "OPENSSL_CONF=/dev/null openssl speed"] {
        assert!(series(&format!("{line}\n{HEAD}{CBC}"))[0].is_representative(), "{line}");
    }
}

#[test]
fn import_leaves_out_figures_whose_time_is_far_from_the_one_asked_for() {
    let progress = "Doing aes-128-cbc for 3s on 16 size blocks: 600000 aes-128-cbc's in 0.10s\n\
        Doing aes-256-cbc for 3s on 16 size blocks: 600000 aes-256-cbc's in 2.90s\n";
    let text = format!("{progress}{HEAD}{CBC}aes-256-cbc      51111.11k    52222.22k\n");
    let (found, kept) = (left_out(&text), series(&text).len());
    assert!(found.len() == 1 && kept == 2 && found[0].1.contains("0.1 s instead of 3 s"), "{found:?}");
    let text = "Doing aes-128-cbc ops for 3s on 16 size blocks: 60 aes-128-cbc ops in 0.00s\nversion: 3.2.3\n\
        type 16 bytes\naes-128-cbc infk\naes-256-cbc 51111.11k\n";
    assert_eq!((left_out(text)[0].0, series(text).len()), (4, 1));
    let text = "$ openssl speed ecdhp224\nDoing 224 bits  ecdh's for 10s: 160000 224-bits ECDH ops in 99999.21s\n\
        version: 3.0.0-alpha3-dev\nop op/s\n 224 bits ecdh (nistp224)   0.6250s      1.6\n";
    assert!(left_out(text)[0].1.contains("99999.21 s instead of 10 s"));
}

#[test]
fn import_leaves_out_low_level_aes_on_s390x() {
    for flags in ["-m64 -DB_ENDIAN -march=z196 -mtune=zEC12", "-fPIC -m64 -DB_ENDIAN -DAES_ASM -DAES_CTR_ASM"] {
        let head = HEAD.replace("-fPIC", flags);
        assert!(left_out(&format!("{head}aes-128 cbc 170000.00k 610000.00k\n"))[0].1.contains("s390x"), "{flags}");
        assert_eq!(first_series(&format!("{head}aes-128-cbc 170000.00k 610000.00k\n")).1, "on", "{flags}");
    }
    assert_eq!(first_series(&format!("{HEAD}aes-128 cbc 170000.00k 610000.00k\n")).1, "off");
}

#[test]
fn import_reads_the_version_and_the_cores_that_sbc_bench_prints() {
    let text = "OpenSSL 3.0.2, built on 15 Mar 2022 (Library: OpenSSL 3.0.2 15 Mar 2022)\ntype 16 bytes\n\
        aes-256-cbc 51111.11k (Cortex-A520)\naes-256-cbc 101111.11k (Cortex-A720)\n";
    let series = series(text);
    assert_eq!(series[0].library_version, "OpenSSL 3.0.2");
    let core = |one: &Series| one.quoted().unwrap().core.clone().unwrap();
    let cores: Vec<_> = series.iter().map(|one| (core(one), one.median.unwrap())).collect();
    assert_eq!(cores, [("Cortex-A520".to_owned(), 51_111_110.0), ("Cortex-A720".to_owned(), 101_111_110.0)]);
    assert_eq!(series.iter().map(Series::is_representative).collect::<Vec<_>>(), [false, true]);
    assert_eq!(left_out(&text.replace("Cortex-A520", "without AES"))[0].0, 3);
}

#[test]
fn import_gives_a_contradicting_table_to_another_machine() {
    let tables = "Box A:\ntype 16 bytes\naes-128-cbc 11111.11k\n\nBox B, ten times faster:\ntype 16 bytes\n\
        aes-128-cbc 111111.11k\naes-256-cbc 101111.11k\n";
    let imported = read(tables);
    let medians = |found: &ImportedMachine| found.document.series.iter().filter_map(|one| one.median).collect();
    let medians: Vec<Vec<f64>> = imported.machines.iter().map(medians).collect();
    assert_eq!(medians, [vec![11_111_110.0], vec![111_111_110.0, 101_111_110.0]]);
    assert!(imported.left_out.is_empty());
    assert!(imported.notes.iter().any(|note| note.line == Some(7) && note.text.contains("another machine")));
    // Below a command, the table is a second measurement of the same machine.
    let again = tables.replace("Box B, ten times faster:", "$ openssl speed aes-128-cbc aes-256-cbc");
    assert_eq!((read(&again).machines.len(), left_out(&again).len()), (1, 1));
    // The version above the first table does not apply to the second machine.
    let all = series(&format!("OpenSSL 1.1.1w  11 Sep 2023\n{tables}"));
    let versions: Vec<&str> = all.iter().map(|one| one.library_version.as_str()).collect();
    assert_eq!(versions, ["OpenSSL 1.1.1w", "version not stated", "version not stated"]);
}

#[test]
fn import_keeps_the_heading_across_a_sentence() {
    let text = format!("{HEAD}On a quiet machine this gives:\n{CBC}");
    assert_eq!(first_series(&text).2, 101_111_110.0);
    // A row that is left out still counts as one, so the sentence below it ends the table.
    let text = format!("{HEAD}sosemanuk 1.00k 2.00k\nThat took:\n18:59:40: 1.00 2.00 3.00\n");
    assert_eq!(left_out(&text).len(), 1);
}

#[test]
fn import_knows_the_post_quantum_parameter_sets() {
    let mut text = "version: 3.5.0\nkeygen encaps decaps keygens/s encaps/s decaps/s\n".to_owned();
    for name in ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"] {
        text += &format!("{name} 0.000062s 0.000016s 0.000017s 16163.5 64205.3 58961.6\n");
    }
    text += "keygen signs verify keygens/s sign/s verify/s\n";
    for name in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        text += &format!("{name} 0.000062s 0.000016s 0.000017s 16163.5 64205.3 58961.6\n");
    }
    for hash in ["SHA2", "SHAKE"] {
        for size in ["128s", "128f", "192s", "192f", "256s", "256f"] {
            text += &format!("SLH-DSA-{hash}-{size} 0.010000s 0.100000s 0.001000s 100.5 10.3 1000.6\n");
        }
    }
    assert_eq!(left_out(&text), []);
    assert_eq!(series(&text).len(), 54);
}

#[test]
fn import_rejects_decimal_commas_and_mr_output_and_names_the_reason() {
    let machine_readable = "OpenSSL 3.0.19 27 Jan 2026\n+DT:sha1:3:16\n+R:4:sha1:3.000000\n+H:16\n+F:2:sha1:1000.00\n";
    let [(5, why)] = &left_out(machine_readable)[..] else { panic!("{:?}", left_out(machine_readable)) };
    assert!(why.contains("without -mr"), "{why}");
    let left_out =
        left_out(&format!("{HEAD}aes-128-cbc     101111,11k   202222,22k\naes-256-cbc 101,111.11k 202,222.22k\n"));
    assert_eq!(left_out.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [6, 7]);
    assert!(left_out.iter().all(|(_, why)| why.contains("decimal point")), "{left_out:?}");
}

/// Lines in the form of BoringSSL's `tool/speed.cc`, with made-up figures.
const BSSL: &str = "Did 2200 RSA 2048 signing operations in 1000437us (2199.0 ops/sec)
Did 80000 RSA 2048 verify (same key) operations in 1000244us (79980.5 ops/sec)
Did 70000 RSA 2048 verify (fresh key) operations in 1000244us (69982.9 ops/sec)
Did 20000000 AES-128-GCM (16 bytes) seal operations in 1000025us (19999500.0 ops/sec): 320.0 MB/s
Did 400000 AES-256-GCM-SIV (1 byte) open operations in 1000000us (400000.0 ops/sec): 0.4 MB/s
Did 5000000 SHA-256 (256 bytes) operations in 1000000us (5000000.0 ops/sec): 1280.0 MB/s
Did 14000 ECDH P-256 operations in 1000000us (14000.0 ops/sec)
Did 30000 Ed25519 key generation operations in 1000000us (30000.0 ops/sec)
Did 25000 Curve25519 arbitrary point multiplication operations in 1000000us (25000.0 ops/sec)
Did 2000 MLDSA sign (randomized) operations in 1000000us (2000.0 ops/sec)
Did 3 SLHDSA-SHA2-128s signing operations in 1000000us (3.0 ops/sec)
Did 5000 RNG (16 bytes) operations in 1000000us (5000.0 ops/sec): 0.1 MB/s
";

/// Returns algorithm, operation, bytes and figure of each series.
fn rows(imported: &Imported) -> Vec<String> {
    let all = imported.machines.iter().flat_map(|machine| &machine.document.series);
    all.map(|one| format!("{} {} {} {:.0}", one.algorithm, one.operation, one.bytes, one.median.unwrap())).collect()
}

#[test]
fn import_reads_lines_of_bssl_speed() {
    let imported = read(&format!("$ bssl speed\n{BSSL}"));
    assert_eq!(
        rows(&imported),
        [
            "rsa-2048 sign 32 2199",
            "rsa-2048 verify 32 79980",
            "aes-128-gcm seal 16 319992000",
            "aes-256-gcm-siv open 1 400000",
            "sha-256 hash 256 1280000000",
            "ecdh-p256 derive 0 14000",
            "ed25519 generate 32 30000",
            "x25519 derive 0 25000",
            "ml-dsa-65 sign 32 2000",
            "slh-dsa-sha2-128s sign 32 3",
        ]
    );
    let document = &imported.machines[0].document;
    let series = &document.series[2];
    assert_eq!((&*series.library, &*series.library_version), ("boringssl", "version not stated"));
    let quoted = series.quoted().unwrap();
    assert_eq!((quoted.aead_row, quoted.aad), (Some(AeadRow::Messages), Some(13)));
    assert_eq!(document.series[5].apart(), Some("with a new key"));
    assert_eq!(document.run.notes, [""; 0]);
    let [remark] = &imported.left_out[..] else { panic!("{:?}", imported.left_out) };
    assert!(remark.text.starts_with("2 of 12 figures are of operations that Kasoku does not know: RSA 2048 verify (f"));
    assert_eq!(read(&format!("{HEAD}{CBC}{BSSL}")).left_out[0].line, Some(6), "a row of openssl speed");
    let masked = read(&format!("$ OPENSSL_ia32cap=0 bssl speed\n{BSSL}"));
    assert!(masked.machines[0].document.series.iter().all(|one| !one.is_representative()));
}

#[test]
fn import_reads_json_of_bssl_speed_like_its_lines() {
    let json = r#"[
{"description": "RSA 2048 signing", "numCalls": 2200, "microseconds": 1000437},
{"description": "AES-128-GCM (16 bytes) seal", "numCalls": 20000000, "microseconds": 1000025, "bytesPerCall": 16},
{"description": "AES-128-GCM (16 bytes) seal", "numCalls": 10000000, "microseconds": 1000025, "bytesPerCall": 16}
]"#;
    let imported = read(json);
    assert_eq!(rows(&imported), ["rsa-2048 sign 32 2199", "aes-128-gcm seal 16 319992000"]);
    assert!(imported.left_out[0].text.contains("a second time"), "{:?}", imported.left_out);
    let of_aws_lc = json.replace("AES-128-GCM (16 bytes) seal", "AEAD-AES-128-GCM seal");
    assert_eq!(read(&of_aws_lc).machines[0].document.series[1].library, "aws-lc");
}

#[test]
fn import_rejects_damaged_output_of_bssl_speed() {
    for (from, to) in [
        ("(2199.0 ops/sec)", "(21990.0 ops/sec)"),
        ("(2199.0 ops/sec)", "(2199.0 ops"),
        ("1000437us", "0us"),
        ("Did 3 SLH", "Did 0 SLH"),
        (": 320.0 MB/s", ": 320.0"),
        ("Did 2200 RSA", "Did 99999999999999999999 RSA"),
    ] {
        let damaged = BSSL.replace(from, to);
        let read = import("test", damaged.as_bytes());
        assert!(matches!(read, Err(ImportError::Malformed { .. })), "{to}: {read:?}");
    }
    for list in ["[]", "[{}]", "[{\"description\": \"SHA-256\", \"numCalls\": -1, \"microseconds\": 1}]"] {
        assert!(import("test", list.as_bytes()).is_err() || rows(&read(list)).is_empty(), "{list}");
    }
    for end in 0..BSSL.len() {
        let _ = import("test", &BSSL.as_bytes()[..end]);
    }
}
