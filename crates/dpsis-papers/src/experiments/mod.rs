//! The papers' experiments, one file or folder each.

mod accuracy;
mod agreements;
mod bandit;
mod bounded_range;
mod designs;
mod experiment;
mod fig1;
mod fig8;
mod heat;
mod heterogeneous;
mod joint;
mod parts;
mod pipelines;
mod recommend;
mod regression;
mod sets;
mod table1;
mod theorem41;

pub use experiment::Experiment;

use dpsis::report::{Level, Notice, Page, Section};
use dpsis::{Error, Result};
use dpsis_eval::internals::what_is_measured;

/// The function of an experiment: runs it, writes its data and figures to the output folder and
/// returns its section of the page.
type Run = fn(&Experiment<'_>) -> Result<Section>;

/// An experiment with its name and group.
pub struct Named {
    /// The name by which it is run.
    pub name: &'static str,
    /// The paper or topic that it belongs to, also a name by which it is run.
    pub group: &'static str,
    /// A description in one line.
    pub about: &'static str,
    run: Run,
}

const fn of(name: &'static str, group: &'static str, about: &'static str, run: Run) -> Named {
    Named { name, group, about, run }
}

impl Named {
    /// Whether it selects features of tables, some of which are public sets.
    pub fn is_on_tables(&self) -> bool {
        !["bounded-range", "heterogeneous", "recommend"].contains(&self.group)
    }
}

/// All experiments, in the order of the papers.
pub static ALL: [Named; 26] = [
    of("table1", "dp-sis", "R² of a LASSO on each set", table1::run),
    of("fig1", "dp-sis", "SIS and two-stage without privacy", fig1::run),
    of("fig2", "dp-sis", "accuracy on christensen", accuracy::fig2),
    of("fig3", "dp-sis", "accuracy on sorlie", accuracy::fig3),
    of("fig4", "dp-sis", "accuracy on yeoh", accuracy::fig4),
    of("fig5", "dp-sis", "accuracy on the synthetic set", accuracy::fig5),
    of("fig6", "dp-sis", "DP-SIS minus two-stage on all sets, k = 5", heat::fig6),
    of("fig7", "dp-sis", "the same for k = floor(log d)", heat::fig7),
    of("fig8", "dp-sis", "TOP, GREAT and GOOD", fig8::run),
    of("designs", "dp-sis", "rows needed for exact recovery on synthetic designs", designs::run),
    of("theorem4.1", "dp-sis", "the bound and the simulated recovery", theorem41::run),
    of(
        "bounded-range",
        "bounded-range",
        "theorem 0 and 1, composition, 16 times as many picks",
        bounded_range::run,
    ),
    of("joint", "joint", "errors and run times of joint selection", joint::run),
    of(
        "two-candidates",
        "heterogeneous",
        "figures 3, 15, 16 and 17",
        heterogeneous::two_candidates,
    ),
    of("scenarios-1-3", "heterogeneous", "figure 2: two levels", heterogeneous::bimodal_scenarios),
    of(
        "share-of-high",
        "heterogeneous",
        "figure 18: share of high scores",
        heterogeneous::share_of_high,
    ),
    of("scenarios-4-6", "heterogeneous", "figure 8: drawn scores", heterogeneous::drawn_scenarios),
    of("rising-correlation", "heterogeneous", "figure 10", heterogeneous::rising_correlation),
    of("exceptions", "heterogeneous", "figures 6, 22 and 24", heterogeneous::exceptions),
    of(
        "polarized",
        "heterogeneous",
        "figures 12, 19 and 20: combined GEM",
        heterogeneous::polarized,
    ),
    of("conditions", "heterogeneous", "appendix J: (18) and (19)", heterogeneous::conditions),
    of(
        "several-picks",
        "heterogeneous",
        "k picks with a sensitivity each",
        heterogeneous::several_picks,
    ),
    of("bandit", "heterogeneous", "figure 14: bandits with a shift", bandit::run),
    of("recommend", "recommend", "figures 13 and 21: an item for each user", recommend::run),
    of("pipelines", "pipelines", "fully private pipelines", pipelines::run),
    of("regression", "regression", "private models after a private selection", regression::run),
];

/// Finds experiments by the name of one, the name of a group, or `all`.
///
/// # Errors
///
/// `Request` if nothing has that name.
pub fn named(name: &str) -> Result<Vec<&'static Named>> {
    let of = |one: &&Named| name == "all" || one.name == name || one.group == name;
    let found: Vec<&Named> = ALL.iter().filter(of).collect();
    if found.is_empty() {
        let names: Vec<&str> = ALL.iter().map(|one| one.name).collect();
        return Err(Error::request("there is no such experiment").hint(format!(
            "the experiments are {}; dp-sis is all of that paper, all is all",
            names.join(", ")
        )));
    }
    Ok(found)
}

/// Runs experiments and returns the titles of their sections. After each experiment the page so far
/// is written to `index.html` and to `NAME.html`, which runs under other names do not overwrite.
///
/// # Errors
///
/// As the experiments: `Request`, `Input` or `Io` if the data cannot be used or read, `Io` if the
/// folder cannot be written to.
pub fn reproduce(
    name: &str,
    experiments: &[&Named],
    frame: &Experiment<'_>,
) -> Result<Vec<String>> {
    let on_tables = experiments.iter().any(|one| one.is_on_tables());
    let mut sections = if on_tables { vec![what_is_measured()] } else { Vec::new() };
    let mut titles = Vec::new();
    for one in experiments {
        let section = (one.run)(frame)?;
        titles.push(section.title.clone());
        sections.push(section);
        let html = page(frame, &sections, on_tables).html();
        frame.output.write(&format!("{name}.html"), &html)?;
        frame.output.write("index.html", &html)?;
    }
    Ok(titles)
}

/// The number of repetitions below which the page carries a warning: most statements remain
/// undecided or are decided by chance.
const ENOUGH: u64 = 50;

fn notices(frame: &Experiment<'_>, on_tables: bool) -> Vec<Notice> {
    let notice = |level, text: &str| Notice::new(level, text);
    let private = match frame.interactions {
        None => "NOT PRIVATE: computed from public and synthetic data with a fixed seed",
        Some(_) => {
            "NOT PRIVATE: computed from the file of interactions that was given, with a fixed seed; not to be \
             passed on unless that is public"
        }
    };
    let mut notices = vec![notice(Level::Danger, private)];
    if frame.trials < ENOUGH {
        let few = "Few repetitions: bands are wide, and agreements may be due to chance. The default is \
             100.";
        notices.push(notice(Level::Warning, few));
    }
    if on_tables && frame.data.is_none() {
        let none = "No data folder was given: experiments on the public sets were not run.";
        notices.push(notice(Level::Warning, none));
    }
    notices
}

fn page(frame: &Experiment<'_>, sections: &[Section], on_tables: bool) -> Page {
    Page::new("The papers' experiments, run again", sections.to_vec())
        .lead(vec![
            format!(
                "{} repetitions (figure 1 of DP-SIS: ten times as many; candidates with a sensitivity \
                 each: a hundred times as many), seed {}, dpsis {}. Bands are 95% \
                 intervals of the mean; they have zero width where all draws agree.",
                frame.trials,
                frame.seed,
                env!("CARGO_PKG_VERSION")
            ),
            "Each statement of a paper is shown with its figure and with the result of this run. \
             The agreement follows from the numbers by the rule in the note."
                .to_owned(),
        ])
        .notices(notices(frame, on_tables))
}
