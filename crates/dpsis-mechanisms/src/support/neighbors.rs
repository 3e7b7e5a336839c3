//! All neighboring score vectors on a small grid.

use std::collections::HashMap;

/// Score vectors of `d` integers from 0 to `levels` - 1; two are neighbors if no coordinate differs
/// by more than its sensitivity.
#[derive(Clone)]
pub struct Grid {
    pub d: usize,
    levels: i64,
    /// The sensitivity of each coordinate.
    sensitivities: Vec<i64>,
    /// Whether scores are monotonic: between neighbors, all coordinates increase or stay equal.
    monotonic: bool,
}

/// The result of an enumeration.
pub struct Enumeration {
    /// The number of ordered pairs of neighbors.
    pub pairs: usize,
    /// The largest |ln(P(y|x) / P(y|x'))| of any outcome.
    pub max_log_ratio: f64,
    /// The pair at which it occurs.
    pub worst: (Vec<i64>, Vec<i64>),
    /// The outcome, by its index in the laws.
    pub outcome: usize,
}

impl Grid {
    pub fn new(d: usize, levels: i64, sensitivity: i64) -> Self {
        Self { d, levels, sensitivities: vec![sensitivity; d], monotonic: false }
    }

    /// The same grid with monotonic scores.
    pub fn monotonic(self) -> Self {
        Self { monotonic: true, ..self }
    }

    /// A grid with one sensitivity per coordinate.
    pub fn with_sensitivities(levels: i64, sensitivities: &[i64]) -> Self {
        let d = sensitivities.len();
        Self { d, levels, sensitivities: sensitivities.to_vec(), monotonic: false }
    }

    /// The sensitivity of each coordinate.
    pub fn sensitivities(&self) -> &[i64] {
        &self.sensitivities
    }

    /// Scores in units of the sensitivity of each.
    pub fn in_sensitivities(&self, scores: &[i64]) -> Vec<f64> {
        let pairs = scores.iter().zip(&self.sensitivities);
        pairs.map(|(score, sensitivity)| *score as f64 / *sensitivity as f64).collect()
    }

    pub fn is_monotonic(&self) -> bool {
        self.monotonic
    }

    /// The number of score vectors.
    pub fn vectors(&self) -> u128 {
        (0..self.d).fold(1, |all, _| all.saturating_mul(self.levels.unsigned_abs().into()))
    }

    /// The number of ordered pairs of neighbors.
    pub fn pairs(&self) -> u128 {
        let of_one = |sensitivity: &i64| -> u128 {
            // Shifts by 0, 1, ...; all but the first go both ways.
            let up = (0..=*sensitivity).map(|shift| (self.levels - shift).max(0).unsigned_abs());
            let up: u128 = up.map(u128::from).sum();
            let still = u128::from(self.levels.unsigned_abs());
            if self.monotonic { up } else { 2 * up - still }
        };
        self.sensitivities.iter().map(of_one).fold(1, u128::saturating_mul)
    }

    /// Compares the laws of all neighbors.
    pub fn enumerate(&self, law: impl Fn(&[i64]) -> Vec<f64>) -> Enumeration {
        self.enumerate_with(law, &|_| ())
    }

    /// As [`enumerate`](Self::enumerate). The first half of `progress` is the share of vectors
    /// whose laws are computed, the second half the share of vectors that are compared.
    pub fn enumerate_with(
        &self,
        law: impl Fn(&[i64]) -> Vec<f64>,
        progress: &dyn Fn(f64),
    ) -> Enumeration {
        let all = self.len();
        let known = |i: usize| {
            progress(0.5 * i as f64 / all as f64);
            law(&self.point(i)).into_iter().map(f64::ln).collect()
        };
        let laws: Vec<Vec<f64>> = (0..all).map(known).collect();
        let (mut pairs, mut max, mut worst) = (0, 0.0, (0, 0, 0));
        for (i, law) in laws.iter().enumerate() {
            progress(0.5 + 0.5 * i as f64 / all as f64);
            for j in self.neighbors(i) {
                pairs += 1;
                for (y, (p, q)) in law.iter().zip(&laws[j]).enumerate() {
                    // Equal probabilities may both be 0: outcomes that neither table can have.
                    let ratio = if p == q { 0.0 } else { (p - q).abs() };
                    if ratio > max {
                        (max, worst) = (ratio, (i, j, y));
                    }
                }
            }
        }
        let (i, j, outcome) = worst;
        let worst = (self.point(i), self.point(j));
        Enumeration { pairs, max_log_ratio: max, worst, outcome }
    }

    /// The same for a law that does not change when scores are shifted, and changes places with the
    /// scores: `moved` gives the place of an outcome when candidate i goes to `to[i]`. Grids of one
    /// common sensitivity.
    ///
    /// One pair of each class of equivalent pairs is compared: the pair whose first vector ascends
    /// from 0. `pairs` counts all pairs.
    pub fn enumerate_symmetric(
        &self,
        law: impl Fn(&[i64]) -> Vec<f64>,
        moved: impl Fn(usize, &[usize]) -> usize,
    ) -> Enumeration {
        let mut known: HashMap<Vec<i64>, Vec<f64>> = HashMap::new();
        // The logarithm of the law of any vector, from that of its ascending form.
        let mut law_of = |x: &[i64]| -> Vec<f64> {
            let mut order: Vec<usize> = (0..x.len()).collect();
            order.sort_by_key(|&i| x[i]);
            let least = x[order[0]];
            let ascending: Vec<i64> = order.iter().map(|&i| x[i] - least).collect();
            let base = known
                .entry(ascending)
                .or_insert_with_key(|x| law(x).into_iter().map(f64::ln).collect());
            let mut out = vec![0.0; base.len()];
            for (y, p) in base.iter().enumerate() {
                out[moved(y, &order)] = *p;
            }
            out
        };
        let reach = self.sensitivities.first().copied().unwrap_or(0);
        let steps = if self.monotonic { 0..=reach } else { -reach..=reach };
        let (mut pairs, mut max, mut worst) = (0, 0.0, (Vec::new(), Vec::new(), 0));
        for x in self.ascending() {
            let p = law_of(&x);
            let alike = arrangements(&x);
            let mut others: Vec<Vec<i64>> = vec![Vec::new()];
            for score in &x {
                let longer = |other: &Vec<i64>| {
                    let other = other.clone();
                    steps.clone().map(move |step| [&other[..], &[score + step]].concat())
                };
                others = others.iter().flat_map(longer).collect();
            }
            for other in others {
                let ends = x
                    .iter()
                    .chain(&other)
                    .fold((0, 0), |(low, high), &score| (score.min(low), score.max(high)));
                // The shifts by which both vectors stay on the grid.
                let shifts = self.levels - (ends.1 - ends.0);
                if shifts <= 0 {
                    continue;
                }
                pairs += alike * shifts as usize;
                for (y, (p, q)) in p.iter().zip(law_of(&other)).enumerate() {
                    let ratio = if *p == q { 0.0 } else { (p - q).abs() };
                    if ratio > max {
                        (max, worst) = (ratio, (x.clone(), other.clone(), y));
                    }
                }
            }
        }
        let (x, other, outcome) = worst;
        Enumeration { pairs, max_log_ratio: max, worst: (x, other), outcome }
    }

    /// Vectors of ascending scores from 0.
    fn ascending(&self) -> Vec<Vec<i64>> {
        let mut all = vec![vec![0]];
        for _ in 1..self.d {
            let longer = |x: &Vec<i64>| {
                let last = x.last().copied().unwrap_or(0);
                let x = x.clone();
                (last..self.levels).map(move |next| [&x[..], &[next]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// Whether the log-ratio of some neighbors exceeds a bound. Laws are computed on demand, and
    /// the first such pair ends the search.
    pub fn exceeds(&self, bound: f64, law: impl Fn(&[i64]) -> Vec<f64>) -> bool {
        let mut laws: Vec<Option<Vec<f64>>> = vec![None; self.len()];
        // The middle of the grid first: at its edges neighbors are missing.
        let all = self.len();
        for i in (0..all).map(|i| (i + all / 2) % all) {
            for j in self.neighbors(i) {
                for at in [i, j] {
                    laws[at].get_or_insert_with(|| {
                        law(&self.point(at)).into_iter().map(f64::ln).collect()
                    });
                }
                if let (Some(p), Some(q)) = (&laws[i], &laws[j])
                    && p.iter().zip(q).any(|(p, q)| p != q && (p - q).abs() > bound)
                {
                    return true;
                }
            }
        }
        false
    }

    fn len(&self) -> usize {
        (self.levels as usize).pow(self.d as u32)
    }

    fn point(&self, mut index: usize) -> Vec<i64> {
        let levels = self.levels as usize;
        let mut next = || {
            let digit = index % levels;
            index /= levels;
            digit as i64
        };
        (0..self.d).map(|_| next()).collect()
    }

    fn neighbors(&self, index: usize) -> Vec<usize> {
        let mut found = vec![0];
        let mut place = 1;
        for (digit, sensitivity) in self.point(index).into_iter().zip(&self.sensitivities) {
            // A pair with decreasing scores is found from its other end.
            let low = if self.monotonic { digit } else { (digit - sensitivity).max(0) };
            let high = (digit + sensitivity).min(self.levels - 1);
            let extend = |&at: &usize| (low..=high).map(move |digit| at + place * digit as usize);
            found = found.iter().flat_map(extend).collect();
            place *= self.levels as usize;
        }
        found
    }
}

/// The number of different arrangements of sorted numbers.
fn arrangements(sorted: &[i64]) -> usize {
    let factorial = |n: usize| (1..=n).product::<usize>();
    let ties = sorted.chunk_by(|a, b| a == b).map(|tied| factorial(tied.len()));
    factorial(sorted.len()) / ties.product::<usize>()
}
