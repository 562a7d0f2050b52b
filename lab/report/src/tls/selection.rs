//! The series of a web server, in the order of tables.

use std::collections::BTreeSet;

use crate::language::Messages;
use crate::selection::{Selection, SeriesKey, Variant, sound_figure};
use crate::visible::short;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::document::{Document, Series, ServerDetails};
use kasoku_model::level::Level;
use kasoku_model::workload::Served;
use kasoku_model::workload::served::Bottleneck;

/// All that a document has of a web server.
pub(super) struct ServerSelection<'a> {
    pub(super) all: Vec<ServerSeries<'a>>,
    pub(super) document: &'a Document,
    pub(super) messages: &'static Messages,
}

/// One series that may be relied on.
#[derive(Clone, Copy)]
pub(super) struct ServerSeries<'a> {
    key: SeriesKey,
    pub(super) series: &'a Series,
    pub(super) served: Served,
    pub(super) details: &'a ServerDetails,
    /// Bytes a second.
    pub(super) rate: f64,
}

/// What tells bars of a chart apart: suite, library, state.
pub(super) type ServerContender<'a> = (Algorithm, &'a str, Acceleration);

impl<'a> ServerSelection<'a> {
    /// Of `document`.
    pub(super) fn new(document: &'a Document, messages: &'static Messages) -> Self {
        let selection = Selection::of_level(document, Level::Tls, messages);
        let row = |(key, series): (SeriesKey, &'a Series)| {
            let Variant::Served(served) = key.variant else { return None };
            Some(ServerSeries { key, series, served, details: series.server()?, rate: sound_figure(series)? })
        };
        let verified = selection.select(|_| true).filter(|(_, series)| series.is_verified());
        let mut all: Vec<ServerSeries<'a>> = verified.filter_map(row).collect();
        all.sort_by_key(|row| {
            let SeriesKey { task, who, state, bytes, .. } = row.key;
            (row.served.workers, bytes, task.algorithm, who, state, row.served)
        });
        ServerSelection { all, document, messages }
    }

    /// The numbers of workers.
    pub(super) fn workers(&self) -> BTreeSet<usize> {
        self.all.iter().map(|row| row.served.workers).collect()
    }

    /// The file sizes.
    pub(super) fn sizes(&self) -> BTreeSet<usize> {
        self.all.iter().map(|row| row.series.bytes).collect()
    }

    /// Suites by library and state.
    pub(super) fn kinds(&self) -> Vec<ServerContender<'a>> {
        let kinds: BTreeSet<ServerContender<'a>> = self.all.iter().map(ServerSeries::kind).collect();
        let mut kinds: Vec<ServerContender<'a>> = kinds.into_iter().collect();
        kinds.sort_by_key(|(algorithm, library, state)| {
            (*algorithm, *library != kasoku_model::library::OPENSSL, *state)
        });
        kinds
    }

    /// What is to be known of where server and clients were.
    pub(super) fn place(&self) -> &'static str {
        let is_elsewhere = |row: &ServerSeries<'_>| row.details.elsewhere;
        let words = &self.messages.tls;
        if self.all.iter().any(is_elsewhere) { words.explained_elsewhere } else { words.explained_here }
    }

    /// How many hosts put load on the server together, and how many seconds they began apart at most; `None` of one
    /// host.
    pub(super) fn in_step(&self) -> Option<(usize, f64)> {
        let of_row = |row: &ServerSeries<'_>| Some((row.details.hosts, row.details.load.start_skew_s?));
        let all = self.all.iter().filter_map(of_row).filter(|(hosts, seconds)| *hosts > 1 && *seconds >= 0.0);
        all.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)))
    }

    /// The row of a kind at a size with this many workers.
    pub(super) fn find(&self, kind: ServerContender<'_>, bytes: usize, workers: usize) -> Option<&ServerSeries<'a>> {
        // In the order of `new`.
        let place = |row: &ServerSeries<'_>| (row.served.workers, row.series.bytes);
        let from = self.all.partition_point(|row| place(row) < (workers, bytes));
        self.all[from..].iter().take_while(|row| place(row) == (workers, bytes)).find(|row| row.kind() == kind)
    }

    /// The CPUs of the hosts that served, if those were elsewhere.
    pub(super) fn server_machine(&self) -> Option<String> {
        self.all.iter().find_map(|row| Some(short(row.details.server_machine.as_deref()?, 120)))
    }
}

impl<'a> ServerSeries<'a> {
    /// What tells it from the others of its size and number of workers.
    pub(super) fn kind(&self) -> ServerContender<'a> {
        (self.series.algorithm, self.series.library.as_str(), self.series.acceleration)
    }

    /// Gbit a second.
    pub(super) fn gbit(&self) -> f64 {
        self.rate * 8e-9
    }

    /// Gbit a second for each core that has a worker.
    pub(super) fn gbit_a_core(&self) -> f64 {
        let workers = self.served.workers;
        let of_workers = || self.details.server_cores.map_or(workers, |cores| cores.min(workers));
        self.gbit() / self.details.working_cores.unwrap_or_else(of_workers).max(1) as f64
    }

    /// Whether server and clients had cores of their own.
    pub(super) fn is_apart(&self) -> bool {
        !self.details.shares_cores
    }

    /// Whether it is the server's rate and not that of its clients.
    pub(super) fn is_server_bound(&self) -> bool {
        self.details.bottleneck == Some(Bottleneck::ServerCpu)
    }

    /// Who served it: `kasoku`, `openssl (off)`.
    pub(super) fn who(&self) -> String {
        who(self.kind())
    }
}

/// `kasoku`, `openssl (off)`.
pub(super) fn who((_, library, state): ServerContender<'_>) -> String {
    match state {
        Acceleration::On => short(library, 24),
        state => format!("{} ({state})", short(library, 24)),
    }
}

/// The two published suites: GCM, and CBC with HMAC.
pub(super) const GCM: Algorithm = Algorithm::CipherSuite(CipherSuite::Aes128GcmSha256);
pub(super) const CBC: Algorithm = Algorithm::CipherSuite(CipherSuite::Aes128Sha);
/// Files above this size are the ones of which the published measurement states its ratio.
pub(super) const ABOVE: usize = 1 << 20;
