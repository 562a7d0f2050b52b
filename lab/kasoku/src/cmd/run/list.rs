//! `kasoku run --list`: what would be measured.

use super::super::{Failure, Outcome};
use super::asked::Asked;
use super::beforehand;
use super::ready::{Ready, ready};
use kasoku_measure::level::description;
use kasoku_measure::level::options::Options;
use kasoku_model::acceleration::Acceleration;
use kasoku_store::output_file::print;

/// Prints what would be measured.
///
/// # Errors
/// If there is nothing.
pub(super) fn list(asked: &Asked, options: &Options) -> Result<Outcome, Failure> {
    let Ready { mut levels, omissions, .. } = ready(asked, options)?;
    for (index, (plan, workers)) in levels.iter_mut().enumerate() {
        let between = if index > 0 { "\n" } else { "" };
        print(&format!("{between}{}", description::describe(plan)))?;
        let lines = [beforehand::time(plan, workers), beforehand::binding_limit(plan)];
        for line in lines.into_iter().flatten() {
            print(&format!("\n{line}\n"))?;
        }
    }
    let mut told: Vec<(&str, Option<Acceleration>)> = Vec::new();
    for one in omissions.iter().filter(|one| one.algorithm.is_none()) {
        if told.contains(&(&one.library, one.acceleration)) {
            continue; // the levels lack the same library
        }
        told.push((&one.library, one.acceleration));
        let install = one.install.as_ref().map(|command| format!("; to install it: {command}")).unwrap_or_default();
        let state = one.acceleration.map(|state| format!(" ({state})")).unwrap_or_default();
        let what = if one.library.is_empty() { &one.level } else { &one.library };
        print(&format!("not here: {what}{state}: {}{install}\n", one.why))?;
    }
    Ok(Outcome::Done)
}
