//! What a run shows of a web server, in words.

use super::finding::TlsFinding;
use crate::language::{pick, say};
use crate::quantity::{digits, points, times};
use kasoku_model::language::Language;

impl TlsFinding {
    /// The finding as a sentence.
    pub(crate) fn sentence(&self, language: Language) -> String {
        match self {
            TlsFinding::GcmOverCbc { ratios } => {
                let range = range(*ratios, language);
                say!(
                    language,
                    "A web server with OpenSSL’s own code sends files of more than 1 MiB {range} times as fast with \
                     AES128-GCM-SHA256 as with AES128-SHA (published in 2014: 2 to 2.4 times).",
                    "OpenSSL自身の実装では、1 MiBより大きいファイルのスループット\
                     は、AES128-GCM-SHA256がAES128-SHAの{range}倍です（2014年の公開値は2～2.4倍）。"
                )
            }
            TlsFinding::Provider { suite, ratios, saved, of: (shown, all) } => {
                let saved = saved.map(|saved| {
                    let (english, japanese) =
                        if saved < 0.0 { ("more", "増えます") } else { ("less", "減ります") };
                    let percent = points(saved.abs());
                    say!(
                        language,
                        ", and takes {percent} % {english} CPU time for the same files",
                        "り、同じファイルを送るCPU時間は{percent} %{japanese}"
                    )
                });
                let saved = saved.unwrap_or_else(|| pick(language, "", "ります").to_owned());
                let others = match all - shown {
                    0 => String::new(),
                    others => say!(
                        language,
                        " In {others} of {all} cases no difference is shown.",
                        "{all}通りのうち{others}通りでは差があるとは言えません。"
                    ),
                };
                let range = range(*ratios, language);
                say!(
                    language,
                    "With Kasoku’s provider nginx sends {range} times as much with {suite} as with OpenSSL’s own \
                     code{saved}.{others}",
                    "Kasokuのプロバイダーを使うと、nginxの{suite}のスループットはOpenSSL自身の実装の{range}倍に\
                     な{saved}。{others}"
                )
            }
            TlsFinding::ACore { library, suite, gbit, cpu } => {
                let on = cpu.as_ref().map(|cpu| say!(language, ", on {cpu}", "、{cpu}")).unwrap_or_default();
                let gbit = digits(*gbit);
                say!(
                    language,
                    "A core of the server sends up to {gbit} Gbit/s ({suite}, {library}{on}).",
                    "サーバーのスループットは、コアあたり最大{gbit} Gbit/sです（{suite}、{library}{on}）。"
                )
            }
            TlsFinding::OtherLimits { others, all } => say!(
                language,
                "In {others} of {all} cases the server was not what limited the throughput, or shared its cores with \
                 the clients: there it could do more.",
                "{all}通りのうち{others}通りでは、スループットの上限がサーバーのCPUではないか、\
                 サーバーとクライアントがコアを共有しています。サーバーの性能はさらに高い可能性があります。"
            ),
        }
    }
}

fn range([low, high]: [f64; 2], language: Language) -> String {
    match (times(low), times(high)) {
        (low, high) if low == high => low,
        (low, high) => say!(language, "{low} to {high}", "{low}～{high}"),
    }
}
