//! stand-in
pub(crate) fn word_of(value: f64) -> Option<u64> {
    let bits = value.to_bits();
    (value.is_nan() && bits != f64::NAN.to_bits()).then_some(bits & ((1 << 51) - 1))
}
