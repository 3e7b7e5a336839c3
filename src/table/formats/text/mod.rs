//! Text files, CSV and its like: lines and cells, plain or compressed, read by several threads.

pub(crate) mod blocks;
pub(crate) mod cells;
pub(crate) mod file;
pub(crate) mod plain;
