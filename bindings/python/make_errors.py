# SPDX-License-Identifier: MIT
"""Writes errors.py from the table in error.h: python make_errors.py error.h errors.py"""

import re
import sys

# Errors that are also one of Python's own, for code that knows nothing of echomq.
BUILTIN_BASES = {
    "InvalidArgument": "ValueError",
    "NoMemory": "MemoryError",
    "Connection": "ConnectionError",
    "Timeout": "TimeoutError",
}

ROW = re.compile(r'^  X\((\w+), +(-\d+), (\w+), +(true|false), +"([^"]*)"\)', re.MULTILINE)

HEAD = '''\
# SPDX-License-Identifier: MIT
# Generated from core/include/echomq/error.h by make_errors.py; do not edit.
"""The errors: one class per row of the core's table."""

import builtins

from ._error import Error as Error

__all__ = [
    "Error",
'''

CLASS = '''

class {class_name}({bases}):
    """{text}"""

    code = "{code}"
    status = {status}
    retriable = {retriable}
'''


def main(header: str, out: str) -> None:
    with open(header, encoding="utf-8") as file:
        rows = ROW.findall(file.read())
    if len(rows) < 20 or not BUILTIN_BASES.keys() <= {row[2] for row in rows}:
        sys.exit(f"{header} has no table of errors as this script knows it")
    text = HEAD
    for _, _, stem, _, _ in rows:
        text += f'    "{stem}Error",\n'
    text += "]\n"
    for name, status, stem, retriable, line in rows:
        builtin = BUILTIN_BASES.get(stem)
        text += CLASS.format(
            class_name=f"{stem}Error",
            bases=f"Error, builtins.{builtin}" if builtin else "Error",
            text=line[0].upper() + line[1:] + ".",
            code=name.lower(),
            status=status,
            retriable=retriable.capitalize(),
        )
    with open(out, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
