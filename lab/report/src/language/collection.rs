//! Rankings of machines, and histories of a workload.

use super::say::subject;
use super::words::and;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::language::Language::{English, Japanese};

subject! {
    /// Rankings of machines, and histories of a workload.
    CollectionMessages {
        texts {
            place: "#" | "順位";
            machine: "machine" | "マシン";
            os: "OS" | "OS";
            times_this: "× this machine" | "このマシン比";
            library: "library" | "実装";
            known: "known from" | "出典";
            this_machine: "this machine" | "このマシン";
            imported: "imported" | "取り込み";
            published: "published" | "公表値";
            any_library: "the fastest library of each machine" | "マシンごとに最速の実装";
            quoted:
                "Imported and published figures stand as their sources have them: Kasoku did not verify the output \
                 behind them, and they have no intervals."
                | "取り込みと公表値は出典に載っている値です。信頼区間はなく、出力の検証もしていません。";
            running_stream:
                "Imported and published figures of AEADs are those of one running stream: openssl speed -evp sets no \
                 nonce and makes no tag for each message. At small sizes that is faster than whole messages, which is \
                 what Kasoku measures."
                | "取り込みと公表値のうち認証付き暗号の値は、ひと続きのデータを処理し続けたときのものです。openssl \
                   speed -evpはメッセージごとのナンス設定もタグ生成も行わないため、小さいサイズでは、メッセージ単位で\
                   測定するKasokuの値より速くなります。";
            no_run_and_not_measured:
                "there is no complete run of this machine in the store, and Kasoku does not measure this \
                 algorithm: the ranking has other machines only"
                | "このマシンの完了した測定が保存されておらず、Kasokuはこのアルゴリズムを測定しません。ほかの\
                   マシンだけを表示します";
            interval: "95 % interval" | "95 %信頼区間";
            change: "change" | "前回比";
            versions_differ:
                "The version of the library is not the same in all of these runs."
                | "途中で実装のバージョンが変わっています。";
        }
        sentences {
            state: fn(Acceleration) -> String =
                |state| match state {
                    Acceleration::On => "acceleration on".to_owned(),
                    Acceleration::Off => "acceleration off".to_owned(),
                    other => format!("acceleration {other}"),
                },
                |state| match state {
                    Acceleration::On => "加速オン".to_owned(),
                    Acceleration::Off => "加速オフ".to_owned(),
                    other => format!("加速{other}"),
                };
            behind: fn(&str) -> String =
                |text| format!(" ({text})"),
                |text| format!("（{text}）");
            measured: fn(&str) -> String =
                |day| format!("measured {day}"),
                |day| format!("測定 {day}");
            imported_from: fn(&str) -> String =
                |file| format!("imported: {file}"),
                |file| format!("取り込み: {file}");
            left_out: fn(usize, &str, &[String]) -> String =
                |machines, wanted, sizes| {
                    let (who, have) = match machines {
                        1 => ("1 machine is".to_owned(), "it has one"),
                        _ => (format!("{machines} machines are"), "they have some"),
                    };
                    format!("{who} left out for want of a figure at {wanted}: {have} at {}. None is interpolated.", and(sizes, English))
                },
                |machines, wanted, sizes| {
                    format!("{wanted}の値がない{machines}台は含めていません（値があるのは{}）。補間はしません。", and(sizes, Japanese))
                };
            no_run: fn(&str) -> String =
                |command| {
                    format!(
                        "there is no complete run of this machine in the store, so it is not in the ranking: \
                         `{command}` makes one"
                    )
                },
                |command| {
                    format!("このマシンの完了した測定が保存されていないため、順位に含まれていません。`{command}`で測定\
                             できます")
                };
            no_figure: fn(&str, &str) -> String =
                |what, command| {
                    format!("the complete runs of this machine have no verified figure of {what}: `{command}` \
                             measures it")
                },
                |what, command| {
                    format!("このマシンの完了した測定に、{what}の検証済みの値がありません。`{command}`で測定できます")
                };
            not_measured: fn(&str) -> String =
                |algorithm| format!("Kasoku does not measure {algorithm}, so this machine is not in the ranking"),
                |algorithm| format!("Kasokuは{algorithm}を測定しないため、このマシンは順位に含まれていません");
            nothing_known: fn(&str, &[String]) -> String =
                |what, sizes| match sizes {
                    [] => format!("nothing is known of {what}: no run, import or publication has a figure of it"),
                    sizes => format!("nothing is known of {what}; there are figures at {}", and(sizes, English)),
                },
                |what, sizes| match sizes {
                    [] => format!("{what}の値は、測定にも取り込みにも公表値にもありません"),
                    sizes => format!("{what}の値はありません。値があるのは{}です", and(sizes, Japanese)),
                };
            without_interval: fn(&str) -> String =
                |ratio| format!("{ratio}, no interval"),
                |ratio| format!("{ratio}（信頼区間なし）");
            rule: fn(f64) -> String =
                |percent| {
                    format!(
                        "A change against the run before is shown where the 95 % intervals of both do not overlap and \
                         the figures differ by more than {percent:.0} %."
                    )
                },
                |percent| {
                    format!("前回からの変化は、両方の95 %信頼区間が重ならず、値の差が{percent:.0} %を超えるときだけ示\
                             しています。")
                };
        }
    }
}
