//! Ranking for the page of one run, whose own figure represents its machine.

use super::question::RankingQuestion;
use super::ranking::{FigureSource, Ranking, RankingRow, This, is_asked, row};
use super::{Collection, is_figure, is_plain};
use crate::StoreError;
use kasoku_model::document::{Document, OriginKind, Series};

impl Collection<'_> {
    /// Returns the ranking in which the figure of `document` represents this machine, even if newer runs of the machine
    /// exist. Incomplete runs are not ranked.
    pub fn ranking_around(&self, question: &RankingQuestion, document: &Document) -> Result<Ranking, StoreError> {
        let mut ranking = self.unordered(question, Some(&document.machine))?;
        let own = own(question, document);
        if document.run.origin.is_some() {
            for row in &mut ranking.rows {
                row.is_this = row.sources.iter().any(|source| source.run() == document.run.id);
            }
            if !ranking.rows.iter().any(|row| row.is_this) {
                ranking.rows.extend(own);
            }
        } else if let Some(own) = own {
            ranking.rows.retain(|row| !row.is_this);
            ranking.rows.push(own);
        }
        ranking.put_in_order();
        ranking.this = match (ranking.rows.iter().any(|row| row.is_this), ranking.this) {
            (true, _) => This::Ranked,
            (false, This::Ranked) => This::WithoutWorkload,
            (false, this) => this,
        };
        Ok(ranking)
    }
}

/// Returns the row of the best figure of `document` that may be ranked.
fn own(question: &RankingQuestion, document: &Document) -> Option<RankingRow> {
    let run = &document.run;
    let may_stand = |series: &&Series| {
        let is_sound = match run.origin {
            Some(_) => series.is_representative() && is_figure(series.median),
            None => is_plain(series),
        };
        series.bytes == question.bytes && is_asked(series, question) && is_sound
    };
    let is_ranked = run.complete && document.machine.is_genuine();
    let candidates = document.series.iter().filter(may_stand).filter(|_| is_ranked);
    let best = candidates.max_by(|left, right| left.median.unwrap_or(0.0).total_cmp(&right.median.unwrap_or(0.0)))?;
    let source = match &run.origin {
        None => FigureSource::Measured { run: run.id.clone(), started: run.started.clone() },
        Some(origin) if origin.kind == OriginKind::Published => {
            FigureSource::Published { run: run.id.clone(), origin: origin.clone() }
        }
        Some(origin) => FigureSource::Imported { run: run.id.clone(), origin: origin.clone() },
    };
    Some(RankingRow { is_this: true, ..row(&document.machine, best, source)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published;
    use kasoku_model::acceleration::Acceleration;
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::document::{Machine, Outcome, Run, SCHEMA, Unit};
    use kasoku_model::level::Level;
    use kasoku_model::workload::Workload;

    fn measured(median: f64, verified: bool) -> Document {
        let question = RankingQuestion::new(Algorithm::Aes128Gcm);
        let workload = Workload::new(question.operation, question.algorithm, question.bytes);
        let (state, unit) = (Acceleration::On, Unit::BytesPerSecond);
        let series = Series {
            code_path: "vaes512".into(),
            median: Some(median),
            ci95: Some([median * 0.99, median * 1.01]),
            outcome: if verified { Outcome::Measured } else { Outcome::Unverified },
            ..Series::empty(Level::Primitives, &workload, "openssl", "3.0.19".into(), state, unit)
        };
        let run = Run { id: "mine".into(), started: "2026-11-21".into(), complete: true, ..Run::default() };
        let machine = Machine { cpu: "This CPU".into(), ..Machine::default() };
        Document { schema: SCHEMA, run, machine, series: vec![series] }
    }

    fn ranking(document: &Document) -> Ranking {
        let collection = Collection::open(None).unwrap();
        collection.ranking_around(&RankingQuestion::new(Algorithm::Aes128Gcm), document).unwrap()
    }

    #[test]
    fn a_run_stands_in_its_place_with_its_own_figure() {
        // Between the i7-10750H and the i5-7400.
        let found = ranking(&measured(6e9, true));
        assert_eq!((found.this, found.rows.len()), (This::Ranked, 13));
        let own = found.rows.iter().find(|row| row.is_this).unwrap();
        assert_eq!((own.place, own.figure, own.times), (4, 6e9, Some(1.0)));
        assert_eq!(found.rows[2].times, Some(6_419_370_950.0 / 6e9));
        assert!(!own.is_quoted() && found.rows[0].is_quoted());
    }

    #[test]
    fn what_was_not_verified_or_did_not_end_is_not_ranked() {
        let mut incomplete = measured(6e9, true);
        incomplete.run.complete = false;
        let [mut emulated, mut under_wine] = [measured(6e9, true), measured(6e9, true)];
        emulated.machine.emulated_on = Some("x86_64".into());
        under_wine.machine.wine = Some("8.0".into());
        for document in [measured(6e9, false), incomplete, measured(f64::NAN, true), emulated, under_wine] {
            let found = ranking(&document);
            assert_eq!((found.this, found.rows.len()), (This::WithoutRun, 12));
            assert!(found.rows.iter().all(|row| row.times.is_none()));
        }
    }

    #[test]
    fn a_published_device_is_this_machine_on_its_own_page() {
        let document = published::documents().iter().find(|one| one.machine.label() == "i5-7400").unwrap();
        let found = ranking(document);
        assert_eq!((found.this, found.rows.len()), (This::Ranked, 12));
        let this: Vec<&RankingRow> = found.rows.iter().filter(|row| row.is_this).collect();
        assert_eq!(this.iter().map(|row| row.place).collect::<Vec<_>>(), [4]);
    }
}
