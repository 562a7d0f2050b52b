//! Going on with a run that was broken off.

use super::{LOG_PAGES_MEASURING, SeriesId, Store, StoreError, run_number};

impl Store {
    /// Prepares to add to a run that is there; gives the identities of its series, in the order of [`Store::load`].
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], or the store's own.
    pub fn resume_run(&mut self, run: &str) -> Result<Vec<SeriesId>, StoreError> {
        self.set_log_pages(LOG_PAGES_MEASURING)?;
        let at = self.path.clone();
        let found = self.write(|transaction| {
            let Some(number) = run_number(transaction, &at, run)? else { return Ok(None) };
            let read = || -> rusqlite::Result<Vec<SeriesId>> {
                let mut statement = transaction.prepare("SELECT number FROM series WHERE run = ? ORDER BY position")?;
                let ids = statement.query_map([number], |row| Ok(SeriesId { run: number, series: row.get(0)? }))?;
                ids.collect()
            };
            read().map(Some).map_err(|error| StoreError::from_sqlite(&at, &error))
        })?;
        found.map_or_else(|| Err(self.unknown(run)), Ok)
    }

    /// Takes away the samples of a series that begins anew.
    ///
    /// # Errors
    /// The store's own.
    pub fn forget_samples(&mut self, id: SeriesId) -> Result<(), StoreError> {
        let at = self.path.clone();
        self.write(|transaction| {
            let sql = "DELETE FROM sample WHERE run = ? AND series = ?"; // the table is in the order of runs
            let delete = transaction.execute(sql, [id.run, id.series]);
            delete.map(drop).map_err(|error| StoreError::from_sqlite(&at, &error))
        })
    }
}
