//! `memchecked PATH GROUP EXTENT`, under valgrind: calls the engine with keys and plaintexts marked undefined.
//!
//! Every branch and every address that depends on them is a complaint of memcheck. Sealing must give none. Opening must
//! give exactly one a message or packet: the verdict, which is public, though it is computed from secrets; memcheck
//! cannot know that, so it is counted here.

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

    use kasoku_constant_time::call::{self, Extent, Group, packets};
    use kasoku_constant_time::desk::packets::PacketDesk;
    use kasoku_constant_time::desk::{Desk, MessageDesk};
    use kasoku_constant_time::{memcheck, secret};
    use kasoku_engine::CodePath;

    pub(super) fn main() -> Result<ExitCode, Box<dyn Error>> {
        if !memcheck::is_here() {
            return Err("this shows something under valgrind only".into());
        }
        let mut arguments = std::env::args().skip(1);
        let mut argument = || arguments.next().ok_or("usage: memchecked PATH GROUP EXTENT");
        let path = call::code_path(&argument()?)?;
        let group = argument()?;
        let extent: Extent = argument()?.parse()?;
        match group.parse::<packets::Group>() {
            Ok(group) => check_all::<PacketDesk>(path, &group.to_string(), &group.calls(extent)),
            Err(_) => check_all::<MessageDesk>(path, &group, &group.parse::<Group>()?.calls(extent)),
        }
    }

    fn check_all<D: Desk>(path: CodePath, group: &str, calls: &[D::Call]) -> Result<ExitCode, Box<dyn Error>> {
        let mut desk = D::new(path);
        let (mut all_complaints, mut wrong) = (0, 0);
        for call in calls {
            let (complaints, problems) = check(&mut desk, call)?;
            all_complaints += complaints;
            let expected = D::verdicts(call);
            if complaints != expected || !problems.is_empty() {
                wrong += 1;
                if wrong <= 20 {
                    println!("{call}: {complaints} complaints, expected {expected}; {}", problems.join("; "));
                }
            }
        }
        let calls = calls.len();
        println!("{path}, {group}: {calls} calls, {all_complaints} complaints, {wrong} calls not as they should be");
        Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Does a call with secrets marked: how often memcheck complained, and what else is wrong.
    fn check<D: Desk>(desk: &mut D, call: &D::Call) -> Result<(usize, Vec<String>), kasoku_engine::Error> {
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
