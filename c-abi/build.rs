//! Gives the shared library its SONAME, which Cargo has no setting for. Nothing is compiled or looked for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // The number counts breaks of the ABI, not releases. macOS and Windows name their libraries in other ways.
    if os != "macos" && os != "windows" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libkasoku.so.0");
    }
}
