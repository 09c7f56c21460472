"""The memory's tables as Arrow schemas and their rows as Arrow tables. Imports pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funes_git.store.columns import EVERY_TABLE, Values

if TYPE_CHECKING:
    import pyarrow as pa

MODEL_KEY = "embedding_model"
VECTOR = "vector"


def table_schema(name: str, model: str, size: int) -> pa.Schema:
    """The schema of a table of a memory; `model` makes vectors of `size` numbers."""
    import pyarrow as pa

    kinds: dict[str, pa.DataType] = {
        "utf8": pa.utf8(),
        "int64": pa.int64(),
        "float64": pa.float64(),
        "bool": pa.bool_(),
        "list<utf8>": pa.list_(pa.utf8()),
        "list<int64>": pa.list_(pa.int64()),
        "vector": pa.list_(pa.float32(), size),
    }
    fields = [pa.field(n, kinds[kind], nullable=n != "id") for n, kind in EVERY_TABLE[name].items()]
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


def filled(data: pa.Table, found: pa.Table) -> pa.Table:
    """`data`, which has every column, with the vectors that `found` names by `id`."""
    import pyarrow as pa

    place = {one: n for n, one in enumerate(found.column("id").to_pylist())}
    order = pa.array([place.get(one) for one in data.column("id").to_pylist()], pa.int64())
    at = data.schema.get_field_index(VECTOR)
    column = found.column(VECTOR).combine_chunks().take(order)
    return data.set_column(at, data.schema.field(at), column.cast(data.schema.field(at).type))
