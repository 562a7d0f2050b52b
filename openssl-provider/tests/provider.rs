//! Loading and querying the provider: configuration, parameters, counters, exported symbols.

#![allow(unsafe_code, clippy::unwrap_used, clippy::undocumented_unsafe_blocks, reason = "tests may panic")]

mod evp;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::process::Command;

use evp::{Library, NAMES, Param, crypto, ctrl, error_texts, errors, joined};
use kasoku_engine::Backend;
use kasoku_engine::cpu::{self, Found};

#[test]
fn configuration_selects_the_backend() {
    let found = Found::here().features();
    let preferred = cpu::preferred(found);
    assert_eq!(Library::new("").text(c"kasoku-backend"), preferred.name());
    for backend in Backend::ALL {
        let library = Library::try_new(&format!("backend = {backend}"));
        if backend.runs_on(found) {
            assert_eq!(library.text(c"kasoku-backend"), backend.name());
        } else {
            assert!(library.kasoku.is_null());
            let texts = error_texts();
            assert!(
                texts
                    .iter()
                    .any(|text| text.starts_with(&format!("invalid config data: backend = {backend}: this CPU"))),
                "{texts:?}"
            );
        }
        errors();
    }
}

/// Runs this test again in processes that set `KASOKU_BACKEND`, a variable of the C library.
#[test]
fn provider_ignores_the_backend_environment_variable() {
    const VARIABLE: &str = "KASOKU_BACKEND";
    let preferred = cpu::preferred(Found::here().features()).name();
    assert_eq!(Library::new("").text(c"kasoku-backend"), preferred);
    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    for backend in ["portable", "aesni", "nonsense"] {
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "provider_ignores_the_backend_environment_variable"]).env(VARIABLE, backend);
        let output = again.output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && stdout.contains("1 passed"), "{backend}: {stdout}");
    }
}

#[test]
fn invalid_backend_in_configuration_is_rejected_with_a_reason() {
    let cases = [
        (
            "backend = fastest",
            "invalid config data: backend = fastest: unknown backend; choose from portable, aesni, vaes256, vaes512, \
             neon, aes-pmull and aes-eor3",
        ),
        ("backend = %s%n\u{1b}[31m", "invalid config data: backend = %s%n\\u{1b}[31m: unknown backend"),
    ];
    for (setting, reason) in cases {
        let library = Library::try_new(setting);
        assert!(library.kasoku.is_null(), "{setting}");
        let texts = error_texts();
        assert!(texts.iter().any(|text| text.starts_with(reason)), "{setting}: {texts:?}");
    }
}

#[test]
fn provider_reports_its_parameters_and_passes_self_test() {
    let library = Library::new("backend = portable");
    assert_eq!(library.text(c"name"), "Kasoku's AES-GCM");
    assert_eq!(library.text(c"version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(library.text(c"buildinfo"), env!("CARGO_PKG_VERSION"));
    let mut status: c_int = -1;
    let mut asked = [Param::new(c"status", evp::INTEGER, (&raw mut status).cast(), 4), Param::END];
    assert_eq!(unsafe { (crypto().OSSL_PROVIDER_get_params)(library.kasoku, asked.as_mut_ptr()) }, 1);
    assert_eq!(status, 1);
    assert_eq!(unsafe { (crypto().OSSL_PROVIDER_self_test)(library.kasoku) }, 1);
    let names: BTreeSet<String> =
        names_of(unsafe { (crypto().OSSL_PROVIDER_gettable_params)(library.kasoku) }).into_keys().collect();
    let expected = [
        "buildinfo",
        "kasoku-backend",
        "kasoku-bytes",
        "kasoku-contexts",
        "kasoku-counter-trouble",
        "kasoku-operations",
        "name",
        "status",
        "version",
    ];
    assert!(names.iter().eq(expected), "{names:?}");
}

#[test]
fn provider_counts_contexts_operations_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counter");
    let library = Library::new(&format!("counter = {}", path.display()));
    let counted = || [c"kasoku-contexts", c"kasoku-operations", c"kasoku-bytes"].map(|name| library.number(name));
    let in_file = || {
        let bytes = std::fs::read(&path).unwrap();
        let numbers: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|number| u64::from_ne_bytes(*number)).collect();
        [numbers[1], numbers[2], numbers[3]]
    };
    assert_eq!(counted(), [0; 3]);
    let cipher = library.cipher(c"AES-128-GCM", "kasoku");
    for _ in 0..3 {
        let context = cipher.with_key(true, &[1; 16]);
        for number in 0..1000_u32 {
            assert_eq!(context.init(None, None, Some(&[number.to_be_bytes(); 3].concat()), 1), 1);
            context.aad(&[1; 5]);
            context.update(&[2; 100], &mut [0; 100]);
            context.update(&[2; 7], &mut [0; 7]);
            assert_eq!(context.finish(), 1);
        }
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        assert_eq!(context.set(ctrl::TLS1_AAD, &[0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 18]), 16);
        assert_eq!(context.update_in_place(&mut [0; 34]).0, 1);
        // An unused context does not count, and a copied one counts once.
        drop(cipher.with_key(true, &[1; 16]));
        let copy = cipher.context();
        assert_eq!(unsafe { (crypto().EVP_CIPHER_CTX_copy)(copy.0, context.0) }, 1);
    }
    assert_eq!(counted(), [3, 3 * 1001, 3 * (1000 * 107 + 10)]);
    assert_eq!(in_file(), counted());
    // A second library context adds to the same file, and has its own totals.
    let other = Library::new(&format!("counter = {}", path.display()));
    let context = other.cipher(c"AES-256-GCM", "kasoku").with_key(true, &[1; 32]);
    assert_eq!(context.init(None, None, Some(&[1; 12]), 1), 1);
    context.update(&[2; 1], &mut [0; 1]);
    drop(context);
    assert_eq!(other.number(c"kasoku-operations"), 1);
    assert_eq!(in_file(), [4, 3 * 1001 + 1, 3 * (1000 * 107 + 10) + 1]);
}

/// Every parameter of the default provider's ciphers and contexts must exist here, with the same value.
#[test]
fn cipher_parameters_match_the_default_provider() {
    let library = Library::new("");
    for (name, _) in NAMES {
        let both = [library.cipher(name, "default"), library.cipher(name, "kasoku")];
        let lists = both.each_ref().map(|cipher| unsafe {
            [
                names_of((crypto().EVP_CIPHER_gettable_params)(cipher.0)),
                names_of((crypto().EVP_CIPHER_gettable_ctx_params)(cipher.0)),
                names_of((crypto().EVP_CIPHER_settable_ctx_params)(cipher.0)),
            ]
        });
        let [default, mut kasoku] = lists;
        // Only newer versions have these parameters.
        for name in ["iv-generated", "encrypt-then-mac"].into_iter().filter(|name| !default[1].contains_key(*name)) {
            kasoku[1].remove(name);
        }
        for (default, kasoku) in default.iter().zip(&kasoku) {
            for (name, kind) in default {
                assert!(kasoku.get(name).is_none_or(|other| other == kind), "{name}");
            }
            let missing: Vec<_> = default.keys().filter(|name| !kasoku.contains_key(*name)).collect();
            assert!(missing.is_empty() || missing == ["encrypt-then-mac"], "{missing:?}");
            assert!(kasoku.keys().all(|name| default.contains_key(name)), "{kasoku:?}");
        }
        for name in
            [c"mode", c"keylen", c"ivlen", c"blocksize", c"aead", c"custom-iv", c"cts", c"tls-multi", c"has-randkey"]
        {
            for (kind, bytes) in [
                (evp::UNSIGNED_INTEGER, 1),
                (evp::UNSIGNED_INTEGER, 8),
                (evp::INTEGER, 4),
                (evp::REAL, 8),
                (evp::OCTET_STRING, 8),
            ] {
                let [default, kasoku] = both.each_ref().map(|cipher| {
                    let mut value = [0xA5_u8; 16];
                    let mut asked = [Param::new(name, kind, value.as_mut_ptr().cast(), bytes), Param::END];
                    let result = unsafe { (crypto().EVP_CIPHER_get_params)(cipher.0, asked.as_mut_ptr()) };
                    (result, value, asked[0].return_size)
                });
                assert_eq!(default, kasoku, "{name:?} {kind} {bytes}");
            }
        }
        let [default, kasoku] = both.each_ref().map(|cipher| unsafe {
            ((crypto().EVP_CIPHER_get_flags)(cipher.0), (crypto().EVP_CIPHER_get_nid)(cipher.0))
        });
        assert_eq!(default, kasoku);
    }
    errors();
}

fn names_of(mut list: *const Param) -> BTreeMap<String, c_uint> {
    let mut names = BTreeMap::new();
    while let Some(param) = unsafe { list.as_ref() }.filter(|param| !param.key.is_null()) {
        let name = unsafe { CStr::from_ptr(param.key.cast::<c_char>()) };
        names.insert(name.to_str().unwrap().to_owned(), param.data_type);
        list = list.wrapping_add(1);
    }
    names
}

/// Many threads use a context each, and then take turns on a shared context.
#[test]
fn threads_get_correct_results_with_own_and_shared_contexts() {
    const THREADS: u8 = 8;
    let library = Library::new("");
    let (cipher, other) = (library.cipher(c"AES-256-GCM", "kasoku"), library.cipher(c"AES-256-GCM", "default"));
    std::thread::scope(|threads| {
        let started = (0..THREADS).map(|thread| {
            let (cipher, other) = (&cipher, &other);
            threads.spawn(move || {
                for turn in 0..200 {
                    let (mut sealed, key) = (vec![thread; 3000 + turn], [thread ^ turn as u8; 32]);
                    let context = cipher.with_key(true, &key);
                    assert_eq!(context.init(None, None, Some(&[thread; 12]), 1), 1);
                    // Copies work independently, whichever is freed first.
                    let copy = cipher.context();
                    assert_eq!(unsafe { (crypto().EVP_CIPHER_CTX_copy)(copy.0, context.0) }, 1);
                    drop(context);
                    assert_eq!(copy.update_in_place(&mut sealed).0, 1);
                    assert_eq!(copy.finish(), 1);
                    let opener = other.with_key(false, &key);
                    assert_eq!(opener.init(None, None, Some(&[thread; 12]), 0), 1);
                    assert_eq!(opener.set(ctrl::SET_TAG, &copy.tag()), 1);
                    assert_eq!(opener.update_in_place(&mut sealed).0, 1);
                    assert_eq!(opener.finish(), 1);
                    assert!(sealed.iter().all(|byte| *byte == thread));
                }
            })
        });
        joined(started.collect());
    });
    assert_eq!(library.number(c"kasoku-operations"), u64::from(THREADS) * 200);
}

/// OpenSSL needs one function; no other symbol may be exported, and libcrypto must not be linked.
#[test]
fn module_exports_one_function_and_does_not_need_libcrypto() {
    let output = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        let output = command.args(arguments).arg(evp::module()).env("LC_ALL", "C").output().unwrap();
        assert!(output.status.success(), "{program}");
        String::from_utf8(output.stdout).unwrap()
    };
    let exported = output("nm", &["--dynamic", "--defined-only", "--format=posix"]);
    let names: Vec<&str> = exported.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["OSSL_provider_init"]);
    let dynamic = output("readelf", &["--dynamic", "--wide"]);
    assert!(dynamic.contains("Library soname: [kasoku.so]"), "{dynamic}");
    assert!(!dynamic.contains("libcrypto") && !dynamic.contains("libssl"), "{dynamic}");
}

/// A loaded and unloaded module must not affect the next load.
#[test]
fn module_can_be_unloaded_and_loaded_again() {
    for turn in 0..20 {
        let library = Library::new("");
        let context = library.cipher(c"AES-128-GCM", "kasoku").with_key(true, &[turn; 16]);
        assert_eq!(context.init(None, None, Some(&[1; 12]), 1), 1);
        assert_eq!(context.update(&[0; 40], &mut [0; 40]).0, 1);
        assert_eq!(context.finish(), 1);
    }
}
