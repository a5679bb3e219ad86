#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses C++ in which clang-tidy finds a mistake, or a name that is none of ours; .clang-tidy says what it looks for.

usage: tools/dev/check_tidy.py [--build=FOLDER] [--alone] [path ...]

Checks all sources of the build, or those that are named. In the suite, a sample (NACRE_SAMPLE) checks one batch in eighteen, and
tools/check --full all files. The precompiled headers must be built. The version of clang-tidy is pinned, since each finds a little more.

Nearly all of the time goes into reading MLIR's headers, precompiled or not. So sources that are compiled alike are checked as one, in
batches. A source that does not compile after the others of its batch waits for another one, and a source with a finding is checked again by
itself. `--alone` checks each source by itself.
"""
import argparse
import bisect
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import tree

TIDY = "clang-tidy-22"
PARTS = 18
BATCH = 24
FINDING = re.compile(r"^(/[^:\n]+):(\d+):\d+: (?:fatal error|error|warning): (.*)$", re.MULTILINE)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(tree.ROOT, "build", "release"), help="folder of compile_commands.json")
    parser.add_argument("--alone", action="store_true", help="each source by itself")
    parser.add_argument("paths", nargs="*", help="files and folders, from the root of the repository")
    return parser.parse_args()


def read_commands(build):
    """{path: the folder and the arguments of the command that compiles it, without its input and output}"""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        rows = json.load(file)
    commands = {}
    for row in rows:
        words = row.get("arguments") or shlex.split(row["command"])
        for option, values in ("-o", 1), ("-c", 1):
            if option in words:
                at = words.index(option)
                words = words[:at] + words[at + 1 + values:]
        commands[os.path.relpath(os.path.join(row["directory"], row["file"]), tree.ROOT)] = (row["directory"], tuple(words))
    return commands


def choose_paths(commands, wanted):
    """C++ that the build compiles and that is not generated, within `wanted` or the sample, which takes whole batches."""
    paths = {path for path in set(commands).intersection(tree.files()) if path.endswith(".cpp") and path.startswith(tuple(wanted) or "")}
    sample = os.environ.get("NACRE_SAMPLE")
    if not sample or wanted:
        return paths
    batches = list(make_batches(paths, commands))
    return {path for batch in batches[int(sample) % PARTS::PARTS] for path in batch.paths}


def folder_of_checks(path):
    """The folder whose .clang-tidy is for `path`, or the first folder of the path if that is the root's."""
    folder = os.path.dirname(path)
    while folder and not os.path.exists(os.path.join(tree.ROOT, folder, ".clang-tidy")):
        folder = os.path.dirname(folder)
    return folder or path.split(os.sep)[0]


class Batch:
    """Sources that are compiled alike, one after the other in one file."""

    def __init__(self, paths, command):
        self.paths, self.command = paths, command
        self.starts, self.lines = [], []
        for path in paths:
            self.starts.append(len(self.lines) + 1)
            self.lines += tree.read(path).split("\n")

    def place(self, line):
        """The source and its line that `line` of the batch is."""
        index = bisect.bisect_right(self.starts, line) - 1
        return self.paths[index], line - self.starts[index] + 1

    def run(self):
        """([(file, line, message)] of headers, sources to check by themselves, sources that do not compile after the others)"""
        name = os.path.join(tree.ROOT, folder_of_checks(self.paths[0]), "batch-of-check-tidy.cpp")
        directory, words = self.command
        with tempfile.TemporaryDirectory() as folder:
            source, overlay = os.path.join(folder, "batch.cpp"), os.path.join(folder, "overlay.json")
            write(source, "\n".join(self.lines))
            compiled = subprocess.run([*words, "-w", "-ferror-limit=0", "-fsyntax-only", source], cwd=directory, capture_output=True, text=True)
            if compiled.returncode:
                refused = {self.place(int(line))[0] for file, line, _ in FINDING.findall(compiled.stderr) if file == source}
                rest = [path for path in self.paths if path not in refused]
                if not refused or not rest:
                    return [], set(self.paths), set()
                if len(refused) > len(rest): # one of the first spoils many others
                    half = len(self.paths) // 2
                    return join(Batch(part, self.command).run() for part in (self.paths[:half], self.paths[half:]))
                found, alone, waiting = Batch(rest, self.command).run()
                return found, alone, waiting | refused
            # clang-tidy looks for .clang-tidy where it believes the source to be.
            write(overlay, json.dumps({"version": 0, "use-external-names": False,
                                       "roots": [{"type": "file", "name": name, "external-contents": source}]}))
            write(os.path.join(folder, "compile_commands.json"),
                  json.dumps([{"directory": directory, "file": name, "arguments": [*words, "-w", "-c", name]}]))
            code, found, _ = run_tidy(name, "-p", folder, "--vfsoverlay", overlay)
        if code and not found:
            return [], set(self.paths), set()
        alone = {self.place(line)[0] for file, line, _ in found if file == os.path.relpath(name, tree.ROOT)}
        return [one for one in found if one[0] != os.path.relpath(name, tree.ROOT)], alone, set()


def join(results):
    """The results of Batch.run() as one."""
    found, alone, waiting = [], set(), set()
    for some, by_themselves, others in results:
        found += some
        alone |= by_themselves
        waiting |= others
    return found, alone, waiting


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run_tidy(path, *options):
    """(exit code, [(file, line, message)], all that clang-tidy says)"""
    done = subprocess.run([TIDY, "--experimental-custom-checks", *options, "--quiet", path], capture_output=True, text=True)
    found = [(os.path.relpath(file, tree.ROOT), int(line), message) for file, line, message in FINDING.findall(done.stdout)]
    return done.returncode, found, (done.stderr or done.stdout).strip()


def findings(path, build):
    """[(file, line, message)] of one source and of the headers that it includes."""
    code, found, said = run_tidy(os.path.join(tree.ROOT, path), "-p", build)
    return found if found or code == 0 else [(path, 0, said)]


def make_batches(paths, commands):
    """Batches of those that are compiled and checked alike. Neighbours are in different ones, as they have more names in common."""
    groups = {}
    for path in sorted(paths):
        groups.setdefault((commands[path], folder_of_checks(path)), []).append(path)
    for (command, _), members in groups.items():
        count = -(-len(members) // BATCH)
        yield from (Batch(members[index::count], command) for index in range(count))


def check(batch, build):
    """([(file, line, message)] of a batch, sources that do not compile after the others)"""
    found, alone, waiting = batch.run() if len(batch.paths) > 1 else ([], set(batch.paths), set())
    for path in sorted(alone):
        found += findings(path, build)
    return found, waiting


def main():
    arguments = parse_arguments()
    commands = read_commands(arguments.build)
    waiting = choose_paths(commands, arguments.paths)
    problems = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        while waiting:
            batches = [Batch([path], commands[path]) for path in sorted(waiting)] if arguments.alone else list(make_batches(waiting, commands))
            waiting = set()
            for index, (found, others) in enumerate(pool.map(lambda batch: check(batch, arguments.build), batches), 1):
                new = {f"{file}:{line}: {message}" for file, line, message in found} - problems
                problems |= new
                waiting |= others
                # All sources take an hour, so what is found is said at once.
                print(*sorted(new), f"{index} of {len(batches)} batches", sep="\n", file=sys.stderr, flush=True)
    tree.finish([*sorted(problems), f"fix: {TIDY} --experimental-custom-checks -p {os.path.relpath(arguments.build)} --fix FILE mends some"]
                if problems else [])


if __name__ == "__main__":
    main()
