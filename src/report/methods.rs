//! A paragraph for the methods section of a paper, with its references as text and as BibTeX.

use super::findings;
use super::page::{Block, Section};
use super::words::{is_concentrated, is_paper, purpose, relation, unless};
use crate::choose::ChoiceRecord;
use crate::mechanism::CARDS;
use crate::model::ModelKind;
use crate::privacy::Purpose;
use crate::release::{
    Guarantee, MechanismUsed, MissingRule, Record, ScoreId, ScoreUsed, TargetCoding,
};
use crate::request::ScaleUsed;
use crate::run::FitRecord;
use crate::table::{listed, quoted};

/// The year of this version.
const YEAR: &str = "2026";

const CHAUDHURI: &str = "K. Chaudhuri, C. Monteleoni and A. Sarwate, \"Differentially Private Empirical Risk \
                         Minimization\" (2011)";
const WANG: &str = "Y.-X. Wang, \"Revisiting Differentially Private Linear Regression: Optimal and Adaptive Prediction \
                    and Estimation in Unbounded Domain\" (2018)";
const KIFER: &str = "D. Kifer, A. Smith and A. Thakurta, \"Private Convex Empirical Risk Minimization and \
                     High-dimensional Regression\" (2012)";
const GENOVESE: &str = "C. Genovese, K. Roeder and L. Wasserman, \"False Discovery Control with \
                        p-Value Weighting\" (2006)";

/// A paragraph whose sentences refer to publications by number.
pub(super) struct Methods {
    sentences: Vec<String>,
    /// The references besides the program, which is number 1: authors, title in quotation marks and
    /// year in parentheses.
    references: Vec<&'static str>,
    version: String,
}

/// The section with the paragraph, the references and their BibTeX entries.
pub(super) fn section(methods: &Methods) -> Section {
    let blocks = vec![
        Block::Paragraph(methods.sentences.join(" ")),
        Block::Paragraph(methods.list()),
        Block::Preformatted(methods.bibtex()),
    ];
    Section::new("methods", "Methods paragraph, to copy", blocks)
}

/// The methods of a selection.
pub(super) fn of_selection(record: &Record) -> Methods {
    let mut methods = Methods::new(&record.version);
    let of_sets = record.score.groups.is_some();
    let candidates = match (record.public.features, of_sets) {
        (1, false) => "The only feature was".to_owned(),
        (1, true) => "The only set of features, by the mean of its members, was".to_owned(),
        (all, false) => format!("The {all} features were"),
        (all, true) => format!("The {all} sets of features, each by the mean of its members, were"),
    };
    methods.add(format!("{candidates} scored by {}.", score_in_words(record)));
    methods.add(missing_in_words(record.score.missing).to_owned());
    let mechanism = methods.mechanism(&record.mechanism);
    let is_concentrated = is_concentrated(record);
    let selected = match &record.public.false_discoveries {
        Some(bound) => {
            let drawn = match is_concentrated {
                true => {
                    let flips = methods.cite(reference_of("pnf"));
                    format!(
                        "drawn by {mechanism}, after their number was drawn by permute-and-flip {flips}"
                    )
                }
                false => format!("drawn, together with their number, by {mechanism}"),
            };
            format!(
                "All features that are significant at a family-wise error rate of {} were selected among features that \
                 were {drawn}.",
                bound.fwer
            )
        }
        None => {
            let selected = match (record.selected.len(), of_sets) {
                (1, false) => "Then one feature was".to_owned(),
                (1, true) => "Then one set was".to_owned(),
                (k, false) => format!("Then {k} features were"),
                (k, true) => format!("Then {k} sets were"),
            };
            format!("{selected} selected by {mechanism}.")
        }
    };
    methods.add(selected);
    if is_concentrated {
        let gaussian = methods.cite(Some(DISCRETE_GAUSSIAN));
        methods.add(format!(
            "Effect sizes were released with independent discrete Gaussian noise {gaussian}; by zero-concentrated \
             differential privacy, they and the selection are (epsilon, delta)-differentially private."
        ));
    } else if record
        .guarantee
        .spent
        .iter()
        .any(|part| matches!(part.purpose, Purpose::Estimates | Purpose::Findings))
    {
        let cube = methods.cite(reference_of("gamma"));
        methods.add(format!(
            "Effect sizes were released with joint noise that is uniform in a cube of random size {cube}."
        ));
    }
    if record.significance.significant.is_some() && record.public.false_discoveries.is_none() {
        let weighted = match record.mechanism.parameters.contains_key(findings::WEIGHTS[0]) {
            true => ", in proportion to their weights,",
            false => "",
        };
        methods.add(format!(
            "Features with an adjusted p-value of at most 0.05 are called significant; p-values are adjusted for all {} \
             features{weighted} and allow for the noise (family-wise error rate).",
            record.public.features
        ));
    }
    methods.guarantee(record.private, is_paper(&record.score), &record.guarantee);
    methods
}

/// The methods of a choice.
pub(super) fn of_choice(record: &ChoiceRecord) -> Methods {
    let mut methods = Methods::new(&record.version);
    let mechanism = methods.mechanism(&record.mechanism);
    methods.add(format!(
        "Of {1} candidates, {0} were chosen by their scores, which one unit of the data changes by at most {2}, by {mechanism}.",
        record.selected.len(),
        record.score.candidates,
        record.score.sensitivity
    ));
    methods.guarantee(record.private, false, &record.guarantee);
    methods
}

/// The methods of a fit.
pub(super) fn of_fit(record: &FitRecord) -> Methods {
    let mut methods = match &record.selection {
        Some(selection) => {
            let mut methods = of_selection(selection);
            // The guarantee of the fit takes the place of the selection's.
            methods.sentences.pop();
            methods
        }
        None => Methods::new(&record.version),
    };
    if let Some(model) = &record.model {
        let on = match &record.selection {
            Some(_) => "the selected features",
            // A model alone does not show the choice of its features.
            None if record.guarantee.spent.is_empty() => "the features",
            None => "public features",
        };
        let (kind, how, reference) = match model.kind {
            ModelKind::Linear => ("linear", "from noisy sums of products", WANG),
            ModelKind::Logistic => ("logistic", "by output perturbation", CHAUDHURI),
        };
        let by = methods.cite(Some(reference));
        methods.add(format!(
            "A {kind} regression on {on} was fitted {how} {by}, with values clipped to the range of each \
             feature."
        ));
    }
    methods.guarantee(record.private, false, &record.guarantee);
    methods
}

/// The publication of discrete Gaussian noise.
const DISCRETE_GAUSSIAN: &str = "C. Canonne, G. Kamath and T. Steinke, \"The Discrete Gaussian for Differential \
                                 Privacy\" (2020)";

/// The publication of a mechanism.
fn reference_of(id: &str) -> Option<&'static str> {
    CARDS.into_iter().find(|card| card.id == id).map(|card| card.reference)
}

impl Methods {
    fn new(version: &str) -> Self {
        Self { sentences: Vec::new(), references: Vec::new(), version: version.to_owned() }
    }

    fn add(&mut self, sentence: String) {
        self.sentences.push(sentence);
    }

    /// The number of a reference in brackets; empty without one.
    fn cite(&mut self, reference: Option<&'static str>) -> String {
        let Some(reference) = reference else { return String::new() };
        let known = self.references.iter().position(|other| *other == reference);
        let place = known.unwrap_or_else(|| {
            self.references.push(reference);
            self.references.len() - 1
        });
        format!("[{}]", place + 2)
    }

    /// A mechanism by the name in its publication.
    fn mechanism(&mut self, used: &MechanismUsed) -> String {
        let method = used.parameters.get("method").map(String::as_str);
        let name = match (method, used.id.as_str()) {
            (Some("two-stage"), _) => "votes of the LASSO on blocks of rows, and peeling",
            (Some("dpkendall"), _) => "rounds of the exponential mechanism",
            (_, "canonical") => "the canonical Lipschitz mechanism",
            (_, "peel") => "peeling by the exponential mechanism",
            (_, "peel-pnf") => "peeling by permute-and-flip",
            (_, "joint") => "the joint exponential mechanism",
            (_, "joint-set") => "the joint exponential mechanism for sets",
            (_, "gamma") => "the Gamma mechanism",
            (_, "em") => "the exponential mechanism",
            (_, "pnf") => "permute-and-flip",
            (_, "laplace") => "one-shot Laplace noise",
            (_, id) => &format!("the mechanism {id}"),
        };
        let reference = match method {
            Some("two-stage") => Some(KIFER),
            _ => reference_of(&used.id),
        };
        let refined = match used.parameters.contains_key("refine") {
            true => ", followed by a refinement of the screened features",
            false => "",
        };
        let cited = self.cite(reference);
        let weighted = match used.parameters.get(findings::WEIGHTS[0]) {
            Some(given) => {
                let weights = self.cite(Some(GENOVESE));
                format!(" and by public weights of {given} of the features {weights}")
            }
            None => String::new(),
        };
        format!("{name} {cited}{refined}{weighted}").trim_end().to_owned()
    }

    /// The last sentences: guarantee, parts, program.
    fn guarantee(&mut self, private: bool, nominal: bool, guarantee: &Guarantee) {
        let Guarantee { epsilon, delta, spent, .. } = guarantee;
        let parts: Vec<String> = spent
            .iter()
            .map(|part| format!("{} for {}", part.epsilon, purpose(part.purpose)))
            .collect();
        let parts = match parts.len() {
            0 | 1 => String::new(),
            _ => format!(" Epsilon was split: {}.", parts.join(", ")),
        };
        let delta = unless(delta.is_zero(), format!(" and delta = {delta}"));
        let relation = relation(guarantee);
        let program = format!("dpsis {} [1], which draws its random numbers exactly", self.version);
        self.add(match (private, nominal) {
            (true, _) => format!(
                "The release is differentially private with epsilon = {epsilon}{delta}, for neighboring tables that differ \
                 by {relation}.{parts} It was made by {program}."
            ),
            (false, true) => format!("The release is not private: values were scaled by the data. It was made by {program}."),
            (false, false) => format!(
                "The release is not private, because it was drawn from a given seed; without one it would be \
                 differentially private with epsilon = {epsilon}{delta}.{parts} It was made by {program}."
            ),
        });
    }

    /// The references as one paragraph.
    fn list(&self) -> String {
        let program = format!(
            "[1] dpsis {}: differentially private feature selection, {YEAR}.",
            self.version
        );
        let others =
            self.references.iter().zip(2..).map(|(one, number)| format!("[{number}] {one}."));
        std::iter::once(program).chain(others).collect::<Vec<_>>().join(" ")
    }

    /// The references as BibTeX entries.
    fn bibtex(&self) -> String {
        let program = format!(
            "@software{{dpsis,\n  author = {{{{The dpsis developers}}}},\n  title = {{dpsis: differentially private feature \
             selection}},\n  version = {{{}}},\n  year = {{{YEAR}}}\n}}",
            self.version
        );
        let others = self.references.iter().filter_map(|one| entry(one));
        std::iter::once(program).chain(others).collect::<Vec<_>>().join("\n\n")
    }
}

/// The BibTeX entry of a reference: authors, title in quotation marks, year in parentheses.
fn entry(reference: &str) -> Option<String> {
    let (before, rest) = reference.split_once('"')?;
    let (title, rest) = rest.split_once('"')?;
    let year = rest.split_once('(')?.1.split_once(')')?.0;
    // A remark before the title ends in a colon.
    let authors = match before.rsplit_once(": ") {
        Some((_, authors)) => authors,
        None => before,
    };
    let authors = authors.trim_end_matches([' ', ',']).replace(", ", " and ");
    let surname = authors.split(" and ").next().and_then(|first| first.split(' ').next_back());
    let word = title.split(' ').next().unwrap_or_default();
    let key = surname.filter(|surname| !surname.is_empty()).unwrap_or(word);
    let key: String = format!("{key}{year}").chars().filter(char::is_ascii_alphanumeric).collect();
    let author = unless(authors.is_empty(), format!("\n  author = {{{authors}}},"));
    Some(format!(
        "@misc{{{},{author}\n  title = {{{title}}},\n  year = {{{year}}}\n}}",
        key.to_lowercase()
    ))
}

/// The score of a selection.
fn score_in_words(record: &Record) -> String {
    let (score, target) = (&record.score, findings::target_in_words(record));
    let groups = match (&score.classes, record.target.coding) {
        (Some(classes), _) if classes.len() == 2 => {
            format!("between the classes {} and {}", quoted(&classes[0]), quoted(&classes[1]))
        }
        (Some(classes), _) => format!("between the classes {}", listed(classes)),
        (None, TargetCoding::MedianSplit) => {
            format!("between the rows on both sides of a private median of {target}")
        }
        _ => format!("along {target}"),
    };
    let by = match score.id {
        ScoreId::Ks if score.scale == ScaleUsed::None => {
            format!("the Kolmogorov-Smirnov statistic {groups}")
        }
        ScoreId::Ks => format!("the Kolmogorov-Smirnov statistic {groups}, over 15 thresholds"),
        ScoreId::Correlation if score.classes.is_some() => {
            format!("the correlation with the classes {groups}")
        }
        ScoreId::Correlation => format!("the correlation with {target}"),
        ScoreId::Kendall => format!("Kendall's rank correlation with {target}"),
        ScoreId::DpKendall => {
            format!(
                "Kendall's rank correlation with {target}, less that with features selected before"
            )
        }
        ScoreId::Votes => format!("how many blocks of rows select them for {target}"),
        ScoreId::Paired => format!("the signs of the differences within each person {groups}"),
    };
    let within = unless(
        record.target.adjusted_for.is_empty(),
        format!(" within strata of {}", record.target.adjusted_for.join(" and ")),
    );
    format!("{by}{within}{}", scale_in_words(score))
}

fn scale_in_words(score: &ScoreUsed) -> String {
    let (scale, bounds) = match &score.groups {
        Some(groups) => (groups.scale, groups.bounds),
        None => (score.scale, score.bounds),
    };
    let scaled = match (scale, bounds) {
        (_, Some([low, high])) => format!(", with values clipped to [{low}, {high}]"),
        (ScaleUsed::RowRank, _) => {
            ", with values replaced by their ranks within the row".to_owned()
        }
        (ScaleUsed::BoundsFile | ScaleUsed::BoundsByFeature, _) => {
            ", with values clipped to a public range of each feature".to_owned()
        }
        (ScaleUsed::Paper, _) => ", with values centered and scaled by the data".to_owned(),
        _ => String::new(),
    };
    match score.per_million {
        true => format!(", in counts per million{scaled}"),
        false => scaled,
    }
}

fn missing_in_words(rule: MissingRule) -> &'static str {
    match rule {
        MissingRule::SmallestScore => {
            "Missing values took the single value with which the score of their feature is smallest."
        }
        MissingRule::GridMiddle => "Missing values counted as the middle of the range.",
        MissingRule::NoPair => "Missing values formed no pairs.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::with_effect_sizes;

    #[test]
    fn sentences_cite_what_was_used() {
        let methods = of_selection(&with_effect_sizes(["dose", "age"]));
        let text = methods.sentences.join(" ");
        assert!(
            text.starts_with(
                "The 2 features were scored by the Kolmogorov-Smirnov statistic between the rows on both sides of a private \
                 median of y. Missing values"
            ),
            "{text}"
        );
        assert!(text.contains("Then 2 features were selected by "), "{text}");
        assert!(text.contains("[2]") && text.contains("dpsis 0.1.0 [1]"), "{text}");
        assert!(text.contains("adjusted for all 2 features"), "{text}");
        assert!(text.contains("adding or removing one row. Epsilon was split: "), "{text}");
        assert!(methods.list().starts_with("[1] dpsis 0.1.0"), "{}", methods.list());
        assert_eq!(methods.bibtex().matches('@').count(), methods.references.len() + 1);
    }

    /// Every mechanism has a reference from which an entry can be made.
    #[test]
    fn references_become_entries() {
        let all = CARDS.iter().map(|card| card.reference).chain([CHAUDHURI, WANG, KIFER]);
        for reference in all {
            let entry = entry(reference).unwrap_or_else(|| panic!("{reference}"));
            let key = entry.strip_prefix("@misc{").and_then(|rest| rest.split_once(',')).unwrap().0;
            assert!(key.len() > 4 && key.ends_with(|c: char| c.is_ascii_digit()), "{entry}");
            assert!(
                !entry.contains('"') && entry.matches('{').count() == entry.matches('}').count()
            );
        }
        assert_eq!(
            entry(reference_of("peel-pnf").unwrap()).unwrap(),
            "@misc{mckenna2020,\n  author = {R. McKenna and D. Sheldon},\n  title = {Permute-and-Flip: A New Mechanism for \
             Differentially Private Selection},\n  year = {2020}\n}"
        );
    }
}
