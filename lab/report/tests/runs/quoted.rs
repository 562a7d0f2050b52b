//! Checks output of figures that other programs measured. Tables and charts show them with their source, and no claim
//! is based on them.

use crate::page::{ENGLISH, JAPANESE, full, page_of, plain, summary, well_formed};
use crate::synthetic;
use crate::synthetic::quoted::{published, transcript};
use kasoku_model::document::{Document, OriginKind, Outcome};
use kasoku_report::Format;
use kasoku_report::claim::claims;
use kasoku_report::render::export;

fn forms(document: &Document) -> [String; 4] {
    [
        plain(&page_of(&[document], ENGLISH)),
        full(document, ENGLISH),
        export(document, Format::Table, ENGLISH),
        export(document, Format::Markdown, ENGLISH),
    ]
}

#[test]
fn published_and_imported_runs_name_their_source_once_and_show_no_failures() {
    for (document, said) in [
        (published(), "Figures published in openssl_perf, not measured by Kasoku: there are no intervals"),
        (
            transcript(),
            "Figures that another program printed (opteron.txt), not measured by Kasoku: there are no intervals",
        ),
    ] {
        for text in forms(&document) {
            assert_eq!(text.replace("\\_", "_").replace('\n', " ").matches(said).count(), 1, "{said}\n{text}");
            for absent in ["failed", "!", "not verified", "unknown", "0 logical", "· ·", "NaN", "±", "0 ms", "Rounds"]
            {
                assert!(!text.replace("\\!", "").contains(absent), "{absent:?} in\n{text}");
            }
        }
    }
}

#[test]
fn published_and_imported_runs_have_the_machine_name_as_title() {
    let page = page_of(&[&published()], ENGLISH);
    well_formed(&page);
    assert!(page.contains("<title>Kasoku: i7-13700</title>") && page.contains("<h1>i7-13700</h1>"));
    assert!(page.contains("<p class=\"facts\">Intel i7-13700 2.10/5.10GHz 16C24T · Linux (Ubuntu)</p>"));
    assert!(
        full(&published(), ENGLISH)
            .starts_with("Run published-i7-13700 · i7-13700\nIntel i7-13700 2.10/5.10GHz 16C24T · Linux (Ubuntu)\n")
    );
    assert!(
        export(&published(), Format::Markdown, ENGLISH).starts_with("# Kasoku: i7-13700\n\nRun published-i7-13700.\n")
    );
    assert!(
        export(&transcript(), Format::Table, ENGLISH)
            .starts_with("Run 20140811-opteron · AMD Opteron(R) 6276 2.3GHz\n")
    );
}

#[test]
fn published_and_imported_figures_are_in_tables_and_charts() {
    let page = page_of(&[&published()], ENGLISH);
    for text in [">9863<", ">8402<", ">3092<", ">48,450<", ">16,155<"] {
        assert!(page.contains(text), "{text}");
    }
    // Bar charts: three kinds of algorithms at the only size, and two kinds of public keys. No curves and error bars.
    assert_eq!(page.matches("<svg ").count(), 5);
    assert!(page.contains(">9.86</text>") && page.contains(">48,450</text>"), "bars have their figures");
    let page = page_of(&[&transcript()], ENGLISH);
    assert_eq!(
        page.matches("<svg ").count(),
        6,
        "bar charts, a chart of gains by acceleration, and a curve for each cipher"
    );
    assert!(page.contains(">143<") && page.contains(">59.7<") && page.contains(">397</text>"));
    assert!(!page.contains("scope=\"col\">code path<") && !page.contains("<abbr title=\"verified\">"));
    assert!(!page.contains("To repeat it") && !page.contains("Core clock"));
}

#[test]
fn published_and_imported_runs_claim_no_differences_but_show_printed_ratios() {
    let is_quoted = |document: &Document, kind: OriginKind| {
        let claims = claims(document);
        claims.len() == 1 && claims[0].kind == "quoted" && claims[0].figure("kind") == Some(&kind.name().into())
    };
    assert!(is_quoted(&published(), OriginKind::Published));
    let document = transcript();
    assert!(is_quoted(&document, OriginKind::Transcript));
    let text = summary(&document, ENGLISH);
    let said = text.replace("\n  ", " ");
    assert!(said.contains("without intervals, no difference between them is claimed"), "{text}");
    let row = text.lines().rfind(|line| line.starts_with("AES-256-CBC ")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["AES-256-CBC", "4.5×", "5.8×", "6.5×", "2.8×", "2.8×"]);
    assert!(said.contains("There are no intervals, so how sure they are is not known."), "{text}");
    let page = page_of(&[&document], ENGLISH);
    assert!(page.contains(">What acceleration is worth</h2>") && page.contains("<td class=\"number\">6.5×</td>"));
    assert!(!page.contains(">The fastest library</h2>") && !page.contains("times the<br>"));
    assert!(page_of(&[&document], *JAPANESE).contains("<td class=\"number\">6.5倍</td>"));
    assert!(
        !page_of(&[&published()], ENGLISH).contains("What acceleration is worth"),
        "the publication has no figures with acceleration off"
    );
}

#[test]
fn imported_figures_without_an_origin_are_shown_as_unverified() {
    let mut document = transcript();
    document.run.origin = None;
    assert_eq!(claims(&document).iter().map(|claim| claim.kind).collect::<Vec<_>>(), ["nothing-ranked"]);
    let text = export(&document, Format::Table, ENGLISH);
    assert!(text.contains("397!") && text.contains("! the output was not verified"), "{text}");
    assert!(!page_of(&[&document], ENGLISH).contains("<svg "));
}

#[test]
fn unverified_measured_series_in_imported_runs_keep_their_mark() {
    let mut document = transcript();
    let mut measured = synthetic::document().series.into_iter().take(1).collect::<Vec<_>>();
    measured[0].outcome = Outcome::Unverified;
    document.series.extend(measured);
    assert!(export(&document, Format::Table, ENGLISH).contains("! the output was not verified"));
}
