//! The results of an experiment, part by part.

use dpsis::Result;
use dpsis_eval::OutputFolder;
use dpsis_eval::internals::ResultsFile;

/// A row of results: texts that identify the measurement, and the numbers.
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
pub(crate) struct Parts {
    file: ResultsFile,
    stamp: [String; 2],
    parts: Vec<(String, Vec<ResultRow>)>,
}

impl Parts {
    /// Opens the file of this name in a folder and reads the parts that it holds. The columns are
    /// `part`, the names of the words, the names of the numbers, `trials` and `seed`.
    ///
    /// # Errors
    ///
    /// The same as of [`ResultsFile::read`].
    pub(crate) fn open(
        output: &OutputFolder,
        name: &str,
        words: &[&str],
        numbers: &[&str],
        (seed, trials): (u64, u64),
    ) -> Result<Self> {
        let header = [&["part"], words, numbers, &["trials", "seed"]].concat();
        let path = output.path().join(name);
        let file = ResultsFile::new(path, header.into(), (seed, trials));
        let mut parts: Vec<(String, Vec<ResultRow>)> = Vec::new();
        for record in file.read()? {
            let fields: Vec<String> = record.iter().map(str::to_owned).collect();
            let (part, rest) = fields.split_first().ok_or_else(|| file.foreign())?;
            let (key, rest) = rest.split_at(words.len());
            let cells = rest[..numbers.len()].iter();
            let cells = cells.map(|number| number.parse().map_err(|_| file.foreign()));
            let row = ResultRow { key: key.to_vec(), numbers: cells.collect::<Result<_>>()? };
            match parts.last_mut().filter(|(last, _)| last == part) {
                Some((_, rows)) => rows.push(row),
                None => parts.push((part.clone(), vec![row])),
            }
        }
        Ok(Self { file, stamp: [trials.to_string(), seed.to_string()], parts })
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
        let line = |part: &String, row: &ResultRow| {
            let numbers = row.numbers.iter().map(f64::to_string).collect();
            [vec![part.clone()], row.key.clone(), numbers, self.stamp.to_vec()].concat()
        };
        let parts = self.parts.iter();
        self.file
            .replace(parts.flat_map(|(part, rows)| rows.iter().map(move |row| line(part, row))))?;
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpsis::Error;

    #[test]
    fn parts_are_computed_once() {
        let folder = tempfile::tempdir().unwrap();
        let output = OutputFolder::open(folder.path(), "reproduce").unwrap();
        let open = || Parts::open(&output, "x.csv", &["who"], &["mean", "error"], (7, 10));
        let rows = vec![
            ResultRow::new(&["a, b"], &[1.0 / 3.0, f64::INFINITY]),
            ResultRow::new(&["c"], &[-0.1, 2e-300]),
        ];
        let mut first = open().unwrap();
        assert_eq!(first.part("one", || Ok(rows.clone())).unwrap(), rows);
        assert!(first.part("two", || Err(Error::io("stopped"))).is_err());
        let mut second = open().unwrap();
        assert_eq!(second.part("one", || Err(Error::io("again"))).unwrap(), rows);
        assert!(second.part("two", || Ok(rows.clone())).is_ok());
        assert_eq!(open().unwrap().parts.len(), 2);
        output.write("x.csv", "part,who,mean,error,trials,seed\none,a,b,c,10,7\n").unwrap();
        assert!(open().is_err());
    }
}
