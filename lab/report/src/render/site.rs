//! Pages of the site as HTML files, which send no requests and run one inline script. The script sorts and searches
//! tables. Pages show everything without the script.

use maud::{PreEscaped, html};

use super::catalogue::catalogue;
use super::html::{Html, STYLE, frame};
use super::page::content;
use crate::language::Language;
use crate::site::{DOCUMENT, FOLDERS, SitePage};
use crate::text::say;

const SCRIPT: &str = include_str!("site.js");

/// Content security policy that blocks all requests, and all scripts but the one with this digest.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
    form-action 'none'; script-src 'sha256-ri4d+/ru2493ghKXuswSH5AQS4bmEq2+i9jAV02EGCU='";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFile {
    /// Path from the site's root, with `/` as the separator.
    pub path: String,
    pub text: String,
}

pub fn site_page(page: &SitePage, language: Language) -> SiteFile {
    let catalogue = catalogue(language);
    let (up, file) = match page.folder {
        Some(folder) => ("../", format!("{folder}/{}.html", page.name)),
        None => ("", format!("{}.html", page.name)),
    };
    let root = if language == Language::ENGLISH { up.to_owned() } else { format!("{up}../") };
    let words = |key: &str| catalogue.words(key);
    let header = html! {
        header {
            h1 { (catalogue.write(&page.title)) }
            @if !page.about.is_empty() { p.facts { (catalogue.write(&page.about)) } }
        }
    };
    let body = html! {
        nav.site {
            @if page.folder.is_some() { a href={ (up) "index.html" } { (words("site-home")) } }
            @else { span { "Kasoku" } }
            @for other in Language::all().filter(|other| *other != language) {
                a href={ (root) (folder(other)) (file) } hreflang=(other.tag()) lang=(other.tag()) {
                    (super::catalogue(other).words("site-language"))
                }
            }
        }
        (content(&page.runs, &header, &page.blocks, &page.sections, catalogue))
        footer { p { (Html { catalogue, prefix: "" }.words(&say!("site-footer"))) } }
        script data-search=(words("site-search")) data-none=(words("site-nothing-found")) data-sort=(words("site-sort")) {
            (PreEscaped(SCRIPT))
        }
    };
    let style = format!("{STYLE}{}", include_str!("site.css"));
    let title = format!("{} · Kasoku", catalogue.write(&page.title));
    // Text cannot contain such a link: its quotation marks are escaped.
    let text = frame([&title, "", POLICY, &style], &body, catalogue).into_string();
    let path = format!("{}{file}", folder(language));
    SiteFile { path, text: text.replace(&format!("href=\"{DOCUMENT}"), &format!("href=\"{root}")) }
}

/// Returns all folders of a site, parents before children.
pub fn site_folders() -> Vec<String> {
    let of_pages = |language: Language| {
        let folders = FOLDERS.map(|one| format!("{}{one}", folder(language)));
        [folder(language).trim_end_matches('/').to_owned()].into_iter().chain(folders)
    };
    let of_documents = ["run", "published"].map(str::to_owned);
    Language::all().flat_map(of_pages).chain(of_documents).filter(|folder| !folder.is_empty()).collect()
}

/// Returns the folder of the pages in `language`. English pages are at the root.
fn folder(language: Language) -> String {
    if language == Language::ENGLISH { String::new() } else { format!("{}/", language.tag()) }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn site_policy_has_the_digest_of_the_script() {
        let digest = base64(&Sha256::digest(SCRIPT));
        let message = format!("site.js has changed: POLICY in render/site.rs must say 'sha256-{digest}'");
        assert!(POLICY.ends_with(&format!("script-src 'sha256-{digest}'")), "{message}");
        assert_eq!(["M", "Ma", "Man"].map(|text| base64(text.as_bytes())), ["TQ==", "TWE=", "TWFu"]);
    }

    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let four = |three: &[u8]| {
            let bits = (0..3).fold(0, |bits, index| bits << 8 | usize::from(*three.get(index).unwrap_or(&0)));
            let digit = |index: usize| char::from(DIGITS[bits >> (18 - 6 * index) & 63]);
            (0..4).map(|index| if index <= three.len() { digit(index) } else { '=' }).collect::<String>()
        };
        bytes.chunks(3).map(four).collect()
    }
}
