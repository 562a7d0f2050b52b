//! Holds the public API of each crate that others build with against its list in this folder, and says line by line
//! what was added or taken away: `cargo run --manifest-path packaging/public-api/Cargo.toml`. With `KASOKU_WRITE_API=1`
//! the lists are written anew.

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};

use public_api::PublicApi;

/// The crates that promise something. The command's own crates promise nothing, and the header is the C library's list.
const CRATES: [&str; 3] = ["kasoku-engine", "kasoku-file", "kasoku-rustls"];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = folder.parent().and_then(Path::parent).ok_or("the project's folder")?;
    let mut is_as_written = true;
    for name in CRATES {
        let list = folder.join(name).with_extension("txt");
        let found = public_api_of(root, name)?;
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

/// What a crate offers with all its features, one item a line.
fn public_api_of(root: &Path, name: &str) -> Result<String, Box<dyn Error>> {
    let target = std::env::var("CARGO_TARGET_DIR").map_or_else(|_| root.join("target"), |folder| root.join(folder));
    let rustdoc = Command::new("cargo")
        .current_dir(root)
        // rustdoc writes JSON for nightly only, but for a release too if it is told to pass for one.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", &target)
        .args(["rustdoc", "--quiet", "--release", "--locked", "--lib", "--all-features", "--package", name])
        .args(["--", "-Zunstable-options", "--output-format=json", "--cap-lints=allow"])
        .status()?;
    if !rustdoc.success() {
        return Err(format!("rustdoc of {name}: {rustdoc}").into());
    }
    let document = target.join("doc").join(name.replace('-', "_")).with_extension("json");
    let api: PublicApi = public_api::Builder::from_rustdoc_json(document).omit_blanket_impls(true).build()?;
    Ok(api.items().map(|item| format!("{item}\n")).collect())
}

/// Lines of one that the other has not, either way.
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
    fn what_was_added_and_what_was_taken_away_is_said() {
        assert_eq!(changes("a\nb\n", "a\nb\n"), [""; 0]);
        assert_eq!(changes("a\nb\n", "b\nc\n"), ["- a", "+ c"]);
    }
}
