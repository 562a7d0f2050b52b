//! The command `kasoku-proof`. docs/PROOF.md describes what it proves.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod command;

fn main() -> std::process::ExitCode {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    return command::run();
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    {
        eprintln!("kasoku-proof is for Linux on x86-64");
        std::process::ExitCode::FAILURE
    }
}
