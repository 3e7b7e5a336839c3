//! Date and time in UTC.

/// The time a number of seconds after 1970-01-01, such as `2026-11-22T09:30:00Z`, before the year
/// 10000.
pub fn utc(seconds: u64) -> Option<String> {
    let (day, second) = (day(seconds / 86_400)?, seconds % 86_400);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!("{day}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// Whether a text has the form of [`utc`].
pub(super) fn is_utc(text: &str) -> bool {
    let form = b"0000-00-00T00:00:00Z";
    let fits = |(byte, form): (u8, u8)| match form {
        b'0' => byte.is_ascii_digit(),
        _ => byte == form,
    };
    text.len() == form.len() && text.bytes().zip(*form).all(fits)
}

/// The date a number of days after 1970-01-01, before the year 10000.
fn day(days: u64) -> Option<String> {
    // Years from March on, in eras of 400 years, which all have 146097 days; 719468 days lie
    // between 0000-03-01 and 1970-01-01.
    let days = days.checked_add(719_468)?;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months from March on have 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31 days: 153 in five.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        0..=9 => (400 * era + year, month + 3),
        _ => (400 * era + year + 1, month - 9),
    };
    (year < 10_000).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All days of 900 years, counted one by one.
    #[test]
    fn days_are_counted_as_in_a_calendar() {
        let leap = |year: u64| {
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
        };
        let mut days = 0;
        for year in 1970..2870 {
            let february = if leap(year) { 29 } else { 28 };
            let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (month, length) in (1..).zip(months) {
                for date in 1..=length {
                    assert_eq!(day(days).unwrap(), format!("{year}-{month:02}-{date:02}"));
                    days += 1;
                }
            }
        }
        assert_eq!(day(2_932_896).as_deref(), Some("9999-12-31"));
        assert_eq!((day(2_932_897), day(u64::MAX)), (None, None));
    }

    #[test]
    fn times_have_one_form() {
        assert_eq!(utc(0).unwrap(), "1970-01-01T00:00:00Z");
        assert_eq!(utc(86_399).unwrap(), "1970-01-01T23:59:59Z");
        // The billennium, as it was celebrated.
        assert_eq!(utc(1_000_000_000).unwrap(), "2001-09-09T01:46:40Z");
        assert_eq!(utc(u64::MAX), None);
        assert!(is_utc("2001-09-09T01:46:40Z"));
        for other in ["2001-09-09T01:46:40", "2001-09-09 01:46:40Z", "2001-09-09T01:46:4xZ", ""] {
            assert!(!is_utc(other), "{other}");
        }
    }
}
