//! What files show, in words.

use super::finding::FileFinding;
use crate::language::say;
use crate::quantity::{digits, percent, points, size};
use kasoku_model::language::Language;

impl FileFinding {
    /// The finding as a sentence.
    pub(crate) fn sentence(&self, language: Language) -> String {
        match self {
            FileFinding::Saved { algorithm, library, percent } => {
                let [encrypt, decrypt] = percent.map(points);
                say!(
                    language,
                    "With the AES instructions, files take {encrypt} % less time to encrypt and {decrypt} % less to \
                     decrypt with {algorithm} ({library}).",
                    "AES命令により、{algorithm}によるファイルの暗号化時間は{encrypt} %、\
                     復号時間は{decrypt} %短くなります（{library}）。"
                )
            }
            FileFinding::Copied { algorithm, library, with_one_thread, bytes, whole, copy, in_memory } => {
                let library = if *with_one_thread {
                    say!(language, "{library} with one thread", "{library}（1スレッド）")
                } else {
                    library.clone()
                };
                let in_memory = in_memory.map(|time| {
                    let time = digits(time);
                    say!(
                        language,
                        "; from memory to memory it takes {time} ms",
                        "メモリーからメモリーへの暗号化は{time} msです。"
                    )
                });
                let in_memory = in_memory.unwrap_or_default();
                let (size, whole_ms, copy_ms) = (size(*bytes), digits(*whole), digits(*copy));
                if copy >= whole {
                    return say!(
                        language,
                        "{library} encrypts {size} with {algorithm} in {whole_ms} ms, no more than copying the file \
                         takes ({copy_ms} ms){in_memory}.",
                        "{library}は{algorithm}で{size}を{whole_ms} msで暗号化します。ファイルをコピーするだけの時間\
                         （{copy_ms} ms）を超えません。{in_memory}"
                    );
                }
                let share = percent(100.0 * copy / whole);
                say!(
                    language,
                    "Of the {whole_ms} ms in which {library} encrypts {size} with {algorithm}, {share} is what copying \
                     the file takes{in_memory}.",
                    "{library}が{algorithm}で{size}を暗号化する{whole_ms} msのうち、{share}はファイルのコピーだけでもか\
                     かる時間です。{in_memory}"
                )
            }
        }
    }
}

/// The headline of a run of files only.
pub(crate) fn headline(findings: &[&FileFinding], language: Language) -> String {
    let lead = findings.iter().find(|finding| finding.leads());
    lead.or(findings.last()).map(|lead| lead.sentence(language)).unwrap_or_default()
}
