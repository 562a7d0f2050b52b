//! The page around its charts and tables.

use super::say::subject;

subject! {
    /// The page around its charts and tables.
    PageMessages {
        texts {
            about:
                " · what cryptographic acceleration is worth on a machine"
                | " · そのマシンで暗号の加速はどれだけ効くのか";
            skip: "Skip to the content" | "本文へ移動";
            contents: "Contents" | "目次";
            incomplete: "Incomplete run." | "未完了の測定です。";
            incomplete_means:
                " It did not reach its end. The figures below are what it had; nothing in it is ranked, and its \
                 libraries are not compared. kasoku compare holds it against another run."
                | "この測定は最後まで終わっていません。以下は途中までに得られた値で、この測定の中での比較や順位付けは\
                   行いません。ほかの測定とは kasoku compare で比べられます。";
            emulated: "Emulated." | "エミュレーションです。";
            emulated_means:
                " There is no such CPU here: an emulator did its work. No figure below says anything about a CPU, \
                 nothing is ranked, and libraries are not compared."
                | "このCPUは実在せず、エミュレーターで実行した値です。CPUの性能を示さないため、比較や順位付けは行い\
                   ません。";
            under_wine: "Under Wine." | "Wine上の測定です。";
            under_wine_means:
                " There was no Windows here: Wine stood in for it. No figure below says anything about Windows, \
                 nothing is ranked, and libraries are not compared."
                | "Windowsの代わりにWineで測定した値です。Windowsでの性能を示さないため、比較や順位付けは行いません。";
            notes: "Notes" | "注記";
            notes_link: "details" | "詳細";
            libraries: "AES-GCM by library" | "実装別のAES-GCM";
            key_figures: "Key figures" | "主な数値";
            verdict: "Verdict" | "結論";
            throughput: "Throughput by size" | "サイズ別のスループット";
            public_keys: "Public keys" | "公開鍵暗号";
            ratios: "What acceleration is worth" | "加速の効果";
            on_and_off:
                "Acceleration on and off, by algorithm and library"
                | "加速オンとオフの比（全アルゴリズム、全実装）";
            ratios_explained:
                "How many times as fast with acceleration on as with it off: the median of the ratios within rounds, \
                 and its 95 % interval. “=”: no difference shown, since the interval does not lie beyond the noise \
                 floor."
                | "加速オンの速さがオフの何倍かを示します。値はラウンドごとの比の中央値で、その下は95 %信頼区間です。\
                   「=」は、差が認められない（信頼区間がノイズフロアを超えない）ことを表します。";
            on_over_off: "on / off" | "オン／オフ";
            times_the_slowest: "times the\nslowest" | "最も遅い\nものとの比";
            fastest: "The fastest library" | "最速の実装";
            figures: "Every figure" | "全測定値";
            figures_explained:
                "Medians; below each, half its 95 % interval. "
                | "値は中央値、その下は95 %信頼区間の半幅です。";
            verified_means:
                " the output agreed with an independent implementation or published vectors; "
                | "は出力が独立した実装または公開テストベクトルと一致したもの、";
            unverified_means:
                " it was not verified, and is not ranked or compared."
                | "は未検証のもので、順位付けや比較には使いません。";
            missing: "What is missing" | "測定できなかったもの";
            background: "Machine and method" | "マシンと測定方法";
            machine: "Machine" | "マシン";
            method: "Method" | "測定方法";
            method_explained:
                "Every library runs in a process of its own for each acceleration state. Rounds visit them in shuffled \
                 order, so that drift hits all alike; slices in which the thread did not have its core to itself are \
                 dropped. Ratios are taken within rounds, intervals by bootstrap over rounds nested in processes."
                | "どの実装も、加速の状態ごとに別のプロセスで動かします。ラウンドごとに順序を入れ替えて巡回するので、\
                   時間とともに生じる変動はすべてに等しく及びます。スレッドがコアを占有できなかったスライスは捨てま\
                   す。比はラウンドの中で求め、信頼区間は、プロセスとその中のラウンドを入れ子に再抽出するブートスト\
                   ラップで求めます。";
            repeat: "To repeat it" | "同じ測定を行うコマンド";
            run: "Run " | "測定ID：";
            run_after: "." | "。";
            footer:
                "Made by Kasoku. This page is one file: it loads nothing and runs nothing."
                | "Kasokuが作成しました。このページは1つのファイルで完結し、外部から何も読み込まず、何も実行しません。";
        }
        sentences {
            runs(count: usize): "Kasoku: {count} runs" | "Kasoku：測定{count}件";
            nowhere_different(libraries: &str):
                ": no difference shown anywhere ({libraries})."
                | "：どのサイズでも差は認められません（{libraries}）。";
            ratios_of(kind: &str): "{kind}: on / off" | "{kind}：加速オンとオフの比";
            on_at(size: &str): "on, {size}" | "オン、{size}";
            with_acceleration(algorithm: &str): "{algorithm} with acceleration" | "{algorithm}（加速オン）";
            instead_of(on: &str, off: &str): "{on} instead of {off}" | "オフでは{off}、オンでは{on}";
            at_best(algorithm: &str): "{algorithm} at best" | "{algorithm}の最高値";
            at_with(size: &str, library: &str): "{size}, {library}" | "{size}、{library}";
            ahead(first: &str, times: &str, second: &str): "{first} {times} {second}" | "{first}は{second}の{times}";
            against(first: &str, second: &str): "{first} against {second}" | "{first}（{second}比）";
            ahead_at(what: &str, fast: &str, slow: &str):
                "AES-128-GCM, {what}: {fast} and {slow} GB/s"
                | "AES-128-GCM、{what}：{fast} GB/sと{slow} GB/s";
        }
        cases {}
    }
}
