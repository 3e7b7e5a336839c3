//! Private choice among candidates whose scores were computed elsewhere: models, hyperparameters,
//! features scored in a database.

mod candidates;
mod columns;
mod options;
mod public_candidates;
mod record;
mod request;
mod trials;

pub use candidates::Candidates;
pub use columns::CandidateColumns;
pub use options::{CandidatesOption, ChooseOptions, LARGEST};
pub use public_candidates::PublicCandidates;
pub use record::{Choice, ChoiceRecord, ChosenCandidate, ScoresUsed};
pub use request::{Choose, NotPrivateChoose};
pub use trials::Trials;
