//! Checks `aes-ni-story.toml` (two servers) against its source.

use super::*;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;

const SEED: &str = "seeds/000_0e969f8976f4fd1d.txt";

/// Returns the tables of `openssl speed` in `text`: from each line of headings to the next empty line.
fn speed_tables(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(sizes) = line.strip_prefix("type ") else { continue };
        let words: Vec<&str> = sizes.split_whitespace().collect();
        let headings = words.chunks(2).map(|size| size.join(" "));
        let mut table = vec![std::iter::once("type".to_owned()).chain(headings).collect::<Vec<_>>()];
        for line in lines.by_ref().take_while(|line| !line.is_empty()) {
            let mut words: Vec<&str> = line.split_whitespace().collect();
            let figures = words.split_off(words.len() - 5);
            table.push(std::iter::once(words.join(" ")).chain(figures.into_iter().map(str::to_owned)).collect());
        }
        tables.push(table);
    }
    tables
}

#[test]
fn aes_ni_story_cells_match_the_source() {
    let Some((source, text)) = with_text("aes-ni-story", SEED) else { return };
    let ours: Vec<_> = source.tables.iter().map(printed).collect();
    assert_eq!(ours, speed_tables(&text));
    for table in &source.tables {
        assert!(text.lines().any(|line| line == table.title), "{}", table.title);
    }
    assert!(text.starts_with(&format!("{}\n", source.title)));
}

#[test]
fn aes_ni_story_servers_match_the_source() {
    let Some((source, text)) = with_text("aes-ni-story", SEED) else { return };
    for machine in &source.machines {
        let version = machine.version_printed.as_deref().unwrap();
        assert!(text.contains(&machine.printed) && machine.printed.starts_with(&machine.cpu));
        assert!(text.contains(&format!("{version}\nbuilt on: {}\n", machine.built.as_deref().unwrap())));
        assert!(version.starts_with(&format!("{} ", machine.library_version.as_deref().unwrap())));
    }
    assert_quotes_stand_in(source, &text);
}

#[test]
fn aes_figures_without_evp_have_acceleration_off() {
    for id in ["published-aes-ni-story-opteron-6276", "published-aes-ni-story-xeon-e5-2620-v2"] {
        let document = documents().iter().find(|document| document.run.id == id).unwrap();
        let figures = |algorithm, state| {
            let series = document.series.iter().filter(move |s| (s.algorithm, s.acceleration) == (algorithm, state));
            series.map(|series| (series.bytes, series.median.unwrap())).collect::<Vec<_>>()
        };
        let off = figures(Algorithm::Aes256Cbc, Acceleration::Off);
        let on = figures(Algorithm::Aes256Cbc, Acceleration::On);
        assert_eq!((off.len(), on.len(), document.series.len()), (5, 5, 25));
        assert_eq!(off.iter().map(|(bytes, _)| *bytes).collect::<Vec<_>>(), [16, 64, 256, 1024, 8192]);
        assert!(off.iter().zip(&on).all(|((_, off), (_, on))| on / off > 2.5));
    }
}

#[test]
fn aes_ni_story_ratios_follow_from_its_tables() {
    let source = find("aes-ni-story").unwrap();
    let row = |table: &str, name: &str| -> Vec<f64> {
        let row = source.table(table).unwrap().rows.iter().find(|row| row.cells[0] == name).unwrap();
        row.cells[1..].iter().map(|cell| figure(cell).unwrap()).collect()
    };
    let ratios = |above: &[f64], below: &[f64]| above.iter().zip(below).map(|(a, b)| a / b).collect::<Vec<_>>();
    let (amd, evp, xeon) = ("opteron-low-level", "opteron-evp", "xeon");
    let quarter = ratios(&row(amd, "des ede3"), &row(amd, "blowfish cbc"));
    assert!(quarter.iter().all(|ratio| (0.24..0.28).contains(ratio)), "{quarter:?}");
    let against_blowfish = ratios(&row(evp, "aes-256-cbc"), &row(amd, "blowfish cbc"));
    assert!(against_blowfish.iter().all(|ratio| (3.0..4.7).contains(ratio)), "{against_blowfish:?}");
    let on_off = ratios(&row(evp, "aes-256-cbc"), &row(amd, "aes-256 cbc"));
    assert!((6.4..6.5).contains(&on_off[2]), "{on_off:?}");
    let xeon_on_off = ratios(&row(xeon, "aes-256-cbc"), &row(xeon, "aes-256 cbc"));
    assert!(xeon_on_off.iter().all(|ratio| (4.8..5.0).contains(ratio)), "{xeon_on_off:?}");
    let faster =
        |name, amd| -> Vec<bool> { ratios(&row(xeon, name), &row(amd, name)).iter().map(|r| *r > 1.0).collect() };
    assert_eq!(faster("blowfish cbc", amd), [true; 5]);
    assert_eq!(faster("aes-256 cbc", amd), [true, true, true, false, false]);
    assert_eq!(faster("aes-256-cbc", evp), [true, true, false, false, false]);
    assert_eq!(faster("des ede3", amd), [true, false, false, false, false]);
    assert_eq!(faster("camellia-256 cbc", amd), [false; 5]);
}
