//! Texts of `kasoku ab`: table, verdict and progress.

use std::ffi::{OsStr, OsString};

use kasoku_measure::ab::{AbVerdict, Judgement, Quantity, RUNS_OF_A, Round};
use kasoku_model::statistics::median;

pub(super) const HEADINGS: [&str; 6] = ["", "", "median", "against A", "95 %", "floor"];

/// Returns the name of a command by its number: A to Z, then AA to ZZ.
pub(super) fn name(number: usize) -> String {
    let letter = |index: usize| char::from(b'A' + (index % 26) as u8);
    let before = number.checked_sub(26).map(|beyond| letter(beyond / 26));
    before.into_iter().chain([letter(number)]).collect()
}

/// Returns the verdict on the wall time or CPU time of command `name` as a sentence.
pub(super) fn verdict(name: &str, quantity: Quantity, judged: &Judgement) -> String {
    let [low, high] = judged.ci95;
    let floor = format!("floor {:.1} %", 100.0 * judged.floor);
    let (time, long) = match quantity {
        Quantity::CpuTime => ("CPU time", "much CPU time"),
        _ => ("time", "long"),
    };
    match judged.verdict() {
        AbVerdict::Less => format!(
            "{name} takes {:.1} % less {time} than A ({:.1} to {:.1} %), {floor}",
            100.0 * (1.0 - judged.ratio),
            100.0 * (1.0 - high),
            100.0 * (1.0 - low)
        ),
        AbVerdict::More if judged.ratio < 1.5 => format!(
            "{name} takes {:.1} % more {time} than A ({:.1} to {:.1} %), {floor}",
            100.0 * (judged.ratio - 1.0),
            100.0 * (low - 1.0),
            100.0 * (high - 1.0)
        ),
        AbVerdict::More => {
            format!("{name} takes {:.2} times as {long} as A ({low:.2} to {high:.2} times), {floor}", judged.ratio)
        }
        AbVerdict::NoDifference => {
            let (change, interval) = (change(judged.ratio), interval(judged.ci95));
            format!("No difference shown: {name} against A {change} ({interval}), {floor}")
        }
    }
}

/// Returns the row of the first command, which has the noise floor.
pub(super) fn baseline_row(quantity: Quantity, judged: &Judgement) -> Vec<String> {
    let quantity = match quantity {
        Quantity::Time => "time",
        Quantity::CpuTime => "CPU time",
    };
    let floor = format!("{:.1} %", 100.0 * judged.floor);
    [quantity, "A", &amount(judged.a), "", "", &floor].map(str::to_owned).into()
}

/// Returns the row of another command.
pub(super) fn row(name: &str, judged: &Judgement) -> Vec<String> {
    let same = if judged.verdict() == AbVerdict::NoDifference { " =" } else { "" };
    let change = change(judged.ratio) + same;
    ["", name, &amount(judged.b), &change, &interval(judged.ci95), ""].map(str::to_owned).into()
}

/// Returns a line about how `rounds` of `commands` were measured.
pub(super) fn about(rounds: usize, commands: usize, warm_up: u32) -> String {
    let others = if commands == 2 { "B" } else { "the others" };
    let warm_up = match warm_up {
        0 => String::new(),
        1 => ", after one run of each".to_owned(),
        runs => format!(", after {runs} runs of each"),
    };
    format!("{rounds} rounds of A, A again and {others} in random order{warm_up}; medians; = no difference shown")
}

/// Returns the number of rounds and the medians of the first commands.
pub(super) fn progress(rounds: &[Round]) -> String {
    const MOST: usize = 4;
    let commands = rounds.first().map_or(0, |round| round.len() + 1 - RUNS_OF_A);
    let mut text = format!("{} rounds", rounds.len());
    for number in 0..commands.min(MOST) {
        let place = if number == 0 { 0 } else { RUNS_OF_A - 1 + number };
        let mut times: Vec<f64> = rounds.iter().map(|round| round[place].ns as f64 * 1e-9).collect();
        text.push_str(&format!(", {} {}", name(number), amount(median(&mut times).unwrap_or_default())));
    }
    if commands > MOST {
        text.push_str(", …");
    }
    text
}

/// Returns a command quoted for a shell.
pub(super) fn command(words: &[OsString]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

pub(super) fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    shell_words::quote(&word).into_owned()
}

/// Returns a ratio as a change, like `+4.1 %` or `−3.0 %`. Ratios of 2 and more become factors, like `2.05 times`.
fn change(ratio: f64) -> String {
    if ratio >= 2.0 {
        return format!("{ratio:.2} times");
    }
    let percent = format!("{:+.1} %", 100.0 * (ratio - 1.0));
    percent.replace('-', "−")
}

fn interval([low, high]: [f64; 2]) -> String {
    format!("{} to {}", change(low), change(high))
}

/// Returns a time in seconds with three significant digits and its unit.
fn amount(seconds: f64) -> String {
    let (unit, name) = match seconds {
        1.0.. => (1.0, "s"),
        1e-3.. => (1e-3, "ms"),
        _ => (1e-6, "µs"),
    };
    let scaled = seconds / unit;
    let decimals = match scaled {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{scaled:.decimals$} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(ratio: f64, half: f64, floor: f64) -> Judgement {
        Judgement { a: 1.0, b: ratio, ratio, ci95: [ratio - half, ratio + half], control: 1.0, floor, rounds: 10 }
    }

    #[test]
    fn verdict_states_the_change_with_interval_and_floor() {
        for (judged, sentence) in [
            (judged(0.959, 0.009, 0.008), "B takes 4.1 % less time than A (3.2 to 5.0 %), floor 0.8 %"),
            (judged(1.041, 0.009, 0.008), "B takes 4.1 % more time than A (3.2 to 5.0 %), floor 0.8 %"),
            (judged(1.9, 0.01, 0.008), "B takes 1.90 times as long as A (1.89 to 1.91 times), floor 0.8 %"),
            (judged(0.997, 0.009, 0.008), "No difference shown: B against A −0.3 % (−1.2 % to +0.6 %), floor 0.8 %"),
            (judged(1.015, 0.009, 0.02), "No difference shown: B against A +1.5 % (+0.6 % to +2.4 %), floor 2.0 %"),
        ] {
            assert_eq!(verdict("B", Quantity::Time, &judged), sentence);
        }
        let of_cpu = verdict("C", Quantity::CpuTime, &judged(2.5, 0.25, 0.01));
        assert_eq!(of_cpu, "C takes 2.50 times as much CPU time as A (2.25 to 2.75 times), floor 1.0 %");
    }

    #[test]
    fn command_names_continue_with_aa_after_z() {
        assert_eq!([0, 1, 25, 26, 27, 51, 52, 99].map(name), ["A", "B", "Z", "AA", "AB", "AZ", "BA", "CV"]);
    }

    #[test]
    fn amount_has_three_digits_and_a_unit() {
        for (seconds, text) in [(12.34, "12.3 s"), (0.010_04, "10.0 ms"), (0.000_5, "500 µs"), (0.0, "0.00 µs")] {
            assert_eq!(amount(seconds), text);
        }
    }
}
