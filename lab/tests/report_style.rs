//! The page's colours: text can be read in light and dark mode and on paper (WCAG 2.2, 1.4.3: 4.5 to 1; 1.4.11: 3 to 1 for
//! what is drawn).

#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::BTreeMap;

const STYLE: &str = include_str!("../src/report/report.css");

/// Colours of text and what it stands on, as `report.css` and the charts use them.
const TEXT: [(&str, &str); 18] = [
    ("ink", "paper"),
    ("ink", "card"),
    ("ink", "alert"),
    ("muted", "paper"),
    ("muted", "card"),
    ("accent", "paper"),
    ("accent", "card"),
    ("good", "paper"),
    ("good", "card"),
    ("bad", "paper"),
    ("bad", "card"),
    ("bad", "alert"),
    // The skip link, and figures within the bars of packets.
    ("card", "accent"),
    ("card", "s0"),
    ("card", "s1"),
    ("card", "s2"),
    ("card", "s4"),
    ("card", "s6"),
];

/// Bars, lines and swatches, all on cards or the page.
const DRAWN: [&str; 11] = ["on", "off", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "bad"];

#[test]
fn text_and_drawings_stand_out_in_every_mode() {
    let mut faint = Vec::new();
    for (mode, colors) in palettes() {
        let drawn = DRAWN.iter().flat_map(|drawn| [(*drawn, "card", 3.0), (*drawn, "paper", 3.0)]);
        for (one, other, least) in TEXT.iter().map(|(text, ground)| (*text, *ground, 4.5)).chain(drawn) {
            let found = contrast(&colors[one], &colors[other]);
            if found < least {
                faint.push(format!("{mode}: {one} on {other} {found:.2}"));
            }
        }
    }
    assert!(faint.is_empty(), "{faint:#?}");
}

/// Every colour that the style uses is one of the palette, so that the test above sees all of them.
#[test]
fn no_rule_has_a_colour_of_its_own() {
    for line in STYLE.lines().filter(|line| !line.trim_start().starts_with("--") && !line.contains(":root")) {
        assert!(!line.contains(": #") && !line.contains("rgb("), "{line}");
    }
    let [(_, light), ..] = palettes();
    for used in STYLE.split("var(--").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(light.contains_key(used), "no colour is called {used}");
    }
}

#[test]
fn contrast_is_that_of_wcag() {
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    assert!((contrast("#777", "#fff") - 4.48).abs() < 0.01);
    assert!((contrast("#ffffff", "#777777") - 4.48).abs() < 0.01);
}

/// The custom properties of each mode; what one does not set is that of the light mode.
fn palettes() -> [(&'static str, BTreeMap<String, String>); 3] {
    let own = |after: &str| properties(STYLE.split_once(after).unwrap().1.split_once(":root {").unwrap().1);
    let light = properties(STYLE.split_once(":root {").unwrap().1);
    let over_light = |own: BTreeMap<String, String>| light.clone().into_iter().chain(own).collect();
    let dark = over_light(own("prefers-color-scheme: dark"));
    let print = over_light(own("@media print"));
    [("light", light), ("dark", dark), ("print", print)]
}

fn properties(text: &str) -> BTreeMap<String, String> {
    let property = |one: &str| {
        let (name, value) = one.trim().strip_prefix("--")?.split_once(':')?;
        Some((name.to_owned(), value.trim().to_owned()))
    };
    text.split('}').next().unwrap().split(';').filter_map(property).collect()
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance(color: &str) -> f64 {
    let digits = color.strip_prefix('#').unwrap();
    let digits = if digits.len() == 3 { digits.chars().flat_map(|c| [c, c]).collect() } else { digits.to_owned() };
    let channel = |index: usize| {
        let value = f64::from(u8::from_str_radix(&digits[index * 2..index * 2 + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
}
