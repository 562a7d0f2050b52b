//! The command `kasoku`.

fn main() -> std::process::ExitCode {
    kasoku_lab::cli::main()
}
