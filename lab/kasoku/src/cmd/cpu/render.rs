//! The report of `kasoku cpu` as tables, Markdown, CSV and JSON.

use anstyle::{AnsiColor, Style};
use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};

use serde_json::Value;

use super::{Format, Report, Use};
use kasoku_measure::cpu::{RawLeaf, Status};
use kasoku_report::{export, list};

/// The report in `format`; the terminal's form is at most `width` columns wide and has colours, which the stream takes
/// out again where there is no terminal.
pub(super) fn text(report: &Report, format: Format, width: u16) -> String {
    match format {
        Format::Table => coloured(&tables(report, width)),
        Format::Markdown => markdown(report),
        Format::Csv => list::render(&COLUMNS, &records(report), &Value::Null, Format::Csv),
        Format::Json => export::json::text(report),
    }
}

/// The columns in CSV.
const COLUMNS: [&str; 7] = ["subject", "version", "name", "state", "code_path", "algorithm", "explanation"];

const YES: char = '✔';
const NO: char = '✘';
const HIDDEN: char = '▲';
const UNSEEN: char = '·';

/// Columns, and a line below their titles.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

fn tables(report: &Report, width: u16) -> String {
    let mut text = String::new();
    let lines = machine(report);
    let longest = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in lines {
        text.push_str(&format!("{name:longest$}  {value}\n"));
    }
    for note in &report.notes {
        text.push_str(&format!("{HIDDEN} {note}\n"));
    }
    for (title, header, rows) in sections(report) {
        let mut table = Table::new();
        table.load_style(STYLE);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        table.set_header(header);
        for row in rows {
            table.add_row(row);
        }
        text.push_str(&format!("\n{title}\n{}\n", table.trim_fmt()));
    }
    text
}

fn markdown(report: &Report) -> String {
    let list = |header: &[&str], rows: &[Vec<String>]| list::render(header, rows, &Value::Null, Format::Markdown);
    let machine: Vec<_> = machine(report).into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    let mut text = list(&["machine", ""], &machine);
    for note in &report.notes {
        text.push_str(&format!("\n{}\n", export::markdown::escape(note)));
    }
    for (title, header, rows) in sections(report) {
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        text.push_str(&format!("\n{title}\n\n{}", list(&header, &rows)));
    }
    text
}

fn records(report: &Report) -> Vec<Vec<String>> {
    let record = |cells: [&str; 7]| cells.map(str::to_owned).to_vec();
    let mut all = Vec::new();
    for (name, value) in machine(report) {
        all.push(record(["machine", "", name, &value, "", "", ""]));
    }
    for row in &report.features {
        let explanation = row.explanation.as_deref().unwrap_or_default();
        all.push(record(["cpu", "", row.feature.name, status(row.feature.status), "", "", explanation]));
    }
    for library in &report.libraries {
        for verdict in &library.uses {
            let state = match verdict.uses {
                Some(true) => "yes",
                Some(false) => "no",
                None => "unknown",
            };
            let algorithm = verdict.algorithm.map(|algorithm| algorithm.name()).unwrap_or_default();
            let code_path = verdict.code_path.as_deref().unwrap_or_default();
            let why = verdict.why.as_deref().unwrap_or_default();
            let family = verdict.family.title().to_lowercase();
            all.push(record([&library.library, &library.version, &family, state, code_path, algorithm, why]));
        }
    }
    for remedy in &report.remedies {
        all.push(record(["remedy", "", &remedy.features.join(" "), remedy.cause, "", "", &remedy.steps.join("; ")]));
    }
    for leaf in &report.leaves {
        let name = format!("{:#010x}.{}", leaf.leaf, leaf.subleaf);
        let [eax, ebx, ecx, edx] = leaf.registers;
        all.push(record(["cpuid", "", &name, &format!("{eax:08x} {ebx:08x} {ecx:08x} {edx:08x}"), "", "", ""]));
    }
    all
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Usable => "usable",
        Status::NotEnabled => "not-enabled",
        Status::Hidden => "hidden",
        Status::Absent => "absent",
    }
}

fn machine(report: &Report) -> Vec<(&'static str, String)> {
    let machine = &report.machine;
    let gibibytes = |bytes: u64| format!("{:.1} GiB", bytes as f64 / (1_u64 << 30) as f64);
    let boost = |is_on| if is_on { "on" } else { "off" }.to_owned();
    [
        ("CPU", Some(machine.cpu.clone())),
        ("Microarchitecture", machine.microarchitecture.clone()),
        ("Architecture", Some(machine.arch.clone())),
        ("Emulated", machine.emulated_on.as_ref().map(|kernel| format!("yes, on {kernel}: no figure is a CPU's"))),
        ("Wine", machine.wine.as_ref().map(|version| format!("{version}: no figure is one under Windows"))),
        ("Logical CPUs", Some(machine.cores.to_string())),
        ("Memory", machine.memory.map(gibibytes)),
        ("Hypervisor", Some(machine.hypervisor.clone().unwrap_or_else(|| "none reported".to_owned()))),
        ("System", machine.os.clone()),
        ("Kernel", Some(machine.kernel.clone())),
        ("Governor", machine.governor.clone()),
        ("Boost", machine.boost.map(boost)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

type Section = (&'static str, Vec<String>, Vec<Vec<String>>);

fn sections(report: &Report) -> Vec<Section> {
    let mut sections = Vec::new();
    if !report.features.is_empty() {
        let rows = report.features.iter().map(|row| {
            let state = match (row.feature.status, &row.explanation) {
                (Status::Usable, None) => format!("{YES} yes"),
                (Status::Usable, Some(oddity)) => format!("{YES} yes; {oddity}"),
                (Status::Absent, _) => format!("{NO} no"),
                (Status::NotEnabled | Status::Hidden, Some(why)) => format!("{HIDDEN} {why}"),
                (Status::NotEnabled | Status::Hidden, None) => format!("{HIDDEN} no"),
            };
            vec![row.feature.name.to_owned(), state, row.feature.purpose.to_owned()]
        });
        let header = ["Feature", "Here", "Good for"].map(str::to_owned).to_vec();
        sections.push(("What this CPU has", header, rows.collect()));
    }
    if let Some(first) = report.libraries.first() {
        let mut header = vec!["Library".to_owned()];
        header.extend(first.uses.iter().map(|verdict| verdict.family.title().to_owned()));
        let rows = report.libraries.iter().map(|library| {
            let version =
                library.version.get(..library.library.len()).filter(|name| name.eq_ignore_ascii_case(&library.library));
            let version = version.map_or(&library.version[..], |name| library.version[name.len()..].trim_start());
            let mut row = vec![format!("{} {version}", library.library)];
            row.extend(library.uses.iter().map(verdict));
            row
        });
        sections.push(("What each library uses of it", header, rows.collect()));
    }
    if !report.remedies.is_empty() {
        let rows = report
            .remedies
            .iter()
            .map(|remedy| vec![remedy.features.join(", "), remedy.cause.to_owned(), remedy.steps.join("; ")]);
        let header = ["Feature", "Blocked by", "What to do"].map(str::to_owned).to_vec();
        sections.push(("What to do", header, rows.collect()));
    }
    if !report.leaves.is_empty() {
        let rows = report.leaves.iter().map(|leaf| {
            let mut row = vec![format!("{:#010x}", leaf.leaf), leaf.subleaf.to_string()];
            row.extend(leaf.registers.map(|register| format!("{register:08x}")));
            row.push(bits_of(report, leaf));
            row
        });
        let header = ["Leaf", "Subleaf", "EAX", "EBX", "ECX", "EDX", "Relevant bits"].map(str::to_owned).to_vec();
        sections.push(("What CPUID answered", header, rows.collect()));
    }
    sections
}

/// Where in a leaf the features are: `ECX[25] aes`.
fn bits_of(report: &Report, leaf: &RawLeaf) -> String {
    let prefix = match leaf.leaf {
        7 => format!("CPUID.(EAX=7,ECX={}):", leaf.subleaf),
        number => format!("CPUID.{number}:"),
    };
    let bits = report.features.iter().filter_map(|row| {
        let place = row.feature.place.as_deref()?.strip_prefix(&prefix)?;
        Some(format!("{place} {}", row.feature.name))
    });
    bits.collect::<Vec<_>>().join(", ")
}

fn verdict(verdict: &Use) -> String {
    let code_path = verdict.code_path.as_deref().unwrap_or_default();
    let why = verdict.why.as_deref().unwrap_or_default();
    match verdict.uses {
        Some(true) => {
            let parts: Vec<&str> = code_path.split('+').filter(|part| verdict.family.is_in(part)).collect();
            format!("{YES} {}", parts.join("+"))
        }
        Some(false) if code_path.is_empty() => format!("{NO} {why}"),
        Some(false) => format!("{NO} {why} ({code_path} ran)"),
        None => format!("{UNSEEN} {why}"),
    }
}

/// Colours the marks. Done after the layout, which would count the escapes as columns.
fn coloured(text: &str) -> String {
    let mut result = String::with_capacity(text.len() * 2);
    for character in text.chars() {
        let colour = match character {
            YES => AnsiColor::Green,
            NO => AnsiColor::Red,
            HIDDEN => AnsiColor::Yellow,
            _ => {
                result.push(character);
                continue;
            }
        };
        let style = Style::new().fg_color(Some(colour.into()));
        result.push_str(&format!("{style}{character}{style:#}"));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::{Evidence, tests::cpu_with};
    use super::*;
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::document::Machine;

    fn report() -> Report {
        let cpu = cpu_with(&[
            ("aes", Status::Usable),
            ("pclmulqdq", Status::NotEnabled),
            ("vaes", Status::Hidden),
            ("sha_ni", Status::Absent),
        ]);
        let machine = Machine {
            cpu: cpu.name.clone(),
            cores: 2,
            memory: Some(3 << 29),
            boost: Some(true),
            hypervisor: cpu.hypervisor.clone(),
            ..Machine::default()
        };
        let evidence = Evidence {
            library: "ring\u{1b}[31m".to_owned(),
            version: "0.17 | <b>".to_owned(),
            observed: vec![(Algorithm::Aes128Gcm, "aesni".to_owned())],
            ..Evidence::default()
        };
        Report::of(&cpu, machine, &[evidence])
    }

    fn without_colours(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn tables_keep_to_the_width_and_tell_everything() {
        for width in [60, 80, 100, 160] {
            let text = without_colours(&text(&report(), Format::Table, width));
            for line in text.lines().filter(|line| !line.starts_with(|c: char| c.is_ascii_uppercase())) {
                assert!(line.chars().count() <= usize::from(width), "{width}: {line}");
            }
        }
        let text = without_colours(&text(&report(), Format::Table, 160));
        for expected in
            ["Test CPU", "KVM", "1.5 GiB", "✔ yes", "✘ no", "✔ aesni", "▲ this CPU model has it", "lacks it"]
        {
            assert!(text.contains(expected), "{expected} in\n{text}");
        }
    }

    #[test]
    fn no_form_lets_a_name_speak_to_the_terminal() {
        for format in [Format::Json, Format::Csv, Format::Markdown] {
            let text = text(&report(), format, 100);
            assert!(!text.contains('\u{1b}'), "{format:?}\n{text}");
        }
        assert!(!without_colours(&text(&report(), Format::Table, 100)).contains('\u{1b}'));
    }

    #[test]
    fn each_column_shows_its_own_part_of_the_path() {
        let names = ["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni"];
        let cpu = cpu_with(&names.map(|name| (name, Status::Usable)));
        let evidence = Evidence {
            library: "openssl".to_owned(),
            version: "OpenSSL 3.5.1 1 Jul 2025".to_owned(),
            observed: vec![(Algorithm::Aes128Gcm, "vaes512+clmul".to_owned())],
            ..Evidence::default()
        };
        let report = Report::of(&cpu, Machine::default(), &[evidence]);
        let (_, _, rows) = sections(&report).pop().unwrap();
        assert_eq!(rows[0], ["openssl 3.5.1 1 Jul 2025", "✔ vaes512", "✔ clmul", "✔ vaes512", "· not observed"]);
    }

    #[test]
    fn colours_are_on_the_marks_only() {
        let text = text(&report(), Format::Table, 100);
        assert!(text.contains("\u{1b}[32m✔\u{1b}[0m"), "{text:?}");
    }

    #[test]
    fn markdown_has_whole_rows() {
        let text = text(&report(), Format::Markdown, 100);
        let table = text.split("What each library uses of it").nth(1).unwrap().split("What to do").next().unwrap();
        assert!(table.contains("0.17 \\| &lt;b&gt;"), "{table}");
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        let lines: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| cells(line) == 6), "{table}");
    }

    #[test]
    fn csv_has_one_shape() {
        let text = text(&report(), Format::Csv, 100);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().unwrap().len(), 7);
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert!(rows.iter().any(|row| &row[0] == "cpu" && &row[2] == "vaes" && &row[3] == "hidden"));
        assert!(rows.iter().any(|row| &row[2] == "aes" && &row[4] == "aesni" && &row[5] == "aes-128-gcm"));
    }

    #[test]
    fn json_has_machine_features_and_libraries() {
        let text = text(&report(), Format::Json, 100);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["machine"]["cpu"], "Test CPU");
        assert_eq!(value["features"][0]["name"], "aes");
        assert_eq!(value["features"][2]["status"], "hidden");
        assert_eq!(value["libraries"][0]["uses"][0]["uses"], true);
        assert_eq!(value["libraries"][0]["uses"][3]["why"], "the CPU lacks it");
    }

    #[test]
    fn a_machine_nothing_is_known_of_is_told_too() {
        let cpu = kasoku_measure::cpu::Cpu::default();
        let report = Report::of(&cpu, Machine::default(), &[]);
        for format in [Format::Table, Format::Markdown, Format::Csv, Format::Json] {
            assert!(!text(&report, format, 80).is_empty());
        }
    }

    #[test]
    fn what_is_hidden_comes_with_what_to_do_and_where_it_was_read() {
        let mut report = report();
        report.leaves = vec![RawLeaf { leaf: 7, subleaf: 0, registers: [1, 0, 1 << 9, 0] }];
        report.features[2].feature.place = Some("CPUID.(EAX=7,ECX=0):ECX[9]".to_owned());
        let table = text(&report, Format::Table, 140);
        assert!(table.contains("What to do") && table.contains("the hypervisor"), "{table}");
        assert!(table.contains("0x00000007") && table.contains("00000200") && table.contains("ECX[9] vaes"), "{table}");
        let json: serde_json::Value = serde_json::from_str(&text(&report, Format::Json, 0)).unwrap();
        assert_eq!(json["remedies"][0]["features"][0], "vaes");
        assert_eq!(json["leaves"][0]["registers"][2], 512);
        let csv = text(&report, Format::Csv, 0);
        assert!(csv.contains("remedy,,vaes,the hypervisor") && csv.contains("cpuid,,0x00000007.0,00000001"), "{csv}");
    }
}
