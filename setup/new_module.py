#!/usr/bin/env python3
"""./dev new FOLDER NAME: header, source and test of a module, with their first lines."""
import pathlib
import sys

if len(sys.argv) != 3:
    sys.exit("usage: ./dev new FOLDER NAME")
folder, name = sys.argv[1:]
root = pathlib.Path(__file__).resolve().parent.parent
place = root / "src" / folder
if not place.is_dir():
    sys.exit(f"src/{folder} does not exist")
space = folder.split("/")[0]
files = {
    f"{name}.h": f"// {name}: what goes in and comes out, the invariant, the threads, the section.\n#pragma once\n\n"
                 f"namespace lattice::{space} {{\n\n}}  // namespace lattice::{space}\n",
    f"{name}.cc": f'#include "{folder}/{name}.h"\n\nnamespace lattice::{space} {{\n\n}}  // namespace lattice::{space}\n',
    f"{name}_test.cc": f'#include "{folder}/{name}.h"\n\n#include <doctest/doctest.h>\n\nusing namespace lattice;\n',
}
for file, text in files.items():
    if (place / file).exists():
        sys.exit(f"src/{folder}/{file} exists")
for file, text in files.items():
    (place / file).write_text(text)
    print(f"src/{folder}/{file}")
print(f"list {name}.cc and {name}_test.cc in src/{folder}/CMakeLists.txt")
