//! Brute force: all outcomes, the law of permute-and-flip, quadrature, the largest log-ratio.

/// All `k`-subsets of 0..d, each ascending, in lexicographic order.
pub fn subsets(d: usize, k: usize) -> Vec<Vec<usize>> {
    fn extend(d: usize, k: usize, prefix: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        if prefix.len() == k {
            all.push(prefix.clone());
            return;
        }
        for next in prefix.last().map_or(0, |last| last + 1)..d {
            prefix.push(next);
            extend(d, k, prefix, all);
            prefix.pop();
        }
    }
    let mut all = Vec::new();
    extend(d, k, &mut Vec::new(), &mut all);
    all
}

/// All subsets of 0..d of at most `most` elements, the smaller ones first.
pub fn subsets_up_to(d: usize, most: usize) -> Vec<Vec<usize>> {
    (0..=most).flat_map(|size| subsets(d, size)).collect()
}

/// The law of permute-and-flip by loss gaps z: accept each entrant independently with probability
/// p = e^-z and return a uniform one among those accepted. P(i) = p_i * integral over [0, 1] of the
/// product over j != i of (1 - p_j t) dt; the integrand is a polynomial of degree n - 1, for which
/// Gauss-Legendre is exact.
pub fn permute_and_flip(excess: &[f64]) -> Vec<f64> {
    let p: Vec<f64> = excess.iter().map(|z| (-z).exp()).collect();
    let mut law = vec![0.0; p.len()];
    for (t, weight) in gauss_legendre(p.len().div_ceil(2).max(1)) {
        // Products of all factors before and after i.
        let mut after = vec![1.0; p.len() + 1];
        for i in (0..p.len()).rev() {
            after[i] = after[i + 1] * (1.0 - p[i] * t);
        }
        let mut before = 1.0;
        for i in 0..p.len() {
            law[i] += weight * p[i] * before * after[i + 1];
            before *= 1.0 - p[i] * t;
        }
    }
    law
}

/// All sequences of `k` distinct numbers below d.
pub fn sequences(d: usize, k: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for _ in 0..k {
        let longer = |prefix: &Vec<usize>| {
            let next = (0..d).filter(|i| !prefix.contains(i)).collect::<Vec<_>>();
            next.into_iter().map(|i| [&prefix[..], &[i]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Nodes and weights on [0, 1]: roots of the Legendre polynomial by Newton's method.
pub fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    (0..n)
        .map(|i| {
            let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..100 {
                let (mut previous, mut value) = (1.0, x);
                for degree in 2..=n {
                    let m = degree as f64;
                    let next = ((2.0 * m - 1.0) * x * value - (m - 1.0) * previous) / m;
                    (previous, value) = (value, next);
                }
                slope = n as f64 * (x * value - previous) / (x * x - 1.0);
                let step = value / slope;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            ((1.0 + x) / 2.0, 1.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

/// The maximum over outcomes of |ln(P(y) / P'(y))|; infinite if an outcome is possible under one
/// law only.
pub fn max_log_ratio(law: &[f64], other: &[f64]) -> f64 {
    let ratio = |(p, q): (&f64, &f64)| if p == q { 0.0 } else { (p.ln() - q.ln()).abs() };
    law.iter().zip(other).map(ratio).fold(0.0, f64::max)
}
