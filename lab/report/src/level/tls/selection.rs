//! Series of a web server, sorted for tables.

use std::collections::BTreeSet;

use crate::prelude::*;
use crate::selection::with_state;
use kasoku_model::algorithm::CipherSuite;
use kasoku_model::document::ServerDetails;
use kasoku_model::library::OPENSSL;
use kasoku_model::workload::served::Bottleneck;

pub(crate) struct ServerSelection<'a> {
    pub(super) all: Vec<ServerSeries<'a>>,
    pub(super) document: &'a Document,
}

#[derive(Clone, Copy)]
pub(super) struct ServerSeries<'a> {
    key: SeriesKey,
    pub(super) series: &'a Series,
    pub(super) details: &'a ServerDetails,
    /// Throughput in bytes per second.
    pub(super) rate: f64,
}

/// Cipher suite, library and acceleration state, which a chart shows as one bar.
pub(super) type ServerContender<'a> = (Algorithm, &'a str, Acceleration);

impl<'a> ServerSelection<'a> {
    pub(crate) fn new(document: &'a Document) -> Option<Self> {
        let selection = Selection::of_level(document, Level::Tls);
        let row = |(key, series): (SeriesKey, &'a Series)| {
            Some(ServerSeries { key, series, details: series.server()?, rate: sound_figure(series)? })
        };
        let verified = selection.select(|_| true).filter(|(_, series)| series.is_verified());
        let mut all: Vec<ServerSeries<'a>> = verified.filter_map(row).collect();
        all.sort_by_key(|row| {
            let SeriesKey { task, who, state, bytes, .. } = row.key;
            (row.workers(), bytes, task.algorithm, who, state, row.details.served)
        });
        (!all.is_empty()).then_some(ServerSelection { all, document })
    }

    pub(super) fn workers(&self) -> BTreeSet<usize> {
        self.all.iter().map(ServerSeries::workers).collect()
    }

    pub(super) fn sizes(&self) -> BTreeSet<usize> {
        self.all.iter().map(|row| row.series.bytes).collect()
    }

    /// Returns the contenders by suite, OpenSSL first.
    pub(super) fn contenders(&self) -> Vec<ServerContender<'a>> {
        let contenders: BTreeSet<ServerContender<'a>> = self.all.iter().map(ServerSeries::contender).collect();
        let mut contenders: Vec<ServerContender<'a>> = contenders.into_iter().collect();
        contenders.sort_by_key(|(algorithm, library, state)| (*algorithm, *library != OPENSSL, *state));
        contenders
    }

    /// Returns the number of hosts that load the server together, and the maximum difference between their start times
    /// in seconds. `None` for one host.
    pub(super) fn in_step(&self) -> Option<(usize, f64)> {
        let of_row = |row: &ServerSeries<'_>| Some((row.details.hosts, row.details.load.start_skew_s?));
        let all = self.all.iter().filter_map(of_row).filter(|(hosts, seconds)| *hosts > 1 && *seconds >= 0.0);
        all.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)))
    }

    pub(super) fn find(&self, who: ServerContender<'_>, bytes: usize, workers: usize) -> Option<&ServerSeries<'a>> {
        // `new` sorts by this.
        let place = |row: &ServerSeries<'_>| (row.workers(), row.series.bytes);
        let from = self.all.partition_point(|row| place(row) < (workers, bytes));
        self.all[from..].iter().take_while(|row| place(row) == (workers, bytes)).find(|row| row.contender() == who)
    }

    pub(super) fn server_machine(&self) -> Option<Text> {
        self.all.iter().find_map(|row| Some(Text::name(row.details.server_machine.as_deref()?, 120)))
    }
}

impl<'a> ServerSeries<'a> {
    pub(super) fn contender(&self) -> ServerContender<'a> {
        (self.series.algorithm, self.series.library.as_str(), self.series.acceleration)
    }

    pub(super) fn workers(&self) -> usize {
        self.details.served.workers
    }

    pub(super) fn gbit(&self) -> f64 {
        self.rate * 8e-9
    }

    /// Returns Gbit per second for each core with a worker.
    pub(super) fn gbit_a_core(&self) -> f64 {
        let workers = self.workers();
        let of_workers = || self.details.server_cores.map_or(workers, |cores| cores.min(workers));
        self.gbit() / self.details.working_cores.unwrap_or_else(of_workers).max(1) as f64
    }

    pub(super) fn is_apart(&self) -> bool {
        !self.details.shares_cores
    }

    pub(super) fn is_server_bound(&self) -> bool {
        self.details.bottleneck == Some(Bottleneck::ServerCpu)
    }
}

/// Names a contender without its suite: `kasoku`, `openssl (off)`.
pub(super) fn who((_, library, state): ServerContender<'_>) -> Text {
    let library = Text::name(library, 24);
    if state == Acceleration::On { library } else { with_state(library, state) }
}

/// AES-GCM cipher suite of the publication on nginx that the report compares with.
pub(super) const GCM: Algorithm = Algorithm::CipherSuite(CipherSuite::Aes128GcmSha256);
/// AES-CBC and HMAC cipher suite of the publication on nginx that the report compares with.
pub(super) const CBC: Algorithm = Algorithm::CipherSuite(CipherSuite::Aes128Sha);
/// File size in bytes above which the publication states a ratio of GCM's throughput to CBC's.
pub(super) const ABOVE: usize = 1 << 20;
