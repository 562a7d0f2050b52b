//! Compares the public API of each published library crate with the crate's list in this folder, and prints the added
//! and removed items: `cargo run --manifest-path packaging/public-api/Cargo.toml`. With `KASOKU_WRITE_API=1`, writes
//! new lists instead.

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};

use public_api::PublicApi;

/// Crates with a stable public API, and the features with which the API is listed. The crates of the command `kasoku`
/// have no stable API, and the C library's API is its header. The feature aws-lc-rs is left out: it adds no public item
/// that ring lacks, and would be compiled only for this list.
const CRATES: [(&str, &str); 4] = [
    ("kasoku-aead", "aead-05,alloc,zeroize"),
    ("kasoku-engine", ""),
    ("kasoku-file", ""),
    ("kasoku-rustls", "quinn,ring,tls12"),
];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = folder.parent().and_then(Path::parent).ok_or("the project's folder")?;
    let mut is_as_written = true;
    for (name, features) in CRATES {
        let list = folder.join(name).with_extension("txt");
        let found = public_api_of(root, name, features)?;
        if std::env::var_os("KASOKU_WRITE_API").is_some() {
            std::fs::write(&list, &found)?;
            continue;
        }
        let written = std::fs::read_to_string(&list)?;
        let changes = changes(&written, &found);
        for change in &changes {
            println!("{name}: {change}");
        }
        println!("{name}: {} public items, {} changes", found.lines().count(), changes.len());
        is_as_written &= changes.is_empty();
    }
    if !is_as_written {
        eprintln!("If that is meant, say so in CHANGELOG.md, and run this again with KASOKU_WRITE_API=1");
    }
    Ok(if is_as_written { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the public items of a crate with these features, one item per line.
fn public_api_of(root: &Path, name: &str, features: &str) -> Result<String, Box<dyn Error>> {
    // Uses a separate target folder: RUSTC_BOOTSTRAP makes Cargo recompile dependencies whose build scripts read this
    // variable, here and again in the next ordinary build.
    let target = root.join("target/public-api");
    let rustdoc = Command::new("cargo")
        .current_dir(root)
        // rustdoc writes JSON only as a nightly version. RUSTC_BOOTSTRAP lets a release do so too.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", &target)
        .args(["rustdoc", "--quiet", "--release", "--locked", "--lib", "--package", name])
        .args(["--no-default-features", "--features", features])
        .args(["--", "-Zunstable-options", "--output-format=json", "--cap-lints=allow"])
        .status()?;
    if !rustdoc.success() {
        return Err(format!("rustdoc of {name}: {rustdoc}").into());
    }
    let document = target.join("doc").join(name.replace('-', "_")).with_extension("json");
    let api: PublicApi = public_api::Builder::from_rustdoc_json(document).omit_blanket_impls(true).build()?;
    Ok(api.items().map(|item| format!("{item}\n")).collect())
}

/// Returns the lines that only `written` has, with `- `, and the lines that only `found` has, with `+ `.
fn changes(written: &str, found: &str) -> Vec<String> {
    let gone =
        written.lines().filter(|line| !found.lines().any(|other| other == *line)).map(|line| format!("- {line}"));
    let new = found.lines().filter(|line| !written.lines().any(|other| other == *line)).map(|line| format!("+ {line}"));
    gone.chain(new).collect()
}

#[cfg(test)]
mod tests {
    use super::changes;

    #[test]
    fn changes_lists_removed_and_added_lines() {
        assert_eq!(changes("a\nb\n", "a\nb\n"), [""; 0]);
        assert_eq!(changes("a\nb\n", "b\nc\n"), ["- a", "+ c"]);
    }
}
