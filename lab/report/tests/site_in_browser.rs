//! Pages of the site in a real browser: its script runs under its own policy, sorts and searches.
//!
//! Needs Chromium (`apt-get install chromium`). Without it the test says so and, where `CI` is `true`, fails.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

mod browser;

use browser::{browser, open};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Machine;
use kasoku_model::language::Language::{English, Japanese};
use kasoku_report::site::{AlgorithmFigures, MachinePlaces, OperationFigures, Site, StateRankings};
use kasoku_store::collection::{Collection, RankingQuestion};

/// The first page and that of AES-128-GCM, of the published devices.
fn pages() -> [String; 3] {
    let collection = Collection::open(None).unwrap();
    let machines = collection.machines().into_iter().map(|known| (known, None)).collect();
    let site = Site::new(machines, collection.workloads().unwrap());
    let question = RankingQuestion::new(Algorithm::Aes128Gcm);
    let ranking = collection.ranking(&question, &Machine::default()).unwrap();
    let libraries = vec![StateRankings { library: "openssl".into(), on: ranking.clone(), off: ranking.clone() }];
    let operations = vec![OperationFigures { fastest: ranking, left_out: Default::default(), libraries }];
    let figures = AlgorithmFigures { algorithm: Algorithm::Aes128Gcm, operations };
    let mut places = MachinePlaces::default();
    site.rank(&figures, &mut places);
    [English, Japanese]
        .map(|language| site.index(&places, language).text)
        .into_iter()
        .chain([site.algorithm(&figures, English).text])
        .collect::<Vec<_>>()
        .try_into()
        .unwrap()
}

#[test]
fn the_policy_lets_the_script_run_and_nothing_else() {
    let Some(browser) = browser() else { return };
    for page in pages() {
        let opened = open(&browser, &page);
        assert!(opened.console.is_empty(), "{:#?}", opened.console);
        assert!(opened.dom.contains("<input type=\"search\""), "the script did not run");
        let hostile = page.replace("</main>", "<script>document.title = 'taken over'</script></main>");
        let opened = open(&browser, &hostile);
        assert!(!opened.dom.contains("<title>taken over"), "another script ran");
        assert!(!opened.console.is_empty());
    }
}

/// The page with a script of the test's own, which the policy must then let run.
fn scripted(page: &str, script: &str) -> String {
    let (before, after) = page.split_once("script-src '").unwrap();
    let (_, after) = after.split_once('\'').unwrap();
    format!("{before}script-src 'unsafe-inline'{after}")
        .replace("</body>", &format!("<script>{script}</script></body>"))
}

#[test]
fn columns_sort_as_numbers_and_the_search_hides_rows() {
    let Some(browser) = browser() else { return };
    let [index, _, algorithm] = pages();
    let script = "
        const table = document.querySelector('.sorted table');
        const column = table.tHead.rows[0].cells.length - 1;
        const figures = () => [...table.tBodies[0].rows].map(row => row.cells[column].innerText).join(' ');
        const button = table.tHead.rows[0].cells[column].querySelector('button');
        button.click(); const first = figures();
        button.click(); const second = figures();
        document.title = first + ' | ' + second;";
    let dom = open(&browser, &scripted(&algorithm, script)).dom;
    let title = dom.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0;
    let (falling, rising) = title.split_once(" | ").unwrap();
    let numbers =
        |text: &str| -> Vec<f64> { text.split(' ').map(|figure| figure.replace(',', "").parse().unwrap()).collect() };
    let (falling, rising) = (numbers(falling), numbers(rising));
    assert!(falling.len() > 10 && falling.is_sorted_by(|one, other| one >= other), "{falling:?}");
    assert!(rising.is_sorted(), "{rising:?}");

    let script = "
        const input = document.querySelector('input[type=search]');
        const shown = () => [...document.querySelector('.searched').querySelectorAll('tbody tr')]
            .filter(row => !row.hidden).map(row => row.cells[0].innerText).join(',');
        input.value = 'COREtex'; input.dispatchEvent(new Event('input')); const none = shown();
        input.value = 'cortex A7'; input.dispatchEvent(new Event('input'));
        document.title = none + '|' + shown();";
    let dom = open(&browser, &scripted(&index, script)).dom;
    assert!(dom.contains("<title>|Nanopi M4,Raspberry Pi4,i.MX6 UL</title>"), "{}", &dom[..600]);
}

#[test]
fn nothing_stands_out_at_any_width() {
    let Some(browser) = browser() else { return };
    for page in pages() {
        let script = "document.title = 'wide=' + document.documentElement.scrollWidth + ';' + window.innerWidth";
        let dom = open(&browser, &scripted(&page, script)).dom;
        let (_, told) = dom.split_once("<title>wide=").unwrap();
        let (wide, window) = told.split_once('<').unwrap().0.split_once(';').unwrap();
        assert!(wide.parse::<u32>().unwrap() <= window.parse::<u32>().unwrap(), "{wide} of {window}");
    }
}
