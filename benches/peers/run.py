"""The same work with other tools, as one table in Markdown.

`python benches/peers/run.py BINARY FOLDER`: BINARY is `target/release/dpsis`, FOLDER the one to which
`cargo bench --bench reading` wrote its tables (`target/tmp`). Peers are numpy, pandas, polars, DuckDB and
OpenDP, those of them that are installed; each takes turns with `dpsis`, so that both see the same machine.
Medians of five rounds in ms, in brackets the median of the ratios within a round to the first line of the
same work. `lasso.py` is a comparison by itself.
"""

import sys

import reading
import selection


def main():
    binary, folder = sys.argv[1:]
    parts = [reading.table(binary, folder), selection.table(binary)]
    columns = [column for columns, _ in parts for column in columns]
    print("| ms (ratio) | " + " | ".join(columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for _, rows in parts:
        for name, cells in rows.items():
            print(f"| {name} | " + " | ".join(cells.get(column, "") for column in columns) + " |")


if __name__ == "__main__":
    main()
