//! The best subset: the k variables that together explain the most of the target's variance.
//!
//! For correlations A among the variables and c with the target, the share that a subset S explains
//! is c_S' A_SS^-1 c_S. With the Cholesky factor L of A_SS it is the sum of squares of L^-1 c_S,
//! which grows by one term as a variable j joins: (c_j - w'z)^2/(A_jj - w'w), w = L^-1 A_Sj, z =
//! L^-1 c_S.
//!
//! Up to [`EXACT`] variables, all subsets are visited in the order of their places, each from the
//! factor that it shares with the one before. Beyond that, variables are added one at a time, each
//! the best at that point; then one is exchanged for another as long as that explains more. The
//! first of equal subsets wins.
//!
//! Nothing here reads data, only released values.

/// The largest k for which all subsets are searched.
const EXACT: usize = 10;

/// The smallest variance of a variable that others do not explain.
const MIN_VARIANCE: f64 = 1e-3;

/// The maximum number of exchanges.
const EXCHANGES: usize = 100;

/// Correlations among variables, with a ridge, and with the target.
pub(super) struct Correlations {
    pub(super) among: Vec<Vec<f64>>,
    pub(super) with_target: Vec<f64>,
}

impl Correlations {
    /// Adds `ridge` to the diagonal, and doubles it until the matrix is positive definite.
    pub(super) fn new(among: Vec<Vec<f64>>, with_target: Vec<f64>, ridge: f64) -> Self {
        let mut all = Self { among, with_target };
        let mut ridge = ridge.max(MIN_VARIANCE);
        // A ridge above the number of variables is always enough.
        for _ in 0..64 {
            all.among.iter_mut().enumerate().for_each(|(i, row)| row[i] = 1.0 + ridge);
            let mut factor = Factor::default();
            if (0..all.with_target.len()).all(|j| factor.push(&all, j)) {
                break;
            }
            ridge *= 2.0;
        }
        all
    }

    /// The share of the target's variance that these variables explain, except those that are
    /// explained by the others.
    pub(super) fn explained(&self, places: impl IntoIterator<Item = usize>) -> f64 {
        let mut factor = Factor::default();
        places.into_iter().for_each(|j| {
            factor.push(self, j);
        });
        factor.explained()
    }
}

/// The Cholesky factor of the correlations among some variables.
#[derive(Default)]
struct Factor {
    places: Vec<usize>,
    /// The rows of L.
    rows: Vec<Vec<f64>>,
    /// L^-1 c_S.
    z: Vec<f64>,
}

impl Factor {
    /// Adds a variable; returns false if the others explain it.
    fn push(&mut self, all: &Correlations, j: usize) -> bool {
        let mut w: Vec<f64> = Vec::with_capacity(self.places.len() + 1);
        for (&i, row) in self.places.iter().zip(&self.rows) {
            let (before, pivot) = row.split_at(w.len());
            let known: f64 = before.iter().zip(&w).map(|(l, w)| l * w).sum();
            w.push((all.among[i][j] - known) / pivot[0]);
        }
        let left = all.among[j][j] - w.iter().map(|w| w * w).sum::<f64>();
        if !(left >= MIN_VARIANCE) {
            return false;
        }
        let explained: f64 = w.iter().zip(&self.z).map(|(w, z)| w * z).sum();
        let pivot = left.sqrt();
        w.push(pivot);
        self.z.push((all.with_target[j] - explained) / pivot);
        self.rows.push(w);
        self.places.push(j);
        true
    }

    fn pop(&mut self) {
        self.places.pop();
        self.rows.pop();
        self.z.pop();
    }

    fn explained(&self) -> f64 {
        self.z.iter().map(|z| z * z).sum()
    }
}

/// The places of the k variables that explain most, ascending.
pub(super) fn best_subset(all: &Correlations, k: usize) -> Vec<usize> {
    let variables = all.with_target.len();
    if k >= variables {
        (0..variables).collect()
    } else if k <= EXACT {
        let mut best = (f64::NEG_INFINITY, Vec::new());
        visit(all, k, 0, &mut Factor::default(), &mut best);
        best.1
    } else {
        exchanged(all, joined(all, k))
    }
}

/// Visits all subsets of k variables that extend the variables of the factor by variables from
/// `from` on.
fn visit(
    all: &Correlations,
    k: usize,
    from: usize,
    factor: &mut Factor,
    best: &mut (f64, Vec<usize>),
) {
    let missing = k - factor.places.len();
    if missing == 0 {
        let explained = factor.explained();
        if explained > best.0 {
            *best = (explained, factor.places.clone());
        }
        return;
    }
    for j in from..=all.with_target.len() - missing {
        if factor.push(all, j) {
            visit(all, k, j + 1, factor, best);
            factor.pop();
        }
    }
}

/// Adds k variables one at a time, each the best at that point.
fn joined(all: &Correlations, k: usize) -> Vec<usize> {
    let mut factor = Factor::default();
    while factor.places.len() < k {
        let mut best = (f64::NEG_INFINITY, None);
        for j in
            (0..all.with_target.len()).filter(|j| !factor.places.contains(j)).collect::<Vec<_>>()
        {
            if factor.push(all, j) {
                let explained = factor.explained();
                if explained > best.0 {
                    best = (explained, Some(j));
                }
                factor.pop();
            }
        }
        // The matrix is positive definite, so every variable can be added.
        let Some(j) = best.1 else { break };
        factor.push(all, j);
    }
    factor.places
}

/// These variables after the best exchanges of one for another, as long as one explains more.
fn exchanged(all: &Correlations, mut places: Vec<usize>) -> Vec<usize> {
    let mut explained = all.explained(places.iter().copied());
    for _ in 0..EXCHANGES {
        let mut best = (explained, None);
        for out in 0..places.len() {
            // The factor without a variable is computed once for each variable.
            let mut factor = Factor::default();
            let stay = places.iter().enumerate().filter(|(place, _)| *place != out);
            stay.for_each(|(_, &j)| {
                factor.push(all, j);
            });
            for j in (0..all.with_target.len()).filter(|j| !places.contains(j)) {
                if factor.push(all, j) {
                    let with = factor.explained();
                    if with > best.0 * (1.0 + 1e-12) {
                        best = (with, Some((out, j)));
                    }
                    factor.pop();
                }
            }
        }
        let Some((out, j)) = best.1 else { break };
        (explained, places[out]) = (best.0, j);
    }
    places.sort_unstable();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from -1 to 1 that look random.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    /// Correlations of variables that share a few factors, and of a target with them.
    fn random(variables: usize, seed: u64) -> Correlations {
        let mut number = numbers(seed);
        let loadings: Vec<Vec<f64>> =
            (0..=variables).map(|_| (0..3).map(|_| number()).collect()).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let norm = |a: usize| (dot(&loadings[a], &loadings[a]) + 0.3).sqrt();
        let correlation = |a: usize, b: usize| match a == b {
            true => 1.0,
            false => dot(&loadings[a], &loadings[b]) / norm(a) / norm(b),
        };
        let among = (0..variables).map(|a| (0..variables).map(|b| correlation(a, b)).collect());
        let with_target = (0..variables).map(|a| correlation(a, variables)).collect();
        Correlations::new(among.collect(), with_target, 0.01)
    }

    /// c_S' x with A_SS x = c_S by elimination with pivoting: independent of the factor.
    fn explained_by_elimination(all: &Correlations, places: &[usize]) -> f64 {
        let k = places.len();
        let mut rows: Vec<Vec<f64>> = places
            .iter()
            .map(|&i| {
                let mut row: Vec<f64> = places.iter().map(|&j| all.among[i][j]).collect();
                row.push(all.with_target[i]);
                row
            })
            .collect();
        for step in 0..k {
            let largest =
                (step..k).max_by(|&a, &b| rows[a][step].abs().total_cmp(&rows[b][step].abs()));
            rows.swap(step, largest.unwrap());
            let pivot = rows[step].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(row, _)| *row != step) {
                let factor = row[step] / pivot[step];
                row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
            }
        }
        (0..k).map(|i| all.with_target[places[i]] * rows[i][k] / rows[i][i]).sum()
    }

    /// All subsets, by their bits.
    fn naive(all: &Correlations, k: usize) -> (f64, Vec<usize>) {
        let variables = all.with_target.len();
        let subsets = (0u32..1 << variables).filter(|bits| bits.count_ones() as usize == k);
        let places = |bits: u32| (0..variables).filter(|j| bits >> j & 1 == 1).collect::<Vec<_>>();
        subsets
            .map(places)
            .map(|places| (explained_by_elimination(all, &places), places))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap()
    }

    #[test]
    fn the_best_of_all_subsets_is_found() {
        for seed in 0..60 {
            let variables = 2 + seed as usize % 8;
            let all = random(variables, seed);
            for k in 1..=variables {
                let found = best_subset(&all, k);
                let (most, places) = naive(&all, k);
                assert_eq!(found.len(), k);
                assert!(found.is_sorted());
                let explained = explained_by_elimination(&all, &found);
                assert!((explained - most).abs() < 1e-9, "{seed} {k}: {found:?} {places:?}");
                assert!((explained - all.explained(found)).abs() < 1e-9);
            }
        }
    }

    /// Adding and exchanging ends where no exchange explains more, and nearly always at the best of
    /// all subsets.
    #[test]
    fn exchanges_improve_forward_selection() {
        let (mut improved, mut best) = (0, 0);
        for seed in 100..160 {
            let all = random(9, seed);
            let start = joined(&all, 4);
            let end = exchanged(&all, start.clone());
            let [before, after] = [start, end.clone()].map(|places| all.explained(places));
            assert!(after >= before - 1e-12);
            improved += usize::from(after > before + 1e-9);
            best += usize::from(after > naive(&all, 4).0 - 1e-9);
            for out in 0..4 {
                for j in (0..9).filter(|j| !end.contains(j)) {
                    let mut other = end.clone();
                    other[out] = j;
                    assert!(explained_by_elimination(&all, &other) <= after + 1e-9);
                }
            }
        }
        assert!(improved > 0 && best >= 54, "{improved} {best}");
    }

    /// A matrix that is indefinite because of noise gets a factor; the search ends for infinite or
    /// NaN entries as well.
    #[test]
    fn ridge_makes_any_matrix_definite() {
        let indefinite = vec![vec![1.0, 1.0, -1.0], vec![1.0, 1.0, 1.0], vec![-1.0, 1.0, 1.0]];
        let all = Correlations::new(indefinite, vec![0.5, 0.4, 0.1], 0.0);
        assert_eq!(best_subset(&all, 2).len(), 2);
        let many = vec![vec![1.0; 30]; 30];
        let all = Correlations::new(many, vec![0.5; 30], 0.0);
        assert_eq!(best_subset(&all, 15).len(), 15);
    }
}
