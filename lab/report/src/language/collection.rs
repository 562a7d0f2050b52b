//! Rankings of machines, and histories of a workload.

use super::say::{pick, say, subject};
use super::words::and;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::openssl_speed::AeadRow;
use kasoku_store::collection::RunsLeftOut;

subject! {
    /// Rankings of machines, and histories of a workload.
    CollectionMessages {
        texts {
            place: "#" | "順位";
            machine: "machine" | "マシン";
            os: "OS" | "OS";
            times_this: "× this machine" | "本機比";
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
            one_operation: "one operation" | "1回の処理";
            two_meanings:
                "openssl speed changed what it measures of AES-GCM, CCM, OCB and SIV: before 3.0.16, 3.1.8, 3.2.4, \
                 3.3.3, 3.4.1 and 3.5 updates of one message that runs on, since then whole messages, each with the \
                 set-up of its key. That is far slower at small sizes, and 10 to 20 % slower at 16 and 8 KiB."
                | "openssl speedが測るもの（AESのGCM・CCM・OCB・SIV）は、3.0.16・3.1.8・3.2.4・3.3.3・3.4.1・3.5で変わ\
                    りました。以前はひと続きのメッセージの処理、以後は鍵の設定を毎回含むメッセージ全体です。\
                    小さいサイズでは大幅に遅くなり、16 KiBと8 KiBでは10～20 %遅くなります。";
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
            behind(text: &str): " ({text})" | "（{text}）";
            measured(day: &str): "measured {day}" | "測定：{day}";
            imported_from(file: &str): "imported: {file}" | "取り込み：{file}";
            no_run(command: &str):
                "there is no complete run of this machine in the store, so it is not in the ranking: `{command}` \
                 makes one"
                | "このマシンの完了した測定が保存されていないため、順位に含まれていません。`{command}`で測定できます";
            no_figure(what: &str, command: &str):
                "the complete runs of this machine have no verified figure of {what}: `{command}` measures it"
                | "このマシンの完了した測定に、{what}の検証済みの値がありません。`{command}`で測定できます";
            not_measured(algorithm: &str):
                "Kasoku does not measure {algorithm}, so this machine is not in the ranking"
                | "Kasokuは{algorithm}を測定しないため、このマシンは順位に含まれていません";
            without_interval(ratio: &str): "{ratio}, no interval" | "{ratio}（信頼区間なし）";
            rule(percent: f64):
                "A change against the run before is shown where the 95 % intervals of both do not overlap and the \
                 figures differ by more than {percent:.0} %."
                | "前回からの変化は、両方の95 %信頼区間が重ならず、値の差が{percent:.0} %を超えるときだけ示してい\
                   ます。";
        }
        cases {
            state(state: Acceleration) in language -> String: match state {
                Acceleration::On => pick(language, "acceleration on", "加速オン").to_owned(),
                Acceleration::Off => pick(language, "acceleration off", "加速オフ").to_owned(),
                other => say!(language, "acceleration {other}", "加速{other}"),
            };
            left_out(machines: usize, wanted: &str, sizes: &[String]) in language -> String: {
                let sizes = and(sizes, language);
                let (are, they_have) = match machines {
                    1 => ("machine is", "it has one"),
                    _ => ("machines are", "they have some"),
                };
                say!(
                    language,
                    "{machines} {are} left out: no figure at {wanted}; {they_have} at {sizes}. None is \
                     interpolated.",
                    "{wanted}の値がない{machines}台は含めていません（値があるのは{sizes}）。補間はしません。"
                )
            };
            /// Runs that are left out, and why.
            runs_left_out(left_out: RunsLeftOut) in language -> Option<String>: {
                let RunsLeftOut { not_genuine, incomplete_imports, incomplete, unread } = left_out;
                let parts = [
                    (not_genuine, "runs made by an emulator or under Wine", "エミュレーターまたはWineでの測定"),
                    (incomplete_imports, "incomplete imports", "未完了の取り込み"),
                    (incomplete, "incomplete runs", "未完了の測定"),
                    (unread, "runs that cannot be read", "読み取れない測定"),
                ];
                let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
                let told = parts.map(|(count, english, japanese)| {
                    say!(language, "{english} ({count})", "{japanese}（{count}件）")
                });
                let told = told.collect::<Vec<_>>().join(pick(language, ", ", "、"));
                (!told.is_empty()).then(|| say!(language, "Left out: {told}", "含めていないもの：{told}"))
            };
            /// What one operation is in a figure of an AEAD.
            aead_row(row: AeadRow) in language -> &'static str: match row {
                AeadRow::Updates => pick(language, "update of a stream", "ストリームの更新"),
                AeadRow::Messages => pick(language, "message", "メッセージ"),
                AeadRow::KeyedMessages => pick(language, "key set-up and message", "鍵の設定とメッセージ"),
                AeadRow::Unknown => pick(language, "not known", "不明"),
            };
            /// Rows that are left out, and what one operation is in them.
            apart(count: usize, what: &str, bytes: &str) in language -> String: {
                let figures = if count == 1 { "figure is" } else { "figures are" };
                say!(
                    language,
                    "{count} {figures} left out, in which one operation is another ({what}): below {bytes} they are \
                     not comparable.",
                    "1回の処理の内容が異なる値（{what}）{count}件は含めていません。{bytes}未満では比べられません。"
                )
            };
            nothing_known(what: &str, sizes: &[String]) in language -> String: match and(sizes, language) {
                none if none.is_empty() => say!(
                    language,
                    "nothing is known of {what}: no run, import or publication has a figure of it",
                    "{what}の値は、測定にも取り込みにも公表値にもありません"
                ),
                sizes => say!(
                    language,
                    "nothing is known of {what}; there are figures at {sizes}",
                    "{what}の値はありません。値があるのは{sizes}です"
                ),
            };
        }
    }
}
