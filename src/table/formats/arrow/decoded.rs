//! The types in which the columns of a file are decoded.
//!
//! Arrow's crates refuse a text that is not UTF-8, and in Parquet a dictionary with more values
//! than its type of keys can count, so that one cell would end a run. Therefore texts are decoded
//! as bytes, which is what a cell is in every format, and dictionaries of Parquet with keys of 32
//! bits or, where they hold no texts, as their values.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::Type as Stored;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{FileMetaData, ParquetMetaData};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::columns::is_text;

/// Bytes that are stored like these texts; `None` for other types.
fn bytes_like(texts: &DataType) -> Option<DataType> {
    match texts {
        DataType::Utf8 => Some(DataType::Binary),
        DataType::LargeUtf8 => Some(DataType::LargeBinary),
        DataType::Utf8View => Some(DataType::BinaryView),
        _ => None,
    }
}

/// The type in which a column of an Arrow file is decoded.
fn in_arrow(of: &DataType) -> Option<DataType> {
    match of {
        DataType::Dictionary(keys, values) => {
            Some(DataType::Dictionary(keys.clone(), bytes_like(values)?.into()))
        }
        other => bytes_like(other),
    }
}

/// The type in which a column of a Parquet file is decoded.
fn in_parquet(of: &DataType) -> Option<DataType> {
    match of {
        DataType::Dictionary(_, values) => Some(match bytes_like(values) {
            Some(DataType::BinaryView) => DataType::BinaryView,
            Some(bytes) => DataType::Dictionary(DataType::Int32.into(), bytes.into()),
            None => values.as_ref().clone(),
        }),
        other => bytes_like(other),
    }
}

/// The schema with the types that a function gives in place of its own, where it gives one.
fn with_types(schema: &Schema, of: impl Fn(&DataType) -> Option<DataType>) -> SchemaRef {
    let field = |field: &Arc<Field>| match of(field.data_type()) {
        Some(other) => Arc::new(field.as_ref().clone().with_data_type(other)),
        None => field.clone(),
    };
    let fields: Vec<_> = schema.fields().iter().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// The schema with which the messages of an Arrow file are decoded.
pub(super) fn schema_of_arrow(schema: &Schema) -> SchemaRef {
    with_types(schema, in_arrow)
}

/// The metadata with which a Parquet file is decoded.
///
/// # Errors
///
/// If the schema of the file is malformed.
pub(super) fn metadata_of_parquet(metadata: ArrowReaderMetadata) -> Result<ArrowReaderMetadata> {
    let schema = metadata.schema().clone();
    if !schema.fields().iter().any(|field| in_parquet(field.data_type()).is_some()) {
        return Ok(metadata);
    }
    let file = metadata.metadata().clone();
    drop(metadata);
    // The metadata of wide files are large.
    let file = Arc::unwrap_or_clone(file);
    let own = file.file_metadata();
    let root = own.schema_descr().root_schema();
    let fields = root.get_fields().iter().zip(schema.fields());
    let fields = fields.map(|(stored, field)| match is_text(field.data_type()) {
        true => of_bytes(stored),
        false => Ok(stored.clone()),
    });
    let fields = fields.collect::<Result<Vec<TypePtr>>>()?;
    if fields.len() != schema.fields().len() {
        return Err(ParquetError::General(String::new()));
    }
    let root = Type::group_type_builder(root.name()).with_fields(fields).build()?;
    let file_metadata = FileMetaData::new(
        own.version(),
        own.num_rows(),
        own.created_by().map(str::to_owned),
        own.key_value_metadata().cloned(),
        Arc::new(SchemaDescriptor::new(Arc::new(root))),
        own.column_orders().cloned(),
    );
    let row_groups = file.into_builder().take_row_groups();
    let file = Arc::new(ParquetMetaData::new(file_metadata, row_groups));
    let options = ArrowReaderOptions::new().with_schema(with_types(&schema, in_parquet));
    ArrowReaderMetadata::try_new(file, options)
}

/// A column of bytes that are not declared to be texts: the crate checks those that are.
fn of_bytes(stored: &TypePtr) -> Result<TypePtr> {
    if !stored.is_primitive() || stored.get_physical_type() != Stored::BYTE_ARRAY {
        return Ok(stored.clone());
    }
    let info = stored.get_basic_info();
    let builder = Type::primitive_type_builder(stored.name(), Stored::BYTE_ARRAY)
        .with_repetition(info.repetition())
        .with_id(info.has_id().then(|| info.id()));
    Ok(Arc::new(builder.build()?))
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int8Type;
    use arrow_array::{
        ArrayRef, DictionaryArray, Int8Array, Int64Array, LargeStringArray, RecordBatch,
        StringArray, StringViewArray,
    };
    use parquet::arrow::ArrowWriter;

    use super::super::ArrowTable;
    use crate::table::block_table::{BlockTable, TextCell, TextPlace, Wanted};
    use crate::table::formats::Format;
    use crate::table::formats::positioned::Positioned;

    use super::*;

    /// The cells of the first column of a file, read with and without its values.
    fn cells(bytes: &[u8], format: Format) -> Vec<TextCell> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let table = ArrowTable::open(format, Positioned::open(file.path()).unwrap()).unwrap();
        assert!(table.layout().unread.is_empty());
        let read = |numbers: Vec<usize>| -> Vec<TextCell> {
            let texts = vec![TextPlace::Column(0)];
            let wanted = Wanted { numbers, texts, block: 1 << 20, ..Wanted::default() };
            let blocks = table.blocks(&wanted).unwrap();
            blocks.flat_map(|block| block.unwrap().texts.remove(0)).collect()
        };
        let found = read(vec![0]);
        assert_eq!(found, read(Vec::new()));
        found
    }

    fn in_parquet_file(batches: &[RecordBatch]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batches[0].schema(), None).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.close().unwrap();
        bytes
    }

    fn in_arrow_file(batch: &RecordBatch) -> Vec<u8> {
        let mut writer =
            arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        writer.write(batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn batch(column: ArrayRef) -> RecordBatch {
        RecordBatch::try_from_iter_with_nullable([("name", column, true)]).unwrap()
    }

    /// A text that is not UTF-8 is a cell like others, as in a text file.
    #[test]
    fn texts_are_any_bytes() {
        let texts = || [Some("Meier"), Some("M\u{7f}ller"), None, Some("Meier")].into_iter();
        let columns: [ArrayRef; 4] = [
            Arc::new(texts().collect::<StringArray>()),
            Arc::new(texts().collect::<LargeStringArray>()),
            Arc::new(texts().collect::<StringViewArray>()),
            Arc::new(texts().collect::<DictionaryArray<Int8Type>>()),
        ];
        let expected = [Some(&b"Meier"[..]), Some(b"M\xfcller"), None, Some(b"Meier")];
        for column in columns {
            let batch = batch(column);
            let files = [
                (in_parquet_file(std::slice::from_ref(&batch)), Format::Parquet),
                (in_arrow_file(&batch), Format::Arrow),
            ];
            for (mut bytes, format) in files {
                let mut replaced = 0;
                while let Some(at) = memchr::memmem::find(&bytes, b"M\x7fller") {
                    bytes[at + 1] = 0xfc;
                    replaced += 1;
                }
                assert!(replaced > 0);
                let expected = expected.map(|text| text.map(<[u8]>::to_vec));
                assert_eq!(cells(&bytes, format), expected, "{:?}", batch.schema());
            }
        }
    }

    /// More values than the keys of one dictionary can count, in batches of one row group.
    #[test]
    fn dictionaries_have_any_number_of_values() {
        for most in [128, 129, 200] {
            let values: Vec<i64> = (0..most).chain([7]).collect();
            let dictionary = |part: &[i64], texts: bool| -> ArrayRef {
                let keys = (0..part.len()).map(|key| i8::try_from(key).unwrap());
                let keys = keys.collect::<Vec<_>>();
                let values: ArrayRef = match texts {
                    true => Arc::new(
                        part.iter().map(|one| Some(one.to_string())).collect::<StringArray>(),
                    ),
                    false => Arc::new(Int64Array::from(part.to_vec())),
                };
                Arc::new(DictionaryArray::<Int8Type>::new(Int8Array::from(keys), values))
            };
            let expected: Vec<TextCell> =
                values.iter().map(|value| Some(value.to_string().into_bytes())).collect();
            for texts in [false, true] {
                let parts = values.chunks(100).map(|part| batch(dictionary(part, texts)));
                let bytes = in_parquet_file(&parts.collect::<Vec<_>>());
                assert_eq!(cells(&bytes, Format::Parquet), expected, "{most}, {texts}");
            }
        }
    }
}
