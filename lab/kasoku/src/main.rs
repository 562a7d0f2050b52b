//! The command `kasoku`.

fn main() -> std::process::ExitCode {
    kasoku_command::cli::main()
}
