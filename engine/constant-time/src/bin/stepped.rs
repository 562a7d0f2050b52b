//! `stepped PATH GROUP EXTENT [SECRETS]`, started by a tracer or an emulator only: calls the engine under one key after
//! the other, each call between two markers.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn main() -> Result<std::process::ExitCode, Box<dyn std::error::Error>> {
    stepped::main()
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn main() {}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod stepped {
    use std::error::Error;
    use std::hint::black_box;
    use std::process::ExitCode;

    use kasoku_constant_time::call::{self, Extent, Group, packets};
    use kasoku_constant_time::desk::packets::PacketDesk;
    use kasoku_constant_time::desk::{Desk, MessageDesk};
    use kasoku_constant_time::steady::Steady;
    use kasoku_constant_time::{marker, secret};
    use kasoku_engine::CodePath;

    #[global_allocator]
    static ALLOCATOR: Steady = Steady::new();

    pub(super) fn main() -> Result<ExitCode, Box<dyn Error>> {
        let mut arguments = std::env::args().skip(1);
        let mut argument = || arguments.next().ok_or("usage: stepped PATH GROUP EXTENT [SECRETS]");
        let path = call::code_path(&argument()?)?;
        let group = argument()?;
        let extent: Extent = argument()?.parse()?;
        let secrets = arguments.next().map_or(Ok(secret::COUNT), |count| count.parse())?;
        match group.parse::<packets::Group>() {
            Ok(group) => run_all::<PacketDesk>(path, &group.calls(extent), secrets),
            Err(_) => run_all::<MessageDesk>(path, &group.parse::<Group>()?.calls(extent), secrets),
        }
    }

    fn run_all<D: Desk>(path: CodePath, calls: &[D::Call], secrets: usize) -> Result<ExitCode, Box<dyn Error>> {
        let mut desk = D::new(path);
        for (index, call) in calls.iter().enumerate() {
            // Once unseen: the first time finds memory and functions of the C library for the first time.
            desk.lay_out(call, 0)?;
            desk.expand(call)?;
            let _ = desk.run(black_box(call));
            for number in 0..secrets {
                desk.lay_out(call, number)?;
                desk.expand(call)?;
                marker::begin(index);
                let verdict = desk.run(black_box(call));
                marker::end();
                if !desk.is_right(call, &verdict) {
                    return Err(format!("{call}: the result is wrong").into());
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
