//! The counter with many processes and threads, in a sandbox, and with unusable files.

#![allow(unsafe_code, clippy::unwrap_used, clippy::undocumented_unsafe_blocks, reason = "tests may panic")]

mod evp;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use evp::{Library, crypto, ctrl, error_texts, errors};

/// Compiled test program in a folder with its configuration and counter file.
struct Counted {
    folder: tempfile::TempDir,
}

impl Counted {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let counted = Self { folder };
        let settings = format!("counter = {}", counted.path("counter").display());
        std::fs::write(counted.path("openssl.cnf"), evp::configuration(&settings)).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/counted.c");
        let mut compile = Command::new("gcc");
        compile.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread"]).arg(source);
        let output = compile.arg("-o").arg(counted.path("counted")).arg("-l:libcrypto.so.3").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        counted
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, arguments: &[&str]) -> Command {
        let mut program = Command::new(self.path("counted"));
        program.args(arguments).env("OPENSSL_CONF", self.path("openssl.cnf")).stdin(Stdio::null());
        program
    }

    /// Returns contexts, operations, bytes and loads.
    fn numbers(&self) -> [u64; 4] {
        numbers(&self.path("counter"))
    }
}

fn numbers(path: &Path) -> [u64; 4] {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!((bytes.len(), &bytes[..8]), (64, &b"KASOKU\0\x01"[..]));
    let numbers: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|number| u64::from_ne_bytes(*number)).collect();
    numbers[1..5].try_into().unwrap()
}

/// Returns the expected numbers for `contexts` contexts of the program.
fn counted(contexts: u64, loads: u64) -> [u64; 4] {
    [contexts, 3 * contexts, 300 * contexts, loads]
}

/// Several groups of processes share only the file. In each group, the parent forks children with threads while its own
/// threads write. The last process to end must have written all counts.
#[test]
fn counter_is_exact_across_processes_and_threads() {
    let counted_program = Counted::new();
    let mut families: Vec<_> =
        (0..4).map(|_| counted_program.program(&["6", "4", "500"]).stdout(Stdio::piped()).spawn().unwrap()).collect();
    for family in &mut families {
        assert!(family.wait().unwrap().success());
    }
    assert_eq!(counted_program.numbers(), counted(4 * 7 * 4 * 500, 4));
}

/// sshd's sandbox ends a process at the first call that writes, so the parent must write its children's counts.
#[test]
fn counter_makes_no_forbidden_system_call_in_a_sandbox() {
    if cfg!(not(target_arch = "x86_64")) {
        println!("the sandbox of this test is for x86-64");
        return;
    }
    let counted_program = Counted::new();
    let output = counted_program.program(&["3", "1", "500", "sandbox"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(counted_program.numbers(), counted(4 * 500, 1));
}

/// The program prints to closed descriptor 1, which must not be the counter file.
#[test]
fn output_to_a_closed_descriptor_does_not_reach_the_counter_file() {
    let counted_program = Counted::new();
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$0\" 0 1 5 >&-"]).arg(counted_program.path("counted"));
    let output = shell.env("OPENSSL_CONF", counted_program.path("openssl.cnf")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(counted_program.numbers(), counted(5, 1));
}

/// Encrypts something with the provider.
fn encrypt_something(library: &Library) {
    let context = library.cipher(c"AES-128-GCM", "kasoku").with_key(true, &[1; 16]);
    assert_eq!(context.init(None, None, Some(&[1; 12]), 1), 1);
    assert_eq!(context.update(&[0; 40], &mut [0; 40]).0, 1);
    assert_eq!(context.finish(), 1);
    assert_eq!(context.ctrl(ctrl::GET_TAG, 16, [0_u8; 16].as_mut_ptr().cast()), 1);
}

/// The provider must work without the counter, report the problem as a parameter, and add one error to the queue.
#[test]
fn provider_works_with_an_unusable_counter_file_and_reports_why() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    std::fs::write(&other, "no counter").unwrap();
    std::fs::set_permissions(&other, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let cases = [
        ("relative".to_owned(), "relative: the path of the counter must be absolute"),
        ("/nowhere/counter".to_owned(), "/nowhere/counter: cannot be opened: "),
        (other.display().to_string(), "is open to other users; it must have mode 600"),
    ];
    for (path, says) in cases {
        errors();
        let library = Library::try_new(&format!("counter = {path}"));
        assert!(!library.kasoku.is_null());
        let texts = error_texts();
        assert!(
            texts.len() == 1 && texts[0].starts_with(&format!("invalid config data: counter = {path}: ")),
            "{texts:?}"
        );
        assert!(texts[0].contains(says) && texts[0].ends_with("; nothing is counted"), "{texts:?}");
        assert!(library.text(c"kasoku-counter-trouble").contains(says));
        encrypt_something(&library);
        assert_eq!((library.number(c"kasoku-operations"), error_texts()), (1, Vec::new()));
    }
    assert_eq!(std::fs::read(other).unwrap(), b"no counter");
    assert_eq!(Library::new("").text(c"kasoku-counter-trouble"), "");
}

/// libssl would mistake an error in the queue for its own.
#[test]
fn invalid_counter_path_leaves_the_error_queue_empty() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("openssl.cnf");
    std::fs::write(&file, evp::configuration("counter = /nowhere/counter").replace("config_diagnostics = 1\n", ""))
        .unwrap();
    errors();
    unsafe {
        let context = (crypto().OSSL_LIB_CTX_new)();
        assert_eq!((crypto().OSSL_LIB_CTX_load_config)(context, evp::c_path(&file).as_ptr()), 1);
        assert_eq!((crypto().OSSL_PROVIDER_available)(context, c"kasoku".as_ptr()), 1);
        assert_eq!(error_texts(), Vec::<String>::new());
        (crypto().OSSL_LIB_CTX_free)(context);
    }
}

/// Problems after loading must not reach the error queue, least of all during a connection, but can be queried.
#[test]
fn counter_failure_after_loading_is_reported_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counter");
    let library = Library::new(&format!("counter = {}", path.display()));
    encrypt_something(&library);
    assert_eq!(library.text(c"kasoku-counter-trouble"), "");
    assert_eq!(numbers(&path)[..3], [1, 1, 40]);
    std::fs::write(&path, "").unwrap();
    errors();
    encrypt_something(&library);
    assert_eq!(errors(), Vec::new());
    let trouble: String = library.text(c"kasoku-counter-trouble");
    assert!(trouble.starts_with(path.to_str().unwrap()) && trouble.ends_with("its size is another"), "{trouble}");
    drop(library);
    assert_eq!(std::fs::read(&path).unwrap(), b"");
}
