//! The pages of a column of a Parquet file.
//!
//! For Zstandard, the crate makes a compressor and a decompressor for each column, which takes much
//! longer than decompressing a page of a wide table. So such pages are read as they are stored and
//! decompressed here, by one decompressor for many columns.

use std::io::{Cursor, Read};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use zstd::stream::Decoder;
use zstd::zstd_safe::{DCtx, find_frame_compressed_size, get_frame_content_size};

use super::parquet::ParquetSource;

/// The most bytes of a page, by the format.
const MOST: usize = i32::MAX as usize;

/// A decompressor, made at its first use.
type Decompressor = Option<DCtx<'static>>;

/// Makes readers of pages, on one thread.
pub(super) struct Pages {
    source: Arc<ParquetSource>,
    decompressor: Arc<Mutex<Decompressor>>,
}

impl Pages {
    pub(super) fn new(source: ParquetSource) -> Self {
        Self { source: Arc::new(source), decompressor: Arc::default() }
    }

    /// The pages of a column chunk; `rows` is the number of its rows up to the last one read.
    pub(super) fn of(
        &self,
        chunk: &ColumnChunkMetaData,
        rows: usize,
    ) -> Result<Box<dyn PageReader>> {
        let pages = |chunk| SerializedPageReader::new(self.source.clone(), chunk, rows, None);
        if !matches!(chunk.compression(), Compression::ZSTD(_)) {
            return Ok(Box::new(pages(chunk)?));
        }
        let stored = chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED);
        let stored = pages(&stored.build()?)?;
        Ok(Box::new(Zstandard { stored, decompressor: self.decompressor.clone() }))
    }
}

/// Pages that are compressed by Zstandard. Their decompressed size, which the header gives too, is
/// not compared with it: decoding the values finds pages that are too short.
struct Zstandard {
    stored: SerializedPageReader<ParquetSource>,
    decompressor: Arc<Mutex<Decompressor>>,
}

impl Zstandard {
    fn decompressed(&self, stored: Page) -> Result<Page> {
        let mut page = stored;
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => {
                *buf = self.bytes(buf, 0, false)?;
            }
            Page::DataPageV2 {
                buf,
                is_compressed: true,
                def_levels_byte_len,
                rep_levels_byte_len,
                num_nulls,
                num_values,
                ..
            } => {
                let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                *buf = self.bytes(buf, usize::try_from(levels)?, num_nulls == num_values)?;
            }
            Page::DataPageV2 { .. } => {}
        }
        Ok(page)
    }

    /// Bytes of which all but the first ones are compressed. In a page of nulls anything may follow
    /// these.
    fn bytes(&self, bytes: &Bytes, plain: usize, of_nulls: bool) -> Result<Bytes> {
        let damaged = || ParquetError::General("damaged Zstandard".to_owned());
        let (first, compressed) = bytes.split_at_checked(plain).ok_or_else(damaged)?;
        if compressed.is_empty() {
            return Ok(bytes.clone());
        }
        let mut decompressor = self.decompressor.lock().unwrap_or_else(PoisonError::into_inner);
        match decompress(&mut decompressor, first, compressed) {
            Some(found) => Ok(found.into()),
            None if of_nulls => Ok(bytes.slice(..plain)),
            None => Err(damaged()),
        }
    }
}

/// The first bytes, and behind them the decompressed ones; `None` if these are damaged, or if they
/// are more than a page holds.
fn decompress(decompressor: &mut Decompressor, first: &[u8], compressed: &[u8]) -> Option<Vec<u8>> {
    if decompressor.is_none() {
        *decompressor = DCtx::try_create();
    }
    let decompressor = decompressor.as_mut()?;
    let left = MOST.checked_sub(first.len())?;
    let one_frame = find_frame_compressed_size(compressed).ok()? == compressed.len();
    let size = get_frame_content_size(compressed).ok()?.filter(|_| one_frame);
    let mut found = Vec::new();
    match size {
        Some(size) => {
            let size = usize::try_from(size).ok().filter(|size| *size <= left)?;
            found.try_reserve_exact(first.len() + size).ok()?;
            found.extend_from_slice(first);
            let mut rest = Cursor::new(&mut found);
            rest.set_position(first.len() as u64);
            decompressor.decompress(&mut rest, compressed).ok()?;
        }
        // Several frames, or one that was written before its length was known.
        None => {
            found.extend_from_slice(first);
            let stream = Decoder::with_context(compressed, decompressor);
            let read = stream.take(left as u64 + 1).read_to_end(&mut found).ok()?;
            (read <= left).then_some(())?;
        }
    }
    Some(found)
}

impl PageReader for Zstandard {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.stored.get_next_page()?.map(|page| self.decompressed(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.stored.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.stored.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.stored.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        self.stored.take_deferred_dictionary()?.map(|page| self.decompressed(page)).transpose()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.stored.at_record_boundary()
    }
}

impl Iterator for Zstandard {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_frames_are_decompressed() {
        let mut decompressor = None;
        // A frame to skip, of three bytes.
        let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
        for length in [0, 1, 100, 200_000] {
            let bytes: Vec<u8> =
                (0..length).map(|place: u64| (place * place % 251) as u8).collect();
            let whole = zstd::bulk::compress(&bytes, 1).unwrap();
            let stream = zstd::stream::encode_all(&bytes[..], 1).unwrap();
            let size_of = |of: &[u8]| get_frame_content_size(of).unwrap();
            assert_eq!(size_of(&whole), Some(length));
            assert_eq!(size_of(&stream), Some(0).filter(|_| length == 0));
            for first in [&b""[..], b"levels"] {
                let expected = |times| Some([first, &bytes.repeat(times)].concat());
                let mut found = |of: &[u8]| decompress(&mut decompressor, first, of);
                for frame in [&whole, &stream] {
                    assert_eq!(found(frame), expected(1));
                    assert_eq!(found(&[frame, &whole[..]].concat()), expected(2));
                    assert_eq!(found(&[skipped, &frame[..]].concat()), expected(1));
                    assert_eq!(found(&frame[..frame.len() - 1]), None);
                }
            }
        }
        assert_eq!(decompress(&mut decompressor, b"", b"no frame"), None);
        // Empty frames that claim more than a page holds.
        for claim in [MOST as u64 + 1, 1 << 40] {
            let frame = [&[0x28, 0xb5, 0x2f, 0xfd, 0xe0][..], &claim.to_le_bytes(), &[1, 0, 0]];
            let frame = frame.concat();
            assert_eq!(get_frame_content_size(&frame).unwrap(), Some(claim));
            assert_eq!(decompress(&mut decompressor, b"", &frame), None);
        }
    }
}
