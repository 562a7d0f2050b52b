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
from cryptography.cobblestone import Cobblestone256Decryptor, Cobblestone256Encryptor
way, source, destination = sys.argv[1:]
key = base64.b64decode(open('key').read().splitlines()[1])
worker = (Cobblestone256Encryptor if way == 'encrypt' else Cobblestone256Decryptor)(key, b'context')
with open(source, 'rb') as input, open(destination, 'wb') as output:
    while piece := input.read(1 << 24):
        output.write(worker.update(piece))
    output.write(worker.finalize())
";

#[test]
fn python_cryptography_and_kasoku_file_read_each_others_files() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let peer = |arguments: [&str; 3]| {
        let output =
            Command::new(&python).args(["-c", PEER]).args(arguments).current_dir(folder.0.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    for bytes in [0, 1, 16_383, 16_384, 16_385, 1 << 30] {
        let text = folder.write("text", bytes);
        folder.run(&["encrypt", "--key", "key", "--context", "context", "--force", "-o", "ours", "text"]);
        peer(["decrypt", "ours", "theirs-of-ours"]);
        assert!(folder.read("theirs-of-ours") == text, "{bytes} bytes, ours");
        peer(["encrypt", "text", "theirs"]);
        let back = folder.run(&[
            "decrypt",
            "--key",
            "key",
            "--context",
            "context",
            "--force",
            "-o",
            "ours-of-theirs",
            "theirs",
        ]);
        assert_ends(&back, 0, "");
        assert!(folder.read("ours-of-theirs") == text, "{bytes} bytes, theirs");
    }
}
