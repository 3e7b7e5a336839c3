//! Decompression of gzip and Zstandard streams, recognized by their first bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::error::{Error, Result};

/// A stream whose start has been read ahead.
type Primed<R> = io::Chain<io::Cursor<Vec<u8>>, R>;

/// Reads ahead until `enough` accepts the start, or the stream ends; gives the start, and the whole
/// stream again.
fn prime<R: Read>(
    mut input: R,
    enough: impl Fn(&[u8]) -> bool,
) -> io::Result<(Vec<u8>, Primed<R>)> {
    let mut start = Vec::new();
    while !enough(&start) {
        if (&mut input).take(1 << 12).read_to_end(&mut start)? == 0 {
            break;
        }
    }
    Ok((start.clone(), io::Cursor::new(start).chain(input)))
}

/// The magic number of a Zstandard frame.
pub(in crate::table) const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Decompresses a stream that starts like gzip (all members) or Zstandard (all frames) and skips a
/// byte order mark. Also gives the start of the text: its first line or 64 KiB.
pub(in crate::table) fn decompress(
    raw: impl Read + Send + 'static,
) -> io::Result<(Vec<u8>, Box<dyn BufRead + Send>)> {
    let (magic, file) = prime(raw, |start| start.len() >= 4)?;
    let file = BufReader::with_capacity(1 << 16, file);
    let inflated: Box<dyn Read + Send> = match magic.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(flate2::bufread::MultiGzDecoder::new(file)),
        // A frame of data, or a skippable one.
        #[cfg(feature = "zstd")]
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            Box::new(zstd::stream::read::Decoder::with_buffer(file)?)
        }
        _ => Box::new(file),
    };
    let enough = |start: &[u8]| start.len() >= 1 << 16 || start.contains(&b'\n');
    let (start, text) = prime(inflated, enough)?;
    let mut input = BufReader::with_capacity(1 << 16, text);
    if start.starts_with(b"\xef\xbb\xbf") {
        input.read_exact(&mut [0; 3])?;
    }
    Ok((start, Box::new(input)))
}

/// Opens a file as text, decompressed.
///
/// # Errors
///
/// `Io` if it cannot be opened; `Input` if the compressed data are damaged at the start.
pub(in crate::table) fn open_text(path: &Path) -> Result<Box<dyn BufRead + Send>> {
    let file = File::open(path).map_err(|error| Error::cannot_read(path, &error))?;
    match decompress(file) {
        Ok((_, input)) => Ok(input),
        Err(_) => {
            let path = path.display();
            let rule = format!("{path}: the compressed data are damaged or end too early");
            Err(Error::input(rule))
        }
    }
}
