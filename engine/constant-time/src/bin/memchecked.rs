//! `memchecked BACKEND GROUP EXTENT`, under valgrind: calls the engine with keys and plaintexts marked undefined.
//!
//! Every branch and every address that depends on them is a complaint of memcheck. Sealing must give none. Opening must
//! give exactly one a message: the verdict, which is public, though it is computed from secrets; memcheck cannot know
//! that, so it is counted here.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> Result<std::process::ExitCode, Box<dyn std::error::Error>> {
    checked::main()
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod checked {
    use std::error::Error;
    use std::hint::black_box;
    use std::process::ExitCode;

    use kasoku_constant_time::call::{Call, Extent, Group};
    use kasoku_constant_time::desk::Desk;
    use kasoku_constant_time::{memcheck, secret};
    use kasoku_engine::Backend;

    pub(super) fn main() -> Result<ExitCode, Box<dyn Error>> {
        if !memcheck::is_here() {
            return Err("this shows something under valgrind only".into());
        }
        let mut arguments = std::env::args().skip(1);
        let mut argument = || arguments.next().ok_or("usage: memchecked BACKEND GROUP EXTENT");
        let backend: Backend = argument()?.parse()?;
        let group: Group = argument()?.parse()?;
        let extent: Extent = argument()?.parse()?;

        let mut desk = Desk::new(backend);
        let (mut calls, mut all_complaints, mut wrong) = (0, 0, 0);
        for call in group.calls(extent) {
            let (complaints, problems) = check(&mut desk, &call)?;
            calls += 1;
            all_complaints += complaints;
            let expected = usize::from(group == Group::Opening);
            if complaints != expected || !problems.is_empty() {
                wrong += 1;
                if wrong <= 20 {
                    println!("{call}: {complaints} complaints, expected {expected}; {}", problems.join("; "));
                }
            }
        }
        println!("{backend}, {group}: {calls} calls, {all_complaints} complaints, {wrong} calls not as they should be");
        Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Does a call with secrets marked: how often memcheck complained, and what else is wrong.
    fn check(desk: &mut Desk, call: &Call) -> Result<(usize, Vec<String>), kasoku_engine::Error> {
        desk.lay_out(call, secret::COUNT - 1)?;
        for secret in desk.secrets(call) {
            memcheck::mark_secret(secret);
        }
        let before = memcheck::complaints();
        desk.expand(call)?;
        let verdict = desk.run(black_box(call));
        // The branch on the verdict is part of what is counted, if the engine had none itself.
        let verdict = if verdict.is_ok() { Ok(()) } else { verdict };
        let complaints = memcheck::complaints() - before;

        let mut problems = Vec::new();
        for result in desk.results(call) {
            // Nothing would be shown if the secrets had not gone in, or the compiler had computed with known values.
            let secret = memcheck::secret_bytes(result);
            if secret != result.len() {
                problems.push(format!("{secret} of {} bytes came from the secrets", result.len()));
            }
            memcheck::declare_public(result);
        }
        for rest in desk.rest(call) {
            memcheck::declare_public(rest);
        }
        if !desk.is_right(call, &verdict) {
            problems.push("the result is wrong".to_owned());
        }
        Ok((complaints, problems))
    }
}
