//! Imports that most files of this crate share: the parts of a run document, the selection of its series, and the parts
//! of pages and screens.

pub(crate) use crate::block::{Block, Output, Section};
pub(crate) use crate::chart::{Bar, BarGroup, Chart, LegendEntry};
pub(crate) use crate::claim::{Claim, ClaimEffect, Effect, Subject};
pub(crate) use crate::palette::Palette;
pub(crate) use crate::quantity::{Scale, digits, fixed, percent, size};
pub(crate) use crate::selection::{ContenderIndex, Selection, SeriesKey, Task, join, sound_figure, unique};
pub(crate) use crate::table::{Cell, Column, Table, TableBuilder, or_dash};
pub(crate) use crate::text::{Separator, Text, say, short};
pub(crate) use kasoku_model::acceleration::Acceleration;
pub(crate) use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
pub(crate) use kasoku_model::document::{Document, Series, Unit};
pub(crate) use kasoku_model::level::Level;
pub(crate) use kasoku_model::workload::Operation;
