//! Decompression in memory, within limits.

use std::io::Read;

#[cfg(not(feature = "xz"))]
use crate::error::Parameter;
use crate::error::{Error, Result};

/// The memory limit of the decompressor, in bytes: twice that of the strongest setting of xz.
#[cfg(feature = "xz")]
const MAX_WORKING: u64 = 1 << 27;

/// Decompresses bytes that start like xz (feature `xz`) or gzip (all members); other bytes are
/// returned unchanged.
///
/// # Errors
///
/// `Input` if the data are damaged, end too early, are bzip2, or hold more than `most` bytes;
/// `Request` for xz without the feature.
pub(crate) fn inflate(bytes: Vec<u8>, most: u64) -> Result<Vec<u8>> {
    let inflated = match bytes.as_slice() {
        #[cfg(not(feature = "xz"))]
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            return Err(Error::request("this build does not read xz")
                .hint("build it with the feature xz, or compress with gzip")
                .about([Parameter::BuildFeature("xz")]));
        }
        #[cfg(feature = "xz")]
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            let stream = liblzma::stream::Stream::new_stream_decoder(MAX_WORKING, 0)
                .map_err(|_| Error::io("cannot start to inflate xz"))?;
            read(liblzma::bufread::XzDecoder::new_stream(bytes.as_slice(), stream), most)?
        }
        [0x1f, 0x8b, ..] => read(flate2::bufread::MultiGzDecoder::new(bytes.as_slice()), most)?,
        [b'B', b'Z', b'h', ..] => {
            return Err(Error::input("bzip2 is not read; compress with gzip or xz"));
        }
        _ => bytes,
    };
    if inflated.len() as u64 > most {
        return Err(Error::input("the file is far larger than any table of its kind"));
    }
    Ok(inflated)
}

fn read(input: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut inflated = Vec::new();
    let damaged = |_| Error::input("the compressed data are damaged or end too early");
    input.take(most.saturating_add(1)).read_to_end(&mut inflated).map_err(damaged)?;
    Ok(inflated)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::error::ErrorKind;

    const MOST: u64 = 1 << 24;

    #[test]
    fn bombs_and_bzip2_are_refused() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let zeros = vec![0; 1 << 20];
        (0..=MOST >> 20).for_each(|_| gzip.write_all(&zeros).unwrap());
        let bomb = gzip.finish().unwrap();
        assert!(bomb.len() < 1 << 18);
        for (bytes, text) in [(bomb, "far larger"), (b"BZh91AY".to_vec(), "bzip2")] {
            let error = inflate(bytes, MOST).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Input);
            assert!(error.to_string().contains(text), "{error}");
        }
        assert_eq!(inflate(b"plain".to_vec(), MOST).unwrap(), b"plain");
    }
}
