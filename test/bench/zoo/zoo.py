#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/zoo.md: results for each network of the shared data and of the bench.

usage: nice test/bench/zoo/zoo.py [--filter=REGEX] [--again] [--write]

How:  a row is measured once for a compiler and kept as JSON (build/zoo), so that what was interrupted goes on where it was. With
      --write the page is made of all rows; rows of models that are not there any more are left out. Run it while nothing else runs.
"""
import argparse
import datetime
import json
import os
import re
import sys

import subjects
from subjects import ROOT

PAGE = os.path.join(ROOT, "docs", "zoo.md")
TITLES = {"onnx-real": "Trained networks of ONNX", "onnx-light": "Well-known graphs of ONNX", "onnx-tract": "More of ONNX: a text, trees, a Keras export",
          "tf-real": "Trained networks of TensorFlow", "tf-savedmodel": "SavedModels of TensorFlow, and their other forms", "tflite": "Trained networks of TensorFlow Lite",
          "caffe-real": "Networks of Caffe and CNNdroid", "training": "Networks to train", "bench": "The bench"}
NAMES = {"host": "x86-64", "linux-arm64": "arm64 Linux", "android-arm64": "arm64 Android", "gpu": "GPU"}


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE).group(1)
    return f"{os.cpu_count()} CPUs, {model}"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"), help="folder of nacre-compile and others")
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"), help="folder of the models and others")
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "zoo"), help="folder of the rows")
    parser.add_argument("--filter", default="", help="regular expression on group/model: measure these alone")
    parser.add_argument("--again", action="store_true", help="measure also what has a row of this compiler")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--machine", default=machine(), help="what the page calls this machine (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=300, help="limit of each program")
    parser.add_argument("--memory-gib", type=int, default=11, help="address space of each program; 0: no limit")
    return parser.parse_args()


def stamp(subject, options):
    """Changes where the compiler or the model does."""
    files = [os.path.join(options.bin, "nacre-compile"), os.path.join(options.bin, "nacre-run"), subject.case.path]
    return [[os.path.getsize(file), int(os.path.getmtime(file))] for file in files]


def measure_all(found, options):
    import measure  # pylint: disable=import-outside-toplevel
    os.makedirs(options.work, exist_ok=True)
    rows, failed = subjects.read_rows(options.work), 0
    for subject in found:
        now = stamp(subject, options)
        known = rows.get(subject.id)
        if not re.search(options.filter, subject.id) or known and known["stamp"] == now and not options.again:
            continue
        try:
            row = {**measure.row_of(subject, options), "stamp": now, "date": str(datetime.date.today())}
        except Exception as error:  # pylint: disable=broad-except
            print(f"FAILED {subject.id}: {error}", file=sys.stderr, flush=True)
            failed += 1
            continue
        with open(os.path.join(options.work, subject.id.replace("/", "__") + ".json"), "w", encoding="utf-8") as file:
            json.dump(row, file, indent=1)
        print(f"{subject.id}: " + (f"{row['ms_1']:.3f} ms" if "ms_1" in row else "is not compiled"), flush=True)
    return failed


def amount(count):
    return f"{count / (1 << 20):.1f} MiB" if count >= 1 << 20 else f"{count / 1024:.1f} KiB"


def milliseconds(time):
    return f"{time:.1f}" if time >= 100 else f"{time:.2f}" if time >= 1 else f"{time:.4f}"


def error_of(number):
    return "-" if number is None else "0" if number == 0 else f"{number:.0e}"


def targets_of(row):
    compiled = [name for target, name in NAMES.items() if target not in row["refusals"] and target != "gpu"]
    return "all" if len(compiled) == 3 else ", ".join(compiled) or "none"


def line_of(row):
    phrase, note = subjects.phrases()[row["id"]]
    name = row["id"].split("/", 1)[1]
    head = f"| {name} | {phrase} | {row['format']} | {targets_of(row)} |"
    if "error" not in row:
        return head + " - |" * 9
    gpu = "{} of {}".format(*row["gpu_launches"]) if "gpu_launches" in row else "no"
    return (f"{head} {gpu} | {error_of(row['error'])}{'*' if note else ''} | {row['answers_of']} | {error_of(row.get('arm64_error'))} | {amount(row['bytes'])} | "
            f"{amount(row['arena_bytes'])} | {amount(row['block_bytes'])} | {milliseconds(row['ms_1'])} | {milliseconds(row['ms_2'])} |")


def origin_lines(found, root):
    """A line for each repository: what is of it, under which licence."""
    models = {}
    for identity, origin in subjects.origins(root, found).items():
        if origin[0]:
            models.setdefault(origin, []).append(identity)
    for (repository, commit, licence), identities in sorted(models.items(), key=lambda item: item[0][0].lower()):
        yield f"| [{repository}](https://github.com/{repository}) | {commit[:8]} | {licence} | {', '.join(identities)} |"


HEAD = """# The zoo

Results for each whole network of the shared data, trained mostly by third parties, and for the benchmark's networks ([benchmarks.md](benchmarks.md)). Single layers are not
listed; the tests have thousands of them. `test/bench/zoo/zoo.py --write` writes this page; `test/bench/zoo/models.tsv` says what each network is for.

Measured on {dates} on {machine}. Other programs ran at the time, at a lower priority than the measurements. The time is the least median of six measurements of a
fifth of a second. Caches and memory were shared; benchmarks.md compares runtimes with more care.

- **targets**: the targets that the model compiles for; `all` means x86-64 Linux, arm64 Linux and arm64 Android. **GPU**: the number of launches with GPU code with `--place=gpu`.
- **error**: the largest difference relative to the largest element of an output, with `--accuracy=fast`. The next column names the source of the expected answers. `0`: every number is equal. **arm64**: the same under
  qemu, for libraries up to 8 MiB. A plain reference is a NumPy program in the tests. If there are no recorded answers, they come from nacre-eval, our interpreter in double precision. If all weights are one constant, so
  are all answers, and the error says little.
- **file**: the stripped library for this CPU, with weights and runtime. **arena**: memory for intermediate tensors; **block**: memory of a session with two threads. **1 T**, **2 T**: milliseconds of a run on one
  thread and on two.
"""
COLUMNS = ("model", "what it does", "format", "targets", "GPU", "error", "from", "arm64", "file", "arena", "block", "1 T", "2 T")


def page(found, rows, options):
    dates = sorted({row["date"] for row in rows})
    yield from HEAD.format(dates=" to ".join(dict.fromkeys((dates[0], dates[-1]))), machine=options.machine).split("\n")
    for group, title in TITLES.items():
        ours = [row for row in rows if row["id"].startswith(group + "/")]
        yield from (f"## {title}", "", f"| {' | '.join(COLUMNS)} |", "|---|---|---|---|--:|--:|---|" + "--:|" * 6)
        yield from map(line_of, ours)
        yield ""
        for row in ours:
            note = subjects.phrases()[row["id"]][1]
            if note:
                yield from (f"\\* {row['id'].split('/', 1)[1]}: {note}.", "")
    refused = [f"| {row['id']} | `{text.replace('|', ' or ')}` |" for row in rows for text in dict.fromkeys(row["refusals"].values())]
    if refused:
        yield from ("## Unsupported networks", "", "Messages of `nacre-compile --check` for networks that do not compile for a target:", "", "| model | message |", "|---|---|")
        yield from (*refused, "")
    yield from ("## Sources", "", "We made the networks to train, and scripts make the benchmark's networks with random weights. The sources of the others:", "", "| repository | commit | licence | models |", "|---|---|---|---|")
    yield from origin_lines(found, options.data)


def main():
    options = parse_arguments()
    found = subjects.of_data(options.data) + subjects.of_bench()
    unspoken = [subject.id for subject in found if subject.id not in subjects.phrases()]
    if unspoken:
        sys.exit(f"models.tsv must say what {', '.join(unspoken)} is for")
    failed = measure_all(found, options)
    if options.write:
        rows = subjects.read_rows(options.work)
        missing = [subject.id for subject in found if subject.id not in rows]
        if missing:
            sys.exit(f"there are no rows yet of {', '.join(missing)}")
        with open(PAGE, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in page(found, [rows[subject.id] for subject in found], options))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
