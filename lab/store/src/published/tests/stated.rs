//! Checks `fusion.toml` and `intel-aes-gcm-nginx.toml`, which have figures in sentences only.

use super::*;

#[test]
fn fusion_toml_has_the_title_machines_quotes_and_figures_of_its_source() {
    let Some((source, text)) = with_text("fusion", "seeds/002_897bcbb9aa08a9a3.txt") else { return };
    assert!(text.contains(&format!("■{}\n", source.title)));
    assert!(source.machines.iter().all(|machine| text.contains(&machine.printed)));
    assert_quotes_stand_in(source, &text);
    // 64 bytes in 40 clock cycles are 6.4 GB/s at 4 GHz. The other figures are percentages of that.
    let value = |unit: &str, about: &str| -> f64 {
        let is_it = |statement: &&Statement| statement.unit == unit && statement.about.en.starts_with(about);
        source.statements.iter().find(is_it).unwrap().value.parse().unwrap()
    };
    let limit = value("GB/s", "16 KB: OpenSSL without");
    assert_eq!(limit, value("bytes in 40 clocks", "limit") / 40.0 * 4.0);
    let share = value("GB/s", "1440 bytes: OpenSSL") / limit * 100.0;
    assert!((share - value("% of the limit", "1440 bytes: OpenSSL")).abs() < 2.0, "{share}");
    let cost = (1.0 - value("GB/s", "16 KB: OpenSSL with set-up") / limit) * 100.0;
    assert!((cost - value("% at most", "16 KB, TLS")).abs() < 0.2, "{cost}");
}

#[test]
fn quoted_statements_about_nginx_stand_in_the_published_text() {
    let Some((source, text)) = with_text("intel-aes-gcm-nginx", "seeds/003_402847139a0af8ed.txt") else { return };
    assert!(text.starts_with(&format!("{}\n", source.title)));
    assert!(text.contains(source.address.as_deref().unwrap()));
    assert!(source.machines.iter().all(|machine| text.contains(&machine.printed)));
    assert_quotes_stand_in(source, &text);
    assert_eq!(source.statements.len(), 17);
    let cores = source.statements.iter().filter(|statement| statement.unit == "cores");
    assert_eq!(cores.map(|statement| statement.value.as_str()).collect::<Vec<_>>(), ["2", "4", "8", "16"]);
}

#[test]
fn only_publications_with_complete_workloads_become_run_documents() {
    // Series cannot express a cipher without its mode, a ratio or a server's throughput.
    let with: std::collections::BTreeSet<&str> =
        documents().iter().map(|document| machine(document).unwrap().0.id.as_str()).collect();
    assert_eq!(with.into_iter().collect::<Vec<_>>(), ["aes-ni-story", "openssl-perf"]);
}
