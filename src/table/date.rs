//! Dates and times of day in text.
//!
//! A date is the number of days since 1970-01-01, with the time of day as a fraction. The supported
//! forms are `YYYY-MM-DD` and, after `T` or a blank, `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff` (up to
//! nine digits): ISO 8601 with hyphens and colons, in the Gregorian calendar, also for the years
//! before it. `Z`, `UTC`, `GMT`, an offset (`+02`, `+0200`, `+02:00`) and a zone in brackets after
//! one may follow: the date is that of the instant in UTC. Without them a date is taken as it is.
//!
//! A time of day without a date is a number of seconds. 2023-02-29, 24:00, leap seconds and zones
//! that are given only by name are not supported.

/// The number of nanoseconds in a day.
const DAY: i128 = 86_400 * SECOND;
const SECOND: i128 = 1_000_000_000;

/// The number of days that nanoseconds since 1970-01-01 make.
pub(crate) fn days_of(nanoseconds: i128) -> f64 {
    // The time of the day is below 2^53 nanoseconds: exactly an `f64`.
    nanoseconds.div_euclid(DAY) as f64 + nanoseconds.rem_euclid(DAY) as f64 / DAY as f64
}

/// The text of a date, by its nanoseconds since 1970-01-01; `None` outside the years 0 to 9999.
pub(crate) fn date_text(nanoseconds: i128) -> Option<String> {
    let day = i64::try_from(nanoseconds.div_euclid(DAY)).ok()?;
    let (year, month, day) = civil(day).filter(|(year, ..)| (0..=9999).contains(year))?;
    let date = format!("{year:04}-{month:02}-{day:02}");
    Some(match nanoseconds.rem_euclid(DAY) {
        0 => date,
        time => format!("{date}T{}", time_text(time)?),
    })
}

/// The text of a time of day, by its nanoseconds since midnight; `None` if a day has fewer.
pub(crate) fn time_text(nanoseconds: i128) -> Option<String> {
    if !(0..DAY).contains(&nanoseconds) {
        return None;
    }
    let (seconds, rest) = (nanoseconds / SECOND, nanoseconds % SECOND);
    let text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    Some(match rest {
        0 => text,
        rest => format!("{text}.{rest:09}").trim_end_matches('0').to_owned(),
    })
}

/// Year, month and day of a number of days since 1970-01-01, near the years 0 to 9999.
fn civil(day: i64) -> Option<(i64, i64, i64)> {
    // Days of a cycle of 400 years, from the first of March of the year 0.
    const CYCLE: i64 = 146_097;
    let since = day.checked_add(719_468)?;
    let (cycle, of_cycle) = (since.div_euclid(CYCLE), since.rem_euclid(CYCLE));
    let year = (of_cycle - of_cycle / 1_460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year + 400 * cycle + i64::from(month <= 2);
    Some((year, month, of_year - (153 * shifted + 2) / 5 + 1))
}

/// The days since 1970-01-01 of a date in text; `None` if it is not a valid date.
pub(crate) fn date(text: &[u8]) -> Option<f64> {
    let (day, time) = text.split_first_chunk()?;
    let day = DAY * i128::from(day_number(day)?);
    match time.split_first() {
        None => Some(days_of(day)),
        Some((b'T' | b' ', time)) => {
            let clock = |byte: &u8| byte.is_ascii_digit() || b":.".contains(byte);
            let end = time.iter().position(|byte| !clock(byte)).unwrap_or(time.len());
            let (time, zone) = time.split_at(end);
            Some(days_of(day + nanoseconds(time)? - offset(zone)?))
        }
        Some(_) => None,
    }
}

/// The number of a day, from 1970-01-01.
fn day_number(text: &[u8; 10]) -> Option<i64> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else { return None };
    let (year, month) = (digits(&[y1, y2, y3, y4])?, digits(&[m1, m2])?);
    let day = digits(&[d1, d2])?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let month = usize::try_from(month).ok()?.checked_sub(1)?;
    if !(1..=*lengths.get(month)?).contains(&day) {
        return None;
    }
    // The 29ths of February before a year: every fourth year from the year 0 on, except for
    // centuries that 400 does not divide.
    let leaps = |year: i64| (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
    let years = 365 * (year - 1970) + leaps(year) - leaps(1970);
    Some(years + lengths[..month].iter().sum::<i64>() + day - 1)
}

/// The seconds from midnight to a time of day in text; its hour may have one digit.
pub(crate) fn time_of_day(text: &[u8]) -> Option<f64> {
    let nanoseconds = match text {
        [_, b':', ..] => nanoseconds(&[b"0", text].concat()),
        _ => nanoseconds(text),
    };
    Some(nanoseconds? as f64 / SECOND as f64)
}

/// The nanoseconds by which the local time is ahead of UTC; 0 without a zone.
fn offset(zone: &[u8]) -> Option<i128> {
    let zone = zone.trim_ascii_start();
    // A zone's name after the offset adds nothing.
    let zone = match (zone.iter().position(|byte| *byte == b'['), zone) {
        (Some(start @ 1..), [.., b']']) => &zone[..start],
        _ => zone,
    };
    let (sign, minutes) = match zone {
        b"" | b"Z" | b"UTC" | b"GMT" => return Some(0),
        [b'+', minutes @ ..] => (1, minutes),
        [b'-', minutes @ ..] => (-1, minutes),
        _ => return None,
    };
    let (hour, minute) = match *minutes {
        [h1, h2] => (digits(&[h1, h2])?, 0),
        [h1, h2, m1, m2] | [h1, h2, b':', m1, m2] => (digits(&[h1, h2])?, digits(&[m1, m2])?),
        _ => return None,
    };
    let seconds = sign * i128::from(hour * 3600 + minute * 60);
    (hour < 24 && minute < 60).then_some(seconds * SECOND)
}

/// The nanoseconds from midnight to a time of day.
fn nanoseconds(text: &[u8]) -> Option<i128> {
    let (minutes, rest) = text.split_first_chunk()?;
    let [h1, h2, b':', m1, m2] = *minutes else { return None };
    let (hour, minute) = (digits(&[h1, h2])?, digits(&[m1, m2])?);
    let (second, fraction) = match rest {
        [] => (0, 0),
        [b':', s1, s2] => (digits(&[*s1, *s2])?, 0),
        [b':', s1, s2, b'.', places @ ..] => (digits(&[*s1, *s2])?, billionths(places)?),
        _ => return None,
    };
    let valid = hour < 24 && minute < 60 && second < 60;
    valid.then(|| i128::from(hour * 3600 + minute * 60 + second) * SECOND + i128::from(fraction))
}

/// The billionths that one to nine decimal places stand for.
fn billionths(places: &[u8]) -> Option<i64> {
    let missing = 9u32.checked_sub(u32::try_from(places.len()).ok()?)?;
    Some(digits(places)? * 10i64.pow(missing))
}

/// The number that at most nine digits make.
fn digits(text: &[u8]) -> Option<i64> {
    let all = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    all.then(|| text.iter().fold(0, |number, digit| 10 * number + i64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All days of the years 0 to 9999, counted one by one.
    #[test]
    fn every_day_follows_the_day_before() {
        let mut day = 0;
        let mut origin = None;
        for year in 0..=9999 {
            for month in 1..=12 {
                let length = match month {
                    2 if year % 400 == 0 || year % 4 == 0 && year % 100 != 0 => 29,
                    2 => 28,
                    4 | 6 | 9 | 11 => 30,
                    _ => 31,
                };
                for of_month in [1, 2, length] {
                    let text = format!("{year:04}-{month:02}-{of_month:02}");
                    let found = date(text.as_bytes()).unwrap();
                    assert_eq!(date_text(found as i128 * DAY), Some(text.clone()));
                    let first = *origin.get_or_insert(found);
                    assert_eq!(found, first + f64::from(day + of_month - 1), "{text}");
                }
                for of_month in [0, length + 1] {
                    let text = format!("{year:04}-{month:02}-{of_month:02}");
                    assert_eq!(date(text.as_bytes()), None, "{text}");
                }
                day += length;
            }
        }
    }

    /// Numbers of days as Python's `datetime` gives them.
    #[test]
    fn known_days() {
        for (text, days) in [
            ("1970-01-01", 0.0),
            ("1969-12-31", -1.0),
            ("2000-02-29", 11_016.0),
            ("2024-12-31", 20_088.0),
            ("1900-03-01", -25_508.0),
            ("0001-01-01", -719_162.0),
            ("9999-12-31", 2_932_896.0),
            ("1970-01-02T12:00", 1.5),
            ("1970-01-02 06:00:00", 1.25),
            ("1969-12-31T18:00Z", -0.25),
            ("1970-01-01T00:00:01", 1.0 / 86_400.0),
            ("1970-01-01T00:00:00.5", 0.5 / 86_400.0),
            ("1970-01-01 00:00:00.000000001Z", 1.0 / 86_400e9),
            ("1970-01-01T23:59:59.999", 86_399_999.0 / 86_400_000.0),
            ("1970-01-02T02:00+02:00", 1.0),
            ("1970-01-01 22:30:00-0130", 1.0),
            ("1970-01-01 12:00:00.25+00", 0.5 + 0.25 / 86_400.0),
            ("1970-01-01 00:15+05:45", -1.0 + 66_600.0 / 86_400.0),
            ("1970-01-02 00:00:00 UTC", 1.0),
            ("1970-01-02T01:00:00+01:00[Europe/Paris]", 1.0),
        ] {
            assert_eq!(date(text.as_bytes()), Some(days), "{text}");
        }
    }

    #[test]
    fn invalid_dates_are_refused() {
        for text in [
            "2023-02-29",
            "1900-02-29",
            "2023-00-10",
            "2023-13-01",
            "2023-04-31",
            "2023-4-01",
            "20230401",
            "01-04-2023",
            "2023/04/01",
            "2023-04-01Z",
            "2023-04-01T",
            "2023-04-01T12",
            "2023-04-01T24:00",
            "2023-04-01T12:60",
            "2023-04-01T12:00:60",
            "2023-04-01T12:00:00.",
            "2023-04-01T12:00:00.1234567890",
            "2023-04-01T12:00+2:00",
            "2023-04-01T12:00+02:60",
            "2023-04-01T12:00+24",
            "2023-04-01T12:00 CET",
            "2023-04-01T12:00[UTC]",
            "2023-04-01+02:00",
            "2023-04-01T12:00Z+02",
            "2023-04-01  12:00",
            "2023-04-01t12:00",
            "+023-04-01",
            "2023-04-0",
            "",
        ] {
            assert_eq!(date(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn nanoseconds_before_1970() {
        assert_eq!(days_of(-1), -1.0 + (DAY - 1) as f64 / DAY as f64);
        assert_eq!(days_of(-DAY), -1.0);
        assert_eq!(days_of(DAY / 8 * 11), 1.375);
    }

    #[test]
    fn texts_are_read_back() {
        for text in
            ["1969-12-31T23:59:59.999999999", "2024-02-29T06:30:00", "0000-01-01T00:00:01.5"]
        {
            let (day, time) = text.split_once('T').unwrap();
            let days = day_number(day.as_bytes().first_chunk().unwrap()).unwrap();
            let all = i128::from(days) * DAY + nanoseconds(time.as_bytes()).unwrap();
            assert_eq!(date_text(all).as_deref(), Some(text));
        }
        assert_eq!(date_text(i128::from(i64::MAX) * DAY), None);
        assert_eq!(date_text(-800_000 * DAY), None);
        assert_eq!(time_text(1_500_000_000).as_deref(), Some("00:00:01.5"));
        assert_eq!((time_text(-1), time_text(DAY)), (None, None));
    }

    #[test]
    fn times_of_day() {
        for (text, seconds) in [
            ("00:00", 0.0),
            ("06:30", 23_400.0),
            ("6:30", 23_400.0),
            ("23:59:59", 86_399.0),
            ("00:00:01.5", 1.5),
            ("12:00:00.123456789", 43_200.123_456_789),
        ] {
            assert_eq!(time_of_day(text.as_bytes()), Some(seconds), "{text}");
        }
        for text in [
            "", ":", "1:2", "24:00", "12:60", "12:30:60", "12:30 ", "12:30Z", "012:30", "-1:30",
            "12.30",
        ] {
            assert_eq!(time_of_day(text.as_bytes()), None, "{text}");
        }
    }
}
