//! A TLS web server.

use super::subject;
use crate::tls::Finding;
use kasoku_model::workload::Served;

subject! {
    /// A TLS web server.
    TlsMessages {
        texts {
            /// A heading.
            title,
            /// What the section shows.
            explained,
            /// What it means that server and clients were on one machine.
            explained_here,
            /// What it means that they were not.
            explained_elsewhere,
            /// The overview's title.
            overview,
            /// What is in the overview.
            overview_note,
            /// That server and clients shared cores.
            shared_note,
            /// A heading: processes of the server.
            workers,
            /// A heading: the file's size.
            size,
            /// A heading.
            suite,
            /// A heading: whose code does the cipher.
            provider,
            /// A heading: throughput.
            gbit,
            /// A heading: throughput for each core of the server.
            gbit_a_core,
            /// A heading: connections at once.
            connections,
            /// A heading: the longest time that counts, in seconds.
            longest_wait,
            /// A heading: the server's CPU use.
            server_cpu,
            /// A heading: the most of it.
            server_cpu_max,
            /// A heading: the clients' CPU use.
            client_cpu,
            /// A heading: the server's CPU time for what it sent.
            seconds_a_gigabyte,
            /// A heading: what kept it from sending more.
            limit,
            /// A table's title: GCM against CBC.
            ratio,
            /// How it is to be read.
            ratio_note,
            /// A table's title: limits of the system.
            limits,
            /// What they are.
            limits_note,
            /// A heading: which limit.
            limit_name,
            /// A heading: connections that it allows.
            allows,
            /// Beside the limit that binds first.
            binds_first,
            /// A heading: what was measured or is set here.
            here,
            /// A heading: what was published.
            published,
            /// A heading: what a published figure is about.
            what,
            /// A table's title: the published figures.
            published_title,
            /// A figure's title: the ciphers without a server.
            figure_raw,
            /// That the ciphers without a server were not measured.
            no_raw_ratio,
            /// A bar: this machine.
            this_machine,
            /// A unit: so many times as fast.
            times,
        }
        sentences {
            /// The CPUs of the hosts that served, which are not the machine that the document names.
            served_by: fn(&str) -> String,
            /// The sentence for a finding.
            sentence: fn(&Finding) -> String,
            /// What kept the server from sending more, by its name in documents.
            bottleneck: fn(&str) -> String,
            /// A figure's title: throughput with so many workers.
            figure_throughput: fn(usize) -> String,
            /// A figure's title: CPU use with so many workers.
            figure_cpu: fn(usize) -> String,
            /// A published value, to which value if it is a range, its unit.
            published_value: fn(&str, Option<&str>, &str) -> String,
            /// How many hosts put load on the server, and how many seconds they began apart at most.
            in_step: fn(usize, f64) -> String,
            /// How it was served, in a few words.
            served: fn(Served) -> String,
        }
    }
}
