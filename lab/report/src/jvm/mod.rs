//! The level `jvm`: what a Java program gains or loses by its virtual machine, its provider and their switches, and the
//! published crypto.aes table beside today's.

pub mod finding;
mod grid;
mod name;
mod page;
mod score;
mod sentence;

pub(crate) use finding::findings;
pub(crate) use grid::summary;
pub(crate) use page::section;

#[cfg(test)]
mod tests;
