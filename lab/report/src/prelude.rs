//! Imports that most files of this crate share: the parts of a run document, and the parts of pages and screens.

pub(crate) use crate::block::{Block, Section};
pub(crate) use crate::quantity::{digits, size};
pub(crate) use crate::table::{Cell, Column, Table, TableBuilder};
pub(crate) use crate::text::{Separator, Text, say, short};
pub(crate) use kasoku_model::acceleration::Acceleration;
pub(crate) use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
pub(crate) use kasoku_model::document::{Document, Series, Unit};
pub(crate) use kasoku_model::level::Level;
pub(crate) use kasoku_model::workload::Operation;
