//! Arrow's messages: streams, and files, which are a stream followed by a table of contents.
//!
//! A message consists of four bytes `ff` (not in old files), the length of its head, the head - a
//! flatbuffer - and a body, whose length is in the head. Messages are read and checked
//! ([`claims`](super::claims)) here; Arrow's crate decodes them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_ipc::{MessageHeader, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};

use super::claims::are_possible;
use super::columns::is_read;
use super::decoded::schema_of_arrow;
use super::guard::{guarded, malformed};
use crate::error::Result;
use crate::table::formats::positioned::{Positioned, too_short};

const NAME: &str = "Arrow";
/// The magic number at the start and the end of a file.
const MAGIC: &[u8] = b"ARROW1";
/// The length of a file's start, in bytes: its first message follows.
const FILE_START: u64 = 8;
/// The largest number of comparisons (wanted columns times columns) for which the decoder's own
/// projection is faster than decoding all columns.
const COMPARISONS: usize = 1 << 20;

/// An open file or stream: its schema, and the places of its messages.
pub(super) struct Messages {
    bytes: Positioned,
    pub(super) schema: SchemaRef,
    /// The schema with which messages are decoded.
    decoded: SchemaRef,
    places: Places,
}

/// The places of the next messages.
#[derive(Clone)]
enum Places {
    /// A file: the dictionaries and batches of its table of contents, the next one last.
    Listed(Vec<u64>),
    /// A stream: messages follow each other from this offset on.
    From(u64),
}

/// A message whose body has not been read.
struct Message {
    head: Vec<u8>,
    /// The offset of its body.
    body: u64,
}

impl Messages {
    /// Opens a file, with a table of contents.
    ///
    /// # Errors
    ///
    /// `Input` if it is malformed; `Io` if it cannot be read.
    pub(super) fn of_file(bytes: Positioned) -> Result<Self> {
        let end = bytes.len().checked_sub(10).filter(|end| *end >= FILE_START);
        let end = end.ok_or_else(too_short)?;
        let tail = bytes.bytes(end, 10)?;
        let footer = match tail.split_first_chunk() {
            Some((length, MAGIC)) => u64::try_from(i32::from_le_bytes(*length)).ok(),
            _ => None,
        };
        let start = footer.and_then(|length| end.checked_sub(length)).ok_or_else(too_short)?;
        let footer = bytes.bytes(start, end - start)?;
        let (schema, places) = guarded(NAME, || {
            let footer = root_as_footer(&footer).map_err(|_| broken())?;
            let schema = try_fb_to_schema(footer.schema().ok_or_else(broken)?)?;
            let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
            let places = blocks.map(|block| u64::try_from(block.offset()).map_err(|_| broken()));
            Ok((schema, places.collect::<std::result::Result<Vec<u64>, _>>()?))
        })?;
        let places = Places::Listed(places.into_iter().rev().collect());
        Ok(Self { bytes, decoded: schema_of_arrow(&schema), schema: Arc::new(schema), places })
    }

    /// Opens a stream, whose first message is the schema.
    ///
    /// # Errors
    ///
    /// `Input` if it is malformed; `Io` if it cannot be read.
    pub(super) fn of_stream(bytes: Positioned) -> Result<Self> {
        let first = message(&bytes, 0)?.ok_or_else(too_short)?;
        let schema = guarded(NAME, || {
            let message = root_as_message(&first.head).map_err(|_| broken())?;
            try_fb_to_schema(message.header_as_schema().ok_or_else(broken)?)
        })?;
        let (decoded, places) = (schema_of_arrow(&schema), Places::From(first.body));
        Ok(Self { bytes, decoded, schema: Arc::new(schema), places })
    }

    /// The batches with the given columns, ascending.
    pub(super) fn batches(&self, columns: &[usize]) -> IpcBatches<'_> {
        let fields = self.schema.fields();
        let all = columns.len().saturating_mul(fields.len()) > COMPARISONS
            && fields.iter().all(|field| is_read(field.data_type()));
        let mut read = vec![all; fields.len()];
        columns.iter().for_each(|&column| read[column] = true);
        let texts = texts_by_id(&self.schema, &read);
        IpcBatches {
            messages: self,
            columns: columns.to_vec(),
            all,
            read,
            texts,
            dictionaries: HashMap::new(),
            places: self.places.clone(),
        }
    }
}

/// The types of the dictionaries of columns that are read.
#[allow(deprecated, reason = "the only way from a message to its column")]
fn texts_by_id(schema: &Schema, read: &[bool]) -> HashMap<i64, DataType> {
    let fields = schema.fields().iter().zip(read).filter(|(_, read)| **read);
    let texts = fields.filter_map(|(field, _)| match field.data_type() {
        DataType::Dictionary(_, values) => Some((field.dict_id()?, values.as_ref().clone())),
        _ => None,
    });
    texts.collect()
}

/// Reads the message at an offset; `None` at the end.
fn message(bytes: &Positioned, place: u64) -> Result<Option<Message>> {
    if place >= bytes.len() {
        return Ok(None);
    }
    let mut word = [0; 4];
    bytes.read_at(place, &mut word)?;
    let mut start = place.saturating_add(4);
    if word == [0xff; 4] {
        bytes.read_at(start, &mut word)?;
        start = start.saturating_add(4);
    }
    let length = i32::from_le_bytes(word);
    if length == 0 {
        return Ok(None);
    }
    let length = u64::try_from(length).map_err(|_| malformed(NAME))?;
    let body = start.checked_add(length).filter(|body| *body <= bytes.len());
    let body = body.ok_or_else(too_short)?;
    Ok(Some(Message { head: bytes.bytes(start, length)?, body }))
}

/// The reason is not passed on: like the messages of the crate, it may quote the file.
fn broken() -> ArrowError {
    ArrowError::IpcError(String::new())
}

/// The batches of a pass.
pub(super) struct IpcBatches<'a> {
    messages: &'a Messages,
    columns: Vec<usize>,
    /// Whether all columns are decoded, to leave some out afterwards.
    all: bool,
    read: Vec<bool>,
    texts: HashMap<i64, DataType>,
    dictionaries: HashMap<i64, ArrayRef>,
    places: Places,
}

impl Iterator for IpcBatches<'_> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let next = self.message().transpose()?;
            match next.and_then(|message| self.decode(&message)) {
                Ok(None) => {}
                Ok(Some(batch)) => return Some(Ok(batch)),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl IpcBatches<'_> {
    fn message(&mut self) -> Result<Option<Message>> {
        let place = match &mut self.places {
            Places::Listed(places) => match places.pop() {
                Some(place) => place,
                None => return Ok(None),
            },
            Places::From(place) => *place,
        };
        message(&self.messages.bytes, place)
    }

    /// Decodes a batch; `None` for a dictionary, which is stored.
    fn decode(&mut self, message: &Message) -> Result<Option<RecordBatch>> {
        let Self { messages, texts, dictionaries, .. } = self;
        let bytes = &messages.bytes;
        let head = guarded(NAME, || root_as_message(&message.head).map_err(|_| broken()))?;
        let length = u64::try_from(head.bodyLength()).map_err(|_| malformed(NAME))?;
        let end = message.body.checked_add(length).filter(|end| *end <= bytes.len());
        let end = end.ok_or_else(too_short)?;
        if let Places::From(place) = &mut self.places {
            *place = end;
        }
        let version = head.version();
        match head.header_type() {
            MessageHeader::DictionaryBatch => {
                let batch = head.header_as_dictionary_batch().ok_or_else(|| malformed(NAME))?;
                let Some(of) = texts.get(&batch.id()) else { return Ok(None) };
                let body = bytes.bytes(message.body, length)?;
                let values = batch.data().ok_or_else(|| malformed(NAME))?;
                if !are_possible(&values, &body, [(of, true)].into_iter()) {
                    return Err(malformed(NAME));
                }
                guarded(NAME, || {
                    read_dictionary(&body.into(), batch, &messages.decoded, dictionaries, &version)
                })?;
                Ok(None)
            }
            MessageHeader::RecordBatch => {
                let batch = head.header_as_record_batch().ok_or_else(|| malformed(NAME))?;
                let body = bytes.bytes(message.body, length)?;
                let types = messages.schema.fields().iter().map(|field| field.data_type());
                if !are_possible(&batch, &body, types.zip(self.read.iter().copied())) {
                    return Err(malformed(NAME));
                }
                let columns = &self.columns;
                let schema = messages.decoded.clone();
                let batch = guarded(NAME, || {
                    let body = body.into();
                    let decoder =
                        RecordBatchDecoder::try_new(&body, batch, schema, dictionaries, &version)?;
                    let part = (!self.all).then_some(columns.as_slice());
                    let batch = decoder.with_projection(part).read_record_batch()?;
                    if self.all { batch.project(columns) } else { Ok(batch) }
                })?;
                Ok(Some(batch))
            }
            _ => Err(malformed(NAME)),
        }
    }
}
