//! What a run notes about itself, in the language of its reader.

use crate::language::Messages;
use crate::visible::short;
use kasoku_model::document::{Document, Remark};
use kasoku_model::language::Language;

/// The longest note that is shown.
const NOTE: usize = 400;

/// A note as its reader has it.
pub(crate) enum Note {
    /// In the language that was asked for.
    Told(String),
    /// As it is stored, in English.
    Stored(String),
}

impl Note {
    pub(crate) fn text(&self) -> &str {
        match self {
            Note::Told(text) | Note::Stored(text) => text,
        }
    }
}

/// The notes of `document`.
pub(crate) fn notes(document: &Document, messages: &Messages) -> Vec<Note> {
    let run = &document.run;
    let note = |note: &String| {
        let told = run.method.remarks.iter().find_map(|remark| told(note, remark, messages));
        told.map_or_else(|| Note::Stored(short(note, NOTE)), Note::Told)
    };
    run.notes.iter().map(note).collect()
}

/// `note` in another language, if it is what `remark` says, of a level or of all.
fn told(note: &str, remark: &Remark, messages: &Messages) -> Option<String> {
    let before = note.strip_suffix(remark.to_string().as_str())?;
    let said = japanese(remark).filter(|_| messages.language == Language::Japanese)?;
    if before.is_empty() {
        return Some(said);
    }
    let level = (messages.words.level)(before.strip_suffix(": ")?.parse().ok()?);
    Some(format!("{level}：{said}"))
}

fn japanese(remark: &Remark) -> Option<String> {
    Some(match remark {
        Remark::DroppedSlices { percent } => format!(
            "スライスの{percent:.1} %を捨てました。スレッドがコアを占有できなかったためです（このマシンか同じホスト\
             で、ほかの処理が動いています）。"
        ),
        Remark::KeptSlices { slices, series } => format!(
            "{series}系列では、乱された{slices}個のスライスも、乱れの小さいものから使っています。\
             捨てると標本が少なくなりすぎるためです。これによる差は、乱れの大きさを超えるときだけ差とみなします。"
        ),
        Remark::Restarts { libraries } => {
            format!("測定中に終了したワーカーを起動し直しました（{libraries}）。欠けた測定はありません。")
        }
        Remark::Outliers { percent } => format!(
            "系列の中央値から大きく外れた標本が{percent:.1} %あります。残してありますが、中央値への影響はわずかです。"
        ),
        Remark::InterruptedSuites { percent } => format!(
            "ベンチマークのスレッドが使えたのは、割り当てたコアの{percent:.0} %でした（ほかの処理か、仮想マシンのガベー\
             ジコレクションのため）。スコアはその分だけ低くなっています。"
        ),
        Remark::SlowerClock { from, to } => format!(
            "測定中にコアクロックが{from:.2} GHzから{to:.2} GHzに下がりました（発熱、または電力の上限のため）。"
        ),
        Remark::Steal { percent } => {
            format!("ハイパーバイザーがCPU時間の{percent:.1} %をほかに割り当てました（スチール）。")
        }
        Remark::Resumed { samples } => format!("中断した測定の続きです。{samples}個の標本は中断前のものです。"),
        Remark::FirstLimit { name, value, published, connections } => {
            let published = published.as_ref().map(|published| format!("（公表値：{}）", short(published, 60)));
            let (name, value, published) = (short(name, 40), short(value, 60), published.unwrap_or_default());
            format!(
                "システムの上限のうち最初に達するのは {name} = {value}{published}で、同時接続{connections}までです。"
            )
        }
        Remark::UnknownCodePaths => {
            "コードパスは不明です（nginxのプロセスの中は調べていません）。Kasokuのプロバイダーが処理したことは、その\
             カウンター（provider_share）で分かります。"
                .to_owned()
        }
        Remark::Other => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::messages;
    use kasoku_model::document::{Run, SCHEMA};

    #[test]
    fn notes_of_a_known_kind_are_told_in_japanese_and_others_as_they_are_stored() {
        let mut run = Run::default();
        run.note(Some(kasoku_model::level::Level::Packets), Remark::DroppedSlices { percent: 10.94 });
        run.note(None, Remark::Steal { percent: 3.0 });
        run.notes.push("something else".to_owned());
        let mut document = Document { schema: SCHEMA, run, machine: Default::default(), series: Vec::new() };
        let told = |document: &Document, language| -> Vec<String> {
            let text = |note| match note {
                Note::Told(text) => format!("+{text}"),
                Note::Stored(text) => text,
            };
            notes(document, messages(language)).into_iter().map(text).collect()
        };
        let japanese = told(&document, Language::Japanese);
        assert!(japanese[0].starts_with("+パケット：スライスの10.9 %を捨てました。"), "{japanese:?}");
        assert!(japanese[1].starts_with("+ハイパーバイザー") && japanese[2] == "something else", "{japanese:?}");
        let english = told(&document, Language::English);
        assert!(english[0].starts_with("packets: 10.9 % of the slices were dropped"), "{english:?}");
        // What is not said by the notes is not told.
        document.run.notes.clear();
        assert_eq!(told(&document, Language::Japanese), [""; 0]);
    }
}
