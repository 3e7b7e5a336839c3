"""Engines that the queries of `dpsis sql` run on: those that are installed here."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pandas
import pyarrow

# PostgreSQL's type of a column by the kind of its values.
TYPES = {"double": "DOUBLE PRECISION", "text": "TEXT", "integer": "BIGINT", "numeric": "NUMERIC"}


class DuckDb:
    """In memory."""

    dialect = "duckdb"
    wide = True

    def __init__(self, _folder):
        import duckdb

        self.connection = duckdb.connect()

    def create(self, name, columns, rows):
        kinds = {"double": pyarrow.float64(), "text": pyarrow.string(), "integer": pyarrow.int64()}
        schema = pyarrow.schema([(f"c{place}", kinds[kind]) for place, (_, kind) in enumerate(columns)])
        cells = [dict(zip(schema.names, row)) for row in rows]
        self.connection.register("dpsis test rows", pyarrow.Table.from_pylist(cells, schema))
        names = ", ".join(quoted(column) for column, _ in columns)
        self.connection.execute(f'CREATE OR REPLACE TABLE {quoted(name)} AS SELECT * FROM "dpsis test rows" AS r({names})')

    def export(self, query, file):
        self.connection.execute(f"COPY ({query}) TO '{file}' (HEADER)")

    def close(self):
        self.connection.close()


class Spark:
    """In this process, on two threads, and with several partitions."""

    dialect = "spark"
    wide = True

    def __init__(self, folder):
        from pyspark.sql import SparkSession

        self.session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
            .getOrCreate()
        )

    def create(self, name, columns, rows):
        from pyspark.sql.types import DoubleType, LongType, StringType, StructField, StructType

        kinds = {"double": DoubleType(), "text": StringType(), "integer": LongType()}
        schema = StructType([StructField(column, kinds[kind]) for column, kind in columns])
        frame = self.session.createDataFrame(rows, schema=schema, verifySchema=False)
        frame.repartition(2).createOrReplaceTempView(f"`{name}`")

    def export(self, query, file):
        rows = self.session.sql(query).collect()
        pandas.DataFrame([row.asDict() for row in rows]).to_csv(file, index=False)

    def close(self):
        self.session.stop()


class Postgres:
    """A server of its own on a socket in a new folder, as a user who is not root."""

    dialect = "postgres"
    wide = False

    def __init__(self, _folder):
        self.folder = Path(tempfile.mkdtemp(prefix="dpsis-pg-"))
        self.user = {}
        if os.geteuid() == 0:
            # The server refuses to run as root.
            self.user = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            shutil.chown(self.folder, "nobody", "nogroup")
        programs, data = Path(programs_of_postgres()), self.folder / "data"
        initdb = ["initdb", "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        self.call(programs / initdb[0], *initdb[1:])
        server = [programs / "postgres", "-D", data, "-k", self.folder, "-c", "listen_addresses=", "-F"]
        self.server = subprocess.Popen(
            server, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder, **self.user
        )
        self.psql = [programs / "psql", "-X", "-q", "-h", self.folder, "-U", "test", "-d", "postgres"]
        self.psql += ["-v", "ON_ERROR_STOP=1"]
        until = time.monotonic() + 60
        while True:
            try:
                self.sql("SELECT 1")
                return
            except AssertionError:
                assert self.server.poll() is None and time.monotonic() < until
                time.sleep(0.1)

    def call(self, *words, text=None):
        done = subprocess.run(words, input=text, capture_output=True, text=True, cwd=self.folder, **self.user)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def sql(self, text, *options):
        return self.call(*self.psql, *options, text=text)

    def create(self, name, columns, rows):
        described = ", ".join(f"{quoted(column)} {TYPES[kind]}" for column, kind in columns)
        lines = ["\t".join(cell_of_copy(cell) for cell in row) for row in rows]
        self.sql(
            f"DROP TABLE IF EXISTS {quoted(name)}; CREATE TABLE {quoted(name)} ({described});\n"
            f"COPY {quoted(name)} FROM STDIN;\n" + "".join(line + "\n" for line in lines) + "\\.\n"
        )

    def export(self, query, file):
        Path(file).write_text(self.sql(query, "--csv"))

    def close(self):
        self.server.terminate()
        self.server.wait(timeout=60)
        shutil.rmtree(self.folder, ignore_errors=True)


ENGINES = {"duckdb": DuckDb, "postgres": Postgres, "spark": Spark}


def programs_of_postgres():
    """The folder of the server's programs, which is not on the path in Debian; empty if it is missing."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb")) + [shutil.which("initdb") or ""]
    return str(Path(found[0]).parent) if found[0] else ""


def missing(engine):
    """Why an engine cannot run here; empty if it can."""
    import importlib.util

    if engine == "postgres":
        return "" if programs_of_postgres() else "no PostgreSQL here"
    if engine == "spark" and not shutil.which("java"):
        return "no Java here"
    package = "pyspark" if engine == "spark" else engine
    return "" if importlib.util.find_spec(package) else f"no {package} here"


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def cell_of_copy(cell):
    if cell is None:
        return "\\N"
    text = repr(cell) if isinstance(cell, float) else str(cell)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
