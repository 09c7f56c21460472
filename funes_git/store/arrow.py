"""The memory's tables as Arrow schemas and their rows as Arrow tables. Imports pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funes_git.store.columns import EVERY_TABLE, Values

if TYPE_CHECKING:
    import pyarrow as pa

MODEL_KEY = "embedding_model"
VECTOR = "vector"
_SIZE = "size"

_TEXTS = {"text", "old", "new", "diff", "cursor"}
_LIKE = {"id", "turn_uuid", "parent_uuid", "tool_use_id", "message_id", "ts", "seq", "split_idx"}
_RARE = {"commits", "scaffold"}


def _encoding(name: str) -> dict[str, str] | None:
    """How Lance compresses a column, where it should not choose itself: values together rather than
    each alone, which takes a quarter less (https://lance.org/format/file/encoding/)."""
    if name not in _TEXTS | _LIKE | _RARE:
        return None
    encoding = {"compression": "zstd", "compression-level": "1"}
    if name in _TEXTS:
        encoding |= {"compression-level": "3", "structural-encoding": "miniblock"}
    return {f"lance-encoding:{key}": value for key, value in encoding.items()}


def table_schema(name: str, model: str, size: int, *, packed: bool) -> pa.Schema:
    """The schema of a table of a memory; `model` makes vectors of `size` numbers, which are
    `packed` or lists of 32-bit floats."""
    import pyarrow as pa

    kinds: dict[str, pa.DataType] = {
        "utf8": pa.utf8(),
        "int64": pa.int64(),
        "float64": pa.float64(),
        "bool": pa.bool_(),
        "list<utf8>": pa.list_(pa.utf8()),
        "list<int64>": pa.list_(pa.int64()),
        "vector": pa.binary() if packed else pa.list_(pa.float32(), size),
    }
    fields = [
        pa.field(n, kinds[kind], nullable=n != "id", metadata=_encoding(n))
        for n, kind in EVERY_TABLE[name].items()
    ]
    if packed:
        fields = [f.with_metadata({_SIZE: str(size)}) if f.name == VECTOR else f for f in fields]
    return pa.schema(fields, metadata={MODEL_KEY: model} if name == "chunks" else None)


def table_of(schema: pa.Schema, rows: list[Values]) -> pa.Table:
    """Rows as a table of `schema` without the vectors."""
    import pyarrow as pa

    own = pa.schema([field for field in schema if field.name != VECTOR], schema.metadata)
    columns = zip(*rows, strict=True) if rows else ((),) * len(own)
    arrays = [pa.array(values, f.type) for values, f in zip(columns, own, strict=True)]
    return pa.Table.from_arrays(arrays, schema=own)


def with_vectors(schema: pa.Schema, data: pa.Table) -> pa.Table:
    """`data` with every column of `schema`; where vectors are missing, no row has one."""
    import pyarrow as pa

    if VECTOR in schema.names and VECTOR not in data.column_names:
        at = schema.get_field_index(VECTOR)
        field = schema.field(at)
        data = data.add_column(at, field, pa.nulls(data.num_rows, field.type))
    return data


def vector_size(schema: pa.Schema) -> int:
    """How many numbers a vector has."""
    field = schema.field(VECTOR)
    return int((field.metadata or {}).get(_SIZE.encode()) or field.type.list_size)


def unpacked(found: pa.Table) -> pa.Table:
    """Rows that have a vector, with these as lists of 32-bit floats."""
    import pyarrow as pa

    at = found.schema.get_field_index(VECTOR)
    if at < 0 or not pa.types.is_binary(found.schema.field(at).type):
        return found
    size = vector_size(found.schema)
    fixed = found.column(at).combine_chunks().cast(pa.binary(2 * size))
    half = pa.Array.from_buffers(pa.float16(), len(fixed) * size, [None, fixed.buffers()[1]])
    lists = pa.FixedSizeListArray.from_arrays(half.cast(pa.float32()), size)
    return found.set_column(at, VECTOR, lists)


def _packed(lists: pa.Array) -> pa.Array:
    """Lists of floats as 16-bit floats, little-endian, one after the other. Unlike a list of a
    fixed size, what is missing takes no room in Lance."""
    import pyarrow as pa

    half = lists.flatten().cast(pa.float16())
    kind = pa.binary(2 * lists.type.list_size)
    return pa.Array.from_buffers(kind, len(lists), [None, half.buffers()[1]]).cast(pa.binary())


def filled(data: pa.Table, found: pa.Table) -> pa.Table:
    """`data`, which has every column, with the vectors that `found` names by `id`, lists of
    floats."""
    import pyarrow as pa

    place = {one: n for n, one in enumerate(found.column("id").to_pylist())}
    order = pa.array([place.get(one) for one in data.column("id").to_pylist()], pa.int64())
    at = data.schema.get_field_index(VECTOR)
    field, lists = data.schema.field(at), found.column(VECTOR).combine_chunks()
    column = _packed(lists) if pa.types.is_binary(field.type) else lists.cast(field.type)
    return data.set_column(at, field, column.take(order))
