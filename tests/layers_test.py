#!/usr/bin/env python3
"""Reads the #include lines of src/: a folder uses itself and the folders above it in src/layers.txt."""
import pathlib
import re
import sys


def main(root: pathlib.Path) -> int:
    lines = (root / "src/layers.txt").read_text().splitlines()
    order = [line for line in lines if line and not line.startswith("#")]
    rank = {folder: index for index, folder in enumerate(order)}
    failures = []
    count = 0
    for folder in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        if folder.name not in rank:
            failures.append(f"src/{folder.name} is not listed in src/layers.txt")
            continue
        for source in sorted(folder.rglob("*")):
            if source.suffix not in (".h", ".cc", ".def"):
                continue
            for number, line in enumerate(source.read_text().splitlines(), 1):
                match = re.match(r'\s*#include "([a-z]+)/', line)
                if not match:
                    continue
                count += 1
                used = match[1]
                if used in ("tests",):
                    if not source.name.endswith("_test.cc"):
                        failures.append(f"{source}:{number}: only tests include tests/")
                elif used not in rank:
                    failures.append(f"{source}:{number}: unknown folder {used}")
                elif rank[used] > rank[folder.name]:
                    failures.append(f"{source}:{number}: {folder.name} may not use {used}")
    for failure in failures:
        print(failure)
    print(f"{count} includes checked, {len(failures)} against the layers")
    return 1 if failures or count == 0 else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
