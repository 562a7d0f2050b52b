//! Kasoku's provider for OpenSSL: finds its library, writes the configuration that loads it, and reads its counters.

use std::path::{Path, PathBuf};

pub use super::loaded::can_be_loaded;
use super::{Unavailable, install};

/// File names of the library: as built, and as installed.
pub const NAMES: [&str; 2] = ["libkasoku_openssl.so", "kasoku.so"];
pub const BUILD: &str = "cargo build --release -p kasoku-openssl";

/// Returns the provider's file: `named` by the user, or beside this command, or in `../lib`.
pub fn find(named: Option<&Path>) -> Result<PathBuf, Unavailable> {
    if let Some(path) = named {
        let found = path.canonicalize().ok().filter(|path| path.is_file());
        return found.ok_or_else(|| Unavailable::new(format!("{}: no such file", path.display())));
    }
    // Debian's package installs it in a folder with the name of the architecture.
    let below =
        [PathBuf::new(), "ossl-modules".into(), format!("{}-linux-gnu/ossl-modules", std::env::consts::ARCH).into()];
    let folders = install::folders_of_this_command();
    let candidates = below.iter().flat_map(|below| folders.iter().map(move |folder| folder.join(below)));
    let mut files = candidates.flat_map(|folder| NAMES.map(|name| folder.join(name)));
    files.find_map(|file| file.canonicalize().ok().filter(|file| file.is_file())).ok_or_else(|| Unavailable {
        why: format!("Kasoku's OpenSSL provider, {}, is neither beside this command nor in ../lib", NAMES[0]),
        install: Some(BUILD.to_owned()),
    })
}

/// Returns an OpenSSL configuration that prefers `module` and falls back to OpenSSL's own code. With `counter`, the
/// module counts its work in that file. Fails if a path has characters with a meaning in configurations.
pub fn configuration(module: &Path, counter: Option<&Path>) -> Result<String, String> {
    let module = configuration_value(module)?;
    let counter = match counter {
        Some(path) => format!("counter = {}\n", configuration_value(path)?),
        None => String::new(),
    };
    Ok(format!(
        "# A program of OpenSSL 3 reads this if OPENSSL_CONF names it. Node.js has a line of its own.\n\
         openssl_conf = openssl_init\n\
         nodejs_conf = openssl_init\n\
         \n\
         [openssl_init]\n\
         providers = provider_sect\n\
         alg_section = evp_properties\n\
         \n\
         [provider_sect]\n\
         default = default_sect\n\
         kasoku = kasoku_sect\n\
         \n\
         [default_sect]\n\
         activate = 1\n\
         \n\
         [kasoku_sect]\n\
         module = {module}\n\
         {counter}activate = 1\n\
         \n\
         # Kasoku where it has the algorithm, whoever has it otherwise.\n\
         [evp_properties]\n\
         default_properties = ?provider=kasoku\n"
    ))
}

/// Counters of a provider, summed over all processes that share its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of contexts that processed data.
    pub contexts: u64,
    /// Number of messages and records begun.
    pub operations: u64,
    pub bytes: u64,
    pub loads: u64,
}

/// Length of the counter file in bytes: eight 64-bit numbers in the machine's byte order.
const COUNTER_BYTES: u64 = 64;
/// First number of the counter file: a name, and the layout's version.
const COUNTER_MAGIC: u64 = u64::from_le_bytes(*b"KASOKU\0\x01");

impl Count {
    /// Reads the counter file at `path`. `None` if it is a link or no counter file.
    pub fn read(path: &Path) -> Option<Count> {
        std::fs::symlink_metadata(path).ok()?.is_file().then(|| Self::read_open(path)).flatten()
    }

    /// Like [`read`](Self::read), but follows links, as those of `/proc` to open files.
    fn read_open(path: &Path) -> Option<Count> {
        // Check the type first, because opening a device or a pipe can have effects.
        let file = std::fs::metadata(path).ok()?;
        if !file.is_file() || file.len() != COUNTER_BYTES {
            return None;
        }
        let bytes = std::fs::read(path).ok()?;
        let numbers: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|number| u64::from_ne_bytes(*number)).collect();
        match numbers[..] {
            [COUNTER_MAGIC, contexts, operations, bytes, loads, ..] => {
                Some(Count { contexts, operations, bytes, loads })
            }
            _ => None,
        }
    }
}

/// Returns the counters of the provider in process `id`, which keeps its counter file open.
pub fn counter(id: u32) -> Option<Count> {
    let files = std::fs::read_dir(format!("/proc/{id}/fd")).ok()?;
    files.flatten().find_map(|file| Count::read_open(&file.path()))
}

/// Returns the problem that a provider reports about its counter file. The provider reports it as the name of a memory
/// mapping in `maps` (`/proc/PID/maps`); see `openssl-provider/src/trouble.rs`.
pub fn trouble(maps: &str) -> Option<&str> {
    let names = maps.lines().filter_map(|line| Some(line.split_once("/memfd:kasoku-counter: ")?.1));
    names.map(|name| name.strip_suffix(" (deleted)").unwrap_or(name)).next()
}

/// Returns the Cargo target folder that contains `module`, if any. Its files may be deleted at any time.
pub fn build_folder(module: &Path) -> Option<&Path> {
    module.ancestors().skip(1).find(|folder| folder.join("CACHEDIR.TAG").is_file())
}

/// Returns `path` as a value for an OpenSSL configuration (config(5)). Rejects characters with a meaning there, such as
/// quotation marks, backslashes, `$` and `#`.
fn configuration_value(path: &Path) -> Result<&str, String> {
    let text = path.to_str().filter(|text| {
        let is_plain = |c: char| !c.is_control() && !matches!(c, '"' | '\'' | '`' | '\\' | '$' | '#' | ';');
        text.chars().all(is_plain) && text.trim() == *text
    });
    text.ok_or_else(|| {
        format!("an OpenSSL configuration cannot contain the path {}; use a path of plain characters", path.display())
    })
}

/// Returns whether `maps`, the content of `/proc/PID/maps`, contains the file `module`.
pub fn is_mapped(maps: &str, module: &Path) -> bool {
    // The path is the sixth field and may contain spaces (proc(5)).
    let Some(module) = module.to_str() else { return false };
    maps.lines().any(|line| line.find('/').is_some_and(|start| line[start..] == *module))
}

/// Returns the path of the provider's library in `maps`, whatever its folder.
pub fn mapped_provider(maps: &str) -> Option<PathBuf> {
    let paths = maps.lines().filter_map(|line| line.find('/').map(|start| Path::new(&line[start..])));
    let is_ours =
        |path: &&Path| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| NAMES.contains(&name));
    paths.into_iter().find(is_ours).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_configuration_contains_paths_and_rejects_special_characters() {
        let text = configuration(Path::new("/opt/my lib/kasoku.so"), Some(Path::new("/tmp/count"))).unwrap();
        assert!(text.contains("\nmodule = /opt/my lib/kasoku.so\ncounter = /tmp/count\nactivate = 1\n"), "{text}");
        assert!(!configuration(Path::new("/k.so"), None).unwrap().contains("counter"));
        for path in ["/a$b", "/a#b", "/a\"b", "/a\\b", "/a\nb", "/a "] {
            assert!(configuration(Path::new(path), None).is_err(), "{path:?}");
        }
    }

    #[test]
    fn mapped_provider_is_found_by_its_full_path() {
        let maps = "7f00-7f01 r-xp 00000000 fe:00 1   /opt/my lib/kasoku.so\n7f02-7f03 rw-p 00000000 00:00 0 \
            \n7f04-7f05 r-xp 00000000 fe:00 2   /usr/lib/libssl.so.3\n";
        assert!(is_mapped(maps, Path::new("/opt/my lib/kasoku.so")));
        assert!(!is_mapped(maps, Path::new("/lib/kasoku.so")));
        assert_eq!(mapped_provider(maps), Some(PathBuf::from("/opt/my lib/kasoku.so")));
        assert_eq!(mapped_provider("7f04-7f05 r-xp 00000000 fe:00 2   /usr/lib/libssl.so.3\n"), None);
    }

    #[test]
    fn counter_file_is_read_and_other_files_are_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("counter");
        let numbers = [COUNTER_MAGIC, 1, 2, 3, 4, 0, 0, 0];
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        std::fs::write(&path, &bytes).unwrap();
        let expected = Count { contexts: 1, operations: 2, bytes: 3, loads: 4 };
        assert_eq!(Count::read(&path), Some(expected));
        // Another file of equal length may be open too.
        let other = std::fs::File::create(dir.path().join("other")).unwrap();
        other.set_len(COUNTER_BYTES).unwrap();
        let open = std::fs::File::open(&path).unwrap();
        assert_eq!(counter(std::process::id()), Some(expected));
        drop((open, other));
        std::fs::write(&path, &bytes[1..]).unwrap();
        assert_eq!(Count::read(&path), None);
        std::fs::write(&path, [7; 64]).unwrap();
        assert_eq!((Count::read(&path), Count::read(dir.path())), (None, None));
    }

    #[test]
    fn counter_file_error_is_read_from_the_memfd_name_in_proc_maps() {
        let maps = "7f04-7f05 r-xp 00000000 fe:00 2   /usr/lib/libssl.so.3\n7f06-7f07 ---s 00000000 00:01 9   \
                    /memfd:kasoku-counter: /run/a b: is no counter (deleted)\n";
        assert_eq!(trouble(maps), Some("/run/a b: is no counter"));
        assert_eq!(trouble("7f06-7f07 ---s 00000000 00:01 9   /memfd:other (deleted)\n"), None);
    }

    #[test]
    fn build_folder_is_found_by_its_cache_tag() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        let deep = target.join("release/deps");
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(build_folder(&deep.join("libkasoku_openssl.so")), None);
        std::fs::write(target.join("CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55").unwrap();
        assert_eq!(build_folder(&deep.join("libkasoku_openssl.so")), Some(target.as_path()));
        assert_eq!(build_folder(&dir.path().join("kasoku.so")), None);
    }

    #[test]
    fn find_provider_names_the_missing_file() {
        assert!(find(Some(Path::new("/nowhere/kasoku.so"))).unwrap_err().why.contains("/nowhere/kasoku.so"));
    }
}
