//! A site of all machines.

use super::say::{say, subject};

subject! {
    /// A site of all machines.
    SiteMessages {
        texts {
            title: "What cryptographic acceleration is worth" | "暗号アクセラレーションの効果";
            home: "All machines" | "全マシン";
            machines: "Machines" | "マシン";
            algorithms: "Algorithms" | "アルゴリズム";
            libraries: "Libraries" | "実装";
            algorithm: "algorithm" | "アルゴリズム";
            operation: "operation" | "操作";
            size: "size" | "サイズ";
            cpu: "CPU" | "CPU";
            generation: "generation" | "世代";
            architecture: "architecture" | "アーキテクチャ";
            run_count: "runs" | "測定回数";
            newest: "newest" | "最新";
            machine_count: "machines" | "マシン数";
            fastest: "fastest" | "最速";
            known: "known from" | "出典";
            measured: "measured" | "測定";
            by_library: "Each library on each machine" | "マシンと実装ごとの値";
            worth: "What acceleration is worth" | "加速の効果";
            version: "version" | "バージョン";
            on: "on" | "オン";
            off: "off" | "オフ";
            no_interval: "no interval" | "信頼区間なし";
            times: "times" | "倍率";
            worth_explained:
                "Each row is one library in one run, with acceleration on and off; the factor is on over off. “=”: the \
                 95 % intervals of both overlap, or the figures differ by 3 % or less. Without intervals nothing is \
                 claimed."
                | "各行は、1回の測定における1つの実装の加速オンと加速オフの値です。倍率はオン÷オフです。「=」は、両\
                   方の95 %信頼区間が重なるか、差が3 %以内であることを表します。信頼区間のない倍率は参考値です。";
            places: "Among the other machines" | "ほかのマシンとの比較";
            places_explained:
                "The place of this machine, by its fastest library with acceleration on, among all machines that have \
                 the workload at that size."
                | "加速オンで最も速い実装の値による、同じ処理とサイズの値を持つ全マシンの中での順位です。";
            place: "place" | "順位";
            runs: "Runs" | "測定の一覧";
            runs_explained:
                "Each is a JSON document with every sample; `kasoku import` reads it."
                | "すべての標本を含むJSON文書です。`kasoku import`で取り込めます。";
            incomplete: "not complete" | "未完了";
            search: "Search" | "検索";
            elsewhere: "imported or published" | "取り込み・公表値";
            nothing_found: "Nothing found." | "該当するものはありません。";
            sort: "Sort by this column" | "この列で並べ替える";
            footer:
                "Made by `kasoku site`. Imported and published figures are marked as such and stand as their sources \
                 have them."
                | "`kasoku site`で作成しました。「取り込み」「公表値」は、出典に載っている値です。";
        }
        sentences {
            about(machines: usize, runs: usize, libraries: usize):
                "{machines} machines, {runs} runs, {libraries} libraries"
                | "マシン{machines}台、測定{runs}回、実装{libraries}種";
            worth_by_generation(library: &str):
                "{library} on each CPU generation: the largest factor that was measured"
                | "CPUの世代ごとの{library}の倍率（測定された最大値）";
            place_of(place: usize, count: usize): "{place} of {count}" | "{count}台中{place}位";
            most(shown: usize, all: usize):
                "The first {shown} of {all} rows."
                | "全{all}行のうち最初の{shown}行です。";
            most_libraries(shown: usize, all: usize):
                "The {shown} libraries with the most machines, of {all}."
                | "全{all}種の実装のうち、マシン数の多い{shown}種です。";
            most_generations(shown: usize, all: usize):
                "The {shown} largest factors, of {all} generations."
                | "全{all}世代のうち、倍率の大きい{shown}世代です。";
        }
        cases {
            /// What a page about one algorithm or library is called.
            named(name: &str) in language -> String: say!(language, "{name} on every machine", "{name}：全マシン");
        }
    }
}
