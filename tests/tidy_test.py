#!/usr/bin/env python3
"""The house rules that a machine can check: line length, function length, TODO(now), the table of error
codes against its page, and that the project speaks of itself alone."""
import pathlib
import re
import subprocess
import sys

LINE_MAX = 100
FUNCTION_MAX = 70
SUFFIXES = {".h", ".cc", ".def"}


def tracked(root: pathlib.Path) -> list[pathlib.Path]:
    """Files of the work tree, from git where there is a repository."""
    try:
        listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True)
        names = listed.stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        names = [str(path.relative_to(root)) for folder in ("src", "tests", "bench", "fuzz")
                 for path in (root / folder).rglob("*") if path.is_file()]
    return [root / name for name in names if (root / name).is_file()]


def code_lines(text: str) -> list[str]:
    """The lines with string and character literals and comments blanked, for counting braces."""
    blank = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
                       re.DOTALL)
    return blank.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text).splitlines()


def long_functions(text: str) -> list[tuple[int, int]]:
    """(line, length) of every function body longer than the limit. A body opens with a brace at the end
    of a line whose statement ends in a parameter list (or what may follow one)."""
    opening = re.compile(r"\)(?:\s*(?:const|noexcept|override|final|mutable))*(?:\s*->[^{;]+)?\s*\{\s*$")
    control = re.compile(r"^\s*(?:\}?\s*else\s+)?(?:if|for|while|switch|catch)\b")
    found = []
    stack: list[tuple[int, bool]] = []
    for number, line in enumerate(code_lines(text), 1):
        for column, char in enumerate(line):
            if char == "{":
                head = line[: column + 1]
                is_function = bool(opening.search(head)) and not control.match(line) and "[" not in head
                stack.append((number, is_function))
            elif char == "}" and stack:
                begin, is_function = stack.pop()
                if is_function and number - begin + 1 > FUNCTION_MAX:
                    found.append((begin, number - begin + 1))
    return found


def check_code(root: pathlib.Path, path: pathlib.Path, failures: list[str]) -> None:
    name = path.relative_to(root)
    text = path.read_text()
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LINE_MAX:
            failures.append(f"{name}:{number}: {len(line)} columns")
        if "TODO(now)" in line:
            failures.append(f"{name}:{number}: TODO(now)")
        if "#include <regex>" in line or "#include <iostream>" in line:
            failures.append(f"{name}:{number}: {line.strip()} (house style)")
    if not path.name.endswith("_test.cc"):
        for number, length in long_functions(text):
            failures.append(f"{name}:{number}: a function of {length} lines")


def check_codes(root: pathlib.Path, failures: list[str]) -> None:
    table = (root / "src/base/codes.def").read_text()
    page = (root / "docs/errors.md").read_text()
    rows = re.findall(r'^LATTICE_PROBLEM\(\w+, "([^"]+)", (\d+), (\w+)\)', table, re.MULTILINE)
    for wire, status, _ in rows:
        expected = f"| `{wire}` | {status if status != '0' else '–'} |"
        if expected not in page:
            failures.append(f"docs/errors.md: no row `{expected}`")
    for wire in re.findall(r"^\| `(lattice:[^`]+)`", page, re.MULTILINE):
        if wire not in {row[0] for row in rows}:
            failures.append(f"docs/errors.md: {wire} is not in codes.def")


def main(root: pathlib.Path) -> int:
    failures: list[str] = []
    count = 0
    for path in tracked(root):
        if path.suffix in SUFFIXES:
            check_code(root, path, failures)
            count += 1
    check_codes(root, failures)
    for failure in failures:
        print(failure)
    print(f"{count} files checked, {len(failures)} findings")
    return 1 if failures or count == 0 else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
