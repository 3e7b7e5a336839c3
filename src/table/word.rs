//! Categories in cells: a text that is not a number, as a value among the numbers.
//!
//! The value of a word is a quiet NaN whose 51 bits of payload are a hash of the text, never 0. So
//! a cell takes the 8 bytes of a number, and code that reads numbers alone takes a category as
//! missing. A missing value is `f64::NAN`, whose payload is 0. Two words are the same if their
//! payloads are.
//!
//! The hash is XXH3-64, with its lowest 51 bits kept and 0 replaced by 1. It is public and fixed,
//! so a test of a cell for one payload is a function of that cell alone, chosen before any data is
//! seen. Two texts that share a hash count as one word: this may cost a little utility, never
//! privacy. Among a thousand words it happens with a probability of 2^-32.
//!
//! Cost: one hash for each cell that is not a number.
//!
//! Source: Y. Collet, the specification of xxHash (XXH3, with seed 0), which is frozen.

use xxhash_rust::xxh3::xxh3_64;

/// The bits of a NaN that hold the hash: all below the one that makes it quiet.
const PAYLOAD: u64 = (1 << 51) - 1;

/// The value of a word: blanks around it are ignored, upper and lower case differ, and any bytes
/// may be one.
pub(crate) fn word(text: &[u8]) -> f64 {
    let payload = (xxh3_64(text.trim_ascii()) & PAYLOAD).max(1);
    f64::from_bits(f64::NAN.to_bits() | payload)
}

/// The value of the word with this number, from 0, in a given list.
pub(crate) fn nth_word(number: usize) -> f64 {
    f64::from_bits(f64::NAN.to_bits() | (number as u64 + 1))
}

/// The hash of the word that a value stands for; `None` for a number and for a missing value.
///
/// Only for tables that [may hold words](crate::table::open_table::Table::has_words):
/// the NaNs of others have any payload.
#[inline]
pub(crate) fn word_of(value: f64) -> Option<u64> {
    let payload = value.to_bits() & PAYLOAD;
    (value.is_nan() && payload != 0).then_some(payload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Published values for seed 0.
    #[test]
    fn hash_matches_published_values() {
        assert_eq!(xxh3_64(b""), 0x2d06_8005_38d3_94c2);
        assert_eq!(xxh3_64(b"a"), 0xe6c6_32b6_1e96_4e1f);
        assert_eq!(xxh3_64(b"abc"), 0x78af_5f94_892f_3950);
        assert_eq!(word_of(word(b"")), Some(0x2d06_8005_38d3_94c2 & ((1 << 51) - 1)));
    }

    #[test]
    fn numbers_and_missing_values_are_not_words() {
        for value in [0.0, -0.0, 1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN] {
            assert_eq!(word_of(value), None, "{value}");
        }
        assert_eq!(f64::NAN.to_bits(), 0x7ff8_0000_0000_0000);
    }

    #[test]
    fn blanks_do_not_count_but_case_does() {
        let of = |text: &[u8]| word_of(word(text)).unwrap();
        assert_eq!(of(b" yes\t"), of(b"yes"));
        assert_ne!(of(b"Yes"), of(b"yes"));
        assert_ne!(of(b"f\xfcr"), of("für".as_bytes()));
    }

    proptest! {
        /// A word is a quiet NaN, and its payload survives copies and conversions.
        #[test]
        fn words_survive_copies(texts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..20)) {
            let values: Vec<f64> = texts.iter().map(|text| word(text)).collect();
            let mut copies = Vec::with_capacity(1);
            copies.extend(values.iter().map(|&value| Into::<f64>::into(value)));
            copies.extend_from_within(..);
            for (copy, text) in copies.iter().zip(texts.iter().chain(&texts)) {
                let expected = match xxh3_64(text.trim_ascii()) % (1 << 51) {
                    0 => 1,
                    hash => hash,
                };
                prop_assert!(copy.is_nan());
                prop_assert_eq!(copy.to_bits() >> 51, 0xfff);
                prop_assert_eq!(word_of(*copy), Some(expected));
            }
        }
    }
}
