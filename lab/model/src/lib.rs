//! Data model of the laboratory: run documents, algorithms, libraries, statistics and comparisons. Does no I/O.

pub mod acceleration;
pub mod algorithm;
pub mod cipher_suite;
pub mod code_path;
pub mod comparison;
pub mod cpu_model;
pub mod document;
pub mod histogram;
pub mod level;
pub mod library;
pub mod name;
pub mod openssl_speed;
pub mod printable;
pub mod run_name;
pub mod statistics;
pub mod steps;
pub mod system_limit;
pub mod workload;
