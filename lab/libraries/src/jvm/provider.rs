//! Java security providers that come as a jar, and where their jars are.

use std::path::{Path, PathBuf};

use super::super::{LibraryEntry, Switch, Unavailable, install, kasoku, openssl_switch};
use super::in_java;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::library;

pub const KASOKU_JCA: LibraryEntry =
    in_java(library::KASOKU_JCA, "Kasoku's engine in Java, as a security provider", kasoku::ENTRY.switch);

pub const ACCP: LibraryEntry =
    in_java(library::ACCP, "Amazon Corretto Crypto Provider: AWS-LC in Java", openssl_switch);

pub const CONSCRYPT: LibraryEntry = in_java(library::CONSCRYPT, "Conscrypt: BoringSSL in Java", openssl_switch);

pub const BOUNCY_CASTLE: LibraryEntry =
    in_java(library::BOUNCY_CASTLE, "Bouncy Castle, written in Java", bouncy_castle);

/// All providers that come as a jar.
pub const PROVIDERS: [&LibraryEntry; 4] = [&KASOKU_JCA, &ACCP, &CONSCRYPT, &BOUNCY_CASTLE];

const FETCH: &str = "jvm/fetch_providers.sh";
const BUILD: &str = "java/build.sh";
const CACHE_VARIABLE: &str = "KASOKU_CACHE";

/// A provider's jar. Its file name is `before`, the version, then `behind`.
struct Jar {
    library: &'static str,
    before: &'static str,
    behind: &'static str,
    install: &'static str,
}

const JARS: [Jar; 4] = [
    Jar { library: library::KASOKU_JCA, before: "kasoku-jca-", behind: ".jar", install: BUILD },
    Jar { library: library::ACCP, before: "AmazonCorrettoCryptoProvider-", behind: ACCP_SUFFIX, install: FETCH },
    Jar { library: library::CONSCRYPT, before: "conscrypt-openjdk-uber-", behind: ".jar", install: FETCH },
    Jar { library: library::BOUNCY_CASTLE, before: "bcprov-jdk18on-", behind: ".jar", install: FETCH },
];

/// End of the file name of ACCP's jar for this platform.
const ACCP_SUFFIX: &str = match (cfg!(target_os = "macos"), cfg!(target_arch = "aarch64")) {
    (false, false) => "-linux-x86_64.jar",
    (false, true) => "-linux-aarch_64.jar",
    (true, false) => "-osx-x86_64.jar",
    (true, true) => "-osx-aarch_64.jar",
};

/// Returns the switch of Bouncy Castle, which is pure Java and uses no cryptographic instructions.
fn bouncy_castle(state: Acceleration) -> Switch {
    match state {
        Acceleration::On => Switch::Flags(Vec::new()),
        _ => Switch::None("it is written in Java, and never uses the instructions"),
    }
}

/// Returns the jar of `library`: `named` by the user, or else the newest beside this command, in `../lib` or in the
/// cache. `None` for libraries without a jar.
pub(super) fn jar(library: &str, named: Option<&Path>) -> Result<Option<PathBuf>, Unavailable> {
    let Some(jar) = JARS.iter().find(|jar| jar.library == library) else { return Ok(None) };
    if let Some(path) = named {
        let missing = || Unavailable::new(format!("{}: no such file", path.display()));
        return if path.is_file() { Ok(Some(path.to_owned())) } else { Err(missing()) };
    }
    let folders = folders();
    if let Some(found) = folders.iter().find_map(|folder| jar.newest_in(folder)) {
        return Ok(Some(found));
    }
    let cache = folders.last().map_or_else(|| "a cache".to_owned(), |folder| folder.display().to_string());
    let why = format!("{}…{} is neither beside this command nor in {cache}", jar.before, jar.behind);
    Err(Unavailable { why, install: Some(jar.install.to_owned()) })
}

impl Jar {
    fn newest_in(&self, folder: &Path) -> Option<PathBuf> {
        let files = std::fs::read_dir(folder).ok()?.flatten().filter(|entry| entry.path().is_file());
        let version = |name: &str| numbers(name.strip_prefix(self.before)?.strip_suffix(self.behind)?);
        let versions = files.filter_map(|entry| Some((version(entry.file_name().to_str()?)?, entry.path())));
        versions.max().map(|(_, path)| path)
    }
}

/// Parses a version such as `1.80.2`. `None` for other text, as in `0.1.0-sources`.
fn numbers(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|number| number.parse().ok()).collect()
}

/// Returns the folders to search for jars, the cache last.
fn folders() -> Vec<PathBuf> {
    let mut folders = install::folders_of_this_command();
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folders.extend(cache(absolute, std::env::home_dir()));
    folders
}

/// Returns the folder `java` in `$KASOKU_CACHE`, or else in `kasoku` in the user's cache.
fn cache(absolute: impl Fn(&str) -> Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let of_user = || absolute("XDG_CACHE_HOME").or_else(|| Some(home?.join(".cache"))).map(|all| all.join("kasoku"));
    absolute(CACHE_VARIABLE).or_else(of_user).map(|folder| folder.join("java"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_jar_ignores_folders_and_malformed_versions() {
        let folder = tempfile::tempdir().unwrap();
        for version in ["0.9.0", "0.10.0", "0.11.0-sources", ""] {
            std::fs::write(folder.path().join(format!("kasoku-jca-{version}.jar")), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("kasoku-jca-1.0.0.jar")).unwrap();
        assert_eq!(JARS[0].newest_in(folder.path()), Some(folder.path().join("kasoku-jca-0.10.0.jar")));
        assert_eq!(JARS[1].newest_in(folder.path()), None);
    }

    #[test]
    fn cache_folder_follows_environment_variables() {
        let cache_with = |variables: &[(&str, &str)]| {
            let variable = |name: &str| variables.iter().find(|(one, _)| *one == name).map(|(_, path)| path.into());
            cache(variable, Some("/home/a".into())).unwrap()
        };
        assert_eq!(cache_with(&[(CACHE_VARIABLE, "/c"), ("XDG_CACHE_HOME", "/x")]), Path::new("/c/java"));
        assert_eq!(cache_with(&[("XDG_CACHE_HOME", "/x")]), Path::new("/x/kasoku/java"));
        assert_eq!(cache_with(&[]), Path::new("/home/a/.cache/kasoku/java"));
    }

    #[test]
    fn fetch_script_downloads_every_third_party_jar() {
        let script = include_str!("../../jvm/fetch_providers.sh");
        for jar in JARS.iter().filter(|jar| jar.install == FETCH) {
            let is_it = |line: &str| {
                let name = line.rsplit('/').next()?;
                numbers(name.strip_prefix(jar.before)?.strip_suffix(jar.behind)?)
            };
            let is_fetched = script.lines().any(|line| is_it(line).is_some());
            assert!(is_fetched || cfg!(target_os = "macos"), "{}", jar.library);
        }
    }

    #[test]
    fn jar_reports_missing_files_for_every_provider() {
        for entry in PROVIDERS {
            let missing = jar(entry.name, Some(Path::new("/no/such.jar"))).unwrap_err();
            assert!(missing.why.contains("/no/such.jar"), "{missing:?}");
            assert!((entry.switch)(Acceleration::On) != (entry.switch)(Acceleration::Off), "{}", entry.name);
        }
        assert_eq!(jar(library::SUNJCE, None), Ok(None));
    }
}
