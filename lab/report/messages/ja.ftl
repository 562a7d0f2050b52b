### What results say, in Japanese.
###
### Sentences end in です・ます, tables and headings in nouns. There is no space between Japanese and Latin letters; numbers
### keep the space before their unit. One word per idea:
###
### | English | Japanese |
### |---|---|
### | acceleration, on, off | 加速、加速オン、加速オフ（コマンドラインの値である`on`、`off`、`no-vaes`はそのまま） |
### | library | 実装 |
### | code path | コードパス |
### | run | 測定 |
### | worker, round, slice | ワーカー、ラウンド、スライス |
### | interval | 信頼区間 |
### | noise floor | ノイズフロア |
### | no difference shown | 差は認められない、差は認められません |
### | verified, not verified | 検証済み、未検証 |
### | verdict | 結論 |
### | encrypt, seal; decrypt, open | 暗号化、復号（認証の有無はアルゴリズムの種類で分かる） |
### | key agreement, signature, key encapsulation | 鍵共有、署名、鍵カプセル化 |
### | cipher alone; set-up | 暗号処理のみ、前後処理（ナンス、AAD、タグ） |
### | header protection | ヘッダー保護 |
### | batch of 64; in a loop | 64個一括、64個ループ |
### | the CPU’s bound; share of it | 上限、上限比 |
### | throughput, overhead, nonce | スループット、オーバーヘッド、ナンス |

## Lists

# Between items.
list-comma = 、
# Between items that may contain commas.
list-semicolon = 、
# Between sentences.
list-sentence = {""}
# Two items.
list-two = { $first }と{ $second }
# Several items: all but the last, joined by list-comma, and the last.
list-last = { $most }、{ $last }
claim-range = { $low }～{ $high }
# A difference without a verb, to stand before です.
claim-change =
    { $outcome ->
        [shown]
            { $direction ->
                [less] { $percent } %減（{ $least }～{ $most } %）
               *[more] { $percent } %増（{ $least }～{ $most } %）
            }
       *[none] 差なし（{ $least }～{ $most } %）
    }
# Alternatives. Of more than two, $first are all but the last, joined the same way.
list-or = { $first }または{ $second }

## Words and small phrases that all of a report shares

words-no-difference = 差は認められない
words-failed = 失敗
words-verified = 検証済み
words-not-verified = 未検証
words-counted-nonces = ナンス逐次生成
words-threads = { $threads }スレッド
words-keys = 鍵{ $keys }個
words-aad = AAD { $length }
words-times = { $ratio }倍
# A level of measurement where it is no name to be typed.
words-level =
    { $level ->
        [primitives] 暗号処理
        [packets] パケット
        [files] ファイル
        [jvm] Java
        [tls] Webサーバー
       *[other] { $level }
    }
# The title of a table of algorithms of a kind.
words-kind =
    { $kind ->
        [ciphers] 共通鍵暗号
        [authenticated-encryption] 認証付き暗号
        [hashes] ハッシュ
        [key-agreement] 鍵共有
        [signatures] 署名
        [key-encapsulation] 鍵カプセル化
        [benchmark-suites] ベンチマーク
        [tls-cipher-suites] TLSの暗号スイート
       *[other] { $kind }
    }
# What is done with an algorithm.
words-operation =
    { $operation ->
        [encrypt] 暗号化
        [decrypt] 復号
        [seal] 暗号化
        [open] 復号
        [seal-new-key] 暗号化(毎回新しい鍵)
        [seal-update] 暗号化(分割)
        [hash] ハッシュ計算
        [derive] 共有秘密の導出
        [sign] 署名生成
        [verify] 署名検証
        [encapsulate] カプセル化
        [decapsulate] カプセル化解除
        [roundtrip] 暗号化と復号
        [generate] 鍵生成
        [protect] パケット保護
        [unprotect] パケット保護解除
        [serve] 配信
        [handshake] ハンドシェイク
        [transfer] 転送
       *[other] { $operation }
    }

## Headings, titles and notes of tables

tables-algorithm = アルゴリズム
tables-algorithms = アルゴリズム
tables-library = 実装
tables-state = 加速
tables-code-path = コードパス
tables-path = コードパス
tables-at-most = ±最大
tables-what = 内容
tables-why = 理由
tables-to-install = インストール方法
tables-all = すべて
tables-problems = 失敗または未検証（順位付けの対象外）
tables-left-out = 測定しなかったもの
tables-failed = 失敗
tables-unverified = 未検証
tables-repeated = 重複
tables-first-is-shown = 先のほうを表示
tables-no-reason = 理由の記録なし
tables-not-checked = 出力を確認していない
tables-unverified-mark = ! 出力が未検証のため、順位付けと比較の対象外
tables-failed-mark = – 失敗
tables-equal-mark = = 差は認められない
tables-on-off-mark = on, off：どのサイズでもオンとオフの差は認められない。値は加速オンのもの
tables-interval-heading = 95 %
tables-slowest = 最遅比
tables-next = 次点以下（最速との比）
tables-level = レベル{ $level }
tables-of-library = { $kind }：{ $library }（{ $unit }、1 MB = 1,000,000バイト）
tables-public-keys = 公開鍵暗号（{ $unit }、加速オン）
tables-gains = 加速の効果：オンはオフの何倍か（{ $library }）
tables-gains-note = 95 %：{ $size }での信頼区間。最遅比：加速オンの{ $size }で、同じ種類のうち最も遅いものの何倍か
tables-sizes-shown = 全{ $all }サイズのうち{ $shown }サイズを表示。残りは`kasoku show`で表示できる
tables-with-state = { $library }（{ $state }）
tables-lacks = { $library }にない
# Why something was left out. $text is what the document itself says of it, in English.
tables-reason =
    { $reason ->
        [unsupported] この実装にはありません
        [no-switch] 加速を切り替える手段がありません
        [not-installed] インストールされていません
        [no-time] 時間が足りず、測定していません
        [not-asked] 指定された条件の対象外です
       *[other] { $text }
    }
tables-figures = { $kind }（{ $unit }）
tables-figures-of-level = { $level }：{ $kind }（{ $unit }）
# $sizes: one size, or several joined by list-or.
tables-fastest = 最速の実装（{ $sizes }、加速オン）

## The machine and how a run measured, as names and values

facts-cpu = CPU
facts-name = デバイス
facts-microarchitecture = マイクロアーキテクチャ
facts-architecture = アーキテクチャ
facts-features = 関係するCPU機能
facts-logical-cpus = 論理CPU数
facts-memory = メモリー
facts-os = OS
facts-kernel = カーネル
facts-hypervisor = ハイパーバイザー
facts-none-seen = 検出されず
facts-microcode = マイクロコード
facts-governor = 周波数ガバナー
facts-boost = ブースト
facts-allowed = 有効
facts-not-allowed = 無効
facts-started = 開始日時
facts-kasoku = Kasoku
facts-toolchain = コンパイラー
facts-starts = ワーカーの起動回数
facts-rounds = ラウンド数
facts-slice = スライス
facts-took = 所要時間
facts-core-clock = コアクロック
facts-no-clock = 取得できず（1バイトあたりのサイクル数なし）
facts-noise-floor = ノイズフロア
facts-dropped = 捨てたスライス
facts-measuring-loop = 計測ループ
facts-unnamed = 名称不明のCPU
facts-cores = 論理CPU { $cores }個
facts-under = { $hypervisor }上で動作
facts-clock-from = { $clock }（{ $source }）
facts-floor-from = { $floor }（{ $library }を同じ{ $library }と比べた値）。これより小さい差は、差とみなさない
facts-floor-alone = { $floor }。これより小さい差は、差とみなさない
facts-floor-unknown = 未測定。{ $floor }に満たない差は、差とみなさない
facts-dropped-of = { $all }個中{ $dropped }個（{ $share }）
facts-loop-takes = 1回あたり{ $time }（測定値から差し引いていない）

## Figures that Kasoku did not measure

origin-source = 出典
origin-address = 掲載先
origin-note = 備考
origin-figures = 出典にある値を、表の単位に換算したものです。
origin-ratios = 出典にある値どうしの比です。信頼区間がないため、どこまで確かな差かは分かりません。
origin-what =
    { $kind ->
        [published] { $source }で公表された値です。Kasokuが測定したものではないため、信頼区間はなく、出力の検証もしていません。
       *[transcript] ほかのプログラムが出力した値です（{ $source }）。Kasokuが測定したものではないため、信頼区間はなく、出力の検証もしていません。
    }
origin-method =
    { $kind ->
        [published] 出典に載っている値を、誤りも含めてそのまま収録しています。値がどの程度ばらつくか、暗号処理の出力が正しかったかは分かりません。
       *[transcript] ほかのプログラムが測定して出力した値を、Kasokuが読み取ったものです。測定中にマシンがどの程度ほかの処理の影響を受けたか、値がどの程度ばらつくか、暗号処理の出力が正しかったかは分かりません。
    }
# A mistake of a publication: what is printed ($printed), what it should be ($follows), what is wrong ($what).
origin-slip = 誤記：{ $what }
origin-slip-with-follows = 誤記（正しくは{ $follows }）：{ $what }
origin-slip-with-printed = † { $printed }：{ $what }
origin-slip-with-printed-and-follows = † { $printed }（正しくは{ $follows }）：{ $what }

## The page around its charts and tables

page-about = {" "}· そのマシンで暗号の加速はどれだけ効くのか
page-skip = 本文へ移動
page-contents = 目次
page-incomplete = 未完了の測定です。
page-incomplete-means = この測定は最後まで終わっていません。以下は途中までに得られた値で、この測定の中での比較や順位付けは行いません。ほかの測定とは kasoku compare で比べられます。
page-emulated = エミュレーションです。
page-emulated-means = このCPUは実在せず、エミュレーターで実行した値です。CPUの性能を示さないため、比較や順位付けは行いません。
page-under-wine = Wine上の測定です。
page-under-wine-means = Windowsの代わりにWineで測定した値です。Windowsでの性能を示さないため、比較や順位付けは行いません。
page-notes = 注記
page-notes-link = 詳細
page-libraries = 実装別のAES-GCM
page-key-figures = 主な数値
page-verdict = 結論
page-throughput = サイズ別のスループット
page-public-keys = 公開鍵暗号
page-ratios = 加速の効果
page-on-and-off = 加速オンとオフの比（全アルゴリズム、全実装）
page-ratios-explained = 加速オンの速さがオフの何倍かを示します。値はラウンドごとの比の中央値で、その下は95 %信頼区間です。「=」は、差が認められない（信頼区間がノイズフロアを超えない）ことを表します。
page-on-over-off = オン／オフ
page-times-the-slowest = 最も遅いものとの比
page-fastest = 最速の実装
page-figures = 全測定値
page-figures-explained = 値は中央値、その下は95 %信頼区間の半幅です。✓は出力が独立した実装または公開テストベクトルと一致したもの、!は未検証のもので、順位付けや比較には使いません。
page-missing = 測定できなかったもの
page-background = マシンと測定方法
page-machine = マシン
page-method = 測定方法
page-method-explained = どの実装も、加速の状態ごとに別のプロセスで動かします。ラウンドごとに順序を入れ替えて巡回するので、時間とともに生じる変動はすべてに等しく及びます。スレッドがコアを占有できなかったスライスは捨てます。比はラウンドの中で求め、信頼区間は、プロセスとその中のラウンドを入れ子に再抽出するブートストラップで求めます。
page-repeat = 同じ測定を行うコマンド
page-run = 測定ID：`{ $run }`。
page-footer = Kasokuが作成しました。このページは1つのファイルで完結し、外部から何も読み込まず、何も実行しません。
page-runs = Kasoku：測定{ $count }件
page-window = Kasoku: { $machine }
page-nowhere-different = { $kind }：どのサイズでも差は認められません（{ $libraries }）。
page-ratios-of = { $kind }：加速オンとオフの比
page-on-at = オン、{ $size }
page-with-acceleration = { $algorithm }（加速オン）
page-instead-of = オフでは{ $off }、オンでは{ $on }
page-at-best = { $algorithm }の最高値
page-at-with = { $size }、{ $library }
page-against = { $first }（{ $second }比）
page-ahead-at = AES-128-GCM、{ $what }：{ $fast } GB/sと{ $slow } GB/s

## Captions and descriptions of charts

charts-acceleration-on = 加速オン
charts-acceleration-off = 加速オフ
charts-on = オン
charts-off = オフ
charts-by-library = { $task }の実装別比較（{ $size }）
charts-by-size = { $task }のサイズ別スループット
charts-at = { $size }で{ $figure }
charts-worth-by-algorithm = 加速オンとオフ（{ $library }、{ $size }）
charts-worth = オンで{ $ratio }
charts-overview = { $kind }（{ $library }、{ $size }）
charts-overview-of-operation = { $kind }の{ $operation }（{ $library }、{ $size }）
# $blocks: what charts-block says of each group, then charts-marks.
charts-bars = 棒グラフ、単位は{ $unit }。{ $blocks }
# $ends: what charts-ends says of each state, sentences.
charts-curves = サイズ別スループットの折れ線{ $count }本。{ $ends }
# $first and $last: what charts-at says of the smallest and the largest size.
charts-ends = { $name }は{ $first }、{ $last }。
charts-line = { $state ->
        [on] { $library }（加速オン）
        [off] { $library }（加速オフ）
       *[other] { $library }（{ $state }）
    }
charts-bar = { $label } { $figure }
charts-block = { $heading }：{ $bars }。
charts-bars-of = 棒グラフ、単位は{ $unit }、順に{ $names }。{ $blocks }
charts-figures = { $bars }。
charts-marks = 線は{ $marks }。
charts-shares = 棒グラフ、単位は{ $unit }、括弧内は割合（%）。{ $blocks }

## Packets

packets-title = パケット
packets-explained = 1個のQUICパケットを保護する処理を、サイズごとに3段階で示します。前後処理（ナンス、AAD、タグ）を除いた暗号処理のみ、AEAD全体、そしてパケット番号とヘッダーの一部を暗号化するヘッダー保護まで含めたものです。速さはペイロードの量で数えます。複数のパケットをまとめて渡せる実装については、その場合も示します。
packets-header-protection-bar = ＋ヘッダー保護
packets-cipher = 暗号のみ
packets-header = ＋ヘッダー
packets-receive = 受信
packets-aes-alone = AESのみ
packets-bound = 上限
packets-share-of-bound = 上限比
packets-all-that-gcm-needs = GCMに必要な演算すべて
packets-another-part = その一部
packets-library = 実装
packets-what = 内容
packets-packets-at-once = 一括の個数
packets-tls-record = TLSレコード
packets-overhead = オーバーヘッド
packets-header-protection-costs = ヘッダー保護：時間の増加
packets-setup-costs = 前後処理：時間の増加
packets-effects-explained = ヘッダー保護はAEADと、前後処理（ナンス、AAD、タグ）は暗号処理のみと、一括は同じ個数を1個ずつ処理した場合と比べたものです。値はラウンドごとの比の中央値、その下は95 %信頼区間です。「=」は、差が認められないことを表します。
packets-bracket-mark = 括弧内は、このCPUの上限（GCMに必要な演算の組み合わせ）に対する割合
packets-summary-note = 括弧内はこのCPUの上限に対する割合。すべてのサイズと鍵長は`kasoku show`で表示できる
packets-more = 全サイズと全実装、処理ごとの負荷
packets-at-once = { $batch }個
packets-effects = パケット：{ $algorithm }、処理ごとの負荷と効果
packets-over-tls = { $algorithm }：QUICパケットとTLSレコードの比較（1バイトあたりのサイクル数）
packets-bounds = このCPUの上限（{ $algorithm }、全サイズ共通）
packets-batches-bring = { $batch }個一括：パケット数の増加
packets-chart = { $algorithm }、{ $size }のパケット
# How packets are made. $work: which part of the protection; $batch: how many packets together; $looped: whether a batch
# is as many calls for single packets.
packets-way =
    { $work ->
        [packet]
            { $looped ->
                [yes] { $batch }個ループ
               *[no]
                    { $batch ->
                        [0] AEAD＋ヘッダー保護
                        [1] AEAD＋ヘッダー保護
                       *[other] { $batch }個一括
                    }
            }
        [cipher]
            { $batch ->
                [0] 暗号処理のみ
                [1] 暗号処理のみ
               *[other] 暗号処理のみ、{ $batch }個一括
            }
        [record]
            { $batch ->
                [0] TLSレコード
                [1] TLSレコード
               *[other] TLSレコード、{ $batch }個一括
            }
       *[aead]
            { $batch ->
                [0] AEAD
                [1] AEAD
               *[other] AEAD、{ $batch }個一括
            }
    }
# The ends of an interval.
packets-interval = { $low }～{ $high } %
packets-below =
    { $has_bound ->
        [yes]
            { $has_aes ->
                [yes] 各値の下は、95 %信頼区間の半幅、上限に対する割合、AESのみの場合に対する割合の順です。
               *[no] 各値の下は、95 %信頼区間の半幅、上限に対する割合の順です。
            }
       *[no]
            { $has_aes ->
                [yes] 各値の下は、95 %信頼区間の半幅、AESのみの場合に対する割合の順です。
               *[no] 各値の下は、95 %信頼区間の半幅です。
            }
    }
# Of a document: the CPU's bound, and how near narrower registers come to theirs.
packets-bound-is = このCPUの上限は{ $rate }です。GCMに必要な演算の組み合わせだけを実行したときの速さを、同じラウンドの中で測ったものです（{ $library }）。暗号処理のみの場合は演算がこれより少ないため、上限を超えることがあります。
packets-no-bound = { $algorithm }については、このCPUの上限を測定していないため、上限に対する割合は示しません。
packets-aes-would-reach = AESだけであれば{ $rate }に達します（{ $library }）。
packets-narrower-reaches = Kasokuのエンジンの`{ $path }`は、{ $size }のパケットを、同じ幅のレジスターでの上限{ $rate }の{ $share }の速さで保護します。
packets-figures =
    パケット：{ $algorithm }、{ $is_sending ->
        [yes] 送信
       *[no] 受信
    }（{ $unit }）
packets-card = { $size }のQUICパケット
# A table of one size, with its unit; $bound and $aes (AES alone): a figure, or none.
packets-at-size =
    { $bound ->
        [none] { $size }のパケット：{ $algorithm }（{ $unit }）
       *[other]
            { $aes ->
                [none] { $size }のパケット：{ $algorithm }（{ $unit }、上限{ $bound }）
               *[other] { $size }のパケット：{ $algorithm }（{ $unit }、上限{ $bound }、AESのみ{ $aes }）
            }
    }
# A library that is handed several packets at once.
packets-by = { $library }（{ $batch }個一括）
# How fast packets are sent; $share: of the CPU's bound, or none.
packets-rate =
    { $share ->
        [none] { $rate }
       *[other] { $rate }（このCPUの上限の{ $share }）
    }
packets-nothing-compared = この測定には、パケットの速さを評価するための比較対象がありません。
# By how much time, packets or cycles differ; ($outcome: shown, noise, none).
packets-no-difference =
    { $outcome ->
        [noise]
            { $is_last ->
                [yes] ではノイズを超える差は認められません
               *[no] ではノイズを超える差が認められず
            }
       *[none]
            { $is_last ->
                [yes] では差は認められません
               *[no] では差が認められず
            }
    }
packets-change-of-time =
    { $outcome ->
        [shown]
            で{ $percent } %{ $direction ->
                [less] 短く
               *[more] 長く
            }{ $is_last ->
                [yes] なります
               *[no] {""}
            }
       *[none] { packets-no-difference }
    }
packets-change-of-packets =
    { $outcome ->
        [shown]
            で{ $percent } %{ $direction ->
                [less] 少なく
               *[more] 多く
            }{ $is_last ->
                [yes] なります
               *[no] {""}
            }
       *[none] { packets-no-difference }
    }
packets-change-of-cycles = { packets-change-of-packets }
# How fast packets of one size are sent. $library, $rate, $share: of the fastest; of each: $of, $rate, $share.
claim-packets-speed = { $size }のパケット（{ $algorithm }、ヘッダー保護込み）の速さ：{ $each }。
    .each = { $of }は{ packets-rate }
    .headline = { $size }のパケット（{ $algorithm }、ヘッダー保護込み）は、最も速い{ $library }で{ packets-rate }です。
    .card =
        { $share ->
            [none] { $algorithm }、{ $library }
           *[other] { $algorithm }、{ $library }、このCPUの上限の{ $share }
        }
# By how much the fastest library is ahead of the next. What a difference is compared with is said with the first.
claim-packets-lead = 1パケットずつの処理で最も速い{ $library }が同じ時間に処理できるパケットは（{ $algorithm }）、次点の{ $next }と比べて、{ $each }。
    .each = { $of }{ packets-change-of-packets }（{ packets-interval }）
claim-packets-header-protection = ヘッダー保護まで含めた時間は（{ $library }、{ $algorithm }）、AEADだけの場合と比べて、{ $each }。
    .each = { $of }{ packets-change-of-time }（{ packets-interval }）
claim-packets-setup = 前後処理まで含めた時間は（{ $library }、{ $algorithm }）、暗号処理のみの場合と比べて、{ $each }。
    .each = { $of }{ packets-change-of-time }（{ packets-interval }）
claim-packets-batches = { $batch }個一括で同じ時間に処理できるパケットは（{ $library }、{ $algorithm }）、1個ずつの場合と比べて、{ $each }。
    .each = { $of }{ packets-change-of-packets }（{ packets-interval }）
# The cost of a byte in a packet over one in a TLS record. $cycles: what a byte takes, or none.
claim-packets-over-tls =
    { $cycles ->
        [none] QUICの暗号処理のサイクル数は（{ $library }、{ $algorithm }）、{ $record }のTLSレコードと比べて、{ $each }。
       *[other] QUICの暗号処理のサイクル数は（{ $library }、{ $algorithm }）、{ $record }のTLSレコード（1バイトあたり{ $cycles }サイクル）と比べて、{ $each }。
    }
    .each =
        { $cycles ->
            [none] { $of }のパケット{ packets-change-of-cycles }（{ packets-interval }）
           *[other] { $of }のパケット{ packets-change-of-cycles }（1バイトあたり{ $cycles }サイクル、{ packets-interval }）
        }
claim-packets-cipher-only = このオーバーヘッドは暗号処理だけのものです。TLSに対して5 %程度という公表値は、カーネルやネットワークも含むQUIC実装全体で測ったものです。

## Encrypted files

files-title = ファイルの暗号化
files-more = 図、テスト実行ごとの値、公表値、ログ
files-explained = ファイル全体を開いてから閉じるまでの時間です。読み込み、暗号化または復号し、別のファイルに書き出します。書き出した内容はこの時点でシステムのキャッシュにあり、ストレージにはまだ届いていません。表と図は公開された測定に倣って作り直し、元の値と並べてあります。
files-published = 公開値
files-figures = 所要時間と向上率
files-test-run = テスト実行
files-size = サイズ
files-encrypt-off = 暗号化、加速オフ（ms）
files-decrypt-off = 復号、加速オフ（ms）
files-encrypt-on = 暗号化、加速オン（ms）
files-decrypt-on = 復号、加速オン（ms）
files-encrypt-improvement = 暗号化の向上率（%）
files-decrypt-improvement = 復号の向上率（%）
files-mean = 平均
files-table-note = 所要時間は、1回のテスト実行における繰り返しの平均。向上率＝（加速オフ−加速オン）÷加速オフ。時間は短いほど良い。
files-overview = ファイル：加速オンの所要時間（ms）と、加速による短縮
files-overview-note = 値は中央値。コピーは、暗号処理をせずに同じ読み書きだけを行った場合。メモリー上は、ストレージを介さずメモリー上のファイル（memfd）で暗号化した場合。カーネルによっては、ページキャッシュへの書き込みより遅くなります。
files-library = 実装
files-algorithm = アルゴリズム
files-encrypt = 暗号化
files-decrypt = 復号
files-encrypt-saves = 短縮
files-decrypt-saves = 短縮（復号）
files-encrypt-in-memory = メモリー上
files-copy = コピー
files-milliseconds = ミリ秒
files-other-libraries = その他の実装と条件
files-published-components = 公開された測定のシステム・コンポーネント（原文）
files-log = 全繰り返しのログ
files-figure-times = { $algorithm }、{ $library }：所要時間
files-table = { $algorithm }、{ $library }：テスト実行ごとの所要時間
files-log-cut = 全{ $all }行のうち最初の{ $shown }行です。すべてのログは kasoku run files --log FILE で書き出せます。
# Where files are.
files-place =
    { $storage ->
        [memory] メモリー上
       *[file]
            { $cache ->
                [cold] キャッシュなし
               *[warm] ファイルシステム上
            }
    }
files-figure-improvement =
    { $operation ->
        [encrypt] 暗号化、{ $library }：向上率
       *[decrypt] 復号、{ $library }：向上率
    }
claim-files-saved = AES命令により、{ $algorithm }によるファイルの暗号化時間は{ $encrypt } %、復号時間は{ $decrypt } %短くなります（{ $library }）。
# How much of the time of an encryption a copy takes. $in_memory: what claim-files-in-memory says, or nothing.
claim-files-copied = { $library }が{ $algorithm }で{ $size }を暗号化する{ $whole } msのうち、{ $share }はファイルのコピーだけでもかかる時間です。{ $in_memory }
claim-files-copied-whole = { $library }は{ $algorithm }で{ $size }を{ $whole } msで暗号化します。ファイルをコピーするだけの時間（{ $copy } ms）を超えません。{ $in_memory }
claim-files-in-memory = メモリーからメモリーへの暗号化は{ $time } msです。
claim-files-one-thread = { $library }（1スレッド）

## Java

jvm-title = Java（JVM）
jvm-more = 全測定値、HTTPSサーバー、公表値、設定の指針
jvm-explained = JavaのプログラムがこのCPUの暗号命令からどれだけの効果を得られるかを示します。各JVMの標準プロバイダー、SunPKCS11経由で使うMozillaのNSS、プログラムに追加できるプロバイダー（Kasoku、Amazon Corretto Crypto Provider、Conscrypt、Bouncy Castleのうちこのマシンにあるもの）について、暗号命令を使う場合と使わない場合を測りました。また、レコードの暗号化をこれらが行うHTTPSサーバーも測りました。crypto.aesは、SPECjvm2008のワークロードをその仕様の説明から新たに書いたものです。いずれもJITコンパイルが終わった状態での値です。
jvm-who = JVM・プロバイダー
jvm-run = 実行
jvm-mean = 平均
jvm-off = 加速オフ
jvm-on = 加速オン
jvm-improvement = 向上率（オン − オフ）/ オフ
jvm-scores = crypto.aes（処理数/分）
jvm-scores-note = 1回の実行はJVMの1回の起動に当たります。公表値は記載されているとおりです。別のマシンで本来のベンチマークを動かしたものなので、比べられるのは向上率であり、スコアそのものではありません。
jvm-parts = crypto.aesの1処理にかかる時間の内訳（1スレッドあたりの秒数）
jvm-state = 加速
jvm-whole = 全体
jvm-share = AESの割合
jvm-trap = crypto.aesの大半は、専用の命令を持つCPUがない3DESの処理です。スコアからAESの速さはほとんど分かりません。AESは単独でも測り、3DESは、単独で測っていない場合は残りの時間としました。
jvm-what = 処理
jvm-size = サイズ
jvm-worth = オン/オフ
jvm-equal-mark = 「=」は、差が認められないことを表します。
jvm-allocated = 確保B/回
jvm-allocated-note = 「確保B/回」は、加速オンのとき1メッセージごとにヒープに確保されるバイト数です。
jvm-https-cpu = CPU秒/GB
jvm-https-sends = JDK比
jvm-https-costs = CPU時間（JDK比）
jvm-https-note = JDKのHTTPSサーバー（jdk.httpserver）とTLSを1コアで動かし、AES-GCMだけを先頭のプロバイダーが処理します。ループバックのクライアントは届いたバイト数を数えるだけです。CPUは10⁹バイトあたりのサーバープロセスの秒数で、カーネルの処理とハンドシェイクを含みます。
jvm-with-flag = フラグ指定時
jvm-left = 指定なしとの比
jvm-choose = 新しいJDKを、フラグを指定せずに使うのが適切な設定です。JVMは暗号命令を自動的に使いますが、それは1万回ほど呼び出され、最適化コンパイルが済んだ後のことです。短時間で終わるプログラムでは、効果はわずかです。組み込みルーチンを1つでも無効にすると（`-XX:-UseAESIntrinsics`、`-XX:-UseGHASHIntrinsics`など）、GCMの速さの大半が失われます。CPUにあるはずの命令が見えない場合は（`kasoku cpu`で確認できます）、ハイパーバイザーが隠しています。
jvm-run-number = { $number }回目
jvm-ciphers = Javaでの暗号処理（{ $unit }）
jvm-https = JavaのHTTPSサーバー（{ $suite }、{ $size }のファイル）
jvm-https-counted = { $who }自身が処理したと数えたバイト数は、送信したバイト数の{ $share }でした。
jvm-flags = JVMのフラグを1つ指定した場合（{ $unit }）
claim-jvm-accelerated = Javaでの{ $algorithm }の{ $operation }は、CPUの暗号命令により{ $each }の速さになります（{ $size }）。
    .each = { $of }で{ $times }倍
claim-jvm-faster = { $algorithm }の{ $operation }は、{ $library }では{ $next }の{ $times }倍の速さです（{ $size }）。
claim-jvm-flag = { $algorithm }の{ $operation }は、フラグを外すと{ $library }の{ $times }倍の速さになります（{ $size }）。
# $cpu: what claim-change says.
claim-jvm-serves = JavaのHTTPSサーバー（{ $algorithm }）では、{ $library }は{ $next }と比べて、1 GBあたりのCPU時間は{ $cpu }、送る量は{ $times }倍です。
claim-jvm-serves-alike = JavaのHTTPSサーバー（{ $algorithm }）では、{ $library }と{ $next }の間に、送る量の差は認められません。{ $library }の1 GBあたりのCPU時間は、{ $next }と比べて{ $cpu }です。
claim-jvm-score = crypto.aes（{ $library }）の向上率は{ $improvement } %ですが、AES単独では{ $times }倍の速さになっています。AESが占めるのは処理時間の{ $share }だけで、残りは3DESです。
claim-jvm-score-alone = crypto.aes（{ $library }）の向上率は{ $improvement } %です。

## A TLS web server

tls-title = Webサーバー
tls-more = 図、比、公表値、システムの上限
tls-explained = nginxがTLSでファイルを送ります。1つの接続で1つのファイルを取得します。同時接続数は、最初のバイトまでの時間が上限を超える接続がない範囲で、スループットが最も高くなる数です。
tls-explained-here = サーバーとクライアントは同じマシンにあるため、ネットワークの影響は含まれず、受信処理の一部はサーバーのコアで行われます。
tls-explained-elsewhere = サーバーとクライアントは、ランチャー経由で起動した別々のホストで動作しました。値には、ホスト間の経路の影響が含まれます。
tls-overview = Webサーバー：スループット（Gbit/s）と負荷
tls-overview-note = 最長待ち時間は全接続の中の最大値（秒）。CPUは割り当てたコアに対する使用率（%）。秒/GBは10⁹バイトあたりのサーバーのCPU時間。上限がサーバーのCPUであるとき、コアあたりの値がサーバー本来の性能です。
tls-shared-note = {"*"} コアが足りないため、サーバーとクライアントが同じコアを使っています。
tls-workers = ワーカー
tls-size = ファイル
tls-suite = 暗号スイート
tls-provider = プロバイダー
tls-gbit = スループット
tls-gbit-a-core = コアあたり
tls-connections = 同時接続数
tls-longest-wait = 最長待ち時間
tls-server-cpu = サーバーCPU
tls-server-cpu-max = 最大
tls-client-cpu = クライアントCPU
tls-seconds-a-gigabyte = 秒/GB
tls-limit = 制約
tls-handshakes = Webサーバー：1秒あたりのハンドシェイク数とCPU時間
tls-handshakes-note = セッション再開のない完全なハンドシェイク（X25519。TLS 1.3はP-256のECDSA証明書、TLS 1.2はRSA）の後に、空のファイルを1つ送ります。サーバーとクライアントの値は、1回あたりのCPU時間（マイクロ秒）。制約がクライアントのCPUであるとき、サーバーにはまだ余裕があるので、サーバーのCPU時間を比べてください。
tls-handshakes-a-second = 毎秒
tls-handshake-server = サーバーµs
tls-handshake-client = クライアントµs
tls-on-openssl = { $library }（OpenSSL { $version }）
tls-at-once = 同時接続数{ $connections }
tls-ratio = AES128-GCM-SHA256のスループット（AES128-SHA比、倍）
tls-ratio-note = AES128-SHAはすべての列でOpenSSL自身の実装。公開された測定と同じくEncrypt-then-MACなしで測定。使うとOpenSSLはAES-CBCとSHA-1を一度に処理せず、順に処理します。
tls-limits = 公開された測定で調整されたシステムの上限
tls-limits-note = 接続数は、その上限が許す同時接続数（わかるもののみ）。測定した中で最も少ないワーカー数の場合。
tls-limit-name = 項目
tls-allows = 接続数
tls-binds-first = （最初に到達）
tls-here = このマシン
tls-published = 公開値
tls-what = 内容
tls-published-title = 公開された値
tls-figure-raw = サーバーを使わない場合のAES-128-GCM（AES-128-CBC-HMAC-SHA1比、OpenSSL）
tls-no-raw-ratio = サーバーを使わない2つの暗号の比は、kasoku run primitives --algorithms aes-128-gcm,aes-128-cbc-hmac-sha1 --libraries openssl で測定できます。このレベルと同じ実行で測定すると、ここに表示されます。
tls-this-machine = このマシン
tls-times = 倍
tls-served-by = サーバーのCPU：{ $cpu }。この実行のマシンはクライアントのものです。
# What kept the server from sending more.
tls-bottleneck =
    { $what ->
        [server-cpu] サーバーのCPU
        [client-cpu] クライアントのCPU
        [shared-cpu] 共有CPU
        [memory] TCPのメモリー
       *[neither] 双方に余裕
    }
tls-figure-throughput = スループット（{ $workers }ワーカー）
tls-figure-cpu = サーバーの最大CPU使用率（{ $workers }ワーカー）
tls-in-step = { $hosts }台のホストが同時に負荷をかけました。開始時刻のずれは、どの段階でも最大{ $ms }ミリ秒です。
# How a web server sends files. $latency_of: whose time must not exceed the limit, that of the connection until the first
# byte or that of the whole request.
tls-served =
    { $latency_of ->
        [request] { $workers }ワーカー、リクエスト全体の時間で制限
       *[connection] { $workers }ワーカー
    }
claim-tls-gcm-over-cbc = OpenSSL自身の実装では、1 MiBより大きいファイルのスループットは、AES128-GCM-SHA256がAES128-SHAの{ $times }倍です（2014年の公開値は2～2.4倍）。
# $others of $all cases show no difference.
claim-tls-provider = Kasokuのプロバイダーを使うと、nginxの{ $algorithm }のスループットはOpenSSL自身の実装の{ $times }倍になります。{ $others ->
        [0] {""}
       *[other] { $all }通りのうち{ $others }通りでは差があるとは言えません。
    }
# $cpu: what claim-change says of a difference that is shown.
claim-tls-provider-cost = Kasokuのプロバイダーを使うと、同じファイルを送るサーバーのCPU時間は、OpenSSL自身の実装より{ $cpu }なります（{ $algorithm }）。
# Two versions of OpenSSL. $others of $all cases show no difference.
claim-tls-openssl = OpenSSL { $library }では、nginxの{ $algorithm }のスループットはOpenSSL { $next }の{ $times }倍になります。{ $others ->
        [0] {""}
       *[other] { $all }通りのうち{ $others }通りでは差があるとは言えません。
    }
claim-tls-openssl-cost = OpenSSL { $library }では、同じファイルを送るサーバーのCPU時間は、OpenSSL { $next }と比べて{ $cpu }です（{ $algorithm }）。
claim-tls-handshake-cost = ハンドシェイク1回あたりのサーバーのCPU時間は、{ $library }では{ $next }と比べて{ $cpu }です（{ $algorithm }）。
claim-tls-a-core = サーバーのスループットは、コアあたり最大{ $gbit } Gbit/sです（{ $algorithm }、{ $library }）。
claim-tls-other-limits = { $all }通りのうち{ $others }通りでは、スループットの上限がサーバーのCPUではないか、サーバーとクライアントがコアを共有しています。サーバーの性能はさらに高い可能性があります。

## Data from end to end

transfer-title = エンドツーエンド
transfer-more = 送信側と受信側の内訳、TLSとの比較
transfer-explained = クライアントからサーバーへ、ループバックでデータを送ります。それぞれ専用のコアで動く別のプロセスです。QUIC（quinn）とTCP上のTLS 1.3（rustls）を、各実装の暗号処理で順に測定します。CPU時間は、カーネルの処理を含めて両方のプロセスが使った時間です。処理の一部を引き受けるネットワークカードは含まれません。
transfer-moved = 方式
transfer-library = 実装
transfer-goodput = 速度（GB/s）
transfer-sender = 送信側
transfer-receiver = 受信側
transfer-both = 合計
transfer-kernel = カーネル
transfer-against-usual = 合計（aws-lc比）
transfer-packets = 千パケット/秒
transfer-packets-a-call = 一括の個数
transfer-lost = 損失
transfer-costs-note = アプリケーションのデータ10⁹バイトあたりのCPU秒（ラウンドの中央値）。カーネルは、そのうちカーネルで使われた割合。aws-lc比はラウンドごとの比の中央値と95 %信頼区間。「=」は、差が認められないことを表します。
transfer-shared-note = コアが1つしかないため、送信側と受信側が同じコアを使っています。
transfer-no-offload-note = パケットを1個ずつ送信しています。このシステムにはUDPのセグメンテーションオフロードがありません。
transfer-effects-note = ラウンドごとの比の中央値と、括弧内は95 %信頼区間。「=」は、差が認められないことを表します。
transfer-over-tls-note = 同じ実装について、ラウンドごとに比べたもの。公開された値は、別のQUIC実装で、両方にネットワークカードのセグメンテーションオフロードがある場合に、1.5 KBのパケットでTLSの約5 %増、9 KBではQUICが優位。ループバックのTCPは一度に最大64 KBをソケット間で渡し、どちらの処理もカードに任せられません。
transfer-chart-unit = CPU秒/GB（合計）・カーネルの割合
transfer-again = { $who }、再測定
transfer-floor-note = ノイズフロア：{ $who }を同じラウンドで再測定した値との差は、CPU時間で最大{ $cpu }、速度で最大{ $goodput }です。これより小さい差は認めません。
transfer-disturbed-note = 転送{ $all }回のうち{ $disturbed }回は、5 %を超える時間にわたってほかの処理がコアを使っていました。これらも含まれており、その分速度が低くなっています。
transfer-with-interval = { $effect } ({ $low }～{ $high })
transfer-costs = エンドツーエンド（{ $algorithm }）：1 GBあたりのCPU秒
transfer-gains = エンドツーエンド（{ $algorithm }）：CPU時間と速度（aws-lc比）
transfer-over-tls = エンドツーエンド（{ $algorithm }）：QUICのCPU時間（TLS比）
# How data was moved.
transfer-how =
    { $transport ->
        [quic]
            { $protection ->
                [one-pass] QUICで転送、1パス
               *[provider] QUICで転送
            }
       *[tls] TLSで転送
    }
# What was moved, in a few words.
transfer-task =
    { $transport ->
        [quic] QUIC、{ $size }
       *[tls] TLS、{ $size }
    }
# A library that protects payload and header in one pass.
transfer-one-pass = { $library }、1パス
# What was moved and by whom, in one column.
transfer-by = { $moved } · { $library }
# The CPU time with one library's cryptography beside that with others.
claim-transfer-cost =
    { $transport ->
        [quic] { $size }のパケットのQUIC（{ $algorithm }）でデータを送るCPU時間は（{ $library }）、{ $each }。
       *[tls] { $size }のレコードのTLS 1.3（{ $algorithm }）でデータを送るCPU時間は（{ $library }）、{ $each }。
    }
    .each =
        { $outcome ->
            [shown]
                { $of }と比べて{ $percent } %{ $direction ->
                    [less] 少なく
                   *[more] 多く
                }{ $is_last ->
                    [yes] なります
                   *[no] {""}
                }（{ $least }～{ $most } %）
           *[none]
                { $is_last ->
                    [yes] { $of }と比べて差は認められません（{ $least }～{ $most } %）
                   *[no] { $of }と比べて差が認められず（{ $least }～{ $most } %）
                }
        }
# $sender, $both: differences in CPU time, of the sender and of both sides.
claim-transfer-over-tls = ループバックでのQUICのCPU時間（{ $library }）をTLSと比べると、{ $each }です。
    .each = { $of }のパケットでは送信側で{ $sender }、合計で{ $both }
claim-transfer-published = 公開された値は、別のQUIC実装で、両方にネットワークカードのオフロードがある場合に、1.5 KBのパケットでTLSの約5 %増、9 KBではQUICが優位です。ループバックにはそのようなカードがありません。
claim-transfer-kernel = 暗号処理では減らせないカーネルのCPU時間の割合は（{ $library }）、{ $each }です。
    .each =
        { $transport ->
            [quic] QUIC（{ $of }）は{ $share }
           *[tls] TLS（{ $of }）は{ $share }
        }
claim-transfer-lost = { $packets }個のパケットのうち{ $lost }個が失われたと判断され、再送されました。

## The terminal and exports around their tables

terminal-incomplete = 未完了：この測定は最後まで終わっていません。順位付けには使わず、compare では標本を使います。
terminal-emulated = エミュレーション：このCPUは実在しません。値はCPUの性能を示さないため、順位付けには使いません。
terminal-under-wine = Wine上の測定：Windowsではありません。値はWindowsでの性能を示さないため、順位付けには使いません。
terminal-note = 注記：
terminal-verdict = 結論
terminal-run = 測定ID：{ $run }
# A row of a table as an item of a list. $rest: its other cells.
terminal-item = { $first }：{ $rest }
terminal-run-sentence = 測定ID：{ $run }
terminal-run-sentence-with-started = 測定ID：{ $run }、開始日時：{ $started }

## Lists of runs

lists-no-runs = 保存された測定はまだありません。
lists-run = 測定ID
lists-started = 開始日時
lists-cpu = CPU
lists-kasoku = Kasoku
lists-command = コマンド
lists-complete = 完了
lists-series = 系列数
lists-failed = 失敗
lists-label = ラベル
lists-yes = はい
lists-no = いいえ
lists-host = ホスト
lists-seconds = 秒
lists-name = 名前
lists-version = バージョン
lists-state = 状態
lists-file = ファイル
lists-stored = 保存
lists-already-stored = 保存済み

## Rankings of machines, and histories of a workload

collection-place = 順位
collection-machine = マシン
collection-os = OS
collection-times-this = 本機比
collection-library = 実装
collection-known = 出典
collection-this-machine = このマシン
collection-imported = 取り込み
collection-published = 公表値
collection-any-library = マシンごとに最速の実装
collection-quoted = 取り込みと公表値は出典に載っている値です。信頼区間はなく、出力の検証もしていません。
collection-running-stream = 取り込みと公表値のうち認証付き暗号の値は、ひと続きのデータを処理し続けたときのものです。openssl speed -evpはメッセージごとのナンス設定もタグ生成も行わないため、小さいサイズでは、メッセージ単位で測定するKasokuの値より速くなります。
collection-one-operation = 1回の処理
collection-two-meanings = openssl speedが測るもの（AESのGCM・CCM・OCB・SIV）は、3.0.16・3.1.8・3.2.4・3.3.3・3.4.1・3.5で変わりました。以前はひと続きのメッセージの処理、以後は鍵の設定を毎回含むメッセージ全体です。小さいサイズでは大幅に遅くなり、16 KiBと8 KiBでは10～20 %遅くなります。
collection-no-run-and-not-measured = このマシンの完了した測定が保存されておらず、Kasokuはこのアルゴリズムを測定しません。ほかのマシンだけを表示します
collection-interval = 95 %信頼区間
collection-change = 前回比
collection-behind = （{ $text }）
collection-measured = 測定：{ $day }
collection-imported-from = 取り込み：{ $file }
collection-no-run = このマシンの完了した測定が保存されていないため、順位に含まれていません。`{ $command }`で測定できます
collection-no-figure = このマシンの完了した測定に、{ $what }の検証済みの値がありません。`{ $command }`で測定できます
collection-not-measured = Kasokuは{ $algorithm }を測定しないため、このマシンは順位に含まれていません
collection-without-interval = { $ratio }（信頼区間なし）
collection-state =
    { $state ->
        [on] 加速オン
        [off] 加速オフ
       *[other] 加速{ $state }
    }
# $wanted: the size asked for; $sizes: those at which the machines have figures.
collection-left-out = { $wanted }の値がない{ $machines }台は含めていません（値があるのは{ $sizes }）。補間はしません。
# Runs that are left out, and why. $told: those of the next four messages whose count is not 0.
collection-runs-left-out = 含めていないもの：{ $told }
collection-runs-not-genuine = エミュレーターまたはWineでの測定（{ $count }件）
collection-runs-incomplete-imports = 未完了の取り込み（{ $count }件）
collection-runs-incomplete = 未完了の測定（{ $count }件）
collection-runs-unread = 読み取れない測定（{ $count }件）
# What one operation is in a figure of an AEAD.
collection-aead-row =
    { $row ->
        [updates] ストリームの更新
        [messages] メッセージ
        [keyed-messages] 鍵の設定とメッセージ
       *[unknown] 不明
    }
# Rows that are left out, and what one operation is in them ($what: from collection-aead-row).
collection-apart = 1回の処理の内容が異なる値（{ $what }）{ $count }件は含めていません。{ $bytes }未満では比べられません。
collection-nothing-known = { $what }の値は、測定にも取り込みにも公表値にもありません
collection-nothing-known-with-sizes = { $what }の値はありません。値があるのは{ $sizes }です

## A site of all machines

# The name of this language.
site-language = 日本語
site-title = 暗号アクセラレーションの効果
site-home = 全マシン
site-machines = マシン
site-algorithms = アルゴリズム
site-libraries = 実装
site-algorithm = アルゴリズム
site-operation = 操作
site-size = サイズ
site-cpu = CPU
site-generation = 世代
site-architecture = アーキテクチャ
site-run-count = 測定回数
site-newest = 最新
site-machine-count = マシン数
site-fastest = 最速
site-known = 出典
site-measured = 測定
site-by-library = マシンと実装ごとの値
site-worth = 加速の効果
site-version = バージョン
site-on = オン
site-off = オフ
site-no-interval = 信頼区間なし
site-times = 倍率
site-worth-explained = 各行は、1回の測定における1つの実装の加速オンと加速オフの値です。倍率はオン÷オフです。「=」は、両方の95 %信頼区間が重なるか、差が3 %以内であることを表します。信頼区間のない倍率は参考値です。
site-places = ほかのマシンとの比較
site-places-explained = 加速オンで最も速い実装の値による、同じ処理とサイズの値を持つ全マシンの中での順位です。
site-place = 順位
site-runs = 測定の一覧
site-runs-explained = すべての標本を含むJSON文書です。`kasoku import`で取り込めます。
site-incomplete = 未完了
site-search = 検索
site-elsewhere = 取り込み・公表値
site-nothing-found = 該当するものはありません。
site-sort = この列で並べ替える
site-footer = `kasoku site`で作成しました。「取り込み」「公表値」は、出典に載っている値です。
site-about = マシン{ $machines }台、測定{ $runs }回、実装{ $libraries }種
site-worth-by-generation = CPUの世代ごとの{ $library }の倍率（測定された最大値）
site-place-of = { $count }台中{ $place }位
site-most = 全{ $all }行のうち最初の{ $shown }行です。
site-most-libraries = 全{ $all }種の実装のうち、マシン数の多い{ $shown }種です。
site-most-generations = 全{ $all }世代のうち、倍率の大きい{ $shown }世代です。
# What a page about one algorithm or library is called.
site-named = { $name }：全マシン

## Two runs against each other

comparison-title = 2つの測定の比較
comparison-is = 判定
comparison-operation = 操作
comparison-unit = 単位
comparison-size = サイズ
comparison-interval = 95 %区間
comparison-too-few = 区間なし（標本不足）
comparison-reading = B/AはBがAの何倍速いか。= は「差は認められない」、? は区間がないため判定しないことを示します
comparison-unlike = †：AとBで1回の処理の内容が同じではないか、同じかどうか分かりません。Kasokuは1つの鍵でメッセージ全体を処理します。openssl speedの値は、ひと続きのメッセージの更新か、AES-GCMで3.0.16・3.1.8・3.2.4・3.3.3・3.4.1・3.5以降なら、鍵の設定を含むメッセージ全体です。
comparison-nothing-shared = 同じ実装、同じ加速状態で両方に値のある項目がないため、比較できません。
comparison-table = レベル{ $level }：Aに対するB
comparison-folded-too-few = ほか{ $count }件：有効な標本が足りず、判定できない（--all で表示）
comparison-incomplete = 未完了：{ $letter }は最後まで測定されていません。残っている標本だけで比較しています（その測定の中での順位付けは行いません）。
comparison-two-machines = 別々のマシンです（{ $first }と{ $second }）。差にはソフトウェアだけでなくマシンの違いも含まれます。
comparison-environment = 測定環境の違い
comparison-property = 項目
comparison-property-of = { $of }：{ $property }
comparison-mitigation = { $vulnerability }の緩和策
comparison-slice = スライス (ms)
comparison-command = コマンド
comparison-loaded-from = 読み込み元
comparison-program = Kasokuの実行ファイル（ハッシュ）
comparison-version = バージョン
comparison-environment-more = ほか{ $count }件（--all で表示）
comparison-same-environment = マシン、システム、実装、オプションについて記録された内容に違いはありません。
comparison-apart = 一方はストリームの更新、他方は鍵の設定を含むメッセージのため、{ $bytes }未満では比較しないもの（{ $count }件）：{ $what }
comparison-unsound = どちらかで失敗したか未検証のため除外（{ $count }件）：{ $what }
comparison-only-in = { $letter }のみにあるもの（{ $count }件）：{ $what }
comparison-more = ほか{ $count }種類
comparison-verdict =
    { $verdict ->
        [slower] 低下
        [faster] 向上
        [no-difference] =
       *[no-interval] ?
    }
comparison-quoted =
    { $kind ->
        [published] 区間なし（公表値）
       *[transcript] 区間なし（取り込んだ値）
    }
comparison-no-samples = 区間なし（標本なし）
comparison-folded = ほか{ $count }件：差は認められない（--all で表示）
comparison-source =
    { $kind ->
        [published] 公表値：{ $source }
       *[transcript] 取り込み元：{ $source }
    }
comparison-counts =
    比較した{ $all }件のうち、低下{ $slower }件、向上{ $faster }件、差が認められないもの{ $same }件{ $unknown ->
        [0] { "" }
       *[other] 、区間のないもの{ $unknown }件
    }。

## Steps in the cost by size

steps-title = 段差
steps-sizes-heading = サイズ
steps-counted = 数え方
steps-fixed = 固定費 (ns)
steps-per-byte = ns/バイト
steps-cycles = サイクル/バイト
steps-cause-unknown = 理由：不明です。
steps-nothing = 4つ以上のサイズで測定されたものがないため、段差は判定できません。掃引すると分かります：`kasoku run primitives --algorithms aes-128-ctr --libraries openssl --sizes sweep`
steps-incomplete = 未完了：この測定は最後まで終わっていません。残っている値だけで判定しています。
steps-reading = 固定費は直線を0バイトまで延長した値で、大きいサイズから始まる直線では負になることがあります
steps-sentence = { $about }：{ $what }。
steps-absence = { $name }：同じコードでも、このマシンには{ $from }バイトでの段差がありません。{ $reason }
steps-cause = 理由：{ $reason }
steps-none-at-all = 段差はありません。{ $curves }件とも、固定費とバイト単価だけで説明できます。
steps-costs = バイト単価は{ $before } nsから{ $after } nsに変化
steps-code-paths = コードパスは{ $before }から{ $after }へ
steps-threads = { $threads }スレッド
# How many sizes were measured, and how steps were found among them.
steps-sizes =
    { $rule ->
        [sweep] { $count }サイズを掃引
       *[table] { $count }サイズ（固定費とバイト単価で説明できるかどうかで判定）
    }
# How bytes are counted. $rest: what the bytes beyond whole units of $unit bytes cost; $more: how many ns.
steps-form =
    { $rest ->
        [per-byte] { $unit } Bに満たない端数は1バイトあたり +{ $more } ns
        [per-missing-byte] { $unit } B単位、不足1バイトあたり +{ $more } ns
       *[whole]
            { $unit ->
                [1] {""}
               *[other] { $unit } B単位（切り上げ）
            }
    }
steps-place = { $at }バイト
steps-place-between = { $before }バイトと{ $at }バイトの間（間のサイズは測定なし）
steps-jump-faster = { $at }バイトでは、手前の直線を延長した値の{ $faster }倍の速さ
steps-jump-slower = { $at }バイトでは、手前の直線を延長した値の{ $slower }倍の時間
steps-none = 段差なし：{ $names }

## The machine among the others

others-title = ほかのマシンとの比較
others-explained = どのマシンも、加速オンのopensslを1スレッドで動かした値です。暗号とハッシュは16 KiBのメッセージ、楕円曲線は1回の演算を単位とします。棒は0から始まり、長さが値に比例します。短すぎて見えないものは細い線で示します。実装のバージョンはマシンによって異なります（下の表を参照）。
others-quoted = {"*"}の付いた値は取り込んだもの、または公表されたものです。出典の数値のままで、信頼区間はなく、出力の正しさも検証していません。
others-this-machine = このマシン
others-measured = Kasokuによる測定
others-elsewhere = 取り込み・公表値*
others-symmetric = 共通鍵暗号
others-hashes = ハッシュ
others-curves = 楕円曲線暗号
others-not-here = この測定には、検証済みの値がありません。
others-all = すべてを表示：`{ $command }`
others-more = ほかのアルゴリズムと数値の出典
others-machines = マシンと数値の出典
others-unread = ほかの測定を読み出せなかったため、公表値だけを示します：{ $why }
others-gap = …ほか{ $count }台…

## Earlier runs of the machine

history-title = 測定の履歴
history-alone = このマシンの測定はまだ1回だけです。2回目からは、主な処理の速さの推移と、差が認められた箇所をここに示します。
history-quoted = Kasokuが測定した値ではないため、たどれる履歴はありません。
history-unchanged = 主な処理のいずれにも、前回の測定との有意差はありません。
history-changed = 前回の測定との間に認められた変化：
history-legend = 「=」は有意差なし。印のない値には、その前の測定がありません。
history-versions-differ = 実装のバージョンが、測定によって異なります。
history-table = このマシンの主な処理の推移
history-this-run = この測定
history-oldest = 最古
history-newest = 最新
history-most = 最新の{ $count }回分です。すべてを表示：`{ $command }`
history-rule = 変化があるとみなすのは、前回と今回の95 %信頼区間が重ならず、かつ値の差が{ $percent } %を超える場合だけです。
history-change = { $workload }：{ $times }（{ $when }）
history-line = { $library }は{ $count }回の測定で{ $oldest }から{ $newest }へ。
# $lines: what history-line says of each library, sentences.
history-chart = 折れ線グラフ（単位：{ $unit }）。左端が最も古い測定です。{ $lines }

## Steps and advice on the page

around-steps = サイズによる段差
around-steps-explained = サイズを変えたとき、固定費とバイト単価だけでは説明できないほど処理時間が跳ぶ箇所です。掃引したもの、次いで跳びの大きいものから順に示します。
around-choices = このマシンでの選択
around-advice = おすすめの設定
around-advice-all = 理由と、各プログラムの設定例
around-advice-act = 要対応
around-advice-paste = 設定例：
# What has steps beyond those that are shown, before the command that shows them.
around-steps-more = ほかに{ $count }件で段差が見つかっています：`{ $command }`

## Advice

advice-unnamed = 名前のない機器
advice-incomplete = この測定は最後まで終わっていないため、値は使いません。
advice-nothing = 助言につながる値もCPUの機能もありません。`kasoku run --quick`で測定できます。
advice-nothing-on-topic = 指定された項目について助言につながる値がありません。多くは`kasoku run --quick`で測定できます。
advice-short = 要約
advice-figures = 値
advice-why = 理由
advice-by-run = 測定{ $run }による。
# Which topics are advised on by which run.
advice-by-runs = { $topics }：測定{ $run }による。
advice-title = { $machine }への助言
# From which library's figures the choices are made.
advice-library = 選択は{ $library }の値（1スレッド）によります。
# Figures from a publication or transcript.
advice-origin =
    { $kind ->
        [published] 値は「{ $source }」からの引用で、Kasokuが測ったものではありません。
       *[transcript] 値は測定記録「{ $source }」のもので、Kasokuが測ったものではありません。
    }
## Advice: what it is about

advice-topic = { $topic ->
        [acceleration] 使われていない加速と古いライブラリ
        [tls] TLS
        [quic] QUIC
        [web-server] Webサーバー
        [ssh] SSH
        [openvpn] OpenVPN
        [wireguard] WireGuard
        [ipsec] IPsec
        [disk] ディスク
        [java] Java
        [modes] 暗号利用モードと古い暗号
        [hashes] ハッシュ
        [curves] 鍵共有と署名
       *[machine] 機器
    }

## Advice: Missed acceleration and old libraries

advice-mask-set = OpenSSLのCPUマスクを外します。CPUにある命令をライブラリが使えなくなっています。
    .why = OPENSSL_ia32capとOPENSSL_armcapは試験用の環境変数です。サービスの設定やプロファイルに残っていると、そこから起動したプログラムすべてに効きます。
advice-library-ignores-aes = { $library }はこのCPUのAES命令を使っていません。使うようにビルドされたものに替えてください。
    .why = アセンブリを除いたビルド（no-asm）や古いアーキテクチャ向けのビルドでは、AES命令が使われません。
advice-library-too-old-for-vaes = { $library }は古く、このCPUのベクトルAES命令（VAES）を使えません。OpenSSL 3.1以降にしてください（3.5は長期サポート版です）。
    .why = OpenSSLがVAESとAVX-512でAES-GCMを処理するのは3.1から（プルリクエスト17239）、AES-XTSは3.5からです。3.0は1命令で1ブロックずつ処理します。
advice-vaes-without-avx512 = { $library }はこのCPUのVAESを使いません。OpenSSLのVAES実装にはAVX-512が必要ですが、このCPUにはないためです。VAESとAVX2の実装を持つライブラリ（BoringSSL、ring 0.17.13以降、Kasokuのエンジン）なら使えます。
    .why = Zen 3や、Alder Lake以降のIntelのクライアント向けCPUでは、VAESは256ビットまでです。
advice-instructions-hidden = このCPUにある命令（{ $hidden }）が{ $by }によって隠されています。ホストのCPUをそのまま見せる設定にしてください。
    .why = ハイパーバイザーは、ゲストをホスト間で移せるように、既定で古いCPUに見せることがあります。ファームウェアでAESを無効にできる機種もあります。それによる損失はゲストの中からは測れません。
advice-openssl-out-of-support = { $library }は公開サポートが終了しています（{ $ended }）。新しい版に替えてください。
    .why = セキュリティ修正はもう公開されません。新しい版には新しい実装も入っているので、替えたあとに測り直してください。

## Advice: TLS and QUIC

advice-tls-aes-gcm = TLSではAES-GCMを選びます。ここでは{ $winner }が{ $loser }の{ $times }倍の速さです。
    .why = AES-GCMはAESとキャリーレス乗算の専用命令で動きますが、ChaCha20には専用命令がありません。AES命令を持たないクライアント（古いスマートフォンや小型ボードなど）はChaCha20を先頭に挙げてくるので、PrioritizeChaChaによりそのようなクライアントにだけChaCha20を使います。
advice-tls-chacha20 = TLSではChaCha20-Poly1305を選びます。ここでは{ $loser }の{ $times }倍の速さです。
    .why = AESの専用命令が使われない環境ではChaCha20-Poly1305のほうが速く、実行時間から鍵が漏れるおそれのある表引きも要りません。鍵は256ビット、タグは128ビットで、安全性は劣りません。通信相手がAES命令を持つCPUであっても、どちらの暗号も十分に速く処理できます。
advice-tls-either = TLSのAEADはどちらでもかまいません。選ぶなら{ $preferred }です（理由：{ $because }）。
    .why = ノイズの範囲にある差は、差とはみなしません。公表された値には区間がないため、10 %未満の違いからは何も言えません。
advice-tls-not-measured = TLSの暗号を選ぶ前に、AES-GCMとChaCha20-Poly1305を測ってください。{ $tells }。
    .why = どちらを選ぶかは実測の速さで決まりますが、少なくとも一方が測られていません。CBCとGCMでは使う命令が違うため、CBCの値でGCMを代えることはできません。
advice-key-size-128 = AES-GCMを使う場合、鍵は128ビットで十分です。256ビットにするとスループットが{ $cost }下がります。
    .why = AES-128を鍵の総当たりで破ることはできません。規程で求められる場合や、今日の通信を何十年も秘密にしておきたい場合はAES-256を選びます。
advice-key-size-256 = 鍵の長さはどちらでもかまいません。ここではAES-256による低下が10 %未満なので、AES-256を勧めます。
    .why = AES-128も安全ですが、長い鍵にはまだ知られていない攻撃に対する余裕があります。
advice-quic-aes-gcm = QUICでもAES-GCMです。パケットの大きさで{ $winner }は{ $loser }の{ $times }倍の速さです。
    .why = パケットは短く、16 KiBのTLSレコードに比べて準備とタグの割合が大きいため、パケットの大きさで測った値で判断します。ヘッダー保護の時間は含みません。
advice-quic-chacha20 = QUICでは、パケットの大きさで{ $winner }が{ $loser }の{ $times }倍の速さです。
    .why = パケットは短く、16 KiBのTLSレコードに比べて準備とタグの割合が大きいため、パケットの大きさで測った値で判断します。ヘッダー保護の時間は含みません。

## Advice: nginx, and the limits of the system

advice-nginx-kasoku-provider = nginxにKasokuのプロバイダーを使わせます。{ $suite }では、同じファイルの送信に使うCPU時間がOpenSSL自身の実装より{ $saved }少なくなります。
    .why = OpenSSL 3のプロバイダーは設定だけで加わり、nginxはそのままで、ほかのプログラムにも影響しません。OpenSSLは読み込めないモジュールを黙って無視するので、使われていることを確かめてください。サーバーのCPUが限界でない場合、送る量は増えませんがCPUに余裕ができます。
advice-nginx-openssl-for-files = 暗号スイートではなく、nginxが使うOpenSSLを替えます。{ $suite }で同じファイルを送るCPU時間は、{ $winner }では{ $loser }より{ $saved }少なくなります。TLS 1.3のほかのスイートに替えても、減るのは最大{ $cipher }です。
    .why = 暗号がどの命令とコードで動き、レコードがどうソケットに渡るかは、ライブラリが決めます。ファイル名が同じであればnginxを作り直す必要はなく、指定したフォルダーのlibsslとlibcryptoが読み込まれます。そのライブラリのセキュリティ修正は、ディストリビューションではなく、作った側が提供します。
advice-nginx-openssl-for-handshakes = 短い接続が多い場合は、nginxが使うOpenSSLを替えます。ハンドシェイク1回のCPU時間は、{ $winner }では{ $loser }より{ $saved }少なくなります。
    .why = ハンドシェイクは鍵共有と署名、そしてライブラリ自身の処理からなり、暗号の影響はわずかです。接続あたりのデータが少ない場合、サーバーの処理の大半はハンドシェイクです。セッションチケットとキープアライブを使えば、ハンドシェイク自体を省けます。
advice-nginx-aeads-only = nginxのssl_ciphersからAES-CBCの暗号スイートを外します。{ $loser }は{ $winner }の{ $times }倍のCPU時間を使います。
    .why = CBCでは各ブロックが前のブロックの結果を待ち、さらに全体にHMACの計算が加わります。TLSではCBCのパディングが何度も攻撃されています（Lucky Thirteen、POODLE）。下の行ではRSA鍵共有も外しています。測定は公表値に合わせてRSA鍵共有で行いましたが、過去の通信の秘密を守れないためです。
advice-nginx-aes-gcm-first = nginxではAES-GCMを先頭にします。同じファイルの送信に、{ $loser }はCPU時間を{ $cost }多く使います。
    .why = クライアントに任せると、クライアント側で速い暗号が選ばれます。PrioritizeChaChaを使えば、AES命令を持たずChaCha20を先頭に挙げるクライアントにだけChaCha20を使います。
advice-limit-reached = { $limit }を引き上げます。同時接続数は{ $connections }までで、測定はそこに達しました。
    .why = 接続数を増やせば、さらに多く送れた可能性があります。上限を超えた接続は拒まれるか待たされますが、スループットの値には現れません。
advice-limit-first = 同時接続数が{ $connections }を超える前に{ $limit }を引き上げます。システムの制限のうち最初に効くのはこれです。
    .why = この測定は遅くなっていません。速いクライアントなら少ない接続でコアを使い切るためです。遅いクライアントは接続を長く占めるので、数が多くなります。

## Advice: SSH and VPNs

advice-ssh-aes-gcm = SSHのCiphersではAES-GCMを先頭に置きます。OpenSSHの既定ではChaCha20-Poly1305が先頭です。
    .why = 速いネットワークでは、SSHでのファイルコピーは暗号の速さで決まります。どれを使うかはクライアント側の順序で決まるため（RFC 4253）、ssh_configに書きます。sshd_configの行は受け入れる暗号を決めるものです。
advice-ssh-chacha20 = SSHのCiphersはChaCha20-Poly1305を先頭にします。両側ともOpenSSH 9.6以降にしてください。
    .why = OpenSSHの既定でも先頭で、ここでは速い暗号です。9.6より前ではハンドシェイクを改ざんされるおそれがあります（Terrapin、CVE-2023-48795）。AES-GCMは影響を受けないため、古い相手と通信する場合はAES-GCMを先頭にします。
advice-openvpn-aes-gcm = OpenVPNではAES-GCMを使い、CBCは使いません。
    .why = サーバーは、自分の一覧のうちクライアントが対応する最初の暗号を使います。AES-GCMは暗号化と認証を一度に行いますが、CBCでは別にHMACが必要です。
advice-openvpn-chacha20 = OpenVPNではChaCha20-Poly1305を使うか（両側とも2.5以降）、WireGuardにします。
    .why = サーバーは、自分の一覧のうちクライアントが対応する最初の暗号を使います。2.5より前のOpenVPNにChaCha20はありません。
advice-wireguard-fits = この機器のVPNにはWireGuardが向いています。唯一の暗号であるChaCha20-Poly1305が、ここでは速い暗号です（1コアで{ $speed }）。
    .why = WireGuardに暗号の設定はありません。カーネルの実装は別物なので、値は目安です。実際にはネットワーク処理の時間が加わります。
advice-wireguard-or-aes = WireGuardの暗号はChaCha20-Poly1305だけで、ここでは1コアで{ $speed }です。足りない場合は、AES-GCMを使うIPsecかOpenVPNにすると暗号のスループットが{ $times }倍になります。
    .why = WireGuardに暗号の設定はありません。1 Gbit/s（125 MB/s）までの回線では差が現れにくく、構成の簡単さが利点になります。カーネルの実装は別物なので、値は目安です。実際にはネットワーク処理の時間が加わります。
advice-ipsec-aes-gcm = IPsecのESPでは、タグ16バイトのAES-GCMを先頭に提案します。
    .why = 両側が対応する最初の提案が使われます。処理はカーネルの実装が行いますが、使う命令は同じです。
advice-ipsec-chacha20 = IPsecのESPでは、ChaCha20-Poly1305（RFC 7634）をAES-GCMより先に提案します。
    .why = 両側が対応する最初の提案が使われ、対応しない相手とはAES-GCMになります。SoCの暗号エンジンをカーネルがIPsecに使える場合は、別に測ってください。ここにその値はありません。

## Advice: Disks

advice-disk-aes-xts = ディスクはAES-XTS（256ビットの鍵2本）で暗号化します。LUKS 2の既定と同じです。
    .why = XTSはセクターの大きさを変えず、各セクターを独立に処理するので、AES命令で並列に計算できます。秘匿だけで認証はしません（余分な領域を使わないディスク暗号はどれも同じです）。luksFormatは中身を消すため、新しいディスクに使います。
advice-disk-adiantum = ディスクはAES-XTSではなくAdiantumで暗号化します。
    .why = AdiantumはAES命令のないCPUのために作られた方式で、セクターをXChaCha12で暗号化し、AESは1セクターに1回しか使いません。Adiantumそのものの値はなく、処理の近いChaCha20-Poly1305で判断しています。Linux 5.0以降が必要です。luksFormatは中身を消すため、新しいディスクに使います。

## Advice: Java

advice-java-newer-jdk = Javaは{ $older }ではなく{ $newer }で動かします。AES-128-GCMが{ $times }倍の速さになります。
    .why = CPUの命令をどこまで使うかはJDKで決まります。新しいJDKほど幅の広いベクトル命令や、AESとGHASHを一度に処理するルーチンを備えています。プログラムの変更は要りません。
advice-java-kasoku-provider = KasokuのセキュリティプロバイダーをJDK標準より前に置きます。AES-128-GCMが{ $times }倍の速さになります。
    .why = AES-GCMだけを同じ名前で提供し、Java 22以降で動きます。プログラムの変更は要らず、ほかの暗号はJDKのままです。違いはdocs/JVM.mdにあります。
advice-java-own-provider = AESはSunPKCS11経由のNSSではなく、Java標準のプロバイダーに任せます。{ $times }倍の速さです。
    .why = NSSを呼ぶたびにJavaとCの間を行き来し、データも写されます。NSSは、鍵をNSSの保管庫から出せないときやFIPS認証が求められるときに使います。
advice-java-nss = AES-128-GCMは、このJDKの標準のプロバイダーよりSunPKCS11経由のNSSのほうが{ $times }倍の速さです。NSSを使うか、JDKを新しくします。
    .why = JDK 8より前にはAESのルーチンがなく、今のJDKでも無効にされていれば使われません。Cを呼ばずに済む標準のプロバイダーを使うほうがよいので、できればJDKを新しくしてください。
advice-java-keep-intrinsics = JVMでAESとGHASHのルーチンが有効か確かめます。{ $jdk }ではAES-128-GCMが{ $times }倍の速さになります。
    .why = CPUに命令があれば既定で有効です。-Xintのとき、-XX:-UseAESや -XX:-UseAESIntrinsicsが指定されたままのとき、命令を隠された仮想マシンでは無効になります。また、1秒足らずで終わるプログラムは、これらが組み込まれる前に終わります。

## Advice: Modes and old ciphers

advice-never-64-bit-blocks = { $cipher }など64ビットブロックの暗号は、速さにかかわらず使いません。
    .why = 1つの鍵で32 GBほど暗号化すると同じブロックが現れ、平文が漏れます（SWEET32、CVE-2016-2183）。OpenSSL 3では多くがlegacyプロバイダーに移され、TLS 1.3にはありません。
advice-gcm-over-cbc = CBCはやめます。{ $winner }は{ $loser }の{ $times }倍の速さで、そのうえ認証も行います。
    .why = CBCの暗号化は前のブロックの結果を待つため、AES命令を並列に使えません。GCMでは使えます。CBCには別にHMACも必要で、その時間は値に含まれていません。TLSではCBCのパディングが何度も攻撃されています（Lucky Thirteen、POODLE）。
advice-cbc-is-half-the-work = それでもTLSやVPNでCBCは使いません。CBCの値は、必要な処理の半分の値です。
    .why = CBCは認証を行わないため、レコードごとにHMACの計算が加わります。TLSではCBCのパディングが何度も攻撃されています（Lucky Thirteen、POODLE）。比べるならAEADどうしで比べてください。

## Advice: Hashes

advice-hash-fastest = 自分で選べる場面（チェックサムや独自の形式など）では{ $winner }を選びます。次に速い{ $loser }の{ $times }倍の速さです。
    .why = どれも安全なハッシュ関数です。TLSやSSHではハッシュは暗号スイートで決まり、AEADを使っていればハンドシェイク後の速さにはほとんど影響しません。
advice-hash-either = 自分で選べる場面では{ $preferred }と{ $other }のどちらでもかまいません。対応するソフトウェアの多い{ $preferred }を勧めます。
    .why = どちらも安全なハッシュ関数です。ノイズの範囲にある差は差とはみなさず、区間のない値では10 %以上の違いがなければ何も言えません。
advice-sha-512-over-256 = SHA-2の中では{ $winner }が{ $loser }の{ $times }倍の速さです。256ビットの値が必要なら、同じ速さのSHA-512/256があります。
    .why = SHA-512は64ビット単位で計算するため、SHA命令のない64ビットCPUでは一度に処理できるバイト数が多くなります。
advice-sha-256-over-512 = SHA-2の中では{ $winner }が{ $loser }の{ $times }倍の速さです。
    .why = CPUにSHA-256の専用命令がある（SHA-512の命令を持つCPUはまだ少数です）か、32ビットCPUで64ビット演算のSHA-512が不利なためです。
advice-sha-1-legacy = SHA-1は、どれだけ速くても選びません。古いものとの互換のためだけのハッシュです。
    .why = SHA-1の衝突はすでに作られており（2017年のSHAttered、2020年には選択プレフィックス衝突）、NISTは2030年末までに廃止します。

## Advice: Key agreement and signatures

advice-agree-x25519 = 鍵共有にはX25519を使います（{ $figure }）。
    .why = 秘密の値で分岐しない実装を作りやすく、現在のTLSとSSHはどれも対応しています。X448は数倍の時間がかかり、TLSにはそこまでの余裕は不要です。ハンドシェイクごとに、双方で鍵生成と鍵共有を1回ずつ行います。
advice-agree-p256 = 鍵共有はP-256、次にX25519の順にします。このライブラリでは{ $winner }が{ $loser }の{ $times }倍の速さです。
    .why = OpenSSLにはP-256用のアセンブリ実装が多くのCPU向けにあります。どちらも安全です。多くのクライアントはX25519の鍵だけを送ってくるため、P-256を求めると往復が1回増えます。公開サーバーではX25519を先にしたほうが速いこともあります。
advice-agree-hybrid = TLSではハイブリッド鍵共有X25519MLKEM768を優先します。サーバーではカプセル化の分、X25519の鍵共有の時間が{ $extra }増えます。
    .why = 今日記録された通信は、量子計算機が実用になれば解読されるおそれがあります。ハイブリッドはどちらか一方が破られても安全です。送受信はそれぞれ約1.1 KB増えます。OpenSSLでは3.5以降で使え、既定で有効です。
advice-sign-ed25519 = 署名にはEd25519を使います（SSHの鍵や自前の証明書）。1秒あたりの署名回数は{ $loser }の{ $times }倍です。公開のTLS証明書にはECDSA P-256を使います。
    .why = サーバーはハンドシェイクごとに1回署名します。ブラウザーや公的な認証局はEd25519の証明書を扱わないため、そこでは鍵の短いECDSA P-256になります。
advice-sign-ecdsa-p256 = TLSの署名にはECDSA P-256を使います。1秒あたりの署名回数は{ $loser }の{ $times }倍です。SSHの鍵はEd25519でかまいません。
    .why = サーバーはハンドシェイクごとに1回署名し、公開の証明書にはP-256を使えます。SSHの鍵はログインごとに1回しか署名しないので差は現れず、Ed25519は署名に乱数が要りません。
advice-rsa-signs-slowly = RSA証明書のサーバーでは、ハンドシェイクごとの署名にECDSA P-256の{ $times }倍の時間がかかります。P-256の証明書にし、RSAは必要なクライアントのためだけに併用します。
    .why = RSAは検証が速く署名が遅い方式で、署名するのはサーバーです。

## Advice: The machine

advice-move-to-aarch64 = 次の機器では、暗号拡張命令を備えたAArch64に移行します。
    .why = 家庭用ルーターなどに使われるこうしたCPUは、共通鍵暗号・ハッシュ・楕円曲線のいずれも遅くなります。64ビット演算は楕円曲線とSHA-512に、暗号拡張命令はAESとSHAに効きます。AArch64でも暗号拡張命令があるとは限らないので、/proc/cpuinfoのFeaturesにaes pmull sha1 sha2があることを確かめてください。
advice-aarch64-without-crypto = このAArch64のCPUでは暗号拡張命令が使われていません。次の機種では暗号拡張命令の有無を確かめてください。
    .why = 暗号拡張命令は省略可能で、Raspberry Pi 4のチップなどは備えていません。あればAES-GCMは何倍も速くなります。/proc/cpuinfoのFeaturesにaes pmull sha1 sha2があるかどうかで分かります。
advice-x86-without-aes = このx86のCPUではAES命令が使われていません。現在のCPUならどれも備えています。
    .why = 近年のIntelとAMDのCPUは、ローエンドのものでもAES-NIに対応しています。仮想マシンでは隠されているだけのこともあるので、ホストのCPUを確かめてください。

## Advice: words that fill a gap of the sentences above

advice-word-firmware = ファームウェア
advice-word-ended-1-1-1 = 2023年9月11日
advice-word-ended-1-1-0 = 2019年9月11日
advice-word-ended-1-0-2 = 2019年12月31日
advice-word-ended-earlier = 2016年以前
advice-word-gains-most = ライブラリやCPUを新しくしたときの伸びが大きい
advice-word-leaks-nothing = AES命令のない環境では、実行時間から鍵が漏れないソフトウェア実装になる
advice-word-aes-in-use = AES命令が使われているのでAES-GCMが有望ですが、それを示す値がありません
advice-word-nothing-tells = どちらが速いかを示す値がありません
advice-word-open-files = 開けるファイル数の上限
advice-word-worker-connections = nginxのworker_connections

## Advice: the figures and observations behind it

# $setting lists what both figures have in common: the size, and the library or the task.
advice-evidence-figure =
    { $is_quoted ->
        [yes] { $task } { $speed }（{ $setting }、引用）
       *[no] { $task } { $speed }（{ $setting }）
    }
advice-evidence-comparison = { $first } { $first_figure }、{ $second } { $second_figure }：{ $outcome }
advice-evidence-server-cpu = 1 GBあたりのサーバーのCPU時間：{ $second } { $second_figure }秒、{ $first } { $first_figure }秒：{ $outcome }
advice-evidence-handshake = サーバーのCPU時間（ハンドシェイク1回）：{ $second } { $second_figure } µs、{ $first } { $first_figure } µs：{ $outcome }
advice-evidence-outcome =
    { $is_unlike ->
        [yes] { $times }（{ $interval }、{ $setting }、openssl speedが一方は鍵の設定を毎回含め、他方は含めずに測った値）
       *[no] { $times }（{ $interval }、{ $setting }）
    }
advice-evidence-times = { $times }倍
advice-evidence-interval = 95 %区間：{ $low }～{ $high }
advice-evidence-interval-quoted = 引用値のため区間なし
advice-evidence-interval-none = 区間なし
advice-evidence-limit = { $name } = { $value }：同時接続{ $connections }まで、最高のスループットでの同時接続は{ $taken }
advice-evidence-features = CPUの機能：{ $features }
advice-evidence-code-path = { $title }で動いていた命令：{ $path }
advice-evidence-settings = ライブラリの報告：{ $settings }
advice-evidence-cpu = アーキテクチャ{ $arch }：{ $name }
advice-evidence-no-figure = 値なし：それによる損失を示す値はこの測定にありません

## Causes of steps, by their names in documents

steps-cause-compact-tables-below-512 = AES命令を使わないOpenSSLのx86-64用AES（aes-x86_64.pl）は、CBCの呼び出しが512バイト未満のとき、遅いが小さくまとめた表で処理し、それ以上では通常の大きな表を使います。CPUがハイパースレッディングを報告する場合は、隣のスレッドにキャッシュを観察されるおそれがあるため、長さによらず小さな表を使うので、この段差は現れません。
steps-cause-bitsliced-from-128 = AES命令が使えないとき、OpenSSLはカウンターモードのAESをビットスライス（bsaes-x86_64.pl）で実装しており、8ブロック（128バイト）をまとめて処理します。8ブロック未満は表を使って1ブロックずつ、128バイト以上は端数も含めて8ブロック単位で処理します。
steps-cause-one-pass-from-288 = OpenSSLのAES-GCM（AES-NIとAVXを使う場合）は、288バイト以上では暗号化と認証を6ブロックずつ1パスで行います（aesni-gcm-x86_64.pl）。それより短いメッセージは2パスです。
steps-cause-neon-from-192 = OpenSSLのAArch64用ChaCha20（chacha-armv8.pl）は、192バイト以上でNEONを使って複数ブロックをまとめて処理し、それより短いメッセージは汎用レジスターで1ブロックずつ処理します。
steps-cause-wider-vectors = ChaCha20は、短いメッセージでは64バイトのブロックを1～2個ずつ処理し、ブロック数が十分にあればCPUのベクトルレジスターの各レーンに割り当てて4、8、16個をまとめて処理します。

## What a run notes about itself

# The English sentences are also stored in documents: kasoku_model::document::Remark writes the same.
remark-of-level = { $level }：{ $remark }
remark-dropped-slices = スライスの{ $percent } %を捨てました。スレッドがコアを占有できなかったためです（このマシンか同じホストで、ほかの処理が動いています）。
remark-kept-slices = { $series }系列では、乱された{ $slices }個のスライスも、乱れの小さいものから使っています。捨てると標本が少なくなりすぎるためです。これによる差は、乱れの大きさを超えるときだけ差とみなします。
remark-restarts = 測定中に終了したワーカーを起動し直しました（{ $libraries }）。欠けた測定はありません。
remark-outliers = 系列の中央値から大きく外れた標本が{ $percent } %あります。残してありますが、中央値への影響はわずかです。
remark-interrupted-suites = ベンチマークのスレッドが使えたのは、割り当てたコアの{ $percent } %でした（ほかの処理か、仮想マシンのガベージコレクションのため）。スコアはその分だけ低くなっています。
remark-slower-clock = 測定中にコアクロックが{ $from } GHzから{ $to } GHzに下がりました（発熱、または電力の上限のため）。
remark-steal = ハイパーバイザーがCPU時間の{ $percent } %をほかに割り当てました（スチール）。
remark-resumed = 中断した測定の続きです。{ $samples }個の標本は中断前のものです。
remark-first-limit =
    { $is_published ->
        [yes] システムの上限のうち最初に達するのは { $name } = { $value }（公表値：{ $published }）で、同時接続{ $connections }までです。
       *[no] システムの上限のうち最初に達するのは { $name } = { $value }で、同時接続{ $connections }までです。
    }
remark-unknown-code-paths = コードパスは不明です（nginxのプロセスの中は調べていません）。Kasokuのプロバイダーが処理したことは、そのカウンター（provider_share）で分かります。

## The final screen: its head

screen-head-label = ラベル { $label }
screen-head-cpus = { $cores } CPU
screen-results = { $count }件の結果
screen-results-seconds = { $count }件の結果（{ $seconds }秒）
screen-results-minutes = { $count }件の結果（{ $minutes }分）
screen-nothing-left-out = 省略した項目はありません。

## The final screen: what to choose

screen-choices = このマシンでの選択
screen-choice-transport = TLS・SSH・VPN
screen-choice-key-agreement = 鍵共有
screen-choice-certificate = 証明書
screen-choice-hash = ハッシュ
screen-choice-java = Java
screen-choice-faster = { $chosen }（{ $other }の{ $times }倍）
screen-choice-slower = { $chosen }（速さは{ $other }が{ $times }倍）
screen-choice-equal = { $chosen }（{ $other }との差は認められない）

## The final screen: how quiet the machine was

# A sentence of screen-quality-safe-… goes into the ones behind it as $safe, without its full stop.
screen-quality-quiet = 静か
screen-quality-fair = やや不安定
screen-quality-noisy = 不安定
screen-quality-safe-times = ~のない行では{ $times }倍以上の差は信頼できます
screen-quality-safe-percent = ~のない行では{ $percent } %以上の差は信頼できます
screen-quality-share = { $level }で{ $share } %
screen-quality-counted = うち結果に算入 { $count } 件
screen-quality-quiet-meaning = 乱れたスライスは1 %以下です。{ $safe }。
screen-quality-fair-meaning = 乱れたスライス：{ $shares }。{ $safe }。
screen-quality-noisy-meaning = 乱れたスライス：{ $shares }。{ $safe }。公表する前に、静かなマシンで測り直してください。

## The final screen: its foot

screen-rest-not-measured = 未測定
screen-rest-failed = 失敗
screen-rest-failure = { $what }：{ $kind }：{ $reason }
screen-rest-restarted = 再起動
screen-rest-next = 次に
screen-rest-failed-more = { $failure }、ほか{ $others }件
screen-rest-advise = kasoku advise   nginx、SSH、VPN、ディスク、Javaの設定例
screen-rest-show = kasoku show { $run }   全項目は --full
screen-rest-show-left-out = kasoku show { $run }   全項目は --full · 省略{ $count }件：--left-out

## The final screen: what the CPU’s instructions are worth

screen-worth-title = CPU命令による加速の効果（{ $library }、{ $size }、1コア）
screen-worth-off = オフ
screen-worth-on = オン
screen-worth-equal = { $equal }：差は認められません

## The final screen: the libraries

screen-libraries-title = 実装別のAES-128-GCM（GB/s）
screen-libraries-unshown = ~ 最良のものとほかのどれかとの間に差が認められません
screen-libraries-packet = QUICパケット、{ $size }
# The row is indented: it belongs to the one above.
screen-libraries-share = {"  "}CPUの上限{ $allowed }に対して
screen-libraries-transfer = QUIC全体、CPU秒/GB
screen-libraries-file = { $size }のファイル、AES-256-GCM（ミリ秒）

## Published figures

reproduction-range = { $from }～{ $to }

## What a run shows: the whole run, and the primitives

claim-emulated = エミュレーター上の測定です。値はCPUの性能を示さないため、この中での比較や順位付けは行いません。
claim-under-wine = Windowsの代わりにWineで測定した値です。Windowsでの性能を示さないため、この中での比較や順位付けは行いません。
claim-incomplete = この測定は最後まで終わっていないため、この中での比較や順位付けは行いません。
claim-quoted =
    { $kind ->
        [published] 公表された値で、信頼区間がありません。そのため、値の差が有意かどうかは判断しません。
       *[transcript] ほかのプログラムが出力した値で、信頼区間がありません。そのため、値の差が有意かどうかは判断しません。
    }
claim-nothing-ranked = 測定でき、かつ検証済みのものがないため、順位付けは行いません。
# The instructions that acceleration off takes away.
claim-instructions = { $instructions ->
        [aes] AES命令
        [aes-and-clmul] AES命令とキャリーレス乗算命令
        [aes-and-sha] AES命令とSHA命令
       *[sha] SHA命令
    }
# The acceleration state that a sentence is about, at its beginning.
claim-in-state = { $state ->
        [on] 加速オンでは、
        [off] 加速オフでは、
       *[other] { $state }では、
    }
claim-accelerated = { $algorithm }は、{ claim-instructions }により{ $times }倍の速さになります（{ $size }、{ $library }）。
    .short = { $algorithm }は{ $times }倍
claim-hindered = { $algorithm }は、{ claim-instructions }を使わないほうが{ $times }倍の速さになります（{ $size }、{ $library }）。
claim-no-gain = { $algorithm }では、{ claim-instructions }を使っても使わなくても差は認められません（{ $size }、{ $library }）。
claim-aes-beats-blowfish = { $even_without ->
        [yes] 速さを理由にBlowfishを選ぶ場面はありません。AES命令を使わなくても、{ $algorithm }はすべてのサイズでBlowfishの{ $times }倍以上の速さです（{ $library }）。
       *[no] 加速オンでは、{ $algorithm }はすべてのサイズでBlowfishの{ $times }倍以上の速さです（{ $library }）。
    }
claim-blowfish-beats-aes = { $without ->
        [yes] AES命令を使わない場合、Blowfishは{ $algorithm }の{ $times }倍の速さです（{ $size }、{ $library }）。
       *[no] Blowfishは{ $algorithm }の{ $times }倍の速さです（{ $size }、{ $library }）。
    }
claim-faster-aead = { claim-in-state }AEADは{ $algorithm }のほうが速く、{ $other }の{ $times }倍です（{ $size }、{ $library }）。
claim-faster-aead-with-exceptions = { claim-in-state }AEADは{ $algorithm }のほうが速く、{ $other }の{ $times }倍です（{ $size }、{ $library }。ただし{ $exceptions }では逆）。
claim-equal-aeads = { claim-in-state }{ $algorithm }と{ $other }の間に差は認められません（{ $size }、{ $library }）。
claim-fastest-hash = 最も速いハッシュは{ $algorithm }で、次に速い{ $other }の{ $times }倍です（{ $size }、{ $library }。SHA-1は除く）。
claim-fastest-hashes = 最も速いハッシュは{ $hashes }で、先頭より遅いと示されたものはありません（{ $size }、{ $library }。SHA-1は除く）。
claim-fastest-library = { $algorithm }が最も速い実装は{ $library }で、次に速い{ $next }の{ $times }倍です（{ $size }）。
claim-fastest-libraries = { $algorithm }が最も速い実装は{ $libraries }で、先頭より遅いと示されたものはありません（{ $size }）。
claim-headline-gains = このCPUの暗号命令により、{ $gains }の速さになります（{ $size }、{ $library }）。
claim-headline-hindered = このCPUの暗号命令で速くなったものはありません。
claim-headline-no-gain = このマシンでは、加速オンとオフの間に差は認められません。
claim-headline-not-switched = この測定では加速をオフにしていないため、加速の効果は分かりません。
