//! Ranking for the page of one run, whose own figure represents its machine.

use super::question::RankingQuestion;
use super::ranking::{FigureSource, Ranking, RankingRow, This, is_asked, row};
use super::{Collection, is_figure, is_plain};
use crate::StoreError;
use kasoku_model::document::{Document, OriginKind, Series};

impl Collection<'_> {
    /// Returns the ranking in which `document` represents this machine, even if newer runs of the machine exist.
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
