//! The level `jvm`: what a Java program gains or loses by its virtual machine, its provider and their switches, and the
//! published crypto.aes table beside today's; and HTTPS servers with one provider or another.

pub mod finding;
mod https;
mod name;
mod page;
mod score;
mod sentence;
mod tables;

pub(crate) use finding::findings;
pub(crate) use https::full;
pub(crate) use page::section;
pub(crate) use tables::summary;

#[cfg(test)]
mod tests;
