//! The experiment of "Private Selection with Heterogeneous Sensitivities" (2025), section VIII: one
//! item recommended to each user, chosen among items with a score and a sensitivity each.

mod measures;
mod page;
mod statements;
mod users;

use dpsis::Result;
use dpsis::report::Section;
use dpsis_eval::internals::seed_of;

use crate::experiments::experiment::Experiment;
use crate::experiments::recommend::measures::Measures;
use crate::experiments::recommend::page::{About, DATA, section};
use crate::experiments::recommend::users::measure;
use crate::parts_file::Parts;
use crate::recommend::{
    CANDIDATES, Interactions, LEAST, Shape, Weights, generate, read, scored, split,
};

/// The set that is generated where no file is given.
const GENERATED: Shape = Shape { users: 4000, items: 1000, mean: 30.0 };

pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    (experiment.progress)("recommend: interactions", 0.0);
    let all = match experiment.interactions {
        Some(path) => read(path)?,
        None => generate(GENERATED, seed_of(experiment.seed, &["recommend", "set"], 0)).core(LEAST),
    };
    let (about, measures) = measured(experiment, &all)?;
    section(experiment, &about, &measures)
}

/// Measures a set, unless the folder holds its results already.
fn measured(experiment: &Experiment<'_>, all: &Interactions) -> Result<(About, Measures)> {
    let split = split(all, seed_of(experiment.seed, &["recommend", "split"], 0));
    let about = About::of(experiment, all, &split);
    let [training, held_out] = split;
    let mut results = Parts::open(
        experiment.output,
        DATA,
        &["measure", "of", "epsilon"],
        &["value", "standard_error"],
        (experiment.seed, experiment.trials),
    )?;
    let rows = results.part(&format!("interactions {}", all.fingerprint()), || {
        (experiment.progress)("recommend: model", 0.05);
        let weights = Weights::fit(&training, experiment.threads)?;
        (experiment.progress)("recommend: scores", 0.2);
        let scored = scored(&weights, &held_out, CANDIDATES, experiment.threads);
        drop(weights);
        measure(experiment, &scored)
    })?;
    Ok((about, Measures::of(rows)))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::experiments::experiment::with;

    fn small() -> Interactions {
        generate(Shape { users: 300, items: 60, mean: 12.0 }, 5)
    }

    #[test]
    fn threads_change_nothing() {
        let all = small();
        let run = |threads| {
            with(2, threads, |experiment| {
                measured(experiment, &all).unwrap();
                std::fs::read_to_string(experiment.output.path().join(DATA)).unwrap()
            })
        };
        assert_eq!(run(1), run(2));
    }

    #[test]
    fn results_are_read_back_and_drawn() {
        let all = small();
        with(2, 2, |experiment| {
            let (about, measures) = measured(experiment, &all).unwrap();
            // By its text: bins without users are NaN.
            let again = measured(experiment, &all).unwrap().1;
            assert_eq!(format!("{again:?}"), format!("{measures:?}"));
            let section = section(experiment, &about, &measures).unwrap();
            let text = format!("{:?}", section.blocks);
            assert_eq!(text.matches("on a generated set: ").count(), 6);
            for name in ["correlations", "errors", "differences"] {
                let path = experiment.output.path().join(format!("recommend-{name}.svg"));
                assert!(path.is_file(), "{name}");
            }
        });
    }

    /// The text of the section for a small file and for a generated set.
    #[test]
    fn the_page_names_the_source_of_interactions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("interactions.csv");
        // Forty users: one likes all eight items, the others like seven each.
        let likes = |user: usize, item: usize| user == 0 || user % 8 != item;
        let pairs = (0..320).map(|i| (i / 8, i % 8)).filter(|(user, item)| likes(*user, *item));
        let lines = pairs.map(|(user, item)| format!("u{user},i{item},{}\n", 4 + user % 2));
        std::fs::write(&path, format!("user,item,rating\n{}", lines.collect::<String>())).unwrap();
        with(2, 1, |experiment| {
            let section = run(&Experiment { interactions: Some(&path), ..*experiment }).unwrap();
            let text = format!("{:?}", section.blocks);
            assert!(text.contains("281 interactions of 40 users and 8 items"), "{text}");
            assert!(text.contains("those of the file") && !text.contains("generated"), "{text}");
            let missing = Some(folder.path());
            assert!(run(&Experiment { interactions: missing, ..*experiment }).is_err());
        });
    }

    /// A file of 100,000 users and 20,000 items, which must need less than 8 GB of memory.
    #[test]
    #[ignore = "minutes: run alone, with --release, and with the system's measure of memory"]
    fn a_large_catalog() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("interactions.csv");
        let write = || -> std::io::Result<()> {
            let all = generate(Shape { users: 100_000, items: 20_000, mean: 50.0 }, 6);
            let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
            writeln!(file, "user,item")?;
            for user in 0..all.users() {
                all.of(user).iter().try_for_each(|item| writeln!(file, "u{user},i{item}"))?;
            }
            file.flush()
        };
        write().unwrap();
        let all = read(&path).unwrap();
        assert!(all.users() > 99_000 && all.catalog() > 19_000, "{}", all.catalog());
        drop(all);
        with(20, 2, |experiment| {
            let section = run(&Experiment { interactions: Some(&path), ..*experiment }).unwrap();
            assert!(section.blocks.len() > 6);
        });
    }
}
