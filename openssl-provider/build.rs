//! Sets the SONAME of the module, which Cargo has no setting for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // A module is loaded by its path, but its own SONAME keeps the loader from taking it for another library.
    if os != "macos" && os != "windows" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,kasoku.so");
    }
}
