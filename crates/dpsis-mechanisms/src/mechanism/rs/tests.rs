/// The counterexample of "Private Selection with Heterogeneous Sensitivities" (2025), appendix B:
/// candidate 1 has a sensitivity of nearly 0 and score 0, m others one of 1. With exponential noise
/// the others always beat candidate 1 from 0, so that it wins only if no other is looked at;
/// from -1 they do not. With Laplace noise both are possible.
#[test]
fn exponential_noise_is_not_enough() {
    let eps = 1.0f64;
    let g = |s: f64, stop: f64| stop * s / (1.0 - (1.0 - stop) * s);
    let mut last = 0.0;
    for m in [20.0, 1e3, 1e6] {
        let alone = 1.0 / (m + 1.0);
        let below = 1.0 - (-eps).exp();
        let ratio = (g(alone + (1.0 - alone) * below, 1e-3) / g(alone, 1e-3)).ln();
        assert!(ratio > 3.0 * eps && ratio > last, "m = {m}: {ratio}");
        last = ratio;
    }
}
