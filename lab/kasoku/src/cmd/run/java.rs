//! What the command line says about Java.

use std::path::{Path, PathBuf};

use crate::cmd::Failure;
use kasoku_libraries::jvm::Runtime;

/// A flag of the virtual machine: of its own kind only, since others would change what is started.
pub(super) fn flag(text: &str) -> Result<String, String> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "+-=._".contains(one);
    match text.strip_prefix("-XX:") {
        Some(rest) if !rest.is_empty() && rest.chars().all(is_plain) => Ok(text.to_owned()),
        _ => Err("a flag begins with -XX: and has letters, digits and + - = . _ behind it".to_owned()),
    }
}

/// Whether what is named is there, and a Java that can be measured in.
///
/// # Errors
/// What is not.
pub(super) fn check(javas: &[PathBuf], specjvm: Option<&Path>) -> Result<(), Failure> {
    if let Some(path) = specjvm.filter(|path| !path.is_file()) {
        return Err(Failure::new(format!("--specjvm {}: there is no such file", path.display())));
    }
    for path in javas {
        if !path.exists() {
            return Err(Failure::new(format!("--java {}: there is no such program or folder", path.display())));
        }
        Runtime::at(path).map_err(|error| Failure::new(format!("--java {}: {error}", path.display())))?;
    }
    Ok(())
}
