#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debian's packages: made, judged by lintian, installed into a root of their own beside what is installed here, and used there."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import nacre  # noqa: E402

BUILD = os.environ["NACRE_BUILD"]
PACKAGES = ("nacre", "libnacre-dev", "nacre-doc", "python3-nacre", "libnacre-java")
ANSWER = os.path.join(nacre.ROOT, "samples", "models", "convnet.expected.npy")


class PackagesTest(nacre.NacreTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="nacre-packages-")
        cls.addClassCleanup(folder.cleanup)
        cls.debs, cls.root = os.path.join(folder.name, "debs"), os.path.join(folder.name, "root")
        done = subprocess.run(["cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-G", "DEB", "-B", cls.debs,
                               "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"],  # xz takes half a minute
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise AssertionError(done.stdout)
        cls.install()

    @classmethod
    def install(cls):
        """What is installed here satisfies dependencies there, and nothing else is in that root."""
        admin = os.path.join(cls.root, "var", "lib", "dpkg")
        for name in ("info", "updates", "triggers"):
            os.makedirs(os.path.join(admin, name))
        with open("/var/lib/dpkg/status") as file, open(os.path.join(admin, "status"), "w") as copy:
            copy.write("\n\n".join(entry for entry in file.read().split("\n\n") if not re.match(r"Package: (lib)?nacre", entry)))
        as_root = ["fakeroot"] if os.getuid() else []
        done = subprocess.run([*as_root, "dpkg", "--force-script-chrootless", f"--root={cls.root}", "--path-include=*", "-i",
                               *glob.glob(os.path.join(cls.debs, "*.deb"))],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise AssertionError(done.stdout)

    def setUp(self):
        super().setUp()
        usr = os.path.join(self.root, "usr")
        self.environment = dict(os.environ, PATH=os.path.join(usr, "bin") + ":/usr/bin:/bin", CMAKE_PREFIX_PATH=usr,
                                PKG_CONFIG_PATH=os.path.join(usr, "share", "pkgconfig"),
                                PYTHONPATH=os.path.join(usr, "lib", "python3", "dist-packages"))

    def shell(self, line):
        return self.call("sh", "-ec", line, cwd=self.folder, env=self.environment)

    def test_lintian_finds_no_error(self):
        if not shutil.which("lintian"):
            self.skipTest("lintian is not installed")
        as_user = ["--allow-root"] if not os.getuid() else []
        self.assertEqual(self.call("lintian", *as_user, "--fail-on=error", "--display-level=>=error", "--tag-display-limit=0",
                                   *sorted(glob.glob(os.path.join(self.debs, "*.deb")))), "")

    def test_they_say_what_they_are(self):
        with open(os.path.join(nacre.ROOT, "CMakeLists.txt")) as file:
            version = re.search(r"VERSION (\d+\.\d+\.\d+)", file.read())[1]
        found, summaries = {}, set()
        for deb in glob.glob(os.path.join(self.debs, "*.deb")):
            name, is_version, summary, depends = self.call(
                "dpkg-deb", "--show", "--showformat=${Package}\n${Version}\n${binary:Summary}\n${Depends}", deb).split("\n")
            summaries.add(summary)
            self.assertEqual(is_version, version)
            found[name] = depends
        self.assertEqual(sorted(found), sorted(PACKAGES))
        self.assertEqual(len(summaries), len(PACKAGES), summaries)
        self.assertRegex(found["nacre"], r"libmlir-22\b.*")
        self.assertRegex(found["libnacre-dev"], r"\bnacre \(")
        self.assertIn(f"nacre-compile {version}, with LLVM 22", self.shell("nacre-compile --version"))

    def test_no_folder_is_empty(self):
        """Where a pattern chooses files of a folder, CMake brings the folders that have none, too."""
        self.assertEqual([os.path.relpath(folder, self.root) for folder, inner, names in os.walk(os.path.join(self.root, "usr"))
                          if not inner and not names], [])

    def test_no_bytecode_is_packed(self):
        """A test may not put bytecode into the tree to see what becomes of it, so it reads how each folder of the tree is installed."""
        folders = 0
        for script in glob.glob(os.path.join(BUILD, "**", "cmake_install.cmake"), recursive=True):
            with open(script, encoding="utf-8") as file:
                for line in re.findall(r"file\(INSTALL [^\n]* TYPE DIRECTORY [^\n]*", file.read()):
                    if f'FILES "{BUILD}/' not in line:
                        folders += 1
                        self.assertIn(r'REGEX "/\\_\\_pycache\\_\\_$" EXCLUDE REGEX "/[^/]*\\.pyc$" EXCLUDE', line)
        self.assertGreaterEqual(folders, 5)

    def test_one_model_from_four_languages(self):
        """The same answer to the last bit: the library is the same, and so are its kernels."""
        self.shell(f"python3 {nacre.ROOT}/samples/models/make_convnet.py .")
        self.shell("nacre-compile convnet.onnx -o libconvnet.so")
        self.shell(f"nacre-run libconvnet.so --input=image=convnet.input.npy --expect=probabilities={ANSWER} --output=.")

        self.shell(f"cc -std=c99 -Wall -Werror {HERE}/from_c.c -I. $(pkg-config --cflags nacre) -L. -lconvnet -Wl,-rpath,. -o from_c")
        self.assertEqual(self.shell("./from_c convnet.input.npy probabilities.npy"), "equal\n")
        self.shell('"$(pkg-config --variable=compile nacre)" --check convnet.onnx')

        self.shell(f"""/usr/bin/python3 -c '
import nacre, numpy
answer = nacre.load("./libconvnet.so").run({{"image": numpy.load("convnet.input.npy")}})["probabilities"]
assert (answer == numpy.load("probabilities.npy")).all(), answer
assert nacre.__file__.startswith("{self.root}"), nacre.__file__
assert nacre.get_sample() == "{self.root}/usr/share/nacre/convnet.onnx"
assert open(nacre.get_sample(), "rb").read() == open("convnet.onnx", "rb").read()'""")

        jar = os.path.join(self.root, "usr", "share", "java", "nacre.jar")
        self.shell(f"javac -cp {jar} -d . {HERE}/FromJava.java")
        said = self.shell(f"java -Djava.library.path={self.root}/usr/lib/jni -cp {jar}:. FromJava $PWD/libconvnet.so convnet.input.npy probabilities.npy")
        self.assertEqual(said, "equal\n")

    def test_pages_for_newcomers_name_what_is_installed(self):
        for page in glob.glob(os.path.join(nacre.ROOT, "docs", "start", "*.md")) + glob.glob(os.path.join(nacre.ROOT, "docs", "how-to", "*.md")):
            with open(page, encoding="utf-8") as file:
                for path in set(re.findall(r"/usr/[\w./-]*\w", file.read())):
                    self.assertTrue(os.path.exists(self.root + path), f"{page}: {path}")

    def test_the_samples_by_cmake(self):
        self.shell(f"cmake -S {self.root}/usr/share/doc/nacre/samples -B build && cmake --build build --target classify_cpp")

    @unittest.skipUnless(os.path.exists("/usr/share/mkdocs/themes/material"), "needs mkdocs-material")
    def test_the_site(self):
        html = os.path.join(self.root, "usr", "share", "doc", "nacre", "html")
        for page in ("index.html", "docs/runtime.html", "reference/runtime.h.html", "search/from_files.js"):
            self.assertTrue(os.path.exists(os.path.join(html, page)), page)

    def test_every_page_of_the_manual(self):
        for program in os.listdir(os.path.join(self.root, "usr", "bin")):
            page = os.path.join(self.root, "usr", "share", "man", "man1", program + ".1.gz")
            self.assertTrue(os.path.exists(page), page)


if __name__ == "__main__":
    unittest.main()
