#!/usr/bin/env python3
"""run.py BUILD [DIR...]: runs every vector file and outside suite below the folders (by default the shared
conformance folder) through the test programs of BUILD, and prints a line a topic:

    topic: N passed, N failed, N not yet (issue)

Files are known by name: protocol topics (`canonicalization.json`, ...), and outside suites by folder
(`blake3`, `jcs`, `structured-field-tests`). Cases on the not-yet list are counted, not failed."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = ("src/base/base_test", "src/schema/schema_test", "src/query/query_test", "src/plan/plan_test",
            "src/exec/exec_test", "src/origin/origin_test", "src/client/client_test")
SUITES = {"blake3": ["the official BLAKE3 vectors*"],
          "jcs": ["the input and output pairs of RFC 8785", "doubles print as ECMAScript*"],
          "structured-field-tests": ["the HTTP working group's structured field suite"]}
LATER = {"compat": "compat", "compat-parameters": "compat", "fusion": "gateway",
         "expr": "dashboards", "json-patch-tests": "dashboards", "json-schema-test-suite": "dashboards"}


def shared_folder() -> pathlib.Path | None:
    named = os.environ.get("LATTICE_SHARED")
    for place in ([named] if named else []) + [ROOT / "../shared", ROOT / "../../shared"]:
        if (pathlib.Path(place) / "conformance").is_dir():
            return pathlib.Path(place).resolve()
    return None


def link(source: pathlib.Path, target: pathlib.Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        target.symlink_to(source)


def lay(folder: pathlib.Path, overlay: pathlib.Path, shared: pathlib.Path | None) -> tuple[set, set]:
    """Links what lies below `folder` into `overlay` as the tests expect it."""
    topics, suites = set(), set()
    conformance = overlay / "conformance"
    for path in sorted(folder.rglob("*.json")):
        if path.parent.name == "vectors" or path.parent == folder:
            topics.add(path.stem)
            link(path, conformance / "protocol/vectors" / path.name)
            link(path.parent / "schemas", conformance / "protocol/vectors/schemas")
            link(path.parent.parent / "fixtures", conformance / "protocol/fixtures")
    for path in sorted([folder, *folder.rglob("*")]):
        if path.is_dir() and path.name in SUITES | LATER.keys():
            suites.add(path.name)
            link(path, conformance / "external" / path.name)
    if shared:
        protocol = shared / "conformance/protocol"
        for name in ("fixtures", "vectors/schemas", "vectors/datasets.json"):
            target = conformance / "protocol" / name
            if not target.exists():
                target.unlink(missing_ok=True)
                link(protocol / name, target)
    return topics, suites


def run_protocol(build: pathlib.Path, overlay: pathlib.Path, counts: dict) -> None:
    environment = os.environ | {"LATTICE_SHARED": str(overlay), "LATTICE_VECTORS_REPORT": "1"}
    for program in PROGRAMS:
        out = subprocess.run([build / program, "-tc=*vectors*"], env=environment, capture_output=True,
                             text=True).stdout
        for topic, *numbers in re.findall(r"^@vectors (\S+) (\d+) (\d+) (\d+)$", out, re.MULTILINE):
            total = counts.setdefault(topic, [0, 0, 0])
            for index, number in enumerate(numbers):
                total[index] += int(number)


def run_http(build: pathlib.Path, overlay: pathlib.Path, counts: dict) -> None:
    vectors = overlay / "conformance/protocol/vectors"
    out = subprocess.run([build / "tests/http_vectors/http_vectors_test", vectors],
                         env=os.environ | {"LATTICE_SHARED": str(overlay)}, capture_output=True,
                         text=True).stdout
    found = re.search(r"http: (\d+) passed, (\d+) failed, (\d+) not yet", out)
    counts["http"] = [int(number) for number in found.groups()] if found else [0, 1, 0]


def run_suite(build: pathlib.Path, overlay: pathlib.Path, name: str) -> list[int]:
    total = [0, 0, 0]
    for case in SUITES[name]:
        out = subprocess.run([build / "src/base/base_test", f"-tc={case}"], capture_output=True,
                             text=True, env=os.environ | {"LATTICE_SHARED": str(overlay)}).stdout
        found = re.search(r"assertions:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed", out)
        total[0] += int(found[2]) if found else 0
        total[1] += int(found[3]) if found else 1
    return total


def main(build: pathlib.Path, folders: list[pathlib.Path]) -> int:
    shared = shared_folder()
    if not folders:
        if not shared:
            print("left out: there is no shared conformance folder")
            return 0
        folders = [shared / "conformance"]
    failed = 0
    for folder in folders:
        with tempfile.TemporaryDirectory() as temporary:
            overlay = pathlib.Path(temporary)
            topics, suites = lay(folder.resolve(), overlay, shared)
            counts: dict = {}
            run_protocol(build, overlay, counts)
            if "http" in topics:
                run_http(build, overlay, counts)
            for suite in sorted(suites & SUITES.keys()):
                counts[suite] = run_suite(build, overlay, suite)
            for topic in sorted(counts):
                passed, wrong, later = counts[topic]
                print(f"{topic}: {passed} passed, {wrong} failed, {later} not yet"
                      + (" (tests/vectors/not_yet.txt)" if later else ""))
                failed += wrong
            for name in sorted((topics | suites) & LATER.keys()):
                print(f"{name}: 0 passed, 0 failed, all not yet ({LATER[name]})")
    return 1 if failed else 0


sys.exit(main(pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]))
