//! The machine and how a run measured, as names and values.

use super::say::subject;

subject! {
    /// The machine and how a run measured, as names and values.
    Facts {
        texts {
            cpu: "CPU" | "CPU";
            name: "Device" | "デバイス";
            microarchitecture: "Microarchitecture" | "マイクロアーキテクチャ";
            architecture: "Architecture" | "アーキテクチャ";
            features: "Features that matter here" | "関係するCPU機能";
            logical_cpus: "Logical CPUs" | "論理CPU数";
            memory: "Memory" | "メモリー";
            os: "Operating system" | "OS";
            kernel: "Kernel" | "カーネル";
            hypervisor: "Hypervisor" | "ハイパーバイザー";
            none_seen: "none seen" | "検出されず";
            governor: "Frequency governor" | "周波数ガバナー";
            boost: "Boost" | "ブースト";
            allowed: "allowed" | "有効";
            not_allowed: "not allowed" | "無効";
            started: "Started" | "開始日時";
            kasoku: "Kasoku" | "Kasoku";
            starts: "Starts of each worker" | "ワーカーの起動回数";
            rounds: "Rounds" | "ラウンド数";
            slice: "Slice" | "スライス";
            took: "Took" | "所要時間";
            core_clock: "Core clock" | "コアクロック";
            no_clock: "could not be had: no cycles per byte" | "取得できず（1バイトあたりのサイクル数なし）";
            noise_floor: "Noise floor" | "ノイズフロア";
            dropped: "Slices dropped" | "捨てたスライス";
            measuring_loop: "Measuring loop" | "計測ループ";
            unnamed: "an unnamed CPU" | "名称不明のCPU";
        }
        sentences {
            cores(cores: usize): "{cores} logical CPUs" | "論理CPU {cores}個";
            under(hypervisor: &str): "under {hypervisor}" | "{hypervisor}上で動作";
            clock_from(clock: &str, source: &str): "{clock}, from {source}" | "{clock}（{source}）";
            floor_from(floor: &str, library: &str):
                "{floor}, from {library} against itself: no finer difference is claimed"
                | "{floor}（{library}を同じ{library}と比べた値）。これより小さい差は、差とみなさない";
            floor_alone(floor: &str):
                "{floor}: no finer difference is claimed"
                | "{floor}。これより小さい差は、差とみなさない";
            floor_unknown(floor: &str):
                "not measured: no difference under {floor} is claimed"
                | "未測定。{floor}に満たない差は、差とみなさない";
            dropped_of(dropped: usize, all: usize, share: &str):
                "{dropped} of {all} ({share})"
                | "{all}個中{dropped}個（{share}）";
            loop_takes(time: &str): "{time} a call, not subtracted" | "1回あたり{time}（測定値から差し引いていない）";
        }
        cases {}
    }
}
