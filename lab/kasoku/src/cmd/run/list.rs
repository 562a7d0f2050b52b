//! `kasoku run --list`: what would be measured.

use super::super::{CommandOutcome, Failure};
use super::planned_levels::{PlannedLevels, plan_levels};
use super::preflight;
use super::request::RunRequest;
use kasoku_measure::level::description;
use kasoku_measure::level::options::LevelOptions;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::Omission;
use kasoku_store::output_file::print;

/// Prints what would be measured.
pub(super) fn list(request: &RunRequest, options: &LevelOptions) -> Result<CommandOutcome, Failure> {
    let PlannedLevels { mut levels, omissions, .. } = plan_levels(request, options)?;
    for (index, (plan, workers)) in levels.iter_mut().enumerate() {
        let between = if index > 0 { "\n" } else { "" };
        print(&format!("{between}{}", description::describe(plan)))?;
        let lines = [preflight::time(plan, workers), preflight::binding_limit(plan).map(|remark| remark.to_string())];
        for line in lines.into_iter().flatten() {
            print(&format!("\n{line}\n"))?;
        }
    }
    for line in not_here(&omissions) {
        print(&format!("{line}\n"))?;
    }
    Ok(CommandOutcome::Done)
}

/// A line for each level and library that is left out, though several levels lack the same library.
fn not_here(omissions: &[Omission]) -> Vec<String> {
    let mut told: Vec<(&str, Option<Acceleration>, &str)> = Vec::new();
    let mut lines = Vec::new();
    for one in omissions.iter().filter(|one| one.algorithm.is_none()) {
        // Of a whole level, each reason is told.
        let (what, why) =
            if one.library.is_empty() { (one.level.name(), one.why.as_str()) } else { (one.library.as_str(), "") };
        if told.contains(&(what, one.acceleration, why)) {
            continue;
        }
        told.push((what, one.acceleration, why));
        let install = one.install.as_ref().map(|command| format!("; install it with: {command}")).unwrap_or_default();
        let state = one.acceleration.map(|state| format!(" ({state})")).unwrap_or_default();
        lines.push(format!("not available: {what}{state}: {}{install}", one.why));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::level::Level;

    #[test]
    fn every_level_and_library_that_is_not_here_is_told_once() {
        let omission = |level: Level, library: &str, why: &str| Omission {
            level,
            library: library.into(),
            why: why.into(),
            ..Omission::default()
        };
        let lines = not_here(&[
            omission(Level::Primitives, "ipsec-mb", "no such file"),
            omission(Level::Packets, "ipsec-mb", "no such file"),
            omission(Level::Jvm, "", "java did not end"),
            omission(Level::Jvm, "", "there is no java"),
            omission(Level::Tls, "", "there is no nginx"),
        ]);
        let told =
            ["ipsec-mb: no such file", "jvm: java did not end", "jvm: there is no java", "tls: there is no nginx"];
        assert_eq!(lines, told.map(|line| format!("not available: {line}")));
    }
}
