//! Versions of the libraries that are Rust crates, read from the lock file of this build: a crate cannot ask for its
//! dependencies' versions. In the workspace `Cargo.lock` is a link to the only lock file. A published crate has a lock
//! file of its own, whose versions are those of the build if the command is installed with `--locked`.

const LOCK: &str = include_str!("../Cargo.lock");

/// Returns the version of the package `name` in this build, or `"unknown"`.
pub(crate) fn crate_version(name: &str) -> &'static str {
    locked(LOCK, name).unwrap_or("unknown")
}

/// Returns names with versions: `"aes 0.9.4 sha2 0.11.1"` for `aes` and `sha2`.
pub(crate) fn crate_versions(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name} {}", crate_version(name))).collect::<Vec<_>>().join(" ")
}

/// Returns the version of `name` that this crate depends on. If the lock file has several versions of `name`, Cargo
/// writes the version after the name in this crate's list of dependencies.
fn locked<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let own = packages(lock).find(|package| field(package, "name") == Some(env!("CARGO_PKG_NAME")))?;
    let wanted = own.lines().find_map(|line| {
        let mut words = line.trim().trim_end_matches(',').trim_matches('"').split(' ');
        (words.next() == Some(name)).then(|| words.next()).flatten()
    });
    packages(lock)
        .filter(|package| field(package, "name") == Some(name))
        .filter_map(|package| field(package, "version"))
        .find(|version| wanted.is_none_or(|wanted| wanted == *version))
}

fn packages(lock: &str) -> impl Iterator<Item = &str> {
    lock.split("[[package]]").skip(1)
}

fn field<'a>(package: &'a str, name: &str) -> Option<&'a str> {
    package.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locked_version_is_the_dependency_of_this_crate() {
        let lock = "version = 4\n\n[[package]]\nname = \"kasoku-libraries\"\nversion = \"0.1.0\"\ndependencies = [\n \
            \"aes\",\n \"sha2 0.11.1\",\n]\n\n[[package]]\nname = \"aes\"\nversion = \"0.9.4\"\n\n[[package]]\nname = \
                    \"sha2\"\nversion = \"0.10.9\"\n\n[[package]]\nname = \"sha2\"\nversion = \"0.11.1\"\n";
        assert_eq!(locked(lock, "aes"), Some("0.9.4"));
        assert_eq!(locked(lock, "sha2"), Some("0.11.1"));
        assert_eq!(locked(lock, "des"), None);
    }

    #[test]
    fn lock_file_has_the_versions_of_this_build() {
        assert_eq!(crate_version("kasoku"), env!("CARGO_PKG_VERSION"));
        for name in ["aes", "sha2", "chacha20poly1305", "ring", "graviola", "aws-lc-rs", "aws-lc-sys"] {
            let version = crate_version(name);
            assert!(version.starts_with(|first: char| first.is_ascii_digit()), "{name} {version}");
        }
    }
}
