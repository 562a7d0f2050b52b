//! Exchange with PyPI's `cryptography`, which reads and writes the same format.

use super::*;

/// Returns a Python with PyPI's `cryptography` 50 or newer: `$KASOKU_PYTHON`, or the one that `test.sh` creates.
fn python() -> Option<PathBuf> {
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python/bin/python");
    let python = std::env::var_os("KASOKU_PYTHON").map_or(made, PathBuf::from);
    let has_it = Command::new(&python).args(["-c", "import cryptography.cobblestone"]).output();
    if has_it.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    assert!(std::env::var("CI").unwrap_or_default().is_empty(), "no Python with cryptography 50: test.sh makes one");
    eprintln!("left out: no Python with cryptography 50");
    None
}

const PEER: &str = "
import base64, sys
from cryptography import cobblestone
worker, key, source, destination = sys.argv[1:]
key = base64.b64decode(open(key).read().splitlines()[1])
worker = getattr(cobblestone, worker)(key, b'context')
with open(source, 'rb') as input, open(destination, 'wb') as output:
    while piece := input.read(1 << 24):
        output.write(worker.update(piece))
    output.write(worker.finalize())
";

#[test]
fn python_cryptography_and_kasoku_file_read_each_others_files() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let peer = |arguments: [&str; 4]| {
        let output =
            Command::new(&python).args(["-c", PEER]).args(arguments).current_dir(folder.0.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    for (cipher, bits, longest) in [("cobblestone-128", 128, 1 << 26), ("cobblestone-256", 256, 1 << 30)] {
        assert_ends(&folder.run(&["keygen", "--cipher", cipher, "-o", cipher]), 0, "");
        let run = |arguments: &str| {
            let arguments = format!("{arguments} --key {cipher} --context context --force");
            assert_ends(&folder.run(&arguments.split(' ').collect::<Vec<_>>()), 0, "");
        };
        let [encryptor, decryptor] = ["Encryptor", "Decryptor"].map(|role| format!("Cobblestone{bits}{role}"));
        for bytes in [0, 1, 16_383, 16_384, 16_385, longest] {
            let text = folder.write("text", bytes);
            run("encrypt text -o ours");
            peer([&decryptor, cipher, "ours", "theirs-of-ours"]);
            assert!(folder.read("theirs-of-ours") == text, "{cipher}, {bytes} bytes, ours");
            peer([&encryptor, cipher, "text", "theirs"]);
            run("decrypt theirs -o ours-of-theirs");
            assert!(folder.read("ours-of-theirs") == text, "{cipher}, {bytes} bytes, theirs");
        }
    }
}
