//! Finds the installed Java virtual machines, their versions and the flags they know.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::super::{command, remove_switches};

pub const OLDEST: u32 = 11;
/// Time limit for `java -version`, which takes a second, or many on a busy machine.
const LIMIT: Duration = Duration::from_secs(40);
/// Folders in which distributions, vendors and tools install JDKs, one folder each.
const FOLDERS: [&str; 4] = ["/usr/lib/jvm", "/usr/java", "/opt/java", "/Library/Java/JavaVirtualMachines"];
const MAX: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    pub java: PathBuf,
    /// Full version, such as `17.0.15+6-Debian-1deb12u1`.
    pub version: String,
    /// Java release, such as 17.
    pub release: u32,
    /// Name and vendor.
    pub name: String,
    flags: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Runtimes {
    /// Usable virtual machines, each version once: those named by the user, then the one that `java` starts, then the
    /// others.
    pub usable: Vec<Runtime>,
    pub named: usize,
    /// Programs that cannot be used, each with the reason.
    pub unusable: Vec<String>,
}

impl Runtime {
    /// Runs the program `java` or the JDK at `path` to learn its version and flags.
    pub fn at(path: &Path) -> Result<Runtime, String> {
        let java = program_in(path);
        let refused = |why: String| format!("{}: {why}", java.display());
        let mut asked = Command::new(&java);
        asked.args(["-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintFlagsFinal", "-XshowSettings:properties", "-version"]);
        remove_switches(&mut asked);
        let printed = command::run_to_end(&mut asked, LIMIT).map_err(refused)?;
        let property = |name: &str| {
            let found =
                printed.err.lines().filter_map(|line| line.trim().split_once(" = ")).find(|(key, _)| *key == name);
            found.map(|(_, value)| value.chars().filter(|one| !one.is_control()).take(80).collect::<String>())
        };
        let release = property("java.specification.version").and_then(|version| release(&version));
        let (Some(version), Some(release)) = (property("java.runtime.version"), release) else {
            return Err(refused("does not report its Java version".to_owned()));
        };
        if release < OLDEST {
            return Err(refused(format!("is Java {release}; the worker needs {OLDEST} or later")));
        }
        let name = property("java.vm.name").unwrap_or_default();
        let vendor = property("java.vendor").unwrap_or_default();
        let flags = flags(&printed.out);
        Ok(Runtime { java, version, release, name: format!("{name}, {vendor}"), flags })
    }

    pub fn has_flag(&self, name: &str) -> bool {
        self.flags.contains(name)
    }

    #[cfg(feature = "test-doubles")]
    pub(super) fn imagined(release: u32) -> Runtime {
        const FLAGS: [&str; 7] =
            ["UseAES", "UseAESIntrinsics", "UseAESCTRIntrinsics", "UseGHASHIntrinsics", "UseCLMUL", "UseSHA", "UseAVX"];
        Runtime {
            java: PathBuf::from("java"),
            version: release.to_string(),
            release,
            name: "imagined".to_owned(),
            flags: FLAGS.map(str::to_owned).into(),
        }
    }
}

impl Runtimes {
    /// Finds the virtual machines named in `more` and those installed. A path in `more` is a program `java` or the
    /// folder of a JDK.
    pub fn find(more: &[PathBuf]) -> Runtimes {
        let mut runtimes = Runtimes::default();
        let named: Vec<PathBuf> = more.iter().map(|path| program_in(path)).collect();
        let mut seen: Vec<PathBuf> = Vec::new();
        for (index, java) in named.iter().chain(&installed()).enumerate() {
            let file = java.canonicalize().unwrap_or_else(|_| java.clone());
            if seen.contains(&file) || seen.len() == MAX {
                continue;
            }
            seen.push(file);
            match Runtime::at(java) {
                Ok(runtime) if runtimes.usable.iter().any(|known| known.version == runtime.version) => {}
                Ok(runtime) => {
                    runtimes.usable.push(runtime);
                    runtimes.named += usize::from(index < named.len());
                }
                Err(error) => runtimes.unusable.push(error),
            }
        }
        runtimes
    }
}

/// Returns the program in the JDK at `path`, or `path` itself if it is no JDK.
fn program_in(path: &Path) -> PathBuf {
    let name = format!("java{}", std::env::consts::EXE_SUFFIX);
    let inside = [path.join("bin").join(&name), path.join("Contents/Home/bin").join(&name)];
    inside.into_iter().find(|file| file.is_file()).unwrap_or_else(|| path.to_owned())
}

pub(super) fn first() -> Option<PathBuf> {
    installed().into_iter().next()
}

/// Returns the `java` of the newest installed JDK, by the releases that the JDKs state. Of several JDKs of the newest
/// release, takes the one that was found first.
pub(super) fn newest() -> Option<PathBuf> {
    installed().into_iter().rev().max_by_key(|java| release_of_jdk(java))
}

/// Reads the release from a JDK's file `release`, which is faster than running the program.
pub(super) fn release_of_jdk(java: &Path) -> Option<u32> {
    let program = java.canonicalize().ok()?;
    let stated = std::fs::read_to_string(program.parent()?.parent()?.join("release")).ok()?;
    stated.lines().find_map(|line| release(line.strip_prefix("JAVA_VERSION=\"")?.trim_end_matches('"')))
}

/// Returns every installed `java`: in PATH, in JAVA_HOME, and in the usual folders.
fn installed() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    found.extend(command::find("java", &std::env::var_os("PATH").unwrap_or_default()));
    found.extend(std::env::var_os("JAVA_HOME").map(|home| program_in(Path::new(&home))));
    for folder in FOLDERS {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let mut inside: Vec<PathBuf> = entries.take(MAX).filter_map(|entry| Some(entry.ok()?.path())).collect();
        inside.sort();
        found.extend(inside.iter().map(|path| program_in(path)));
    }
    found.retain(|file| command::is_program(file));
    found
}

/// Parses a specification version: 11 from "11", 8 from "1.8".
fn release(version: &str) -> Option<u32> {
    version.strip_prefix("1.").unwrap_or(version).split('.').next()?.parse().ok()
}

/// Parses the flag names in the output of `-XX:+PrintFlagsFinal`: `type name = value {kind} {origin}`.
fn flags(printed: &str) -> BTreeSet<String> {
    let flag = |line: &str| {
        let (before, _) = line.split_once(" = ").or_else(|| line.split_once("= "))?;
        Some(before.trim_end_matches(':').split_whitespace().nth(1)?.to_owned())
    };
    printed.lines().filter_map(flag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jvm_flag_names_are_parsed() {
        let printed = "[Global flags]\n     bool UseAES     = true     {product} {default}\n     intx UseAVX   := 2   \
            {ARCH product} {command line}\nccstrlist Empty    =     {product} {default}\nnonsense\n";
        assert_eq!(flags(printed), ["Empty", "UseAES", "UseAVX"].map(str::to_owned).into());
    }

    #[test]
    fn java_releases_parse_old_and_new_schemes() {
        assert_eq!(
            ["1.8", "11", "17", "25", "x", ""].map(release),
            [Some(8), Some(11), Some(17), Some(25), None, None]
        );
    }
}
