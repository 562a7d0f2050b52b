//! Embeds the catalogues: each file in `messages/` is a language.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=messages");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("messages");
    let mut tags: Vec<String> = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name();
        tags.extend(name.to_str().and_then(|name| name.strip_suffix(".ftl")).map(str::to_owned));
    }
    // English is what everything else falls back to.
    tags.sort_by_key(|tag| (tag != "en", tag.clone()));
    let mut catalogues = "const CATALOGUES: &[(&str, &str)] = &[\n".to_owned();
    for tag in &tags {
        let path = folder.join(format!("{tag}.ftl"));
        _ = writeln!(catalogues, "    ({tag:?}, include_str!({path:?})),");
    }
    catalogues.push_str("];\n");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("catalogues.rs"), catalogues)
}
