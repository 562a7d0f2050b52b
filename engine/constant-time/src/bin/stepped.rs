//! `stepped PATH GROUP EXTENT [SECRETS]`, run by a tracer or an emulator: makes each engine call with many keys in
//! sequence. A marker precedes and follows each call.

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
    use kasoku_constant_time::fixture::packets::PacketFixture;
    use kasoku_constant_time::fixture::{CallFixture, MessageFixture};
    use kasoku_constant_time::reusing_allocator::ReusingAllocator;
    use kasoku_constant_time::{marker, secret};
    use kasoku_engine::CodePath;

    #[global_allocator]
    static ALLOCATOR: ReusingAllocator = ReusingAllocator::new();

    pub(super) fn main() -> Result<ExitCode, Box<dyn Error>> {
        let mut arguments = std::env::args().skip(1);
        let mut argument = || arguments.next().ok_or("usage: stepped PATH GROUP EXTENT [SECRETS]");
        let path = call::code_path(&argument()?)?;
        let group = argument()?;
        let extent: Extent = argument()?.parse()?;
        let secrets = arguments.next().map_or(Ok(secret::COUNT), |count| count.parse())?;
        match group.parse::<packets::Group>() {
            Ok(group) => run_all::<PacketFixture>(path, &group.calls(extent), secrets),
            Err(_) => run_all::<MessageFixture>(path, &group.parse::<Group>()?.calls(extent), secrets),
        }
    }

    fn run_all<D: CallFixture>(path: CodePath, calls: &[D::Call], secrets: usize) -> Result<ExitCode, Box<dyn Error>> {
        let mut fixture = D::new(path);
        for (index, call) in calls.iter().enumerate() {
            // Makes an untraced call first, which initialises memory and functions of the C library.
            fixture.prepare(call, 0)?;
            fixture.expand(call)?;
            let _ = fixture.run(black_box(call));
            for number in 0..secrets {
                fixture.prepare(call, number)?;
                fixture.expand(call)?;
                marker::begin(index);
                let verdict = fixture.run(black_box(call));
                marker::end();
                if !fixture.is_correct(call, &verdict) {
                    return Err(format!("{call}: the result is wrong").into());
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
