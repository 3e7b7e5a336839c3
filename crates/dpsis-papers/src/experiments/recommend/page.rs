//! The section of the page on recommendations.

use dpsis::Result;
use dpsis::report::{Block, Section};

use crate::experiments::experiment::Experiment;
use crate::experiments::parts::{curves, figure, paragraph, row};
use crate::experiments::recommend::measures::{
    BIN, BINS, EPSILONS, ERROR, HISTOGRAM, Measures, USERS,
};
use crate::experiments::recommend::statements::statements;
use crate::experiments::recommend::users::sizes;
use crate::recommend::{
    CANDIDATES, EXACT, GROUPS, Interactions, LAMBDA, LEAST, LOYALTY, NEIGHBORS,
};
use crate::rivals::{RIVALS, STOP};
use dpsis_eval::figure::{BarChart, Curve, CurveChart, CurvePoint};

/// The name of the file of results.
pub(super) const DATA: &str = "recommend.csv";

/// The budgets at which mGEM and GEM are compared by correlation.
const SHOWN: [&str; 3] = ["0.1", "1", "4"];

/// The facts about a set that are known before anything is measured.
pub(super) struct About {
    generated: bool,
    users: usize,
    items: usize,
    interactions: usize,
    training: usize,
}

impl About {
    pub(super) fn of(
        experiment: &Experiment<'_>,
        all: &Interactions,
        [training, _]: &[Interactions; 2],
    ) -> Self {
        Self {
            generated: experiment.interactions.is_none(),
            users: all.users(),
            items: all.catalog(),
            interactions: all.count(),
            training: training.users(),
        }
    }

    fn source(&self) -> String {
        if self.generated {
            format!(
                "No file of interactions was given (--interactions), so the set is generated: items with \
                 the weights 1/(rank + 10), dealt to {GROUPS} groups at random; each user has a favorite \
                 group and takes an item from it with probability {LOYALTY}, otherwise from all. What \
                 comes out says nothing about real users."
            )
        } else {
            "The interactions are those of the file. Ratings are binarized as by Spišák et al. (2023): 4 \
             and more of 5 is an interaction, less is none; without ratings each line is one. Several of \
             the same user and item count once."
                .to_owned()
        }
    }

    fn model(&self) -> String {
        let Self { users, items, interactions, training, .. } = self;
        let fitted = if *items <= EXACT {
            "The model is EASE, exactly (Steck, 2019), which SANSA, the paper's model, approximates"
                .to_owned()
        } else {
            format!(
                "The model is a sparse approximation of EASE (Steck, 2019) on the {NEIGHBORS} strongest \
                 neighbors of each item; SANSA, the paper's model, approximates it by an incomplete \
                 factorization instead"
            )
        };
        format!(
            "Users and items with fewer than {LEAST} interactions were dropped, again and again until \
             none was left: {interactions} interactions of {users} users and {items} items remain. \
             {training} users at random are training users, whose interactions are public. {fitted}; the \
             penalty lambda is {LAMBDA}, Steck's for MovieLens 20M, on every set."
        )
    }

    fn task(&self, measures: &Measures, trials: u64) -> String {
        let held_out = measures.get(USERS, "all", "").mean as usize;
        let (drawn, draws) = sizes(trials, held_out);
        format!(
            "For each of {held_out} held-out users the {CANDIDATES} best items that the user has not \
             interacted with are the candidates; that they depend on the user is not accounted for, in \
             the paper either. An item's score is clipped to its 5% and 95% quantiles over the held-out \
             users, whose difference is its sensitivity. Each mechanism draws {draws} times at each \
             budget for each of {drawn} users; the error is the best score minus that of the pick, and \
             standard errors are over users. rs and rs-tnb stop after a look with probability {STOP}; rnm \
             and krr know the largest sensitivity only; rnm-h is not private, random does not look."
        )
    }
}

pub(super) fn section(
    experiment: &Experiment<'_>,
    about: &About,
    measures: &Measures,
) -> Result<Section> {
    let paragraphs = [about.source(), about.model(), about.task(measures, experiment.trials)];
    let mut blocks: Vec<Block> = paragraphs.iter().map(|text| paragraph(text)).collect();
    let share = |bin: i64| measures.get(HISTOGRAM, &bin.to_string(), "").mean;
    let histogram = BarChart {
        title: "Correlation of scores and sensitivities".into(),
        x_label: "Spearman's correlation of a user's candidates, tenths rounded down".into(),
        y_label: "share of users".into(),
        series: vec![("users".into(), BINS.map(share).collect())],
        first_x: BINS.start,
        reference: None,
        panels: false,
    };
    let caption = "The bar at 3 holds the users with correlations from 0.3 to 0.4.";
    let svg = histogram.svg()?;
    blocks.push(figure(experiment, "recommend-correlations", svg, caption, DATA)?);
    let caption = "Mean squared errors of the recommended item's score, with 95% bands.";
    blocks.push(curves(experiment, "recommend-errors", &errors(measures), caption, DATA)?);
    blocks.push(table(measures));
    let caption = "Means over users whose correlations lie in the same tenth, with 95% bands.";
    blocks.push(curves(
        experiment,
        "recommend-differences",
        &differences(measures),
        caption,
        DATA,
    )?);
    blocks.extend(statements(measures, about.generated));
    Ok(Section::new(
        "recommend",
        "Recommendation of an item to each user (figures 13 and 21)",
        blocks,
    ))
}

fn point(x: f64, (y, (low, high)): (f64, (f64, f64))) -> CurvePoint {
    CurvePoint { x, y, low, high }
}

fn errors(measures: &Measures) -> CurveChart {
    let at = |rival: &str, epsilon: &str| {
        let error = measures.get(ERROR, rival, epsilon);
        let (low, high) = error.band();
        point(dpsis_eval::internals::number(epsilon), (error.mean, (low.max(0.0), high)))
    };
    let curve = |rival: &str| Curve {
        label: rival.into(),
        points: EPSILONS.iter().map(|epsilon| at(rival, epsilon)).collect(),
    };
    CurveChart {
        title: "Errors of recommendations".into(),
        x_label: "epsilon".into(),
        y_label: "mean squared error".into(),
        x_log: true,
        y_log: false,
        y_range: None,
        curves: RIVALS.map(curve).to_vec(),
        references: Vec::new(),
    }
}

fn differences(measures: &Measures) -> CurveChart {
    let at = |bin: i64, epsilon: &str| {
        let found = measures.get(BIN, &bin.to_string(), epsilon);
        point((bin as f64 + 0.5) / 10.0, (found.mean, found.band()))
    };
    let curve = |epsilon: &str| Curve {
        label: format!("epsilon {epsilon}"),
        points: BINS.map(|bin| at(bin, epsilon)).collect(),
    };
    CurveChart {
        title: "What mGEM gains over GEM, by correlation".into(),
        x_label: "Spearman's correlation of a user's candidates".into(),
        y_label: "squared error of gem minus that of mgem".into(),
        x_log: false,
        y_log: false,
        y_range: None,
        curves: SHOWN.map(curve).to_vec(),
        references: Vec::new(),
    }
}

fn table(measures: &Measures) -> Block {
    let mut header = row(&["epsilon"]);
    header.extend(RIVALS.map(String::from));
    let line = |epsilon: &str| {
        let mut line = row(&[epsilon]);
        line.extend(
            RIVALS.map(|rival| format!("{:.3e}", measures.get(ERROR, rival, epsilon).mean)),
        );
        line
    };
    Block::Table {
        caption: "Mean squared errors.".into(),
        rows: EPSILONS.into_iter().map(line).collect(),
        header,
    }
}
