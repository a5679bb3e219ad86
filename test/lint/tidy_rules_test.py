#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows tools/dev/check_tidy.py sources that break its rules, and sources that do not."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CHECKS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tools", "dev")


def tidy_answer(source):
    """What check_tidy says of a source that a build compiles."""
    return tidy_answer_of({"runtime/run.cpp": source})


def tidy_answer_of(files):
    """What check_tidy says of files, by path, of which a build compiles the sources."""
    with tempfile.TemporaryDirectory() as root:
        rows = []
        for name, text in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            if name.endswith(".cpp"):
                rows.append({"directory": root, "file": path, "arguments": ["clang++-22", "-std=c++17", f"-I{root}", "-c", path]})
        with open(os.path.join(root, "compile_commands.json"), "w", encoding="utf-8") as file:
            json.dump(rows, file)
        shutil.copy(os.path.join(CHECKS, "..", "..", ".clang-tidy"), root)
        environment = {name: value for name, value in os.environ.items() if name != "NACRE_SAMPLE"}  # A sample leaves out batches.
        done = subprocess.run([sys.executable, os.path.join(CHECKS, "check_tidy.py"), f"--root={root}", f"--build={root}"],
                              capture_output=True, text=True, check=False, env=environment)
        return done.returncode, done.stdout + done.stderr


class Tidy(unittest.TestCase):
    def test_tidy(self):
        self.assertEqual(tidy_answer("int twice(int x) { return x + x; }\n")[0], 0)
        code, said = tidy_answer("int nothing(int x) { return x - x; }\n")
        self.assertEqual(code, 1, said)
        self.assertIn("runtime/run.cpp:1: both sides of operator are equivalent", said)

    def test_tidy_checks_sources_as_one(self):
        """Findings have their own file and line; sources that do not compile after others are checked, too."""
        nothing = "int nothing(int x) {\n  return x - x;\n}\n"
        says = "both sides of operator are equivalent"
        code, said = tidy_answer_of({
            "compiler/a.cpp": "#include \"compiler/lines.h\"\nstatic int one(int x) {\n  return lines(x);\n}\nint a() { return one(1); }\n",
            "compiler/b.cpp": "static int one(int x) {\n  return x - x;\n}\nint b() { return one(2); }\n",
            "compiler/c.cpp": "#define ODD(\n" + nothing,
            "compiler/d.cpp": "int d(int x) {\n  return x / x;\n}\n",
            "compiler/lines.h": "inline int lines(int x) {\n  return x ^ x;\n}\n",
            "runtime/e.cpp": "int same_name(int x) {\n  return x | x;\n}\n"})
        self.assertEqual(code, 1, said)
        for place in "compiler/b.cpp:2", "compiler/d.cpp:2", "compiler/lines.h:2", "runtime/e.cpp:2":
            self.assertIn(f"{place}: {says}", said)
        self.assertIn("compiler/c.cpp:1: missing", said)
        self.assertNotIn("compiler/a.cpp:", said)

    def test_tidy_finds_numbers_in_messages(self):
        """MLIR's and LLVM's streams print 5.000000e-01, and std::to_string 0.500000."""
        streams = """#include <string>
namespace mlir {
struct InFlightDiagnostic {
  template <typename T> InFlightDiagnostic &operator<<(T &&) { return *this; }
  template <typename... T> InFlightDiagnostic &append(T &&...) { return *this; }
};
template <typename... T> void emitOptionalError(int, T &&...) {}
}
namespace llvm { struct raw_ostream { raw_ostream &operator<<(double); raw_ostream &operator<<(int); }; }
"""
        takes = "void print(mlir::InFlightDiagnostic &error, llvm::raw_ostream &os, const double &number, float single, int count)"
        says = "a message prints a number as 5.000000e-01; use nacre::describeNumber"
        self.assertNotIn(says, tidy_answer(f'{streams}{takes} {{\n  error << count << "of" << std::to_string(count);\n  os << count;\n}}\n')[1])
        for statement in ("error << number", 'error << "a" << single << "b"', "os << number", "os << count << single", "(void)std::to_string(number)",
                          "(void)std::to_string(single)", 'error.append("a", number)', 'mlir::emitOptionalError(count, "a", single)'):
            with self.subTest(statement):
                code, said = tidy_answer(f"{streams}{takes} {{\n  {statement};\n}}\n")
                self.assertEqual(code, 1, said)
                self.assertIn(f"runtime/run.cpp:11: {says}", said)


if __name__ == "__main__":
    unittest.main()
