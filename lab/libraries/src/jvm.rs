//! Java security providers: Java's own (`sunjce`), Mozilla's NSS through SunPKCS11 (`nss`), and providers that come as
//! a jar. They run in a Java virtual machine: the worker process becomes `java`, and jvm/Worker.java with the files
//! beside it answers requests.

mod classes;
mod provider;
mod runtime;
mod specjvm;
mod switch;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use super::{Library, LibraryEntry, Opening, Switch, Unavailable, install};
pub use classes::Classes;
pub use provider::{ACCP, BOUNCY_CASTLE, CONSCRYPT, KASOKU_JCA, PROVIDERS};
pub use runtime::{OLDEST, Runtime, Runtimes};
pub use specjvm::SPECJVM;
pub use switch::unknown_flag;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::library;

pub const SUNJCE: LibraryEntry = LibraryEntry {
    variables: &["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"],
    ..in_java(library::SUNJCE, "Java's own provider, in each JDK", switch::sunjce)
};

pub const NSS: LibraryEntry = LibraryEntry {
    variables: &[
        "NSS_DISABLE_HW_AES",
        "NSS_DISABLE_PCLMUL",
        "NSS_DISABLE_AVX",
        "NSS_DISABLE_AVX2",
        "NSS_DISABLE_SSSE3",
        "NSS_DISABLE_SSE4_1",
        "NSS_DISABLE_HW_GCM",
        "NSS_DISABLE_HW_SHA",
        "NSS_DISABLE_HW_SHA1",
        "NSS_DISABLE_HW_SHA2",
        "NSS_DISABLE_ARM_NEON",
    ],
    ..in_java(library::NSS, "Mozilla's NSS, in Java through SunPKCS11", switch::nss)
};

const fn in_java(name: &'static str, about: &'static str, switch: fn(Acceleration) -> Switch) -> LibraryEntry {
    LibraryEntry { program: Some(program), ..LibraryEntry::new(name, about, open, switch) }
}

/// First release of Java that warns of native code unless the command line permits it.
const NATIVE_ACCESS_FROM: u32 = 22;

pub const WARM_UP: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Program `java`; `None` selects an installed one.
    pub java: Option<PathBuf>,
    /// Folder of the compiled worker. If `None`, `java` compiles the worker's source.
    pub classes: Option<PathBuf>,
    /// Additional flags, besides those of the acceleration state.
    pub flags: Vec<String>,
    pub warm_up: Option<Duration>,
    /// Whether to start the HTTPS server instead of the worker.
    pub is_server: bool,
}

#[derive(Clone, Debug)]
pub struct JvmSetting {
    pub runtime: Arc<Runtime>,
    pub classes: Arc<Classes>,
    pub flags: Vec<String>,
    /// Maximum warm-up of a workload.
    pub warm_up: Duration,
    /// Duration of each measurement of a suite's score. At least one operation is measured.
    pub score: Duration,
}

impl JvmSetting {
    pub fn start(&self) -> Start {
        Start {
            java: Some(self.runtime.java.clone()),
            classes: Some(self.classes.folder().to_owned()),
            flags: self.flags.clone(),
            warm_up: Some(self.warm_up),
            is_server: false,
        }
    }

    /// Creates a fictitious virtual machine that knows every flag of the acceleration states and of tests.
    #[cfg(feature = "test-doubles")]
    pub fn imagined(release: u32, (warm_up, score): (Duration, Duration)) -> JvmSetting {
        JvmSetting {
            runtime: Arc::new(Runtime::imagined(release)),
            classes: Arc::new(Classes::imagined()),
            flags: Vec::new(),
            warm_up,
            score,
        }
    }
}

/// Returns all flags for `entry` in `state`: those of the state, then those of `setting`. The flags are among the
/// parameters of a series.
pub fn flags(entry: &LibraryEntry, state: Acceleration, setting: &JvmSetting) -> Vec<String> {
    (entry.switch)(state).into_flags().into_iter().chain(setting.flags.iter().cloned()).collect()
}

fn open(_opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    Err(Unavailable::new("it runs in a virtual machine, and not in this process"))
}

fn program(name: &str, opening: &Opening) -> Result<Command, Unavailable> {
    let start = &opening.jvm;
    let jar = provider::jar(name, opening.library_file.as_deref())?;
    // Some providers with native code need a newer Java than the first one found.
    let found = || if jar.is_some() { runtime::newest() } else { runtime::first() };
    let java = start.java.clone().or_else(found).ok_or_else(|| Unavailable {
        why: "no java in PATH, JAVA_HOME or the folders of installed JDKs".to_owned(),
        install: Some(install::JDK.to_owned()),
    })?;
    let mut command = Command::new(&java);
    if jar.is_some() && runtime::release_of_jdk(&java) >= Some(NATIVE_ACCESS_FROM) {
        command.arg("--enable-native-access=ALL-UNNAMED");
    }
    // Compile synchronously, so that compilation ends with the warm-up.
    command.arg("-Xbatch");
    // Write the virtual machine's messages to standard error, and create no files.
    command.args(["-Xshare:auto", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DisplayVMOutputToStderr"]);
    command.args(["-XX:-UsePerfData", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null"]);
    if let (Some(state), Some(entry)) = (opening.acceleration, super::find(name)) {
        command.args((entry.switch)(state).into_flags());
    }
    command.args(&start.flags);
    let class_path = std::env::join_paths(start.classes.iter().chain(&jar));
    let class_path = class_path.map_err(|error| Unavailable::new(error.to_string()))?;
    if !class_path.is_empty() {
        command.arg("-cp").arg(class_path);
    }
    match &start.classes {
        Some(_) => command.arg(if start.is_server { "Server" } else { "Worker" }),
        None if start.is_server => return Err(Unavailable::new("a server needs the compiled classes")),
        None => {
            let source = classes::source_alone().map_err(Unavailable::new)?;
            if let Some(folder) = source.parent() {
                command.arg(format!("-Dkasoku.temporary={}", folder.display()));
            }
            command.arg("--source").arg(OLDEST.to_string()).arg(source)
        }
    };
    command.arg(name).arg(start.warm_up.unwrap_or(WARM_UP).as_millis().to_string());
    Ok(command)
}
