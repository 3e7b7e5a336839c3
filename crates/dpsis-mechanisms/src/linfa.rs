//! The traits of linfa, for errors and for results that are not private.

use ::linfa::dataset::Records;
use ::linfa::traits::{PredictInplace, Transformer};

use crate::error::Error;
use crate::privacy::NotPrivate;

impl From<::linfa::Error> for Error {
    fn from(error: ::linfa::Error) -> Self {
        Self::request(error.to_string())
    }
}

/// As for the result itself.
impl<R: Records, T, X: Transformer<R, T>> Transformer<R, T> for NotPrivate<X> {
    fn transform(&self, x: R) -> T {
        X::transform(self, x)
    }
}

/// As for the result itself.
impl<R: Records, T, X: PredictInplace<R, T>> PredictInplace<R, T> for NotPrivate<X> {
    fn predict_inplace(&self, x: &R, y: &mut T) {
        X::predict_inplace(self, x, y);
    }

    fn default_target(&self, x: &R) -> T {
        X::default_target(self, x)
    }
}
