//! Colours and markers in charts. A library has one colour in all charts of a page. Lines of a library differ by
//! markers, bars by shades.

use std::collections::{BTreeMap, HashMap};

use crate::chart::Marker;
use crate::prelude::*;
use kasoku_model::library::{Role, info};

/// Colours for libraries without a reserved colour (`library::LIBRARIES`). A colour that a library on the page reserves
/// is not available.
const COLORS: [&str; 8] =
    ["var(--s0)", "var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)", "var(--s5)", "var(--s6)", "var(--s7)"];
/// Shades of a library's bars, in per cent of the full colour.
const SHADES: [u32; 4] = [100, 66, 44, 28];

#[derive(Clone, Debug, Default)]
pub(crate) struct Palette {
    colors: BTreeMap<String, &'static str>,
}

impl Palette {
    /// Creates the palette for the page of `document`. Libraries of primitives and packets get colours first, since
    /// they share charts.
    pub(crate) fn for_document(document: &Document) -> Self {
        let is_drawn = |role| matches!(role, Role::Library | Role::OwnClock);
        let mut libraries: Vec<(bool, &str)> = document
            .series
            .iter()
            .filter(|series| is_drawn(series.role) && !series.details.control)
            .map(|series| (![Level::Primitives, Level::Packets].contains(&series.level), series.library.as_str()))
            .collect();
        libraries.sort_unstable();
        Palette::new(libraries.into_iter().map(|(_, library)| library))
    }

    /// Assigns a colour to each of `libraries`. If there are more libraries than colours, libraries without a reserved
    /// colour may have equal colours.
    fn new<'a>(libraries: impl Iterator<Item = &'a str> + Clone) -> Self {
        let taken: Vec<&str> = libraries.clone().filter_map(reserved).collect();
        let unplaced = unique(libraries.filter(|library| reserved(library).is_none()));
        let free: Vec<&'static str> = COLORS.into_iter().filter(|color| !taken.contains(color)).collect();
        let all = free.into_iter().chain(COLORS.into_iter().cycle());
        Palette { colors: unplaced.into_iter().map(str::to_owned).zip(all).collect() }
    }

    pub(crate) fn color(&self, library: &str) -> &'static str {
        reserved(library).or_else(|| self.colors.get(library).copied()).unwrap_or(COLORS[COLORS.len() - 1])
    }

    /// Returns the colour of a bar. `before` is the number of bars of the same library above it.
    pub(crate) fn shade(&self, library: &str, before: usize) -> String {
        let color = self.color(library);
        match SHADES[before % SHADES.len()] {
            100 => color.to_owned(),
            share => format!("color-mix(in srgb, {color} {share}%, var(--card))"),
        }
    }

    /// Returns the style of each line of a chart, from the line's library, without a label. All styles differ while
    /// there are enough markers.
    pub(crate) fn styles<'a>(&self, libraries: impl Iterator<Item = &'a str>) -> Vec<LegendEntry> {
        let mut lines_in: HashMap<&str, usize> = HashMap::new();
        let style = |library: &str| {
            let color = self.color(library);
            let before = lines_in.entry(color).or_default();
            let marker = Marker::ALL[*before % Marker::ALL.len()];
            *before += 1;
            LegendEntry { marker, ..LegendEntry::color(color, Text::EMPTY) }
        };
        libraries.map(style).collect()
    }
}

fn reserved(library: &str) -> Option<&'static str> {
    info(library)?.color
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use kasoku_model::library::LIBRARIES;

    /// Kasoku's colour, as `palette.css` defines it.
    const OWN_COLOR: &str = "var(--kasoku)";

    #[test]
    fn reserved_colours_of_libraries_are_distinct() {
        let colors: Vec<&str> = LIBRARIES.iter().filter_map(|library| library.color).collect();
        assert_eq!(colors.iter().collect::<HashSet<_>>().len(), colors.len(), "{colors:?}");
        assert!(colors.iter().all(|color| COLORS.contains(color) || *color == OWN_COLOR), "{colors:?}");
    }

    fn styles(libraries: &[&str]) -> Vec<LegendEntry> {
        Palette::new(libraries.iter().copied()).styles(libraries.iter().copied())
    }

    #[test]
    fn lines_of_a_library_share_its_colour_and_differ_by_marker() {
        let libraries =
            ["openssl", "aws-lc", "ring", "rustcrypto", "graviola", "ipsec-mb", "mbedtls", "nettle", "kasoku"];
        let lines: Vec<&str> = libraries.iter().flat_map(|library| [*library; 2]).collect();
        let styles = styles(&lines);
        let colors: HashSet<&str> = styles.iter().map(|style| style.color.as_str()).collect();
        assert_eq!(colors.len(), libraries.len(), "{styles:?}");
        assert_eq!(styles.iter().collect::<HashSet<_>>().len(), lines.len(), "{styles:?}");
        for pair in styles.chunks(2) {
            assert_eq!(pair[0].color, pair[1].color);
        }
        for (library, style) in lines.iter().zip(&styles) {
            assert_eq!(*library == "kasoku", style.color == OWN_COLOR, "{library}");
        }
    }

    #[test]
    fn reserved_colours_do_not_depend_on_other_libraries() {
        assert_eq!(styles(&["graviola"])[0].color, styles(&["a", "b", "graviola", "openssl"])[2].color);
    }

    #[test]
    fn libraries_with_equal_colours_differ_by_their_markers() {
        let names: Vec<String> = (0..30).map(|number| format!("library {number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let styles = styles(&names);
        assert_eq!(styles.iter().collect::<HashSet<_>>().len(), names.len());
        assert!(styles.iter().all(|style| style.color != OWN_COLOR));
    }

    #[test]
    fn bars_of_one_library_have_different_shades_of_its_colour() {
        let palette = Palette::new(["kasoku", "openssl"].into_iter());
        let shades: HashSet<String> = (0..4).map(|before| palette.shade("kasoku", before)).collect();
        assert!(shades.len() == 4 && shades.iter().all(|shade| shade.contains(OWN_COLOR)), "{shades:?}");
    }
}
