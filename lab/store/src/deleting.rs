//! Taking runs away.

use crate::{Store, StoreError, run_number};

impl Store {
    /// Takes these runs away with all that is theirs: all of them or, if it fails, none. The room that they took is
    /// given back to the disk, unless somebody else uses the store just then; it is used again in any case.
    ///
    /// # Errors
    /// The store's own.
    pub fn delete_runs(&mut self, ids: &[String]) -> Result<(), StoreError> {
        // For each series that goes, SQLite would look through all samples of all runs for one of it.
        self.set_foreign_keys(false)?;
        let deleted = self.write(|transaction| {
            for id in ids {
                let Some(number) = run_number(transaction, id)? else { continue };
                for sql in [
                    "DELETE FROM sample WHERE run = ?",
                    "DELETE FROM series WHERE run = ?",
                    "DELETE FROM run WHERE number = ?",
                ] {
                    transaction.execute(sql, [number])?;
                }
            }
            let unused = "DELETE FROM device WHERE number NOT IN (SELECT device FROM run WHERE device IS NOT NULL)";
            transaction.execute(unused, [])?;
            Ok(())
        });
        self.set_foreign_keys(true)?;
        deleted?;
        let _ = self.connection.execute_batch("VACUUM"); // the store is whole without it
        Ok(())
    }

    fn set_foreign_keys(&self, are_checked: bool) -> Result<(), StoreError> {
        let set = self.connection.pragma_update(None, "foreign_keys", are_checked);
        set.map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }
}
