#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The oldest system that programs start on: what the check of a wheel finds, and what replaces functions that such a system lacks."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools", "distribution"))
import bundle
import floor
import machine

BIN = os.environ["NACRE_BIN"]
CXX = os.environ["CXX"]
STANDINS = os.path.join(ROOT, "tools", "cmake", "standins")
RANDOM = '#include <cstdlib>\n#include <cstdio>\nint main() { std::printf("%u\\n", arc4random()); }\n'
WAIT = """
#include <condition_variable>
#include <cstdio>
#include <thread>
int main() {
  std::mutex mutex;
  std::condition_variable condition;
  bool done = false;
  std::thread thread([&] { std::lock_guard<std::mutex> lock(mutex); done = true; condition.notify_all(); });
  std::unique_lock<std::mutex> lock(mutex);
  while (!done)
    condition.wait(lock);
  lock.unlock();
  thread.join();
  std::puts("woken");
}
"""
THROW = """
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
int compare(const void *, const void *) { throw std::runtime_error("thrown"); }
int main() {
  int numbers[] = {2, 1};
  try {
    std::qsort(numbers, 2, sizeof(int), compare); // Frames of the C library lie between.
  } catch (const std::exception &error) {
    std::puts(error.what());
  }
}
"""
NOTHING_FOUND = '#include <dlfcn.h>\nextern "C" int _dl_find_object(void *, dl_find_object *) noexcept { return -1; }\n'


class FloorTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nacre-floor-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def build(self, name, text, *options):
        source, program = os.path.join(self.folder, name + ".cpp"), os.path.join(self.folder, name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([CXX, "-std=c++17", "-O1", source, *options, "-o", program, "-pthread"], check=True)
        return program

    def run_program(self, program):
        return subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)

    def test_a_symbol_that_is_too_new_is_named(self):
        for name, text, said in (("random", RANDOM, "arc4random of GLIBC_2.36"),
                                 ("wait", WAIT, "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE of GLIBCXX_3.4.30")):
            with self.subTest(name=name):
                program = self.build(name, text)
                self.assertEqual(floor.violations(program), [f"{program}: {said}"])
                with self.assertRaises(SystemExit) as caught:
                    bundle.check_floor([program], machine.Machine())
                self.assertIn(f"{program}: {said}", str(caught.exception))

    def test_standins(self):
        for name, text, standin, says in (("random", RANDOM, "Random.cpp", r"\d+\n"), ("wait", WAIT, "ConditionVariable.cpp", "woken\n")):
            with self.subTest(name=name):
                program = self.build(name, text, os.path.join(STANDINS, standin))
                self.assertEqual(floor.violations(program), [])
                self.assertRegex(self.run_program(program).stdout, f"^{says}$")

    def test_exceptions_pass_other_objects(self):
        static = ("-static-libgcc", "-static-libstdc++")
        self.assertTrue(any("_dl_find_object of GLIBC_2.35" in line for line in floor.violations(self.build("own", THROW, *static))))
        # libstdc++.a has std::random_device, which nothing here calls but the linker keeps.
        program = self.build("throw", THROW, *static, os.path.join(STANDINS, "FindObject.cpp"), os.path.join(STANDINS, "Random.cpp"))
        self.assertEqual(floor.violations(program), [])
        self.assertEqual(self.run_program(program).stdout, "thrown\n")
        # The unwinder depends on it: if nothing is found, nothing is caught.
        with open(os.path.join(self.folder, "nothing.cpp"), "w", encoding="utf-8") as file:
            file.write(NOTHING_FOUND)
        self.assertLess(self.run_program(self.build("lost", THROW, *static, os.path.join(self.folder, "nothing.cpp"))).returncode, 0)

    @unittest.skipUnless(shutil.which("aarch64-linux-gnu-gcc"), "needs g++-aarch64-linux-gnu")
    def test_libraries_of_another_machine(self):
        """They are found as its loader would find them, though none of its programs runs here."""
        sysroot, package = os.path.join(self.folder, "root"), os.path.join(self.folder, "package")
        system, own = os.path.join(sysroot, "usr", "lib", "aarch64-linux-gnu"), os.path.join(package, "lib", "nacre")
        llvm = os.path.join(sysroot, "opt", "llvm")
        for folder in (system, own, llvm, os.path.join(package, "bin")):
            os.makedirs(folder)

        def link(path, *options):
            with open(os.path.join(self.folder, "empty.c"), "w", encoding="utf-8") as file:
                file.write("void start(void) {}\n")
            subprocess.run(["aarch64-linux-gnu-gcc", "-shared", "-nostdlib", "-Wl,--no-as-needed", os.path.join(self.folder, "empty.c"), "-o", path,
                            f"-Wl,-soname,{os.path.basename(path)}", *options], check=True)
        link(os.path.join(system, "libsystem.so.1"))
        link(os.path.join(llvm, "libinner.so.1"))
        link(os.path.join(llvm, "libllvm.so.1"), os.path.join(llvm, "libinner.so.1"), os.path.join(system, "libsystem.so.1"))
        link(os.path.join(self.folder, "libgone.so.1"))
        link(os.path.join(own, "libtrimmed.so.1"))
        link(os.path.join(llvm, "libtrimmed.so.1"))
        program = os.path.join(package, "bin", "program")
        link(program, "-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib/nacre:/opt/llvm", os.path.join(llvm, "libllvm.so.1"),
             os.path.join(llvm, "libtrimmed.so.1"), os.path.join(self.folder, "libgone.so.1"))
        other = machine.OtherMachine("aarch64", sysroot, "clang++")
        found = {name: os.path.realpath(path) if path != "not found" else path for name, path in other.libraries(program)}
        self.assertEqual(found, {"libllvm.so.1": os.path.join(llvm, "libllvm.so.1"), "libinner.so.1": os.path.join(llvm, "libinner.so.1"),
                                 "libsystem.so.1": os.path.join(system, "libsystem.so.1"), "libtrimmed.so.1": os.path.join(own, "libtrimmed.so.1"),
                                 "libgone.so.1": "not found"})

    def test_programs(self):
        """The libraries of LLVM and MLIR that a wheel has are checked when it is made."""
        programs = [os.path.join(BIN, "nacre-" + name) for name in ("compile", "diff", "eval", "package", "report", "run", "translate", "tune")]
        self.assertEqual([line for program in programs for line in floor.violations(program)], [])
        for program in glob.glob(os.path.join(BIN, "nacre-*-arm64")):
            self.assertEqual(floor.violations(program, "aarch64-linux-gnu-"), [])
            needed = subprocess.run(["aarch64-linux-gnu-objdump", "-p", program], stdout=subprocess.PIPE, text=True, check=True).stdout
            libraries = set(re.findall(r"NEEDED +(\S+)", needed))
            self.assertLessEqual(libraries, {"libc.so.6", "libm.so.6", "ld-linux-aarch64.so.1"}, program)


if __name__ == "__main__":
    unittest.main()
