#!/usr/bin/env python3
"""Lists the rows of docs/conformance.md that no test shows yet, and checks that every test named there
exists: doctest cases (`folder: "case"`), scenarios, scripts."""
import pathlib
import re
import sys


def main(root: pathlib.Path) -> int:
    cases = set()
    for path in list(root.glob("src/**/*_test.cc")) + list(root.glob("tests/**/*_test.cc")):
        cases.update(re.findall(r'TEST_CASE(?:_TEMPLATE)?\(\s*"([^"]+)"', path.read_text()))
    scenarios = {path.stem for path in root.glob("tests/scenarios/*.lts")}
    missing, open_rows, done = [], [], 0
    for number, line in enumerate((root / "docs/conformance.md").read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or len(cells) < 4 or cells[0] in ("section", "part", "---"):
            continue
        state, shown = cells[2], cells[3]
        if state == "done":
            done += 1
            if not shown:
                missing.append(f"docs/conformance.md:{number}: done, but names no test")
        elif state.startswith("not yet"):
            open_rows.append(f"{cells[0]}: {cells[1]} ({state})")
        for case in re.findall(r'"([^"]+)"', shown):
            if not any(name.startswith(case) for name in cases):
                missing.append(f"docs/conformance.md:{number}: no test case \"{case}\"")
        for scenario in re.findall(r"scenario ([\w.-]+)", shown):
            if scenario not in scenarios:
                missing.append(f"docs/conformance.md:{number}: no scenario {scenario}")
    if "--quiet" not in sys.argv:
        for row in open_rows:
            print(row)
    for row in missing:
        print(row)
    print(f"{done} rows done, {len(open_rows)} not yet, {len(missing)} wrong")
    return 1 if missing or done == 0 else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
