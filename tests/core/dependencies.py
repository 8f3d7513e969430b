#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The dependency law: what each folder may include. Reads the include lines of a tree.

    dependencies.py ROOT             checks the tree; prints what breaks the law, and exits 1
    dependencies.py ROOT --prove     breaks the law in copies of the tree, and checks that it is
                                     noticed each time
"""
import re
import shutil
import sys
import tempfile
from pathlib import Path

# The C library as far as it has no memory, clock, signal, thread, locale or stream of its own
# (<stdio.h> is there for snprintf).
PURE = {f"{name}.h" for name in (
    "assert ctype errno float inttypes iso646 limits math stdalign stdarg stdbool stddef stdint "
    "stdio stdnoreturn string").split()}
C_LIBRARY = PURE | {f"{name}.h" for name in (
    "complex fenv locale setjmp signal stdatomic stdlib tgmath threads time uchar wchar "
    "wctype").split()}
POSIX = {f"{name}.h" for name in (
    "dlfcn fcntl ftw getopt netdb poll pthread pwd sched strings unistd").split()}
POSIX_FOLDERS = ("arpa/", "netinet/", "sys/")
LANGUAGES = {"Python.h", "ruby.h", "lua.h", "lauxlib.h", "lualib.h"}

# Folder: the headers it may include, and the starts of the paths that it may include.
LAWS = {
    "core/include": ({"stdbool.h", "stddef.h", "stdint.h"}, ("echomq/",)),
    "core/wire": (PURE, ("echomq/", "wire/")),
    "core/client": (C_LIBRARY | POSIX, POSIX_FOLDERS + ("echomq/", "wire/", "client/", "hiredis/")),
    "core/module": (C_LIBRARY, ("echomq/", "wire/", "module/")),
    "core/cli": (C_LIBRARY | POSIX | {"jansson.h"}, POSIX_FOLDERS + ("echomq/", "cli/")),
    # *.i are SWIG's own files and ours.
    "bindings": (C_LIBRARY | POSIX | LANGUAGES, POSIX_FOLDERS + ("echomq/", "ruby/")),
}
# A format of printf takes user bytes for directives and stops at a NUL: only argv functions.
FORMATS = re.compile(r"\bredisv?(Command|AppendCommand|FormatCommand)\s*\(")
INCLUDE = re.compile(r'^\s*(?:#\s*include|%\s*(?:include|import))\s*[<"]([^>"]+)[>"]')
SOURCES = {".c", ".h", ".def", ".i", ".inc", ".cc", ".cpp"}
# Folders that builds make: such names, and those that start with a dot or "build.".
MADE = {"dist", "generated", "vendor", "__pycache__"}


def sources(root, folder):
    for path in sorted((root / folder).rglob("*")):
        parts = path.relative_to(root).parts
        made = any(part in MADE or part.startswith((".", "build.")) for part in parts)
        if path.suffix in SOURCES and path.is_file() and not made:
            yield path


def law_of(name):
    for folder, law in LAWS.items():
        if name.startswith(folder + "/"):
            return folder, law
    return None, None


def allowed(header, law):
    headers, starts = law
    if ".." in header.split("/"):
        return False
    return header in headers or header.startswith(starts)


def breaches(root):
    """Yields a line for each breach of the law."""
    for top in ("core", "bindings"):
        for path in sources(root, top):
            name = path.relative_to(root).as_posix()
            folder, law = law_of(name)
            if law is None:
                yield f"{name}: no law covers this folder"
                continue
            text = path.read_text(encoding="utf-8")
            for number, line in enumerate(text.splitlines(), 1):
                found = INCLUDE.match(line)
                if found:
                    header = found.group(1)
                    swig = folder == "bindings" and header.endswith(".i") and ".." not in header
                    if not swig and not allowed(header, law):
                        yield f"{name}:{number}: {folder} may not include {header}"
                if FORMATS.search(line):
                    yield f"{name}:{number}: a command from a format: {line.strip()}"


def prove(root):
    """Each case: a file, a line put at its end, and what the check must say about it."""
    cases = [
        ("core/wire/id.c", "#include <hiredis/hiredis.h>", "core/wire may not include hiredis/"),
        ("core/wire/key.c", '#include "client/alloc.h"', "core/wire may not include client/"),
        ("core/wire/request.h", "# include <stdlib.h>", "core/wire may not include stdlib.h"),
        ("core/wire/words.c", "#include <time.h>", "core/wire may not include time.h"),
        ("core/wire/reply.c", "#include <sys/socket.h>", "core/wire may not include sys/"),
        ("core/wire/error.c", '#include "wire/../client/alloc.h"', "core/wire may not include"),
        ("core/include/echomq/id.h", "#include <stdio.h>", "core/include may not include stdio.h"),
        ("core/client/alloc.c", "#include <event.h>", "core/client may not include event.h"),
        ("core/module/probe.c", '#include "client/alloc.h"', "core/module may not include client/"),
        ("core/cli/probe.c", '#include "wire/error.h"', "core/cli may not include wire/"),
        ("core/extra/probe.c", "", "no law covers this folder"),
        ("bindings/echomq.i", '#include "wire/reply.h"', "bindings may not include wire/"),
        ("bindings/echomq.i", '%include "../core/include/echomq/id.h"', "bindings may not include"),
        ("core/client/alloc.c", "  redisCommand(context, text);", "a command from a format"),
        ("bindings/common/probe.i", "redisFormatCommand (&text, bytes);", "a command from a format"),
    ]
    missed = list(breaches(root))
    for file, line, expected in cases:
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch)
            for top in ("core", "bindings"):
                for path in sources(root, top):
                    target = copy / path.relative_to(root)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, target)
            target = copy / file
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("a", encoding="utf-8") as out:
                out.write(f"\n{line}\n")
            found = list(breaches(copy))
            if len(found) != 1 or not found[0].startswith(file) or expected not in found[0]:
                missed.append(f"{line!r} in {file} gave {found}, expected {expected!r}")
    print(f"{len(cases)} breaches tried")
    return missed


def main(arguments):
    if not arguments or arguments[1:] not in ([], ["--prove"]):
        sys.exit(__doc__)
    root = Path(arguments[0]).resolve()
    if not (root / "core/wire").is_dir():
        sys.exit(f"{root} has no core/wire")
    found = prove(root) if arguments[1:] else list(breaches(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
