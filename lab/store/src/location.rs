//! Finds the path of the store.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::StoreError;

/// Returns the path that `--store` names, else `$KASOKU_STORE`, else `kasoku/kasoku.sqlite` in the user's data folder.
/// Fails with [`StoreError::NoPlace`] if the user has no home folder either.
pub fn locate(option: Option<&Path>) -> Result<PathBuf, StoreError> {
    located(option, |name| std::env::var_os(name), std::env::home_dir()).ok_or(StoreError::NoPlace)
}

/// Whether the user named a store, which must then exist.
pub fn is_named(option: Option<&Path>) -> bool {
    option.is_some() || std::env::var_os("KASOKU_STORE").is_some_and(|path| !path.is_empty())
}

fn located(
    option: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
    home: Option<PathBuf>,
) -> Option<PathBuf> {
    if let Some(path) = option {
        return Some(path.to_path_buf());
    }
    if let Some(path) = variable("KASOKU_STORE").filter(|path| !path.is_empty()) {
        return Some(PathBuf::from(path));
    }
    Some(data_folder(variable, home)?.join("kasoku").join("kasoku.sqlite"))
}

/// Returns an environment variable that holds an absolute path. The XDG specification requires ignoring relative ones.
fn absolute(variable: &impl Fn(&str) -> Option<OsString>, name: &str) -> Option<PathBuf> {
    variable(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn data_folder(variable: impl Fn(&str) -> Option<OsString>, home: Option<PathBuf>) -> Option<PathBuf> {
    let home = home.filter(|path| path.is_absolute());
    if cfg!(windows) {
        absolute(&variable, "LOCALAPPDATA").or_else(|| Some(home?.join("AppData").join("Local")))
    } else if cfg!(target_vendor = "apple") {
        Some(home?.join("Library").join("Application Support"))
    } else {
        absolute(&variable, "XDG_DATA_HOME").or_else(|| Some(home?.join(".local").join("share")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location_for(option: Option<&str>, variables: &[(&str, &str)], home: Option<&str>) -> Option<PathBuf> {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
        located(option.map(Path::new), variable, home.map(PathBuf::from))
    }

    #[test]
    fn locate_prefers_option_then_variable_then_data_folder() {
        let variables = [("KASOKU_STORE", "/b/s.sqlite"), ("XDG_DATA_HOME", "/c")];
        assert_eq!(location_for(Some("a"), &variables, Some("/h")), Some("a".into()));
        assert_eq!(location_for(None, &variables, Some("/h")), Some("/b/s.sqlite".into()));
        assert_eq!((location_for(None, &[], None), location_for(None, &[], Some("not/absolute"))), (None, None));
    }

    #[test]
    #[cfg(all(unix, not(target_vendor = "apple")))]
    fn data_folder_follows_xdg() {
        let home = Some("/h");
        assert_eq!(location_for(None, &[("XDG_DATA_HOME", "/c")], home), Some("/c/kasoku/kasoku.sqlite".into()));
        for variables in [&[("XDG_DATA_HOME", "relative")][..], &[("KASOKU_STORE", "")], &[]] {
            assert_eq!(location_for(None, variables, home), Some("/h/.local/share/kasoku/kasoku.sqlite".into()));
        }
    }
}
