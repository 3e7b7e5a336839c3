//! Targets in memory by their types.

use crate::table::target::TargetCell;

/// A type of targets in memory: numbers, or labels by their text form.
///
/// Numbers are `f64`, `f32` and integers; labels are `bool`, `char`, `str` and `String`. Convert
/// labels of other types to a `String`. NaN, infinite numbers and empty texts are missing.
pub trait ToTarget {
    /// Whether all targets of this type are numbers.
    #[doc(hidden)]
    const IS_NUMBER: bool = false;

    /// Whether all targets of this type are booleans.
    #[doc(hidden)]
    const IS_BOOLEAN: bool = false;

    /// The target in one of its two forms.
    #[doc(hidden)]
    fn to_target(&self) -> OwnTarget;
}

/// A target in memory.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub enum OwnTarget {
    Text(String),
    Number(f64),
}

impl OwnTarget {
    /// This target as a cell of a table.
    pub(crate) fn cell(&self) -> TargetCell<'_> {
        match self {
            Self::Text(text) => TargetCell::Text(text.as_bytes()),
            Self::Number(value) => TargetCell::Number(*value),
        }
    }
}

impl<T: ToTarget + ?Sized> ToTarget for &T {
    const IS_NUMBER: bool = T::IS_NUMBER;
    const IS_BOOLEAN: bool = T::IS_BOOLEAN;

    fn to_target(&self) -> OwnTarget {
        (**self).to_target()
    }
}

impl ToTarget for OwnTarget {
    fn to_target(&self) -> OwnTarget {
        self.clone()
    }
}

macro_rules! exact_numbers {
    ($($number:ty),*) => {$(
        impl ToTarget for $number {
            const IS_NUMBER: bool = true;

            fn to_target(&self) -> OwnTarget {
                OwnTarget::Number((*self).into())
            }
        }
    )*};
}

exact_numbers!(f64, i8, i16, i32, u8, u16, u32);

impl ToTarget for f32 {
    const IS_NUMBER: bool = true;

    /// The number its shortest decimal text stands for, as a file would hold it: 0.1 is 0.1.
    fn to_target(&self) -> OwnTarget {
        OwnTarget::Number(self.to_string().parse().unwrap_or(f64::NAN))
    }
}

/// Integers beyond 2^53 are not exactly an `f64`: they stay texts, which labels can distinguish.
macro_rules! wide_integers {
    ($($integer:ty),*) => {$(
        impl ToTarget for $integer {
            const IS_NUMBER: bool = true;

            fn to_target(&self) -> OwnTarget {
                let number = *self as f64;
                let exact = number.abs() < 9_007_199_254_740_992.0;
                if exact { OwnTarget::Number(number) } else { OwnTarget::Text(self.to_string()) }
            }
        }
    )*};
}

wide_integers!(i64, u64, isize, usize);

macro_rules! texts {
    ($($text:ty),*) => {$(
        impl ToTarget for $text {
            fn to_target(&self) -> OwnTarget {
                OwnTarget::Text(self.to_string())
            }
        }
    )*};
}

texts!(str, String, char);

impl ToTarget for bool {
    const IS_BOOLEAN: bool = true;

    fn to_target(&self) -> OwnTarget {
        OwnTarget::Text(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::cell::CellFormat;
    use crate::table::target::Labels;

    #[test]
    fn numbers_stay_numbers_and_labels_become_text() {
        assert_eq!(1.5.to_target(), OwnTarget::Number(1.5));
        assert_eq!(7usize.to_target(), OwnTarget::Number(7.0));
        assert_eq!(u64::MAX.to_target(), OwnTarget::Text("18446744073709551615".into()));
        assert_eq!("case".to_target(), OwnTarget::Text("case".into()));
        assert_eq!(true.to_target(), OwnTarget::Text("true".into()));
        assert_eq!(0.1f32.to_target(), OwnTarget::Number(0.1));
        assert_eq!(((1u64 << 53) + 1).to_target(), OwnTarget::Text("9007199254740993".into()));
        let labels = Labels::new(vec!["0".into(), "1".into()]).unwrap();
        let format = CellFormat::default();
        let class = |target: OwnTarget| labels.class_of(target.cell(), &format);
        assert_eq!(
            [0.0, 1.0, 1.5, f64::NAN].map(|y| class(y.to_target())),
            [Some(0), Some(1), None, None]
        );
        assert_eq!(class(1u8.to_target()), Some(1));
    }
}
