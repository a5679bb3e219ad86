#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/release: what it refuses, and the texts that it writes. The other tests of this folder build and use what it gathers."""
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import types
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools", "distribution"))
import release_notes
import sbom

BUILD = os.environ.get("NACRE_BUILD", os.path.join(ROOT, "build", "release"))
loader = importlib.machinery.SourceFileLoader("release", os.path.join(ROOT, "tools", "release"))
program = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
loader.exec_module(program)

GOOD = {"maintainer": "Ada Lovelace <ada@nacre.dev>", "home-page": "https://nacre.dev", "security-contact": "security@nacre.dev"}
ARGUMENTS = types.SimpleNamespace(arm64=False, **{name.replace("-", "_"): value for name, value in GOOD.items()})


def release(**changes):
    given = {**GOOD, **{name.replace("_", "-"): value for name, value in changes.items()}}
    return subprocess.run([sys.executable, os.path.join(ROOT, "tools", "release"), *(f"--{name}={value}" for name, value in given.items())],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


class ReleaseTest(unittest.TestCase):
    def test_placeholders_are_refused(self):
        for option, value, words in (("maintainer", "The Nacre developers <nacre@packages.example>", "must not be a placeholder"),
                                     ("maintainer", "Your Name <you@nacre.dev>", "must not be a placeholder"),
                                     ("maintainer", "ada@nacre.dev", "must be 'Name <address>'"),
                                     ("home-page", "https://example.com", "must not be a placeholder"),
                                     ("home-page", "nacre.dev", "must be an https URL"),
                                     ("security-contact", "the maintainers", "must be an address or an https URL")):
            with self.subTest(option=option, value=value):
                done = release(**{option: value})
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(f"--{option} {words}", done.stdout)

    def test_a_folder_with_files_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "kept"), "w", encoding="utf-8"):
                pass
            done = release(output=folder)
            self.assertEqual((done.returncode, os.listdir(folder)), (2, ["kept"]), done.stdout)
            self.assertIn("--output must be an empty folder", done.stdout)

    def test_notes(self):
        changelog = "# Changes\n\n## Unreleased\n\n- new\n\n## 0.2.0, 2026-01-02\n\n- old\n"
        self.assertIn("# Nacre 0.3.0\n\n- new\n", release_notes.write(changelog, "0.3.0", ARGUMENTS))
        notes = release_notes.write(changelog, "0.2.0", ARGUMENTS)
        self.assertIn("# Nacre 0.2.0\n\n- old\n\n## Changes after 0.2.0 that these files contain\n\n- new\n", notes)
        self.assertNotIn("aarch64", notes)
        self.assertIn("`dev.nacre:nacre-runtime:0.2.0` for Gradle", notes)
        self.assertIn("aarch64", release_notes.write(changelog, "0.2.0", types.SimpleNamespace(**{**vars(ARGUMENTS), "arm64": True})))
        for value in GOOD.values():
            self.assertIn(value, notes)
        linked = "# Changes\n\n## Unreleased\n\n- faster\n  ([why](docs/decisions/why.md)), as [a page](docs/page.md) and [a site](https://nacre.dev) say\n"
        self.assertIn("- faster, as a page and [a site](https://nacre.dev) say\n", release_notes.write(linked, "0.2.0", ARGUMENTS))
        with self.assertRaises(SystemExit):
            release_notes.write("# Changes\n", "0.2.0", ARGUMENTS)

    def test_pages_name_the_files_of_this_version(self):
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\([^)]*VERSION (\S+)", file.read())[1]
        named = 0
        for page in ("commands.md", "start/android.md", "start/linux-board.md", "start/python.md"):
            with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as file:
                for found in re.findall(r"`\S*?(?:nacre[a-z3-]*[-_]|release-)(\d+\.\d+\.\d+)[-_.`]", file.read()):
                    named += 1
                    self.assertEqual(found, version, page)
        self.assertGreater(named, 15)

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "runtime", "java", "nacre-runtime.aar")), "needs the Java library, and so a JDK")
    def test_the_repository_is_in_the_checksums(self):
        with tempfile.TemporaryDirectory() as folder:
            program.write_repository(types.SimpleNamespace(build=BUILD, output=folder))
            lines = program.checksums(folder).splitlines()
            stem = next(line for line in lines if line.endswith(".pom")).split("  ")[1][:-len(".pom")]
            self.assertRegex(stem, r"^maven/dev/nacre/nacre-runtime/\d+\.\d+\.\d+/nacre-runtime-\d+\.\d+\.\d+$")
            self.assertEqual({line.split("  ")[1] for line in lines},
                             {stem + suffix + check for check in ("", ".md5", ".sha1") for suffix in (".aar", ".pom", "-sources.jar", "-javadoc.jar")})
            checked = subprocess.run(["sha256sum", "--check", "--quiet"], cwd=folder, input="\n".join(lines) + "\n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                     check=False)
            self.assertEqual((checked.returncode, checked.stdout), (0, ""))

    @unittest.skipUnless(os.path.exists("/usr/bin/dpkg-query"), "needs dpkg")
    def test_sbom(self):
        with tempfile.TemporaryDirectory() as folder:
            wheel = os.path.join(folder, "nacre-0.2.0-py3-none-any.whl")
            with zipfile.ZipFile(wheel, "w") as archive:
                archive.writestr("nacre/licenses/libc6.txt", "")
                archive.writestr("nacre/bin/nacre-compile", "")
            document = json.loads(sbom.write(wheel, "0.2.0", ARGUMENTS))
        self.assertEqual((document["spdxVersion"], document["SPDXID"]), ("SPDX-2.3", "SPDXRef-DOCUMENT"))
        names = [package["name"] for package in document["packages"]]
        self.assertEqual(names[:3], ["nacre", "nacre-runtime", "libc6"])
        self.assertEqual(document["packages"][1]["externalRefs"][0]["referenceLocator"], "pkg:maven/dev.nacre/nacre-runtime@0.2.0?type=aar")
        self.assertEqual(document["packages"][0]["supplier"], "Person: Ada Lovelace (ada@nacre.dev)")
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({"libstdc++-12-dev", "libflatbuffers-dev", "node-d3-zoom", "mkdocs-material"}, set(names))
        self.assertRegex(document["creationInfo"]["created"], r"^20\d\d-\d\d-\d\dT")
        identities = [package["SPDXID"] for package in document["packages"]]
        self.assertEqual({one["relatedSpdxElement"] for one in document["relationships"]}, set(identities))
        self.assertTrue(all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", identity) for identity in identities))
        self.assertRegex(document["packages"][2]["externalRefs"][0]["referenceLocator"], r"^pkg:deb/debian/glibc@\d")


if __name__ == "__main__":
    unittest.main()
