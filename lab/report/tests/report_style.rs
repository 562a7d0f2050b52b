//! Checks the contrast of the page's colours in light mode, dark mode and print. WCAG 2.2 requires 4.5 to 1 for text
//! (1.4.3), and 3 to 1 for drawings (1.4.11).

#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::BTreeMap;

const STYLE: &str = concat!(include_str!("../../report/src/palette.css"), include_str!("../../report/src/report.css"));

/// A colour with all colours that need contrast to it, because `report.css` or a chart combines them as text and
/// background.
const TEXT: [(&str, &[&str]); 4] = [
    ("paper", &["ink", "muted", "accent", "good", "bad"]),
    ("card", &["ink", "muted", "accent", "good", "bad"]),
    ("alert", &["ink", "bad"]),
    // Text in the card colour: the skip link, and figures inside the bars of packets and libraries.
    ("card", &["accent", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "kasoku"]),
];

/// Colours of bars, lines and swatches, which appear on cards or on the page.
const DRAWN: [&str; 12] = ["on", "off", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "kasoku", "bad"];
/// Colours of libraries, whose lines may appear in one chart.
const LIBRARIES: [&str; 9] = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "kasoku"];
/// Minimum distance in OKLab at which colours of thin lines are easy to tell apart. The smallest visible distance is
/// 0.02.
const APART: f64 = 0.1;

#[test]
fn text_and_drawings_have_enough_contrast_in_every_colour_mode() {
    let mut faint = Vec::new();
    for (mode, colors) in palettes() {
        let text = TEXT.iter().flat_map(|(ground, texts)| texts.iter().map(|text| (*text, *ground, 4.5)));
        let drawn = DRAWN.iter().flat_map(|drawn| [(*drawn, "card", 3.0), (*drawn, "paper", 3.0)]);
        for (one, other, least) in text.chain(drawn) {
            let found = contrast(&colors[one], &colors[other]);
            if found < least {
                faint.push(format!("{mode}: {one} on {other} {found:.2}"));
            }
        }
    }
    assert!(faint.is_empty(), "{faint:#?}");
}

#[test]
fn library_colours_are_distinguishable_in_every_colour_mode() {
    let mut alike = Vec::new();
    for (mode, colors) in palettes() {
        for (index, one) in LIBRARIES.iter().enumerate() {
            for other in &LIBRARIES[..index] {
                let found = distance(&colors[*one], &colors[*other]);
                if found < APART {
                    alike.push(format!("{mode}: {one} and {other} {found:.3}"));
                }
            }
        }
    }
    assert!(alike.is_empty(), "{alike:#?}");
}

/// Ensures that the contrast test sees every colour that the stylesheet uses.
#[test]
fn stylesheet_uses_only_colours_of_the_palette() {
    for line in STYLE.lines().filter(|line| !line.trim_start().starts_with("--") && !line.contains(":root")) {
        assert!(!line.contains(": #") && !line.contains("rgb("), "{line}");
    }
    let [(_, light), ..] = palettes();
    for used in STYLE.split("var(--").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(light.contains_key(used), "no colour is called {used}");
    }
}

#[test]
fn colour_distance_matches_oklab_and_contrast_wcag() {
    assert!((distance("#000000", "#ffffff") - 1.0).abs() < 1e-6);
    assert!(distance("#808080", "#838383") < 0.02 && distance("#2474b8", "#5b5bd6") < APART);
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    assert!((contrast("#777", "#fff") - 4.48).abs() < 0.01);
    assert!((contrast("#ffffff", "#777777") - 4.48).abs() < 0.01);
}

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
    let [red, green, blue] = linear(color);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Returns the distance between two colours in OKLab, as defined by B. Ottosson.
fn distance(one: &str, other: &str) -> f64 {
    let squares = oklab(one).into_iter().zip(oklab(other)).map(|(one, other)| (one - other).powi(2));
    squares.sum::<f64>().sqrt()
}

fn oklab(color: &str) -> [f64; 3] {
    let [red, green, blue] = linear(color);
    let long = (0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue).cbrt();
    let middle = (0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue).cbrt();
    let short = (0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue).cbrt();
    [
        0.210_454_255_3 * long + 0.793_617_785_0 * middle - 0.004_072_046_8 * short,
        1.977_998_495_1 * long - 2.428_592_205_0 * middle + 0.450_593_709_9 * short,
        0.025_904_037_1 * long + 0.782_771_766_2 * middle - 0.808_675_766_0 * short,
    ]
}

fn linear(color: &str) -> [f64; 3] {
    let digits = color.strip_prefix('#').unwrap();
    let digits = if digits.len() == 3 { digits.chars().flat_map(|c| [c, c]).collect() } else { digits.to_owned() };
    [0, 1, 2].map(|index: usize| {
        let value = f64::from(u8::from_str_radix(&digits[index * 2..index * 2 + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}
