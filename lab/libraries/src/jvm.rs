//! The libraries that run in a virtual machine: Java's own provider (`sunjce`), Mozilla's library through SunPKCS11
//! (`nss`), and providers that come as a jar. No code here can hold one: the worker process becomes `java`, and
//! jvm/Worker.java and the files beside it answer in its place.

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
pub use classes::{Classes, ClassesError};
pub use provider::{ACCP, BOUNCY_CASTLE, CONSCRYPT, KASOKU_JCA, PROVIDERS};
pub use runtime::{OLDEST, Runtime, RuntimeError, Runtimes};
pub use specjvm::SPECJVM;
pub use switch::unknown_flag;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::library;

/// Java's own provider.
pub const SUNJCE: LibraryEntry = LibraryEntry {
    variables: &["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"],
    ..in_java(library::SUNJCE, "Java's own provider, in each JDK", switch::sunjce)
};

/// Mozilla's library in Java.
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

/// The release of Java from which on it warns of code for the CPU in a program that was not started with leave for it.
const NATIVE_ACCESS_FROM: u32 = 22;

/// How long a workload is warmed up at most, where nobody says.
pub const WARM_UP: Duration = Duration::from_secs(1);

/// How the virtual machine is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The program `java`; the first that is found if absent.
    pub java: Option<PathBuf>,
    /// Where the compiled worker is; absent, and its source is given to `java` as it is.
    pub classes: Option<PathBuf>,
    /// Flags beside those of the acceleration state.
    pub flags: Vec<String>,
    /// How long a workload is warmed up at most.
    pub warm_up: Option<Duration>,
    /// Whether it is to be an HTTPS server with the library's ciphers, instead of a worker.
    pub is_server: bool,
}

/// A virtual machine to measure in.
#[derive(Clone, Debug)]
pub struct JvmSetting {
    /// The Java that runs it.
    pub runtime: Arc<Runtime>,
    /// The compiled worker.
    pub classes: Arc<Classes>,
    /// Flags beside those of the acceleration state.
    pub flags: Vec<String>,
    /// How long a workload is warmed up at most.
    pub warm_up: Duration,
    /// How long a suite's score is measured in each start; one operation if that takes longer.
    pub score: Duration,
}

impl JvmSetting {
    /// How it is started.
    pub fn start(&self) -> Start {
        Start {
            java: Some(self.runtime.java.clone()),
            classes: Some(self.classes.folder().to_owned()),
            flags: self.flags.clone(),
            warm_up: Some(self.warm_up),
            is_server: false,
        }
    }

    /// One that nobody has, which knows every flag of the states and of tests.
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

/// The flags that `entry` is started with in `state`, those of `setting` included; for the series' parameters.
pub fn flags(entry: &LibraryEntry, state: Acceleration, setting: &JvmSetting) -> Vec<String> {
    (entry.switch)(state).into_flags().into_iter().chain(setting.flags.iter().cloned()).collect()
}

fn open(_opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    Err(Unavailable::new("it runs in a virtual machine, and not in this process"))
}

fn program(name: &str, opening: &Opening) -> Result<Command, Unavailable> {
    let start = &opening.jvm;
    let jar = provider::jar(name, opening.library_file.as_deref())?;
    // Of those who bring code for the CPU along, some ask for a newer one than the first may be.
    let found = || if jar.is_some() { runtime::newest() } else { runtime::first() };
    let java = start.java.clone().or_else(found).ok_or_else(|| Unavailable {
        why: "no java in PATH, JAVA_HOME or the folders of installed JDKs".to_owned(),
        install: Some(install::JDK.to_owned()),
    })?;
    let mut command = Command::new(&java);
    if jar.is_some() && runtime::stated_release(&java) >= Some(NATIVE_ACCESS_FROM) {
        command.arg("--enable-native-access=ALL-UNNAMED");
    }
    // What is to be compiled is waited for, so that a warm-up ends when it has ended.
    command.arg("-Xbatch");
    // What a virtual machine says goes to standard error, and it leaves nothing behind.
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
            let source = classes::source_alone().map_err(|error| Unavailable::new(error.to_string()))?;
            if let Some(folder) = source.parent() {
                command.arg(format!("-Dkasoku.temporary={}", folder.display()));
            }
            command.arg("--source").arg(OLDEST.to_string()).arg(source)
        }
    };
    command.arg(name).arg(start.warm_up.unwrap_or(WARM_UP).as_millis().to_string());
    Ok(command)
}
