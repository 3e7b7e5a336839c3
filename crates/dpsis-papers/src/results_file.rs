//! A CSV file of results that grows part by part, so that an interrupted experiment can be resumed.

use std::fs;

use dpsis::{Error, Result};

use dpsis_eval::OutputFolder;

/// A row of results: words that say what was measured, and the numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResultRow {
    pub(crate) key: Vec<String>,
    pub(crate) numbers: Vec<f64>,
}

impl ResultRow {
    pub(crate) fn new(key: &[&str], numbers: &[f64]) -> Self {
        let key = key.iter().map(|word| (*word).to_owned()).collect();
        Self { key, numbers: numbers.to_vec() }
    }
}

/// The results of an experiment. A part is written when all its rows are known, or not at all.
pub(crate) struct ResultsFile<'a> {
    output: &'a OutputFolder,
    name: String,
    header: Vec<&'static str>,
    words: usize,
    seed: u64,
    trials: u64,
    parts: Vec<(String, Vec<ResultRow>)>,
}

impl<'a> ResultsFile<'a> {
    /// Opens the file of this name in a folder and reads the parts that it holds. The columns are `part`,
    /// the names of the words, the names of the numbers, `trials` and `seed`.
    ///
    /// # Errors
    ///
    /// `Request` if it has other columns, or belongs to another seed or number of trials; `Io` if it
    /// cannot be read.
    pub(crate) fn open(
        output: &'a OutputFolder,
        name: &str,
        words: &[&'static str],
        numbers: &[&'static str],
        (seed, trials): (u64, u64),
    ) -> Result<Self> {
        let header = [&["part"], words, numbers, &["trials", "seed"]].concat();
        let words = words.len();
        let (name, parts) = (name.to_owned(), Vec::new());
        let mut file = Self { output, name, header, words, seed, trials, parts };
        file.read()?;
        Ok(file)
    }

    fn read(&mut self) -> Result<()> {
        let path = self.output.path().join(&self.name);
        if !path.exists() {
            return Ok(());
        }
        let foreign = || {
            Error::request(format!("{} is not a file of this experiment's results", self.name))
                .hint("choose another folder, or remove it")
        };
        let text = fs::read_to_string(&path).map_err(|error| {
            Error::io(format!("cannot read {}: {}", path.display(), error.kind()))
        })?;
        let mut csv = csv::Reader::from_reader(text.as_bytes());
        if csv.headers().map_err(|_| foreign())?.iter().ne(self.header.iter().copied()) {
            return Err(foreign());
        }
        let mut parts: Vec<(String, Vec<ResultRow>)> = Vec::new();
        for record in csv.records() {
            let record: Vec<String> =
                record.map_err(|_| foreign())?.iter().map(str::to_owned).collect();
            let (part, rest) = record.split_first().ok_or_else(foreign)?;
            let (key, rest) = rest.split_at(self.words);
            let (numbers, stamp) = rest.split_at(rest.len() - 2);
            if stamp != [self.trials.to_string(), self.seed.to_string()] {
                return Err(Error::request(
                    "the folder holds results of another seed or number of trials",
                )
                .hint("state those, or choose another folder"));
            }
            let numbers = numbers.iter().map(|number| number.parse().map_err(|_| foreign()));
            let row = ResultRow { key: key.to_vec(), numbers: numbers.collect::<Result<_>>()? };
            match parts.last_mut().filter(|(last, _)| last == part) {
                Some((_, rows)) => rows.push(row),
                None => parts.push((part.clone(), vec![row])),
            }
        }
        self.parts = parts;
        Ok(())
    }

    /// Returns the rows of a part: those in the file, or else new ones, which are then written.
    ///
    /// # Errors
    ///
    /// As the work; `Io` if the file cannot be written.
    pub(crate) fn part(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<Vec<ResultRow>>,
    ) -> Result<Vec<ResultRow>> {
        if let Some((_, rows)) = self.parts.iter().find(|(part, _)| part == name) {
            return Ok(rows.clone());
        }
        let rows = work()?;
        self.parts.push((name.to_owned(), rows.clone()));
        self.write()?;
        Ok(rows)
    }

    fn write(&self) -> Result<()> {
        let stamp = [self.trials.to_string(), self.seed.to_string()];
        let line = |part: &String, row: &ResultRow| {
            let mut line = vec![part.clone()];
            line.extend(row.key.iter().cloned());
            line.extend(row.numbers.iter().map(f64::to_string));
            line.extend(stamp.iter().cloned());
            line
        };
        let lines: Vec<Vec<String>> = self
            .parts
            .iter()
            .flat_map(|(part, rows)| rows.iter().map(move |row| line(part, row)))
            .collect();
        self.output.write_csv(&self.name, &self.header, &lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(output: &OutputFolder, trials: u64) -> Result<ResultsFile<'_>> {
        ResultsFile::open(output, "x.csv", &["who"], &["mean", "error"], (7, trials))
    }

    #[test]
    fn parts_are_computed_once() {
        let folder = tempfile::tempdir().unwrap();
        let output = OutputFolder::open(folder.path(), "reproduce").unwrap();
        let rows = vec![
            ResultRow::new(&["a, b"], &[1.0 / 3.0, f64::INFINITY]),
            ResultRow::new(&["c"], &[-0.1, 2e-300]),
        ];
        let mut first = open(&output, 10).unwrap();
        assert_eq!(first.part("one", || Ok(rows.clone())).unwrap(), rows);
        assert!(first.part("two", || Err(Error::io("stopped"))).is_err());
        let mut second = open(&output, 10).unwrap();
        assert_eq!(second.part("one", || Err(Error::io("again"))).unwrap(), rows);
        assert!(second.part("two", || Ok(rows.clone())).is_ok());
        assert_eq!(open(&output, 10).unwrap().parts.len(), 2);
    }

    #[test]
    fn other_results_are_not_mixed() {
        let folder = tempfile::tempdir().unwrap();
        let output = OutputFolder::open(folder.path(), "reproduce").unwrap();
        let rows = || Ok(vec![ResultRow::new(&["a"], &[1.0, 2.0])]);
        open(&output, 10).unwrap().part("one", rows).unwrap();
        assert!(open(&output, 11).is_err());
        let other = ResultsFile::open(&output, "x.csv", &["who"], &["mean"], (7, 10));
        assert!(other.is_err());
        output.write("x.csv", "part,who,mean,error,trials,seed\none,a,b,c,10,7\n").unwrap();
        assert!(open(&output, 10).is_err());
    }
}
