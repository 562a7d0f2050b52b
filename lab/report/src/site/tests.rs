use super::worth::{factor, gains};
use super::*;
use crate::language::Language;
use crate::render::{self, site_page};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::{Document, Origin, OriginKind, Outcome, Run, SCHEMA, Series};
use kasoku_model::level::Level;
use kasoku_model::workload::{Operation, Workload};
use kasoku_store::collection::{Collection, RunsLeftOut};
use kasoku_store::{Store, published};

fn question() -> RankingQuestion {
    RankingQuestion { library: None, ..RankingQuestion::new(Algorithm::Aes128Gcm) }
}

fn series(operation: Operation, acceleration: Acceleration, figure: f64, ci95: Option<[f64; 2]>) -> Series {
    let workload = Workload::new(operation, Algorithm::Aes128Gcm, question().bytes);
    let unit = Unit::BytesPerSecond;
    let one = Series::empty(Level::Primitives, &workload, "openssl", String::new(), acceleration, unit);
    Series { median: Some(figure), ci95, outcome: Outcome::Measured, ..one }
}

fn measured(series: Vec<Series>) -> Document {
    let run = Run { id: "mine".into(), started: "2026-11-21".into(), complete: true, ..Run::default() };
    let machine = Machine { name: Some("mine".into()), cpu: "A CPU".into(), ..Machine::default() };
    Document { schema: SCHEMA, run, machine, series }
}

fn of_site<T>(documents: &[Document], look: impl FnOnce(&Collection<'_>, &Site<'_>) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("store.sqlite")).unwrap();
    store.add_documents(documents).unwrap();
    let collection = Collection::open(Some(&store)).unwrap();
    let machines = collection.machines().into_iter().map(|known| (known, None)).collect();
    let site = Site::new(machines, collection.workloads().unwrap(), DocumentPaths::new(&collection));
    look(&collection, &site)
}

fn places(collection: &Collection<'_>, site: &Site<'_>, operation: Operation) -> MachinePlaces {
    let mut places = MachinePlaces::default();
    site.rank(&collection.ranking(&RankingQuestion { operation, ..question() }, None).unwrap(), &mut places);
    places
}

#[test]
fn device_with_two_measurements_has_one_place_in_rankings() {
    let mut again = published::documents().iter().find(|one| one.machine.label() == "i7-13700").unwrap().clone();
    again.run.id = "again".into();
    again.run.origin = Some(Origin { kind: OriginKind::Transcript, source: "x".into(), address: None, note: None });
    again.series.iter_mut().for_each(|series| series.median = series.median.map(|median| median * 1.5));
    // An import may state only the name of its machine.
    again.machine.cpu = String::new();
    of_site(&[again], |collection, site| {
        let places = places(collection, site, Operation::Seal);
        let mut told: Vec<(usize, usize)> = places.iter().flatten().map(|one| (one.place, one.count)).collect();
        told.sort_unstable();
        assert_eq!(told, (1..=12).map(|place| (place, 12)).collect::<Vec<_>>());
        let device = site.machines.iter().find(|machine| machine.known.label() == "i7-13700").unwrap();
        assert_eq!((device.cpu(), device.arch(), device.known.runs.len()), ("Intel i7-13700", "x86_64", 1));
    });
}

#[test]
fn first_page_compares_machines_by_the_main_operation() {
    let interval = Some([1e9, 1.1e9]);
    of_site(&[measured(vec![series(Operation::Open, Acceleration::On, 1.05e9, interval)])], |collection, site| {
        let places = places(collection, site, Operation::Open);
        let index = site.index(&places, &LibraryCounts::default(), RunsLeftOut::default());
        let text = site_page(&index, Language::ENGLISH).text;
        let (machines, algorithms) = text.split_once("id=\"algorithms\"").unwrap();
        assert!(algorithms.contains("1.05 GB/s") && !machines.contains(">1050<"));
    });
}

#[test]
fn links_lead_to_the_same_document_in_every_language() {
    of_site(&[measured(vec![series(Operation::Seal, Acceleration::On, 1e9, None)])], |_, site| {
        let place = site.machines.iter().position(|machine| machine.known.label() == "mine").unwrap();
        let page = site.machine(place, &[], &[], &[]);
        let document = &site.documents.runs["mine"];
        for language in Language::all() {
            let file = site_page(&page, language);
            let up = "../".repeat(file.path.matches('/').count());
            assert!(file.text.contains(&format!("href=\"{up}{document}\"")), "{}", file.path);
            assert!(file.text.contains("href=\"../index.html\"") && !file.text.contains(DOCUMENT));
            for other in Language::all().filter(|other| *other != language) {
                let path = site_page(&page, other).path;
                assert!(file.text.contains(&format!("href=\"{up}{path}\"")), "{} has no link to {path}", file.path);
            }
        }
    });
}

#[test]
fn site_gains_omit_infinite_ratios() {
    let both = [(Acceleration::On, 1e18), (Acceleration::Off, 5e-324)];
    let both = both.map(|(state, figure)| series(Operation::Seal, state, figure, None)).into();
    of_site(&[measured(both)], |collection, site| {
        let pairs = collection.pairs(&RankingQuestion::new(Algorithm::Aes128Gcm)).unwrap();
        assert_eq!((pairs.pairs.len(), gains(site, &pairs).len()), (1, 0));
    });
}

#[test]
fn gains_without_intervals_show_their_ratio_and_a_note() {
    let around = |figure: f64| Some([figure * 0.99, figure * 1.01]);
    for (off, intervals, expected) in [
        (1e8, [around(1e9), around(1e8)], ("10", None)),
        (1e8, [None, None], ("10", Some("site-no-interval"))),
        (1e8, [around(1e9), None], ("10", Some("site-no-interval"))),
        (0.99e9, [None, None], ("=", None)),
        (0.9e9, [Some([0.8e9, 1.2e9]), around(0.9e9)], ("=", None)),
    ] {
        let both = [(Acceleration::On, 1e9), (Acceleration::Off, off)].into_iter().zip(intervals);
        let both = both.map(|((state, figure), ci95)| series(Operation::Seal, state, figure, ci95)).collect();
        of_site(&[measured(both)], |collection, site| {
            let question = RankingQuestion::new(Algorithm::Aes128Gcm);
            let pairs = collection.pairs(&question).unwrap();
            let [gain] = &gains(site, &pairs)[..] else { panic!("expected one pair") };
            let cell = factor(gain);
            let text = render::terminal::cell(&cell, render::catalogue(Language::ENGLISH));
            assert_eq!((text.as_str(), cell.interval.as_ref().and_then(Text::key)), expected, "{off} {intervals:?}");
            assert_eq!(cell.key.unwrap().parse::<f64>().unwrap(), if expected.0 == "=" { 1.0 } else { 10.0 });
        });
    }
}
