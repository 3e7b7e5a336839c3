//! A survey: answers from 1 to 5, M/F, words, and people who prefer not to say.
//!
//! Answers are cuts of a normal value that shares 16% of its variance among the items of a person
//! (some agree with everything); 3% are "prefer not to say" and 3% are empty. The odds of leaving
//! follow a logistic model with log odds -0.5 + 0.75, -0.65 and 0.6 per standard deviation of three
//! items, 0.75 between F and the others and 0.85 for one of four kinds of contract. One of every
//! eight unrelated columns has five categories.

use super::draft::{Column, Outcome, with_gaps};
use super::draw::Draw;
use super::{PLANTED, Planted};

const SILENT: &str = "prefer not to say";
/// Effects of the three true items, per standard deviation.
const EFFECTS: [f64; 3] = [0.75, -0.65, 0.6];

pub(super) fn table(n: usize, d: usize, draw: &mut Draw) -> Planted {
    let style = draw.normals(n);
    let mut columns: Vec<Column> = Vec::with_capacity(d);
    let mut log_odds = vec![-0.5; n];
    for (j, effect) in EFFECTS.iter().enumerate() {
        let answers = answers(&style, draw);
        for (odds, answer) in log_odds.iter_mut().zip(&answers) {
            *odds += effect * (f64::from(*answer) - 3.15) / 1.15;
        }
        columns.push((format!("item_{}", j + 1), as_text(&answers, draw)));
    }
    let gender: Vec<usize> = (0..n).map(|_| draw.one_of(&[0.48, 0.47, 0.05])).collect();
    let contract: Vec<usize> = (0..n).map(|_| draw.one_of(&[0.4, 0.3, 0.2, 0.1])).collect();
    for (i, odds) in log_odds.iter_mut().enumerate() {
        *odds += if gender[i] == 1 { 0.375 } else { -0.375 };
        *odds += if contract[i] == 1 { 0.85 } else { 0.0 };
    }
    let genders = words(&gender, &["M", "F", SILENT]);
    let contracts = words(&contract, &["permanent", "fixed-term", "freelance", "trainee"]);
    columns.push(("gender".to_owned(), genders));
    columns.push(("contract".to_owned(), with_gaps(contracts, 0.04, draw)));
    columns.extend((PLANTED..d).map(|j| match j % 8 {
        0 => {
            let shares = [0.3, 0.25, 0.2, 0.15, 0.1];
            let choice: Vec<usize> = (0..n).map(|_| draw.one_of(&shares)).collect();
            let cells = words(&choice, &["city", "suburb", "town", "village", SILENT]);
            (format!("choice_{j}"), with_gaps(cells, 0.04, draw))
        }
        _ => (format!("item_{j}"), as_text(&answers(&style, draw), draw)),
    }));
    Outcome::logistic(&log_odds, ["stays", "leaves"], draw).shuffled(columns, draw)
}

/// Answers from 1 to 5: a share 0.4^2 of their variance is the person's style.
fn answers(style: &[f64], draw: &mut Draw) -> Vec<u8> {
    let own = (1.0f64 - 0.4 * 0.4).sqrt();
    let answer = |style: &f64| {
        let value = 0.4 * style + own * draw.normal();
        1 + [-1.5, -0.5, 0.4, 1.3].iter().map(|cut| u8::from(value > *cut)).sum::<u8>()
    };
    style.iter().map(answer).collect()
}

fn as_text(answers: &[u8], draw: &mut Draw) -> Vec<String> {
    let cell = |answer: &u8| match draw.one_of(&[0.94, 0.03, 0.03]) {
        1 => SILENT.to_owned(),
        2 => String::new(),
        _ => answer.to_string(),
    };
    answers.iter().map(cell).collect()
}

fn words(choice: &[usize], words: &[&str]) -> Vec<String> {
    choice.iter().map(|choice| words[*choice].to_owned()).collect()
}
