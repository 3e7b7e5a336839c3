//! Objective perturbation: the second stage of the two-stage method. For evaluations only, not for
//! releases.
//!
//! # Definition
//!
//! Rows are u = (1, x) with x in `[-1, 1]^k`, and y in `[-1, 1]`, or -1 and 1 for two classes. With
//! p = k + 1 and L = sqrt(p), the largest length of u, the model is
//!
//! ```text
//! theta = argmin  sum of losses + (D/2) |theta|^2 + b . theta,      D = 2 lambda/eps,
//! b with density proportional to e^(-eps |b|/(2 zeta)):  |b| ~ Gamma(p, 2 zeta/eps), in a uniform direction,
//!
//! loss                        over             zeta >= |gradient|     lambda >= curvature
//! (y - u . theta)^2/2         |theta| <= 1     L (1 + L)              L^2
//! ln(1 + e^(-y u . theta))    all theta        L                      L^2/4
//! ```
//!
//! # Guarantee
//!
//! With real numbers, and an exact minimizer, eps-differential privacy for adding or removing a
//! row: the noise that leads to a given theta moves by at most zeta, which costs eps/2, and the
//! Jacobian by a factor of at most 1 + lambda/D, another eps/2. A floating-point minimizer has no
//! exact law, so that nothing here is private.
//!
//! # Deviations
//!
//! The paper bounds theta for the squares of the loss by a convex set that it leaves open; here it
//! is the ball of radius 1, in which a linear model of a target in `[-1, 1]` usually lies.
//!
//! # Cost
//!
//! O(n p^2) for squares, and a few steps of Newton's method of that cost for classes.
//!
//! # Source
//!
//! D. Kifer, A. Smith, A. Thakurta, "Private Convex Empirical Risk Minimization and
//! High-dimensional Regression" (2012), algorithm 1.

use dpsis_eval::internals::positive_definite;
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};
use rand::Rng;
use rand_distr::{Distribution, Gamma, StandardNormal};

/// The loss of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Half the square of the residual, for numbers.
    Squares,
    /// The logistic loss, for classes -1 and 1.
    Logistic,
}

/// A bound on the length of theta, for squares.
const BALL: f64 = 1.0;

/// Objective perturbation for a number of components p at some epsilon.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObjectivePerturbation {
    loss: Loss,
    components: usize,
    /// D: the coefficient of the ridge penalty.
    ridge: f64,
    /// The scale of the length of b, 2 zeta/eps.
    scale: f64,
}

impl ObjectivePerturbation {
    /// For k features.
    pub(crate) fn new(loss: Loss, features: usize, epsilon: f64) -> Self {
        let components = features + 1;
        let square = components as f64;
        let length = square.sqrt();
        let (zeta, lambda) = match loss {
            Loss::Squares => (length * (1.0 + length * BALL), square),
            Loss::Logistic => (length, square / 4.0),
        };
        Self { loss, components, ridge: 2.0 * lambda / epsilon, scale: 2.0 * zeta / epsilon }
    }

    /// A theta, its intercept first, for n rows of x, n by k. `None` if rounding errors defeat the
    /// solver.
    pub(crate) fn fit(
        &self,
        x: ArrayView2<'_, f64>,
        y: &Array1<f64>,
        rng: &mut impl Rng,
    ) -> Option<Array1<f64>> {
        self.minimizer(x, y, &self.noise(rng)?)
    }

    /// b.
    fn noise(&self, rng: &mut impl Rng) -> Option<Array1<f64>> {
        let length: f64 = Gamma::new(self.components as f64, self.scale).ok()?.sample(rng);
        let direction: Array1<f64> =
            (0..self.components).map(|_| rng.sample::<f64, _>(StandardNormal)).collect();
        let norm = direction.dot(&direction).sqrt();
        Some(direction * (length / norm))
    }

    fn minimizer(
        &self,
        x: ArrayView2<'_, f64>,
        y: &Array1<f64>,
        b: &Array1<f64>,
    ) -> Option<Array1<f64>> {
        let rows = concatenate![Axis(1), Array2::ones((x.nrows(), 1)), x];
        match self.loss {
            Loss::Squares => in_ball(&rows.t().dot(&rows), &(rows.t().dot(y) - b), self.ridge),
            Loss::Logistic => {
                let signed = rows * y.view().insert_axis(Axis(1));
                newton(&signed, b, self.ridge)
            }
        }
    }
}

/// The minimizer of theta . (gram + ridge) theta/2 - theta . target over the ball: the ridge
/// regression with the least ridge from the given one on for which it lies there, found by
/// bisection.
fn in_ball(gram: &Array2<f64>, target: &Array1<f64>, ridge: f64) -> Option<Array1<f64>> {
    let at = |more: f64| positive_definite(ridged(gram, ridge + more), target.clone());
    let inside = |theta: &Array1<f64>| theta.dot(theta).sqrt() <= BALL;
    let theta = at(0.0)?;
    if inside(&theta) {
        return Some(theta);
    }
    // |theta| <= |target|/ridge.
    let (mut low, mut high) = (0.0, target.dot(target).sqrt() / BALL);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if inside(&at(middle)?) { high = middle } else { low = middle }
    }
    at(high)
}

/// The minimizer of the logistic losses of signed rows with ridge and b, by Newton's method with
/// halved steps.
fn newton(signed: &Array2<f64>, b: &Array1<f64>, ridge: f64) -> Option<Array1<f64>> {
    let objective = |theta: &Array1<f64>| {
        let losses =
            signed.dot(theta).mapv(|margin| (-margin.abs()).exp().ln_1p() + (-margin).max(0.0));
        losses.sum() + ridge / 2.0 * theta.dot(theta) + b.dot(theta)
    };
    let mut theta = Array1::zeros(b.len());
    let mut here = objective(&theta);
    for _ in 0..200 {
        let wrong = signed.dot(&theta).mapv(|margin| 1.0 / (1.0 + margin.exp()));
        let gradient = &theta * ridge + b - signed.t().dot(&wrong);
        let weighted = signed * &wrong.mapv(|p| p * (1.0 - p)).insert_axis(Axis(1));
        let direction =
            positive_definite(ridged(&signed.t().dot(&weighted), ridge), gradient.clone())?;
        let mut step = 1.0;
        // If no step lowers the objective, only rounding errors are left.
        let next = loop {
            let there = &theta - &(&direction * step);
            let value = objective(&there);
            if value < here {
                break Some((there, value));
            }
            step /= 2.0;
            if step < 1e-9 {
                break None;
            }
        };
        let Some(next) = next else { break };
        (theta, here) = next;
    }
    Some(theta)
}

fn ridged(gram: &Array2<f64>, ridge: f64) -> Array2<f64> {
    let mut gram = gram.clone();
    gram.diag_mut().iter_mut().for_each(|value| *value += ridge);
    gram
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    use super::*;
    use dpsis_eval::internals::LinearModel;

    fn rng() -> ChaCha20Rng {
        ChaCha20Rng::seed_from_u64(5)
    }

    /// Rows from -1 to 1 and a target that depends on them.
    fn table(n: usize, k: usize) -> (Array2<f64>, Array1<f64>) {
        let mut rng = rng();
        let x = Array2::from_shape_simple_fn((n, k), || rng.gen_range(-1.0..1.0));
        let y = x
            .rows()
            .into_iter()
            .map(|row| 0.4 * row[0] - 0.3 * row[1] + 0.1 * rng.gen_range(-1.0..1.0));
        let y = y.collect();
        (x, y)
    }

    /// Without noise, on centered columns and target, squares give the ridge regression of another
    /// solver.
    #[test]
    fn squares_without_noise_are_a_ridge_regression() {
        let (x, y) = table(60, 3);
        let (x, y) = (&x - &x.mean_axis(Axis(0)).unwrap(), &y - y.mean().unwrap());
        let perturbation = ObjectivePerturbation::new(Loss::Squares, 3, 0.8);
        assert_eq!(perturbation.ridge, 2.0 * 4.0 / 0.8);
        let theta = perturbation.minimizer(x.view(), &y, &Array1::zeros(4)).unwrap();
        let ridge = LinearModel::ridge(x.view(), &y, perturbation.ridge).unwrap();
        assert!(theta[0].abs() < 1e-12);
        assert!(theta.iter().skip(1).zip(&ridge.coefficients).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    /// With b, no small step from the minimizer lowers the given objective, computed row by row:
    /// of both losses, and on the edge of the ball none within it.
    #[test]
    fn no_other_theta_has_a_lower_objective() {
        let (x, numbers) = table(50, 2);
        for (loss, b) in [
            (Loss::Squares, array![1.0, -2.0, 0.5]),
            (Loss::Squares, array![90.0, -20.0, 40.0]),
            (Loss::Logistic, array![1.0, -2.0, 0.5]),
            (Loss::Logistic, array![90.0, -20.0, 40.0]),
        ] {
            let y = if loss == Loss::Squares { numbers.clone() } else { numbers.mapv(f64::signum) };
            let perturbation = ObjectivePerturbation::new(loss, 2, 2.0);
            let objective = |theta: &Array1<f64>| {
                let losses = x.rows().into_iter().zip(&y).map(|(row, y)| {
                    let score = theta[0] + theta[1] * row[0] + theta[2] * row[1];
                    match loss {
                        Loss::Squares => (y - score).powi(2) / 2.0,
                        Loss::Logistic => (1.0 + (-y * score).exp()).ln(),
                    }
                });
                let ridge = theta.iter().map(|t| t * t).sum::<f64>() * perturbation.ridge / 2.0;
                losses.sum::<f64>() + ridge + b.dot(theta)
            };
            let theta = perturbation.minimizer(x.view(), &y, &b).unwrap();
            let (here, mut rng) = (objective(&theta), rng());
            let length = |theta: &Array1<f64>| theta.dot(theta).sqrt();
            assert!(loss == Loss::Logistic || length(&theta) <= BALL);
            for _ in 0..2000 {
                let size = 10f64.powi(-rng.gen_range(0..5));
                let mut other = theta.mapv(|t| t + size * rng.gen_range(-1.0..1.0));
                if loss == Loss::Squares && length(&other) > BALL {
                    let factor = BALL / length(&other);
                    other *= factor;
                }
                assert!(objective(&other) >= here - 1e-9, "{loss:?} {b}: {theta} {other}");
            }
        }
    }

    /// The length of b is Gamma of shape p: 20,000 draws, five standard errors of mean and second
    /// moment; each component has mean 0, and a p-th of the squares.
    #[test]
    fn noise_has_its_distribution() {
        let n = 20_000;
        for (loss, scale) in
            [(Loss::Squares, 2.0 * (2.0 + 4.0) / 0.5), (Loss::Logistic, 2.0 * 2.0 / 0.5)]
        {
            let perturbation = ObjectivePerturbation::new(loss, 3, 0.5);
            let (p, mut rng) = (4.0, rng());
            let draws: Vec<Array1<f64>> =
                (0..n).map(|_| perturbation.noise(&mut rng).unwrap() / scale).collect();
            let mean =
                |of: &dyn Fn(&Array1<f64>) -> f64| draws.iter().map(of).sum::<f64>() / f64::from(n);
            let error = 5.0 / f64::from(n).sqrt();
            // Variances: p of the length, p (p+1)(p+2)(p+3) - p^2 (p+1)^2 = 440 of its square.
            assert!((mean(&|b| b.dot(b).sqrt()) - p).abs() < error * p.sqrt());
            assert!((mean(&|b| b.dot(b)) - p * (p + 1.0)).abs() < error * 440f64.sqrt());
            for j in 0..4 {
                assert!(mean(&|b| b[j]).abs() < error * (p + 1.0).sqrt());
                // E b_j^4 = 3 E |b|^4/(p (p + 2)) = 105.
                assert!(
                    (mean(&|b| b[j] * b[j]) - (p + 1.0)).abs() < error * (105f64 - 25.0).sqrt()
                );
            }
        }
    }

    /// The largest ratio of densities of theta between all pairs of neighboring tables of up to
    /// three rows without features: the noise that leads to a theta is minus the gradient there of
    /// all that is without noise, and the Jacobian is its curvature.
    fn largest_ratio(loss: Loss, perturbation: &ObjectivePerturbation) -> f64 {
        let (targets, end): (&[f64], f64) = match loss {
            Loss::Squares => (&[-1.0, -0.3, 0.5, 1.0], BALL),
            Loss::Logistic => (&[-1.0, 1.0], 4.0),
        };
        let mut tables: Vec<Vec<f64>> = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..3 {
            let to = tables.len();
            for table in from..to {
                for y in targets {
                    let longer = [&tables[table][..], &[*y]].concat();
                    tables.push(longer);
                }
            }
            from = to;
        }
        let sigmoid = |z: f64| 1.0 / (1.0 + (-z).exp());
        let density = |table: &[f64], theta: f64| {
            let (mut gradient, mut curvature) = (perturbation.ridge * theta, perturbation.ridge);
            for y in table {
                gradient +=
                    if loss == Loss::Squares { theta - y } else { -y * sigmoid(-y * theta) };
                curvature +=
                    if loss == Loss::Squares { 1.0 } else { sigmoid(theta) * sigmoid(-theta) };
            }
            (-gradient.abs() / perturbation.scale).exp() * curvature
        };
        let mut largest = 1.0f64;
        for table in tables.iter().filter(|table| table.len() < 3) {
            for y in targets {
                let longer = [&table[..], &[*y]].concat();
                for step in -100..=100 {
                    let theta = end * f64::from(step) / 100.0;
                    let ratio = density(table, theta) / density(&longer, theta);
                    largest = largest.max(ratio).max(1.0 / ratio);
                }
            }
        }
        largest
    }

    /// Without features the two halves of epsilon never add up, so that only a gross violation is
    /// detected: a quarter of the noise, or a thirty-second of the ridge.
    #[test]
    fn densities_of_neighbors_differ_by_at_most_epsilon() {
        for loss in [Loss::Squares, Loss::Logistic] {
            for epsilon in [0.5, 2.0] {
                let sound = ObjectivePerturbation::new(loss, 0, epsilon);
                let found = largest_ratio(loss, &sound).ln();
                assert!(found <= epsilon && found > 0.45 * epsilon, "{loss:?} {epsilon}: {found}");
                let little_noise = ObjectivePerturbation { scale: sound.scale / 4.0, ..sound };
                let little_ridge = ObjectivePerturbation { ridge: sound.ridge / 32.0, ..sound };
                for broken in [little_noise, little_ridge] {
                    assert!(largest_ratio(loss, &broken).ln() > epsilon, "{loss:?} {epsilon}");
                }
            }
        }
    }
}
