//! How the lines of charts are told apart: each library has one colour in all charts of a page, and what else tells its
//! lines apart (versions, settings) has a marker of its own.

use std::collections::{BTreeMap, HashMap};

use crate::chart::Marker;
use kasoku_model::library::KASOKU;

/// Kasoku's colour in `report.css`, which no other library has.
const OWN_COLOR: &str = "var(--kasoku)";
/// The colours of the others.
const COLORS: [&str; 8] =
    ["var(--s0)", "var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)", "var(--s5)", "var(--s6)", "var(--s7)"];
/// Libraries that have the same colour on every page: each the one in its place.
const PLACED: [&str; 6] = ["openssl", "aws-lc", "ring", "rustcrypto", "graviola", "ipsec-mb"];

/// How a line is drawn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LineStyle {
    /// A CSS colour.
    pub(super) color: &'static str,
    /// At each of its points.
    pub(super) marker: Marker,
}

/// A style for each line of one chart, whose libraries are `libraries`: no two are alike while there are markers enough.
pub(super) fn line_styles<'a>(libraries: impl Iterator<Item = &'a str> + Clone) -> Vec<LineStyle> {
    let mut colors: BTreeMap<&str, &'static str> = BTreeMap::new();
    let mut unplaced: Vec<&str> = Vec::new();
    for library in libraries.clone() {
        if library == KASOKU {
            colors.insert(library, OWN_COLOR);
        } else if let Some(place) = PLACED.iter().position(|placed| *placed == library) {
            colors.insert(library, COLORS[place]);
        } else {
            unplaced.push(library);
        }
    }
    unplaced.sort_unstable();
    unplaced.dedup();
    // Those beyond the eighth share colours and differ by their markers.
    let is_free = |color: &&&'static str| !colors.values().any(|taken| taken == *color);
    let free: Vec<&'static str> = COLORS.iter().filter(is_free).copied().chain(COLORS).collect();
    let beyond = free.len() - COLORS.len();
    for (index, library) in unplaced.into_iter().enumerate() {
        let place = if index < beyond { index } else { beyond + (index - beyond) % COLORS.len() };
        colors.insert(library, free[place]);
    }
    let mut lines_in: HashMap<&str, usize> = HashMap::new();
    let style = |library: &str| {
        let color = colors.get(library).copied().unwrap_or(COLORS[0]);
        let before = lines_in.entry(color).or_default();
        let marker = Marker::ALL[*before % Marker::ALL.len()];
        *before += 1;
        LineStyle { color, marker }
    };
    libraries.map(style).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_library_has_a_colour_and_each_of_its_lines_a_marker() {
        let libraries =
            ["openssl", "aws-lc", "ring", "rustcrypto", "graviola", "ipsec-mb", "mbedtls", "nettle", "kasoku"];
        let lines: Vec<&str> = libraries.iter().flat_map(|library| [*library; 2]).collect();
        let styles = line_styles(lines.iter().copied());
        let colors: HashSet<&str> = styles.iter().map(|style| style.color).collect();
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
    fn a_library_keeps_its_colour_whoever_stands_beside_it() {
        let alone = line_styles(["graviola"].into_iter());
        let among = line_styles(["a", "b", "graviola", "openssl"].into_iter());
        assert_eq!(alone[0].color, among[2].color);
    }

    #[test]
    fn more_libraries_than_colours_differ_by_their_markers() {
        let names: Vec<String> = (0..30).map(|number| format!("library {number}")).collect();
        let styles = line_styles(names.iter().map(String::as_str));
        assert_eq!(styles.iter().collect::<HashSet<_>>().len(), names.len());
        assert!(styles.iter().all(|style| style.color != OWN_COLOR));
    }
}
