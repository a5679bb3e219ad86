#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The SDK as its user meets it: unpacked somewhere, in a system that has the C and C++ libraries and nothing else; and in one with a
compiler, pkg-config and CMake."""
import filecmp
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import nacre  # noqa: E402

BUILD = os.environ["NACRE_BUILD"]
MAKE_SDK = os.path.join(nacre.ROOT, "tools", "distribution", "make_sdk.py")
PROGRAMS = ("nacre-compile", "nacre-diff", "nacre-eval", "nacre-package", "nacre-report", "nacre-run", "nacre-translate", "nacre-tune")
ANSWER = os.path.join(nacre.ROOT, "samples", "models", "convnet.expected.npy")
OF_THE_SYSTEM = ("ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1")


def make_sdk(folder):
    done = subprocess.run([sys.executable, MAKE_SDK, f"@{BUILD}/sdk/options", f"--output={folder}", "--uncompressed"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stdout)
    archive, = glob.glob(os.path.join(folder, "*.tar"))
    return archive


# Runs "$@" in the root "$0", which gets this system's /proc: the loader asks there where a program lies, and nacre-compile's linker
# where its files are.
IN_ROOT = """mount --rbind /proc "$0/proc"; exec env -i "$(command -v unshare)" --root="$0" --wd=/try "$@" """
ALONE = ["unshare", "--mount", *(["--map-root-user"] if os.getuid() else []), "sh", "-ec"]


class SdkTest(nacre.NacreTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="nacre-sdk-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.archive = make_sdk(os.path.join(folder.name, "archive"))
        cls.root = os.path.join(folder.name, "root")
        with tarfile.open(cls.archive) as file:
            file.extractall(cls.root)
        name, = os.listdir(cls.root)
        cls.sdk, cls.name = os.path.join(cls.root, name), name

    def shell(self, line):
        environment = {"PATH": f"{self.sdk}/bin:/usr/bin:/bin", "CMAKE_PREFIX_PATH": self.sdk, "PKG_CONFIG_PATH": f"{self.sdk}/share/pkgconfig"}
        return self.call("sh", "-ec", line, cwd=self.folder, env=environment)

    def model(self, name="convnet"):
        self.shell(f"python3 {self.sdk}/samples/models/make_convnet.py .")
        return self.path(name + ".onnx")

    def test_made_again_it_has_the_same_bytes(self):
        self.assertTrue(filecmp.cmp(self.archive, make_sdk(self.path("again")), shallow=False))

    def test_what_is_in_it(self):
        # The site of the documents is made where there is mkdocs.
        self.assertEqual(sorted(set(os.listdir(self.sdk)) - {"html"}), ["CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "bin", "docs", "include", "lib", "licences",
                                                        "samples", "share"])
        self.assertEqual(sorted(name for name in os.listdir(f"{self.sdk}/bin") if not name.endswith("-arm64")), sorted(PROGRAMS))
        for folder, form in (("man/man1", "{}.1"), ("bash-completion/completions", "{}"), ("zsh/vendor-completions", "_{}"),
                             ("fish/vendor_completions.d", "{}.fish")):
            self.assertEqual(sorted(os.listdir(f"{self.sdk}/share/{folder}")), sorted(map(form.format, PROGRAMS)))
        with open(f"{self.sdk}/README.md", encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("@", text)
        for name in re.findall(r"^\| `([\w/]+)`", text, re.MULTILINE):
            self.assertTrue(os.path.isdir(f"{self.sdk}/{name}"), name)

    def test_it_has_what_first_steps_name(self):
        """Readers who have the SDK write its folder in place of /usr."""
        for page in ("android", "linux-board"):
            with open(os.path.join(nacre.ROOT, "docs", "start", page + ".md"), encoding="utf-8") as file:
                named = set(re.findall(r"/usr/((?:share/nacre|share/java|lib|include)/[\w./-]*\w)", file.read()))
            self.assertGreaterEqual(len(named), 3)
            for name in named:
                self.assertTrue(os.path.exists(f"{self.sdk}/{name}"), f"{page}: {name}")

    def test_nothing_names_where_it_was_built(self):
        for folder, _, names in os.walk(self.sdk):
            for path in (os.path.join(folder, name) for name in names):
                with open(path, "rb") as file:
                    self.assertNotIn(os.fsencode(BUILD), file.read(), path)

    def test_licences_of_all_that_is_linked(self):
        licences = os.listdir(f"{self.sdk}/licences")
        for library in os.listdir(f"{self.sdk}/lib/nacre"):
            if ".so" in library and library != "libcrypto.so.3":  # libssl3's
                stem = re.match(r"lib([A-Za-z]+)", library)[1].lower()
                self.assertTrue([name for name in licences if stem in name.lower() or stem == "z" and name == "zlib1g.txt"], library)

    def test_with_the_c_and_cxx_libraries_alone(self):
        inside, proc = os.path.join(self.root, "try"), os.path.join(self.root, "proc")
        for folder in (inside, proc):
            os.makedirs(folder)
            self.addCleanup(shutil.rmtree, folder)
        if subprocess.run([*ALONE, 'mount --rbind /proc "$0"', proc], check=False, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("this system does not let its users run a program in a root of their own")
        model = self.model()
        for name in ("convnet.onnx", "convnet.input.npy"):
            shutil.copy(os.path.join(os.path.dirname(model), name), inside)
        shutil.copy(ANSWER, os.path.join(inside, "answer.npy"))
        listed = self.call("ldd", f"{self.sdk}/bin/nacre-compile")
        paths = [path for path in re.findall(r"(?:=> |\s)(/\S+) \(", listed) if os.path.basename(path) in OF_THE_SYSTEM]
        c_library = os.path.dirname(next(path for path in paths if path.endswith("/libc.so.6")))
        for path in paths + [os.path.join(c_library, name) for name in ("libdl.so.2", "libpthread.so.0", "librt.so.1")]:
            to = self.root + (os.path.dirname(path) if "ld-linux" in path else "/lib")
            os.makedirs(to, exist_ok=True)
            shutil.copy(path, to)

        def run(program, *arguments):
            return self.call(*ALONE, IN_ROOT, self.root, f"/{self.name}/bin/{program}", *arguments)

        for program in PROGRAMS:
            self.assertIn(program, run(program, "--version"))
        run("nacre-compile", "convnet.onnx", "-o", "libconvnet.so", "--report=report.html")
        run("nacre-run", "libconvnet.so", "--input=image=convnet.input.npy", "--expect=probabilities=answer.npy")
        run("nacre-diff", "convnet.onnx", "libconvnet.so", "--input=image=convnet.input.npy")
        run("nacre-eval", "convnet.onnx", "--input=image=convnet.input.npy", "--expect=probabilities=answer.npy")
        run("nacre-compile", "convnet.onnx", "-o", "libconvnet.so", "--target=android-arm64")
        run("nacre-package", "libconvnet.so", "-o", "convnet.aar")
        self.assertTrue(os.path.exists(os.path.join(inside, "convnet.aar")))

    def test_models_have_the_bytes_of_the_whole_libraries(self):
        model = self.model()
        for target in ("linux-x86_64", "android-arm64"):
            libraries = []
            for folder in (nacre.BIN, f"{self.sdk}/bin"):
                libraries.append(self.path(target + str(len(libraries)), "libconvnet.so"))
                os.mkdir(os.path.dirname(libraries[-1]))
                self.call(f"{folder}/nacre-compile", model, "-o", libraries[-1], f"--target={target}", "--place=gpu", "--quiet")
            self.assertTrue(filecmp.cmp(*libraries, shallow=False), target)

    def test_an_app_by_pkg_config(self):
        self.model()
        self.shell("nacre-compile convnet.onnx -o libconvnet.so --quiet")
        self.shell(f"nacre-run libconvnet.so --input=image=convnet.input.npy --expect=probabilities={ANSWER} --output=.")
        self.shell(f"cc -std=c99 -Wall -Werror {HERE}/from_c.c -I. $(pkg-config --cflags nacre) -L. -lconvnet -Wl,-rpath,. -o from_c")
        self.assertEqual(self.shell("./from_c convnet.input.npy probabilities.npy"), "equal\n")
        self.shell('"$(pkg-config --variable=compile nacre)" --check convnet.onnx')

    def test_the_samples_by_cmake(self):
        self.shell(f"cmake -S {self.sdk}/samples -B build && cmake --build build --target classify")
        with open(self.path("picture.ppm"), "wb") as file:
            file.write(b"P6 32 32 255\n" + bytes(i * 7 % 256 for i in range(32 * 32 * 3)))
        self.assertRegex(self.shell("build/classify picture.ppm"), r"^class \d, [\d.]+ %\n$")

    def test_arm64(self):
        program = f"{self.sdk}/bin/nacre-run-arm64"
        if not os.path.exists(program) or not shutil.which("qemu-aarch64"):
            self.skipTest("needs g++-aarch64-linux-gnu and qemu-user")
        self.model()
        self.shell("nacre-compile convnet.onnx -o libconvnet.so --target=linux-arm64 --quiet")
        self.shell(f"qemu-aarch64 -L {nacre.ARM64_SYSROOT} {program} libconvnet.so --input=image=convnet.input.npy --expect=probabilities={ANSWER}")


if __name__ == "__main__":
    unittest.main()
