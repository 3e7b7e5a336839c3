mod scores;
pub use scores::Scores;
