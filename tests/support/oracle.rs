//! The canonical Lipschitz mechanism by brute force: all k-subsets, the loss by its definition, the
//! exact distribution by quadrature. It knows nothing of classes, races or the library, except in
//! [`printed_tickets`], which follows a published pseudo-code to the letter.

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

/// Candidates from the best score to the worst.
fn ranking(x: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&i, &j| x[j].total_cmp(&x[i]).then(i.cmp(&j)));
    order
}

/// Loss(y|x) = (1 - gamma) x_[h+1] - gamma x_[t]: h is the largest integer below k with the top h
/// all in y, t the rank of y's worst member.
fn loss(x: &[f64], y: &[usize], gamma: f64) -> f64 {
    let order = ranking(x);
    let top = order.iter().take_while(|i| y.contains(i)).count();
    let h = top.min(y.len() - 1);
    let worst = order.iter().rposition(|i| y.contains(i)).expect("y is not empty");
    (1.0 - gamma) * x[order[h]] - gamma * x[order[worst]]
}

/// P(y) for each of [`subsets`]`(d, k)` in its order; `x` in units of the sensitivity.
pub fn canonical_law(x: &[f64], k: usize, gamma: f64, eps: f64) -> Vec<f64> {
    let all = subsets(x.len(), k);
    let losses: Vec<f64> = all.iter().map(|y| loss(x, y, gamma)).collect();
    let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let excess: Vec<f64> = losses.iter().map(|l| eps / 2.0 * (l - best)).collect();
    permute_and_flip(&excess)
}

/// The law of permute-and-flip: accept each entrant with probability p = e^-z independently and
/// return a uniform accepted one. P(i) = p_i * integral over [0, 1] of the product over j != i of
/// (1 - p_j t) dt; a polynomial of degree n - 1, for which Gauss-Legendre is exact.
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

/// All sequences of k different candidates with their joint loss, max over i of x_[i] - x_(y_i).
pub fn sequences_by_joint_loss(x: &[i64], k: usize) -> Vec<(Vec<usize>, i64)> {
    let mut sorted = x.to_vec();
    sorted.sort_unstable_by_key(|&value| std::cmp::Reverse(value));
    let loss = |y: &[usize]| y.iter().zip(&sorted).map(|(&j, best)| best - x[j]).max().unwrap_or(0);
    sequences(x.len(), k).into_iter().map(|y| (y.clone(), loss(&y))).collect()
}

/// All sequences of `k` different numbers below d.
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

/// The published pseudo-code's utility classes: for h < k and t > k all sets "head 1..h, body from
/// ranks h+1..t-1, tail t", hence C(t-h-1, k-h-1) of them. One ticket (index of the set, excess)
/// for each set of each class: sets that hold rank h+1 are also in the class of h+1, so some sets
/// hold several tickets.
pub fn printed_tickets(x: &[f64], k: usize, gamma: f64, eps: f64) -> Vec<(usize, f64)> {
    let (d, order, all) = (x.len(), ranking(x), subsets(x.len(), k));
    let score = |rank: usize| x[order[rank - 1]];
    let index_of = |ranks: &[usize]| {
        let mut y: Vec<usize> = ranks.iter().map(|&rank| order[rank - 1]).collect();
        y.sort_unstable();
        all.iter().position(|other| *other == y).expect("y is a k-subset")
    };
    let top: Vec<usize> = (1..=k).collect();
    let mut tickets = vec![(index_of(&top), 0.0)];
    for t in k + 1..=d {
        for h in 0..k {
            let (a, b) = (gamma * eps / 2.0, (1.0 - gamma) * eps / 2.0);
            let z = b * (score(h + 1) - score(k)) + a * (score(k) - score(t));
            for body in subsets(t - h - 1, k - h - 1) {
                let mut ranks: Vec<usize> = (1..=h).collect();
                ranks.extend(body.iter().map(|i| h + 1 + i));
                ranks.push(t);
                tickets.push((index_of(&ranks), z));
            }
        }
    }
    tickets
}

/// The law of permute-and-flip over tickets, summed by set.
pub fn law_of_tickets(tickets: &[(usize, f64)], sets: usize) -> Vec<f64> {
    let excess: Vec<f64> = tickets.iter().map(|ticket| ticket.1).collect();
    let mut law = vec![0.0; sets];
    for ((set, _), p) in tickets.iter().zip(permute_and_flip(&excess)) {
        law[*set] += p;
    }
    law
}

/// max over outcomes of |ln(P(y) / P'(y))|; infinite where one law can and the other cannot.
pub fn max_log_ratio(law: &[f64], other: &[f64]) -> f64 {
    let ratio = |(p, q): (&f64, &f64)| if p == q { 0.0 } else { (p.ln() - q.ln()).abs() };
    law.iter().zip(other).map(ratio).fold(0.0, f64::max)
}
