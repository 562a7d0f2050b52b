//! Gives the module its SONAME, which Cargo has no setting for. Nothing is compiled or looked for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // A module is loaded by its path, but a name of its own keeps the loader from taking it for another.
    if os != "macos" && os != "windows" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,kasoku.so");
    }
}
