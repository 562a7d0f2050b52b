//! What `kasoku run` takes for the level `jvm`.

use std::path::{Path, PathBuf};

use crate::cmd::Failure;
use kasoku_libraries::jvm::Runtime;

pub(super) const EXAMPLES: &str = "\
Examples:
  kasoku run jvm                                 every JDK found, with acceleration on and off
  kasoku run jvm --java /opt/jdk-21              this JDK beside those found
  kasoku run jvm --jvm-flag=-XX:-UseGHASHIntrinsics
  kasoku run jvm --as-published --list           how long the published measurement takes here";

/// The level's own options.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct JvmArgs {
    /// Also measure Java with this flag, as separate series, as -XX:-UseGHASHIntrinsics; repeatable
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true, value_parser = flag)]
    pub(super) jvm_flag: Vec<String>,
    /// Also run SPECjvm2008's own crypto.aes from this JAR (available from SPEC)
    #[arg(long, value_name = "JAR")]
    pub(super) specjvm: Option<PathBuf>,
}

/// A flag of the virtual machine: of its own kind only, since others would change what is started.
fn flag(text: &str) -> Result<String, String> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "+-=._".contains(one);
    match text.strip_prefix("-XX:") {
        Some(rest) if !rest.is_empty() && rest.chars().all(is_plain) => Ok(text.to_owned()),
        _ => Err("a flag must be -XX: followed by letters, digits and + - = . _".to_owned()),
    }
}

/// Whether what is named is there, and a Java that can be measured in.
///
/// # Errors
/// What is not.
pub(super) fn check(javas: &[PathBuf], specjvm: Option<&Path>) -> Result<(), Failure> {
    if let Some(path) = specjvm.filter(|path| !path.is_file()) {
        return Err(Failure::new(format!("--specjvm {}: no such file", path.display())));
    }
    for path in javas {
        if !path.exists() {
            return Err(Failure::new(format!("--java {}: no such program or folder", path.display())));
        }
        Runtime::at(path).map_err(|error| Failure::new(format!("--java {}: {error}", path.display())))?;
    }
    Ok(())
}
