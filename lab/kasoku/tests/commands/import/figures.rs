//! Figures of real devices and of every version, compared with an independent, simple parser.

use std::collections::BTreeSet;

use kasoku_model::name::plain;

use super::*;

/// Figures as openssl prints them, by the name of their row and whether the row is of the low-level functions. The
/// figures of a row are in the order of the columns.
type Figures = BTreeMap<(String, bool), Vec<String>>;

/// Returns the name of a row as openssl and Kasoku both spell it: `ecdh-p256` and `(nistp256)` are `p256`.
fn row_name(name: &str) -> String {
    let name = plain(name);
    let name = name.trim_start_matches("ecdh").trim_start_matches("nist").trim_end_matches("cbc");
    name.to_owned()
}

/// Returns the figures of a transcript: the words that end in `k` in a bulk row, and the second half of the numbers
/// after a word in brackets.
fn printed_figures(text: &str) -> Figures {
    let mut figures = Figures::new();
    for line in text.lines().filter(|line| !line.contains("Doing")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let bulk = words.iter().filter(|word| word.contains('.')).filter_map(|word| word.strip_suffix('k'));
        let bulk: Vec<&str> = bulk.collect();
        let bracket = words.iter().position(|word| word.starts_with('(') && word.ends_with(')'));
        let (name, row) = match bracket {
            _ if matches!(bulk.len(), 5 | 6) => (words[..words.len() - bulk.len()].join(" "), &bulk[..]),
            Some(bracket) if words.get(bracket + 1).is_some_and(|time| time.ends_with('s') && time.contains('.')) => {
                let numbers = &words[bracket + 1..];
                (words[bracket].to_owned(), &numbers[numbers.len() / 2..])
            }
            _ => continue,
        };
        // openssl prints the names of its low-level functions with a space, as `aes-128 cbc`.
        let row = row.iter().map(|figure| (*figure).to_owned());
        figures.entry((row_name(&name), name.contains(' '))).or_default().extend(row);
    }
    figures
}

/// Returns the figures of a document. openssl prints thousands with two decimals.
fn stored_figures(document: &Document) -> Figures {
    let mut figures = Figures::new();
    for series in &document.series {
        let printed = match (series.unit, series.median.unwrap()) {
            (Unit::BytesPerSecond, figure) => {
                assert_eq!(figure % 10.0, 0.0, "{figure}");
                format!("{:.2}", figure / 1000.0)
            }
            (_, figure) => format!("{figure:.1}"),
        };
        let is_low_level = series.quoted().is_some_and(|quoted| quoted.is_low_level);
        figures.entry((row_name(series.algorithm.name()), is_low_level)).or_default().push(printed);
    }
    figures
}

fn count(figures: &Figures) -> usize {
    figures.values().map(Vec::len).sum()
}

#[test]
fn import_and_export_keep_every_figure_of_ten_devices() {
    let Some(devices) = shared("devices").map(|folder| files(&folder)) else { return };
    assert_eq!(devices.len(), 10);
    let sandbox = Sandbox::new();
    let names = devices.iter().map(|file| file.to_str().unwrap());
    let rows = sandbox.json(&["import", "--format", "json"].into_iter().chain(names).collect::<Vec<_>>());
    for (file, row) in devices.iter().zip(list(&rows)) {
        let text = std::fs::read_to_string(file).unwrap();
        let expected = printed_figures(&text);
        assert!(count(&expected) >= 66, "{}: {expected:?}", file.display());
        let imported = read(file);
        assert_eq!(imported.machines.len(), 1, "{}", file.display());
        assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
        let exported = sandbox.json(&["export", row["run"].as_str().unwrap()]);
        let exported: Document = serde_json::from_value(exported).unwrap();
        assert_eq!(stored_figures(&exported), expected, "{}", file.display());
        assert_eq!(exported.series, imported.machines[0].document.series);
    }
}

#[test]
fn import_reads_all_figures_of_two_servers_in_one_article() {
    let Some(file) = shared("seeds/000_0e969f8976f4fd1d.txt") else { return };
    let text = std::fs::read_to_string(&file).unwrap();
    let sandbox = Sandbox::new();
    let name = file.to_str().unwrap();
    let rows =
        sandbox.json(&["import", name, "--name", "Opteron 6276", "--name", "Xeon E5-2620 v2", "--format", "json"]);
    let mut all = Figures::new();
    for (row, (name, version)) in
        list(&rows).iter().zip([("Opteron 6276", "OpenSSL 1.0.1i"), ("Xeon E5-2620 v2", "OpenSSL 1.0.1e")])
    {
        let exported = sandbox.kasoku(&["export", row["run"].as_str().unwrap()]);
        let document: Document = serde_json::from_slice(&exported.stdout).unwrap();
        assert_eq!(document.machine.name.as_deref(), Some(name));
        assert_eq!(document.machine.arch, "x86_64");
        assert_eq!(document.series.len(), 25);
        assert!(document.series.iter().all(|series| series.library_version == version && series.is_quoted()));
        let is_low_level = |one: &Series| one.quoted().is_some_and(|quoted| quoted.is_low_level);
        let mut aes = document.series.iter().filter(|one| one.algorithm.name() == "aes-256-cbc");
        assert!(aes.all(|one| (one.acceleration.name() == "off") == is_low_level(one)), "{name}");
        for (name, figures) in stored_figures(&document) {
            all.entry(name).or_default().extend(figures);
        }
    }
    // The article repeats one table, whose figures are stored once.
    let mut expected = printed_figures(&text);
    assert_eq!(count(&expected), 70);
    for figures in expected.values_mut() {
        let mut seen = BTreeSet::new();
        figures.retain(|figure| seen.insert(figure.clone()));
    }
    assert_eq!(count(&expected), 50);
    assert_eq!(all, expected);
    assert_eq!(sandbox.text(&["import", name]).matches("already stored").count(), 2);
}

#[test]
fn import_reads_every_figure_of_every_openssl_version() {
    for (file, figures, left_out) in [
        ("openssl-1.0.1-all.txt", 181, 0),
        ("openssl-1.0.2-evp.txt", 20, 0),
        ("openssl-1.1.0-some.txt", 30, 0),
        ("openssl-1.1.1-some.txt", 38, 1),
        ("openssl-3.0.19-human.txt", 14, 0),
        ("openssl-3.0.19-multi.txt", 2, 0),
        ("openssl-3.0.19-masked.txt", 1, 0),
        ("openssl-3.0.19-failed.txt", 1, 1),
        (NEWER, 13, 0),
        ("openssl-3.2-some.txt", 56, 4),
        ("openssl-3.5-post-quantum.txt", 18, 1),
        ("libressl-3.3-some.txt", 15, 0),
    ] {
        let imported = read(&transcripts().join(file));
        assert_eq!(imported.machines.len(), 1, "{file}");
        assert_eq!(imported.machines[0].document.series.len(), figures, "{file}: {:?}", imported.left_out);
        assert_eq!(imported.left_out.len(), left_out, "{file}: {:?}", imported.left_out);
    }
    assert_eq!(files(&transcripts()).len(), 12, "the table above does not list every transcript");
}

fn figures_of(file: &str, algorithm: &str, operation: &str) -> Vec<(String, usize, f64, u64)> {
    let document = read(&transcripts().join(file)).machines.remove(0).document;
    let series = document.series.iter().filter(|s| s.algorithm.name() == algorithm && s.operation.name() == operation);
    series.map(|s| (s.acceleration.to_string(), s.bytes, s.median.unwrap(), s.details.threads)).collect()
}

#[test]
fn import_interprets_states_operations_and_threads_of_each_version() {
    let states: Vec<String> =
        figures_of("openssl-1.0.2-evp.txt", "aes-256-cbc", "encrypt").into_iter().map(|one| one.0).collect();
    assert_eq!(states.iter().filter(|state| *state == "on").count(), 5, "figures through EVP");
    assert_eq!(
        states.iter().filter(|state| *state == "off").count(),
        10,
        "low-level figures, and EVP figures with a capability mask"
    );
    assert_eq!(figures_of("openssl-1.0.2-evp.txt", "aes-128-gcm", "open").len(), 5, "the command line has -decrypt");
    assert_eq!(figures_of("openssl-1.0.2-evp.txt", "aes-128-gcm", "seal").len(), 0);
    assert_eq!(
        figures_of("openssl-3.0.19-multi.txt", "aes-128-gcm", "seal"),
        [("on".into(), 1024, 1_121_536_710.0, 2)]
    );
    assert_eq!(figures_of("openssl-3.0.19-multi.txt", "x25519", "derive")[0].3, 2);
    assert_eq!(
        figures_of("openssl-3.0.19-masked.txt", "aes-128-gcm", "seal"),
        [("off".into(), 1024, 153_416_700.0, 1)]
    );
    assert_eq!(figures_of("openssl-3.2-some.txt", "rsa-2048", "encrypt").len(), 1);
    assert_eq!(figures_of("openssl-3.5-post-quantum.txt", "ml-kem-768", "encapsulate").len(), 1);
    assert_eq!(figures_of("openssl-3.5-post-quantum.txt", "ml-dsa-65", "generate").len(), 1);
    let failed = read(&transcripts().join("openssl-3.0.19-failed.txt"));
    assert!(failed.left_out[0].line == Some(12) && failed.left_out[0].text.contains("nothing was measured"));
}
