//! Sets the SONAME of the shared library, which Cargo has no setting for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // The number in the SONAME counts breaks of the ABI, not releases. macOS and Windows have no SONAME.
    if os != "macos" && os != "windows" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libkasoku.so.0");
    }
}
