//! `memchecked PATH GROUP EXTENT`, run under valgrind: calls the engine with keys and plaintexts marked as undefined.
//!
//! Memcheck reports every branch and every memory address that depends on a marked byte. Sealing must cause no report.
//! Opening must cause exactly one report for each message or packet: for the branch on whether the tag is valid, which
//! is public.

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
    use kasoku_constant_time::fixture::packets::PacketFixture;
    use kasoku_constant_time::fixture::{CallFixture, MessageFixture};
    use kasoku_constant_time::{memcheck, secret};
    use kasoku_engine::CodePath;

    pub(super) fn main() -> Result<ExitCode, Box<dyn Error>> {
        if !memcheck::is_running() {
            return Err("this shows something under valgrind only".into());
        }
        let mut arguments = std::env::args().skip(1);
        let mut argument = || arguments.next().ok_or("usage: memchecked PATH GROUP EXTENT");
        let path = call::code_path(&argument()?)?;
        let group = argument()?;
        let extent: Extent = argument()?.parse()?;
        match group.parse::<packets::Group>() {
            Ok(group) => check_all::<PacketFixture>(path, &group.to_string(), &group.calls(extent)),
            Err(_) => check_all::<MessageFixture>(path, &group, &group.parse::<Group>()?.calls(extent)),
        }
    }

    fn check_all<D: CallFixture>(path: CodePath, group: &str, calls: &[D::Call]) -> Result<ExitCode, Box<dyn Error>> {
        let mut fixture = D::new(path);
        let (mut all_complaints, mut wrong) = (0, 0);
        for call in calls {
            let (complaints, problems) = check(&mut fixture, call)?;
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

    /// Executes an engine call whose secrets memcheck tracks. Returns the number of memcheck errors, and descriptions
    /// of other problems.
    fn check<D: CallFixture>(fixture: &mut D, call: &D::Call) -> Result<(usize, Vec<String>), kasoku_engine::Error> {
        fixture.prepare(call, secret::COUNT - 1)?;
        for secret in fixture.secrets(call) {
            memcheck::mark_secret(secret);
        }
        let before = memcheck::complaint_count();
        fixture.expand(call)?;
        let verdict = fixture.run(black_box(call));
        // Branches on the verdict, so that memcheck reports one branch on it even if the engine has none.
        let verdict = if verdict.is_ok() { Ok(()) } else { verdict };
        let complaints = memcheck::complaint_count() - before;

        let mut problems = Vec::new();
        for result in fixture.results(call) {
            // The check proves something only if the results depend on the secrets.
            let secret = memcheck::secret_byte_count(result);
            if secret != result.len() {
                problems.push(format!("{secret} of {} bytes came from the secrets", result.len()));
            }
            memcheck::declare_public(result);
        }
        for rest in fixture.other_secrets(call) {
            memcheck::declare_public(rest);
        }
        if !fixture.is_correct(call, &verdict) {
            problems.push("the result is wrong".to_owned());
        }
        Ok((complaints, problems))
    }
}
