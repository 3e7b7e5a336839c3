//! The counts of items that the mechanisms select from.

use std::path::Path;

use dpsis::{Error, Result};
use rand::Rng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

/// The number of items to select.
pub(super) const K: usize = 5;

/// The numbers of items d; the rating counts have fewer.
const SIZES: [usize; 5] = [100, 300, 1000, 3000, 10_000];

/// A source of counts.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ItemCounts {
    /// Uniform on 0, ..., 10 d, drawn again for each trial.
    Uniform,
    /// The counts of ratings of the most rated items, in descending order, with the name of the
    /// data.
    Ratings(&'static str, Vec<i64>),
}

impl ItemCounts {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Ratings(name, _) => name,
        }
    }

    pub(super) fn sizes(&self) -> Vec<usize> {
        match self {
            Self::Uniform => SIZES.to_vec(),
            Self::Ratings(_, all) => {
                let mut sizes: Vec<usize> =
                    SIZES.iter().copied().filter(|d| *d < all.len()).collect();
                sizes.push(all.len());
                sizes
            }
        }
    }

    pub(super) fn draw(&self, d: usize, seed: u64) -> Vec<i64> {
        match self {
            Self::Uniform => {
                let mut rng = ChaCha20Rng::seed_from_u64(seed);
                (0..d).map(|_| rng.gen_range(0..=10 * d as i64)).collect()
            }
            Self::Ratings(_, all) => all[..d].to_vec(),
        }
    }
}

/// Reads the rating counts of MovieLens if the folder holds its `u.data`; otherwise returns a
/// stand-in.
pub(super) fn ratings(data: Option<&Path>) -> Result<ItemCounts> {
    let places = ["u.data", "ml-100k/u.data"];
    let found = data.into_iter().flat_map(|folder| places.map(|place| folder.join(place)));
    let Some(path) = found.into_iter().find(|path| path.is_file()) else {
        return Ok(ItemCounts::Ratings("Zipf stand-in", stand_in()));
    };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::io(format!("cannot read u.data: {}", error.kind())))?;
    Ok(ItemCounts::Ratings("MovieLens", rated(&text)?))
}

/// 1,682 counts by the Zipf-Mandelbrot law, 583 * 51/(50 + rank): about 100,000 in total.
fn stand_in() -> Vec<i64> {
    (1..=1682).map(|rank| 583 * 51 / (50 + rank)).collect()
}

/// Counts the ratings of each item and returns the counts in descending order. Lines hold user,
/// item, rating and time, separated by tabs.
fn rated(text: &str) -> Result<Vec<i64>> {
    let mut counts = std::collections::BTreeMap::new();
    for line in text.lines() {
        let item = line.split('\t').nth(1);
        *counts
            .entry(item.ok_or_else(|| Error::input("u.data has lines without an item"))?)
            .or_insert(0) += 1;
    }
    let mut counts: Vec<i64> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    if counts.len() < K {
        return Err(Error::input("u.data must hold at least five items"));
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_counted() {
        let mut text = "196\t242\t3\t881250949\n186\t242\t3\t891717742\n".to_owned();
        assert!(rated(&text).is_err());
        for item in 1..=4 {
            text += &format!("1\t{item}\t5\t0\n");
        }
        assert_eq!(rated(&text).unwrap(), [2, 1, 1, 1, 1]);
        assert!(rated("1 2 3").is_err());
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("u.data"), &text).unwrap();
        assert_eq!(ratings(Some(folder.path())).unwrap().name(), "MovieLens");
        assert_eq!(ratings(None).unwrap().name(), "Zipf stand-in");
    }

    #[test]
    fn the_stand_in_is_of_the_given_size() {
        let counts = stand_in();
        assert_eq!((counts[0], counts.len()), (583, 1682));
        let all: i64 = counts.iter().sum();
        assert!((95_000..=105_000).contains(&all), "{all}");
        assert!(counts.windows(2).all(|pair| pair[0] >= pair[1]));
    }
}
