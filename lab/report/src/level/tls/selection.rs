//! Series of a web server, sorted for tables.

use std::collections::BTreeSet;

use crate::prelude::*;
use crate::selection::with_state;
use kasoku_model::algorithm::CipherSuite;
use kasoku_model::document::ServerDetails;
use kasoku_model::library::{OPENSSL, version_in};
use kasoku_model::workload::served::Bottleneck;

pub(crate) struct ServerSelection<'a> {
    /// Series of files.
    pub(super) all: Vec<ServerSeries<'a>>,
    /// Series of handshakes, by number of connections.
    pub(super) handshakes: Vec<ServerSeries<'a>>,
    pub(super) document: &'a Document,
}

#[derive(Clone, Copy)]
pub(super) struct ServerSeries<'a> {
    key: SeriesKey,
    pub(super) series: &'a Series,
    pub(super) details: &'a ServerDetails,
    /// Throughput in bytes per second, or handshakes per second.
    pub(super) rate: f64,
}

/// A cipher suite on a server, which a chart shows as one bar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ServerContender<'a> {
    pub(super) algorithm: Algorithm,
    pub(super) library: &'a str,
    /// Version of the OpenSSL that nginx runs with, whatever the library.
    pub(super) openssl: &'a str,
    pub(super) state: Acceleration,
}

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
        let (mut handshakes, all): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|row| row.series.operation == Operation::Handshake);
        handshakes.sort_by_key(|row| (row.details.served, order(&row.contender())));
        let is_empty = all.is_empty() && handshakes.is_empty();
        (!is_empty).then_some(ServerSelection { all, handshakes, document })
    }

    pub(super) fn workers(&self) -> BTreeSet<usize> {
        self.all.iter().map(ServerSeries::workers).collect()
    }

    pub(super) fn sizes(&self) -> BTreeSet<usize> {
        self.all.iter().map(|row| row.series.bytes).collect()
    }

    /// Returns the contenders in the order of charts.
    pub(super) fn contenders(&self) -> Vec<ServerContender<'a>> {
        let contenders: BTreeSet<ServerContender<'a>> = self.all.iter().map(ServerSeries::contender).collect();
        let mut contenders: Vec<ServerContender<'a>> = contenders.into_iter().collect();
        contenders.sort_by_key(order);
        contenders
    }

    /// Returns the versions of OpenSSL under the server, the oldest first.
    pub(super) fn openssls(&self) -> Vec<&'a str> {
        let rows = self.all.iter().chain(&self.handshakes);
        let versions: BTreeSet<_> = rows.map(|row| row.contender().openssl).map(|it| (version_in(it), it)).collect();
        versions.into_iter().map(|(_, version)| version).collect()
    }

    /// Names a contender without its suite: `kasoku`, `openssl (off)`. With several versions of OpenSSL, adds the
    /// version.
    pub(super) fn who(&self, one: ServerContender<'_>) -> Text {
        let library = Text::name(one.library, 24);
        let library = match self.openssls().len() {
            0 | 1 => library,
            _ if one.library == OPENSSL => Text::list(Separator::Space, [library, Text::name(one.openssl, 32)]),
            _ => say!("tls-on-openssl", library = library, version = Text::name(one.openssl, 32)),
        };
        if one.state == Acceleration::On { library } else { with_state(library, one.state) }
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
        let Series { algorithm, library, acceleration, .. } = self.series;
        let openssl = self.series.server_openssl();
        ServerContender { algorithm: *algorithm, library, openssl, state: *acceleration }
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

/// Orders contenders by suite, OpenSSL first, then by version.
fn order(one: &ServerContender<'_>) -> impl Ord + use<> {
    (one.algorithm, one.library != OPENSSL, one.state, version_in(one.openssl))
}

/// AES-GCM cipher suite of the publication on nginx that the report compares with.
pub(super) const GCM: Algorithm = Algorithm::CipherSuite(CipherSuite::Aes128GcmSha256);
/// AES-CBC and HMAC cipher suite of the publication on nginx that the report compares with.
pub(super) const CBC: Algorithm = Algorithm::CipherSuite(CipherSuite::Aes128Sha);
/// File size in bytes above which the publication states a ratio of GCM's throughput to CBC's.
pub(super) const ABOVE: usize = 1 << 20;
