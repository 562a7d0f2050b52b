//! Checks all outputs of synthetic runs of the level jvm.

use crate::page::{ENGLISH, JAPANESE, claims_of, full, page_of, plain};
use crate::synthetic::jvm::{document, series};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm::Aes128Gcm;

#[test]
fn server_claims_need_a_proven_difference_a_second_provider_and_a_complete_run() {
    let mut document = document(1.0);
    assert!(claims_of(&document, "jvm-serves").is_empty());
    assert_eq!(claims_of(&document, "jvm-serves-alike").len(), 1);
    document.run.complete = false;
    assert!(claims_of(&document, "jvm-").is_empty());
    document.run.complete = true;
    document.series.retain(|one| one.https_server().is_none() || one.library == "sunjce");
    assert!(claims_of(&document, "jvm-serves-alike").is_empty());
}

#[test]
fn jvm_page_shows_scores_with_parts_java_flags_and_share_of_bytes_encrypted_by_the_provider() {
    let page = plain(&page_of(&[&document(0.5)], ENGLISH).replace("</td>", "|"));
    for row in [
        "JDK 25.0.31|54.5|60.0|10.0 %|",
        "Xeon X5690, published 20121|523.36|627.18|19.84 %|",
        "JDK 25.0.3on|2.00|0.020|1.98|1.0 %|",
        "JDK 25.0.3 -XX:-UseGHASHIntrinsics|409|2.5 %|",
    ] {
        assert!(page.contains(row), "{row} in {page}");
    }
    assert!(page.contains("Kasoku 0.1.0 (JDK 25.0.3) itself counted 93 %"), "{page}");
}

/// Documents may state 0 threads. Then an operation takes no time, and the percentage that AES takes is undefined.
#[test]
fn score_parts_are_omitted_if_an_operation_takes_no_time() {
    let mut document = document(0.5);
    document.series.iter_mut().for_each(|one| one.details.threads = 0);
    let page = page_of(&[&document], ENGLISH);
    assert!(page.contains("id=\"r1-jvm\"") && !page.contains(">3DES<") && !page.contains("NaN"));
}

#[test]
fn jdk_names_include_the_build_if_a_version_has_two_builds() {
    let mut document = document(0.5);
    for (library, version) in [("sunjce", "25.0.3+8"), ("nss", "3.87.1"), ("openssl", "3.0.19")] {
        document.series.push(series((library, version), Acceleration::On, Aes128Gcm, 2_000, ""));
    }
    let page = plain(&page_of(&[&document], ENGLISH).replace("</td>", "|"));
    for name in ["JDK 25.0.3+8", "JDK 25.0.3+9-LTS", "JDK 17.0.15", "NSS 3.87.1 (JDK 25.0.3)", "openssl 3.0.19"] {
        assert!(page.contains(&format!("{name}|")), "{name}: {page}");
    }
}

#[test]
fn every_output_cuts_long_jvm_versions_and_escapes_control_characters() {
    let mut document = document(0.5);
    for one in &mut document.series {
        one.library_version = format!("<script>\u{1b}[2J{}", "x".repeat(500));
        one.details.flags = Some("<img src=x>\u{202e}".to_owned());
    }
    for language in [ENGLISH, *JAPANESE] {
        for text in [page_of(&[&document], language), full(&document, language)] {
            assert!(!text.contains(['\u{1b}', '\u{202e}']) && !text.contains(&"x".repeat(100)), "{text}");
        }
    }
}
