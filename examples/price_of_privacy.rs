//! The cost of privacy: `cargo run --release --example price_of_privacy`.
//!
//! How far k good scores must lie above all others, in units of the sensitivity, until exactly these k are
//! released with probability p: for any mechanism by a theorem, and for three mechanisms by draws.
//!
//! **Theorem.** Let C = C(d, k). One table, the center, has d equal scores. For each set S of k features,
//! table T(S, m) has m more rows: each raises the scores in S by 1 and lowers all others by 1, a gap of 2m.
//! (With correlations of +1 and -1 as scores, all features agree with the target in m rows of the center; in
//! the new rows features in S agree, all others disagree.) If a mechanism that may use the whole table is
//! eps-differentially private for one row more or less, and releases S for T(S, m) with probability p on
//! average over S, then for all whole j from 0 to m
//!
//! ```text
//! 1 - p >= e^(-eps (m - j)) (1 - e^(eps j)/C).
//! ```
//!
//! *Proof.* At the center the probabilities of all S add up to at most 1: their mean is at most 1/C. By group
//! privacy their mean at T(S, j) is at most e^(eps j)/C. So S is missed there with a mean probability of at
//! least 1 - e^(eps j)/C, and at T(S, m), m - j rows further, with at least e^(-eps (m - j)) times that.
//!
//! - j = m is the packing bound, a gap of 2m >= 2 ln(C p)/eps.
//! - e^(eps j) = C/2 is sharper for p > 1/2, as 4 p (1 - p) < 1: 2m >= 2 ln(C/(4 (1 - p)))/eps.
//!
//! The second holds in this form for mechanisms whose probabilities change by a factor of at most e^(eps t)
//! when scores change by at most t, for all real t, as for the mechanisms below; in general j and m are
//! whole. The 2m rows between T(S, m) and T(S', m) prove 2m >= ln((C - 1) p/(1 - p))/eps, which is never
//! more. These tables prove nothing sharper: if p grows from 1/C with each row by the largest factor that p
//! and 1 - p allow, and the other sets share 1 - p equally, the releases are private.
//!
//! **Canonical with gamma 1.** Each of the C - 1 wrong sets contains a score lower by the gap g or more. With
//! q = e^(-eps g/2) the k best are released with probability (1 - (1 - q)^C)/(C q) >= 1 - C q/2 or more. This
//! is at least p from a gap of 2 ln(C/(2 (1 - p)))/eps on: at most 2 ln(2)/eps above the sharper bound.

#![allow(clippy::print_stdout)] // an example prints

use dpsis::mechanism::{CanonicalLipschitz, Mechanism, Peel, PeelPermuteAndFlip};
use dpsis::{Epsilon, Neighbors, Result, Scores, Seeded};

const D: usize = 1_000;
const KS: [usize; 3] = [1, 5, 20];
const EPS: f64 = 1.0;
const P: f64 = 0.9;
const DRAWS: u64 = 5_000;
/// Scores are whole multiples of 1/UNIT of the sensitivity.
const UNIT: f64 = 100.0;

fn main() -> Result<()> {
    println!("Gap for the top k of {D} with probability {P} at epsilon {EPS}: draws (exact)\n");
    println!("| k | packing | sharper | canonical, gamma 1 | default gamma | peel-pnf | peel |");
    println!("{}|", "| --- ".repeat(7));
    for k in KS {
        let (sets, gamma) = (binomial(D, k), if k == 1 { 1.0 } else { 0.5 });
        let (packing, sharper) = (2.0 * (sets * P).ln() / EPS, sharper_bound(sets, EPS));
        let cells = [
            cell(&CanonicalLipschitz::with_gamma("1")?, k, |gap| canonical(sets, gap))?,
            cell(&CanonicalLipschitz::default(), k, |gap| canonical(sets, gamma * gap))?,
            cell(&PeelPermuteAndFlip, k, |gap| peel_pnf(k, gap))?,
            cell(&Peel, k, |gap| peel(k, gap))?,
        ];
        println!("| {k} | {packing:.1} | {sharper:.1} | {} |", cells.join(" | "));
    }
    println!();
    for k in KS {
        let sets = binomial(D, k);
        let any = 2 * least_rows(|m| largest_p(sets, EPS, m));
        let ours = 2 * least_rows(|m| canonical(sets, f64::from(2 * m)));
        println!("k = {k}, gaps 2m with whole m: any mechanism {any}, canonical, gamma 1: {ours}");
    }
    Ok(())
}

fn binomial(n: usize, r: usize) -> f64 {
    (0..r).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

fn sharper_bound(sets: f64, eps: f64) -> f64 {
    2.0 * (sets / (4.0 * (1.0 - P))).ln() / eps
}

/// The largest p that the theorem allows.
fn largest_p(sets: f64, eps: f64, m: u32) -> f64 {
    let missed = |j| (-eps * f64::from(m - j)).exp() * (1.0 - (eps * f64::from(j)).exp() / sets);
    1.0 - (0..=m).map(missed).fold(0.0, f64::max)
}

fn least_rows(p: impl Fn(u32) -> f64) -> u32 {
    (1..).find(|rows| p(*rows) >= P).unwrap_or(u32::MAX)
}

/// The least gap by draws, the seeds the same for each gap, and by the exact probability.
fn cell(mechanism: &impl Mechanism, k: usize, exact: impl Fn(f64) -> f64) -> Result<String> {
    let epsilon: Epsilon = EPS.to_string().parse()?;
    let by_draws = |gap: f64| {
        let values = (0..D).map(|i| if i < k { (gap * UNIT) as i64 } else { 0 }).collect();
        let scores = Scores::new(values, UNIT as u64, Neighbors::AddRemove)?;
        let draw = |seed| mechanism.pick(&scores, k, &epsilon, Seeded(seed));
        let picks = (0..DRAWS).map(draw).collect::<Result<Vec<_>>>()?;
        let found = picks.iter().filter(|picks| picks.iter().all(|pick| *pick < k)).count();
        Ok(found as f64 / DRAWS as f64)
    };
    let (drawn, exact) = (least_gap(0.002, by_draws)?, least_gap(1e-6, |gap| Ok(exact(gap)))?);
    Ok(format!("{drawn:.1} ({exact:.1})"))
}

/// The least gap at which the probability is P, by bisection to a relative width.
fn least_gap(width: f64, p: impl Fn(f64) -> Result<f64>) -> Result<f64> {
    let (mut low, mut high) = (0.0, 1024.0);
    while high - low > width * high {
        let middle = f64::midpoint(low, high);
        *(if p(middle)? < P { &mut low } else { &mut high }) = middle;
    }
    Ok(f64::midpoint(low, high))
}

fn canonical(sets: f64, gap: f64) -> f64 {
    let q = (-EPS * gap / 2.0).exp();
    -(sets * (-q).ln_1p()).exp_m1() / (sets * q)
}

/// In the round with m good candidates left, the largest of m exponentials exceeds all others.
fn peel_pnf(k: usize, gap: f64) -> f64 {
    let (q, bad, steps) = ((-EPS * gap / (2 * k) as f64).exp(), (D - k) as i32, 2_000);
    let at = |m: i32, u: f64| (1.0 - q * u).powi(bad) * f64::from(m) * (1.0 - u).powi(m - 1);
    let sum = |m| (0..steps).map(|i| at(m, (f64::from(i) + 0.5) / f64::from(steps))).sum::<f64>();
    (1..=k as i32).map(|m| sum(m) / f64::from(steps)).product()
}

fn peel(k: usize, gap: f64) -> f64 {
    let bad = (D - k) as f64 * (-EPS * gap / (2 * k) as f64).exp();
    (1..=k).map(|m| m as f64 / (m as f64 + bad)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All recoveries on a grid that are private 1, 2 and 3 rows from the center, d = 4, k = 2.
    #[test]
    fn no_private_recovery_exceeds_the_bound_and_one_attains_it() {
        let steps = 600;
        let near = |a: i32, b: i32| f64::from(a) <= EPS.exp() * f64::from(b);
        let mut private = vec![steps / 6];
        for m in 1..=3 {
            let next = |b: i32| private.iter().any(|a| near(b, *a) && near(steps - a, steps - b));
            private = (0..=steps).filter(|b| next(*b)).collect();
            let best = f64::from(*private.last().unwrap()) / f64::from(steps);
            let bound = largest_p(binomial(4, 2), EPS, m);
            assert!(best <= bound && best > bound - 0.01, "{m}: {best}, {bound}");
        }
    }

    #[test]
    fn canonical_is_near_the_limit_of_small_steps() {
        for sets in [(4, 2), (1_000, 1), (1_000, 20)].map(|(d, k)| binomial(d, k)) {
            let gap = 2 * least_rows(|m| largest_p(sets, 0.01, m));
            let bound = sharper_bound(sets, 0.01);
            assert!((f64::from(gap) - bound).abs() < 3.0, "{sets}: {gap}, {bound}");
            let least = least_gap(1e-6, |gap| Ok(canonical(sets, gap))).unwrap();
            let over = least - sharper_bound(sets, EPS);
            assert!(0.0 < over && over < 2.0 * 2f64.ln(), "{sets}: {over}");
        }
    }
}
