//! Checks of the buffer lengths that an Arrow batch declares, before it is decoded.
//!
//! A compressed buffer starts with its decompressed length, and the decoder allocates that much
//! memory at once; if the allocation fails, the process aborts. Therefore a given length is
//! refused here if it is larger
//!
//! - than the rows of its column need, by the column's type (twice, for writers that leave room),
//! - than its compressed bytes can hold: a byte of lz4 stands for at most 255, the four of the
//!   shortest block of zstd for 128 KiB,
//! - or, together with the other columns that are read, than a gigabyte and a hundred times the
//!   batch's bytes.
//!
//! Buffers that lie outside the batch are refused as well. Cost: a few additions for each buffer.

use arrow_ipc::{CompressionType, RecordBatch};
use arrow_schema::DataType;

/// The decompressed size that is allowed to any batch, in bytes.
const ENOUGH: u64 = 1 << 30;

/// Whether the lengths that a batch declares are plausible, for columns of these types of which the
/// given ones are read.
pub(super) fn are_possible<'a>(
    batch: &RecordBatch<'_>,
    body: &[u8],
    columns: impl Iterator<Item = (&'a DataType, bool)>,
) -> bool {
    let (Some(nodes), Some(buffers)) = (batch.nodes(), batch.buffers()) else { return false };
    let Ok(rows) = u64::try_from(batch.length()) else { return false };
    let ratio = batch.compression().map(|compression| match compression.codec() {
        CompressionType::LZ4_FRAME => 255,
        _ => 1 << 15,
    });
    let variadic = batch.variadicBufferCounts();
    let mut claims = Claims {
        body,
        ratio,
        left: ENOUGH.saturating_add(100 * body.len() as u64),
        nodes: nodes.iter().map(|node| (node.length(), node.null_count())),
        buffers: buffers.iter().map(|buffer| (buffer.offset(), buffer.length())),
        variadic: variadic.into_iter().flatten(),
    };
    columns
        .into_iter()
        .all(|(of, read)| if read { claims.column(of, rows) } else { claims.unread(of) }.is_some())
}

/// The nodes and buffers of a batch that are still to be checked. `None` stands for an implausible
/// length.
struct Claims<'b, N, B, V> {
    body: &'b [u8],
    /// The largest ratio of decompression; `None` if nothing is compressed.
    ratio: Option<u64>,
    /// The number of bytes that further buffers may declare.
    left: u64,
    nodes: N,
    buffers: B,
    variadic: V,
}

impl<N, B, V> Claims<'_, N, B, V>
where
    N: Iterator<Item = (i64, i64)>,
    B: Iterator<Item = (i64, i64)>,
    V: Iterator<Item = i64>,
{
    /// Checks a column that is decoded, of numbers or texts.
    fn column(&mut self, of: &DataType, rows: u64) -> Option<()> {
        let (length, nulls) = self.nodes.next()?;
        if u64::try_from(length) != Ok(rows) || !(0..=length).contains(&nulls) {
            return None;
        }
        if *of == DataType::Null {
            return Some(());
        }
        let bits = rows.div_ceil(8);
        let wide = |width: u64| rows.checked_add(1)?.checked_mul(width);
        if *of == DataType::Utf8View {
            let others = self.variadic.next().and_then(|count| u64::try_from(count).ok())?;
            self.buffer(Some(bits))?;
            self.buffer(Some(wide(16)?))?;
            return (0..others).try_for_each(|_| self.buffer(None));
        }
        self.buffer(Some(bits))?;
        match of {
            DataType::Boolean => self.buffer(Some(bits)),
            DataType::Utf8 | DataType::LargeUtf8 => {
                let offset = if *of == DataType::Utf8 { 4 } else { 8 };
                self.buffer(Some(wide(offset)?))?;
                self.buffer(None)
            }
            DataType::Dictionary(keys, _) => {
                self.buffer(Some(wide(keys.primitive_width()? as u64)?))
            }
            _ => self.buffer(Some(wide(of.primitive_width()? as u64)?)),
        }
    }

    /// Checks a buffer that is decoded, whose needed length is known or not.
    fn buffer(&mut self, need: Option<u64>) -> Option<()> {
        let (offset, length) = self.buffers.next()?;
        let start = usize::try_from(offset).ok()?;
        let bytes = self.body.get(start..start.checked_add(usize::try_from(length).ok()?)?)?;
        let Some(ratio) = self.ratio.filter(|_| !bytes.is_empty()) else { return Some(()) };
        let (claim, compressed) = bytes.split_first_chunk()?;
        let claim = i64::from_le_bytes(*claim);
        // Stored without compression.
        if claim == -1 {
            return Some(());
        }
        let claim = u64::try_from(claim).ok()?;
        let by_rows = need.map_or(u64::MAX, |need| need.saturating_mul(2).saturating_add(1024));
        if claim > by_rows || claim > ratio * compressed.len() as u64 {
            return None;
        }
        self.left = self.left.checked_sub(claim)?;
        Some(())
    }

    /// Skips a column of any type: none of its buffers is decoded.
    fn unread(&mut self, of: &DataType) -> Option<()> {
        use DataType::{
            Binary, BinaryView, FixedSizeList, LargeBinary, LargeList, LargeListView, LargeUtf8,
            List, ListView, Map, Null, RunEndEncoded, Struct, Union, Utf8, Utf8View,
        };
        self.nodes.next()?;
        let own = match of {
            Null | RunEndEncoded(..) => 0,
            FixedSizeList(..) | Struct(_) => 1,
            Utf8 | LargeUtf8 | Binary | LargeBinary | ListView(_) | LargeListView(_) => 3,
            Utf8View | BinaryView => 2 + u64::try_from(self.variadic.next()?).ok()?,
            // The number of buffers of a union depends on the file's version; files with unions are
            // refused.
            Union(..) => return None,
            _ => 2,
        };
        (0..own).try_for_each(|_| self.buffers.next().map(|_| ()))?;
        match of {
            List(inner) | LargeList(inner) | Map(inner, _) | FixedSizeList(inner, _) => {
                self.unread(inner.data_type())
            }
            ListView(inner) | LargeListView(inner) => self.unread(inner.data_type()),
            Struct(inner) => inner.iter().try_for_each(|field| self.unread(field.data_type())),
            RunEndEncoded(ends, values) => {
                self.unread(ends.data_type())?;
                self.unread(values.data_type())
            }
            _ => Some(()),
        }
    }
}
