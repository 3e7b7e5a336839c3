"""Compares `dpsis` with other tools on the same tasks; prints one Markdown table.

`python benches/peers/run.py BINARY FOLDER`: BINARY is `target/release/dpsis`, FOLDER is where
`cargo bench --bench reading` wrote its tables (`target/tmp`). Peers are numpy, pandas, polars, DuckDB and
OpenDP, as far as they are installed. Each takes turns with `dpsis`, so that both run under the same load.
Medians of five rounds in ms, and in parentheses the median over rounds of the ratio to the first line of the
same task. `lasso.py` is a separate comparison.
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
