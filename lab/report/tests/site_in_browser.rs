//! Checks pages of the site in a real browser. The script runs under the site's content security policy, sorts and
//! searches.
//!
//! Needs Chromium (`apt-get install chromium`). Without it, the test prints a message and, if `CI` is `true`, fails.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

mod browser;

use browser::{browser, in_frame, open};
use kasoku_model::acceleration::Acceleration::{self, Off, On};
use kasoku_model::algorithm::Algorithm::{self, Aes128Ccm, Aes128Gcm, Sha256, X25519};
use kasoku_model::document::{Document, Machine, Outcome, Run, SCHEMA, Series};
use kasoku_model::level::Level;
use kasoku_model::workload::Workload;
use kasoku_report::language::Language;
use kasoku_report::render::site_page;
use kasoku_report::site::{DocumentPaths, LibraryFigures, MachinePlaces, OperationFigures, Site};
use kasoku_store::Store;
use kasoku_store::collection::{Collection, RankingQuestion, RunsLeftOut};

fn document(name: &str, day: &str, figures: [f64; 2], others: &[(Algorithm, usize, f64)]) -> Document {
    let series = |algorithm, bytes, acceleration: Acceleration, figure: f64| {
        let question = RankingQuestion::new(algorithm);
        let workload = Workload::new(question.operation, algorithm, bytes);
        let version = "OpenSSL 3.5.4".to_owned();
        Series {
            code_path: "vaes512".into(),
            median: Some(figure),
            ci95: Some([figure * 0.99, figure * 1.01]),
            outcome: Outcome::Measured,
            ..Series::empty(Level::Primitives, &workload, "openssl", version, acceleration, question.unit())
        }
    };
    let [on, off] = figures;
    let mut all = vec![series(Aes128Gcm, 16_384, On, on), series(Aes128Gcm, 16_384, Off, off)];
    all.extend(others.iter().map(|(algorithm, bytes, figure)| series(*algorithm, *bytes, On, *figure)));
    let started = format!("{day}T09:00:00Z");
    let run = Run { id: format!("run-of-{name}"), started, complete: true, ..Run::default() };
    let machine = Machine { name: Some(name.into()), cpu: "A CPU".into(), arch: "x86_64".into(), ..Machine::default() };
    Document { schema: SCHEMA, run, machine, series: all }
}

fn pages() -> [[String; 4]; 2] {
    let others = [(Sha256, 16_384, 9e12), (Aes128Ccm, 64, 85.2e6), (X25519, 0, 1.0)];
    let documents = [
        document("alpha", "2025-12-31", [85e6, 84.9e6], &[(Aes128Ccm, 64, 99e6)]),
        document("beta", "2026-02-03", [1.23e9, 1.23e8], &others),
        document("gamma", "2026-01-15", [1.2e9, 6e8], &[]),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("store.sqlite")).unwrap();
    store.add_documents(&documents).unwrap();
    let collection = Collection::open(Some(&store)).unwrap();
    let machines = collection.machines().into_iter().map(|known| (known, None)).collect();
    let site = Site::new(machines, collection.workloads().unwrap(), DocumentPaths::new(&collection));
    let mut places = MachinePlaces::default();
    let figures = [Aes128Gcm, Sha256, Aes128Ccm, X25519].map(|algorithm| {
        let only = RankingQuestion::new(algorithm);
        let any = RankingQuestion { library: None, ..only.clone() };
        let any = any.clone().at(collection.usual_bytes(&any).unwrap());
        let only = only.at(any.bytes);
        let fastest = collection.ranking(&any, None).unwrap();
        site.rank(&fastest, &mut places);
        [OperationFigures {
            fastest,
            left_out: Default::default(),
            libraries: vec![collection.ranking(&only, None).unwrap()],
            library_count: 1,
            pairs: vec![collection.pairs(&only).unwrap()],
        }]
    });
    let of_library: Vec<LibraryFigures> = figures
        .iter()
        .flatten()
        .map(|one| LibraryFigures { on: one.libraries[0].clone(), pairs: one.pairs[0].clone() })
        .collect();
    let beta = site.machines.iter().position(|machine| machine.known.label() == "beta").unwrap();
    let counts = [("openssl".to_owned(), 4)].into();
    ["en", "ja"].map(|tag| {
        let language = Language::from_tag(tag).unwrap();
        let pages = [
            site.index(&places, &counts, RunsLeftOut::default()),
            site.algorithm(&figures[0]).unwrap(),
            site.library("openssl", &of_library).unwrap(),
            site.machine(beta, &documents[1..2], &[], &places[beta]),
        ];
        pages.map(|page| site_page(&page, language).text)
    })
}

#[test]
fn site_policy_allows_its_own_script_only() {
    let Some(browser) = browser() else { return };
    for page in pages().concat() {
        let opened = open(&browser, &page);
        assert!(opened.console.is_empty(), "{:#?}", opened.console);
        assert!(opened.dom.contains("<button title="), "the script did not run");
        let hostile = page.replace("</main>", "<script>document.title = 'taken over'</script></main>");
        let opened = open(&browser, &hostile);
        assert!(!opened.dom.contains("<title>taken over"), "another script ran");
        assert!(!opened.console.is_empty());
    }
}

fn scripted(page: &str, script: &str) -> String {
    let (before, after) = page.split_once("script-src '").unwrap();
    let (_, after) = after.split_once('\'').unwrap();
    format!("{before}script-src 'unsafe-inline'{after}")
        .replace("</body>", &format!("<script>{script}</script></body>"))
}

fn title(dom: &str) -> &str {
    dom.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0
}

fn sorted(browser: &std::path::Path, page: &str) -> Vec<Vec<[Vec<String>; 2]>> {
    let script = "
        const columns = table => [...table.tHead.rows[0].cells].map((heading, column) => {
            const told = () => [...table.tBodies[0].rows].map(row => row.cells[column].innerText);
            const button = heading.querySelector('button');
            button.click(); const first = told();
            button.click(); return [first, told()];
        });
        document.title = JSON.stringify([...document.querySelectorAll('.sorted table')].map(columns));";
    let dom = open(browser, &scripted(page, script)).dom;
    serde_json::from_str(&title(&dom).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).unwrap()
}

#[test]
fn site_table_columns_sort_by_value() {
    let Some(browser) = browser() else { return };
    let [[index, algorithm, ..], [.., machine]] = pages();
    // Unknown values come last in both sort orders.
    let check = |[first, second]: &[Vec<String>; 2], expected: &[&str]| {
        let known = |column: &[String]| column.iter().filter(|cell| !cell.is_empty()).cloned().collect::<Vec<_>>();
        for column in [first, second] {
            assert!(column.iter().skip(known(column).len()).all(String::is_empty), "{column:?}");
        }
        assert_eq!(known(first), expected);
        assert_eq!(known(second), expected.iter().rev().copied().collect::<Vec<_>>());
    };
    let of_index = sorted(&browser, &index);
    // Dates of machines with runs.
    check(of_index[0].last().unwrap(), &["2025-12-31", "2026-01-15", "2026-02-03"]);
    let of_index = &of_index[1];
    check(&of_index[2], &["64 B", "16 KiB", "16 KiB"]);
    check(&of_index[4], &["9000 GB/s", "9.86 GB/s", "99.0 MB/s", "48,450 ops/s"]);
    let worth = sorted(&browser, &algorithm).pop().unwrap();
    check(worth.last().unwrap(), &["10", "2.0", "="]);
    check(&worth[4], &["1230", "1200", "85.0"]);
    let places = &sorted(&browser, &machine)[0];
    check(places.last().unwrap(), &["13台中13位", "15台中7位", "2台中2位", "13台中1位"]);
}

#[test]
fn site_search_hides_rows_that_do_not_match() {
    let Some(browser) = browser() else { return };
    let [[index, ..], _] = pages();
    let script = "
        const input = document.querySelector('input[type=search]');
        const shown = () => [...document.querySelector('.searched').querySelectorAll('tbody tr')]
            .filter(row => !row.hidden).map(row => row.cells[0].innerText).join(',');
        input.value = 'COREtex'; input.dispatchEvent(new Event('input')); const none = shown();
        input.value = 'cortex A7'; input.dispatchEvent(new Event('input'));
        document.title = none + '|' + shown();";
    let dom = open(&browser, &scripted(&index, script)).dom;
    assert_eq!(title(&dom), "|Nanopi M4,Raspberry Pi4,i.MX6 UL");
}

#[test]
fn site_pages_fit_phones_and_desktops() {
    let Some(browser) = browser() else { return };
    let script = "document.title = frame.contentDocument.documentElement.scrollWidth;";
    let wide = |page: &str, width| title(&open(&browser, &in_frame(page, width, script)).dom).parse::<u32>().unwrap();
    for page in pages().concat() {
        for width in [390, 1280] {
            let wide = wide(&page, width);
            assert!(
                (width - 20..=width).contains(&wide),
                "the page is {wide} px wide in a window of {width} px: {}",
                title(&page)
            );
        }
    }
    let broken = pages()[0][0].replacen("<h1>", "<h1 style=\"width:600px\">", 1);
    assert!(wide(&broken, 390) > 390, "the check does not detect a page that is too wide");
}
