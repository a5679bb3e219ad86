#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What nacre-package writes for builds: a Maven repository, which an app here is built from without Gradle; the part of an AAR for apps
with the NDK; and weights files as assets."""
import hashlib
import json
import os
import re
import shutil
import sys
import unittest
import xml.etree.ElementTree as ElementTree
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import nacre  # noqa: E402

RUNTIME_AAR = os.environ["NACRE_AAR"]
JNI_HOST = os.environ["NACRE_JNI_HOST"]
FRAMEWORK = "/usr/share/android-framework-res/framework-res.apk"
POM = "{http://maven.apache.org/POM/4.0.0}"
PAGE = 16384
NEEDED = ("aapt", "zipalign", "apksigner", "keytool", "javac")
TARGETS = ("android-arm64", "android-x86_64")


class RepositoryTest(nacre.NacreTest):
    def compile_for_android(self, name, *options):
        self.compile(name, "--target=" + ",".join(TARGETS), *options)
        return [self.path(target, f"lib{name}.so") for target in TARGETS]

    def package(self, *arguments, status=0):
        return self.call(os.path.join(nacre.BIN, "nacre-package"), *arguments, status=status, cwd=self.folder)

    def resolve(self, group, artifact, version):
        """As Gradle: the AARs of the artifact and of all that it depends on, after their checksums."""
        folder = self.path("maven", *group.split("."), artifact, version)
        stem = os.path.join(folder, f"{artifact}-{version}")
        self.assertEqual(sorted(os.listdir(folder)), sorted(os.path.basename(stem) + suffix + check for check in ("", ".md5", ".sha1")
                                                            for suffix in (".aar", ".pom", "-sources.jar", "-javadoc.jar")))
        for name in os.listdir(folder):
            if not name.endswith((".md5", ".sha1")):
                content = self.read(os.path.join(folder, name))
                self.assertEqual(self.read(os.path.join(folder, name + ".sha1")).decode(), hashlib.sha1(content).hexdigest())
                self.assertEqual(self.read(os.path.join(folder, name + ".md5")).decode(), hashlib.md5(content).hexdigest())
        pom = ElementTree.parse(stem + ".pom").getroot()
        self.assertEqual([pom.findtext(POM + part) for part in ("groupId", "artifactId", "version", "packaging")], [group, artifact, version, "aar"])
        found = [stem + ".aar"]
        for dependency in pom.iter(POM + "dependency"):
            self.assertEqual(dependency.findtext(POM + "type"), "aar")
            found += self.resolve(*(dependency.findtext(POM + part) for part in ("groupId", "artifactId", "version")))
        return found

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    def classpath(self, aars):
        jars = []
        for number, aar in enumerate(aars):
            with zipfile.ZipFile(aar) as archive:
                jars.append(archive.extract("classes.jar", self.path(f"aar{number}")))
        return os.pathsep.join(jars)

    def test_an_app_is_built_from_the_repository(self):
        """javac against the classes of both AARs, and a run here; then aapt, zipalign and apksigner with their libraries."""
        self.assertEqual(self.package(*self.compile_for_android("convnet"), "--maven=maven", f"--runtime={RUNTIME_AAR}"), "")
        aars = self.resolve("dev.nacre.model", "convnet", "1.0")
        self.assertEqual(len(aars), 2)
        self.assertEqual(self.read(aars[1]), self.read(RUNTIME_AAR))
        classpath = self.classpath(aars)
        self.call("javac", "--release", "8", "-Xlint:all,-options,-classfile", "-Werror", "-classpath", classpath, "-d", self.path("app"),
                  os.path.join(HERE, "package", "ConvnetCheck.java"))
        self.compile("convnet")
        self.call("python3", os.path.join(nacre.ROOT, "samples", "models", "make_convnet.py"), self.folder)
        said = self.call("java", "-Xcheck:jni", f"-Djava.library.path={JNI_HOST}{os.pathsep}{self.folder}", "-classpath",
                         self.path("app") + os.pathsep + classpath, "ConvnetCheck", self.path("convnet.input.npy"),
                         os.path.join(nacre.ROOT, "samples", "models", "convnet.expected.npy"))
        self.assertIn("image probabilities: ", said)
        if not all(map(shutil.which, NEEDED)) or not os.path.exists(FRAMEWORK):
            self.skipTest(f"the rest needs {', '.join(NEEDED)} and android-framework-res")
        self.make_apk(aars)

    def test_a_repository_may_have_only_the_runtime(self):
        self.assertEqual(self.package("--maven=maven", f"--runtime={RUNTIME_AAR}"), "")
        version = os.listdir(self.path("maven", "dev", "nacre", "nacre-runtime"))
        self.assertEqual(self.read(self.resolve("dev.nacre", "nacre-runtime", *version)[0]), self.read(RUNTIME_AAR))
        self.assertEqual(os.listdir(self.path("maven", "dev", "nacre")), ["nacre-runtime"])
        for options, words in (([], "<library>... must be given; see --help"), (["--maven=maven"], "<library>... must be given; see --help"),
                               ([f"--runtime={RUNTIME_AAR}"], "--runtime requires --maven"),
                               (["--maven=maven", f"--runtime={RUNTIME_AAR}", "-o", "a.aar"], "-o requires <library>..."),
                               (["--maven=maven", f"--runtime={RUNTIME_AAR}", "--coordinates=a:b:1"], "--coordinates requires <library>...")):
            self.assertEqual(self.package(*options, status=2), f"nacre-package: {words}\n")

    def make_apk(self, aars):
        with open(self.path("AndroidManifest.xml"), "w") as file:
            file.write('<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.example.app"><application/></manifest>')
        self.call("aapt", "package", "-f", "-M", "AndroidManifest.xml", "-I", FRAMEWORK, "-F", "packed.apk", "--min-sdk-version", "24", cwd=self.folder)
        with zipfile.ZipFile(self.path("packed.apk"), "a", zipfile.ZIP_STORED) as apk:
            for aar in aars:
                with zipfile.ZipFile(aar) as archive:
                    for name in archive.namelist():
                        if name.startswith(("jni/", "assets/")):
                            apk.writestr(re.sub("^jni/", "lib/", name), archive.read(name))
        self.call("zipalign", "-f", str(PAGE), "packed.apk", "app.apk", cwd=self.folder)
        self.call("keytool", "-genkeypair", "-keystore", "key.p12", "-storetype", "PKCS12", "-storepass", "of-a-test", "-alias", "test", "-keyalg", "RSA",
                  "-keysize", "2048", "-validity", "1", "-dname", "CN=Nacre", cwd=self.folder)
        self.call("apksigner", "sign", "--ks", "key.p12", "--ks-pass", "pass:of-a-test", "app.apk", cwd=self.folder)
        self.assertIn("Verified using v2 scheme (APK Signature Scheme v2): true", self.call("apksigner", "verify", "--verbose", "app.apk", cwd=self.folder))
        with zipfile.ZipFile(self.path("app.apk")) as apk:
            self.assertLess({"lib/arm64-v8a/libconvnet.so", "lib/arm64-v8a/libnacre_jni.so", "lib/x86_64/libconvnet.so"}, set(apk.namelist()))

    def test_sources_are_those_of_the_class(self):
        graph = nacre.Graph("odd-names")
        graph.output(graph.node("Add", [graph.input("a\"b\\\\u0041*/", [4]), graph.input("in put", [4])], output="x/y:0"), [4])
        graph.output(graph.node("Identity", [graph.input("<b>", [2, 3], 7)], output="\u00e4"), [2, 3], 7)
        graph.save(self.path("odd.onnx"))
        nacre.MODELS["odd"] = lambda: graph
        self.package(*self.compile_for_android("odd"), "--maven=maven", "--coordinates=com.example:odd:2.1", f"--runtime={RUNTIME_AAR}",
                     "--class=com.example.Odd", "-o", "odd.aar")
        aars = self.resolve("com.example", "odd", "2.1")
        self.assertEqual(self.read(aars[0]), self.read(self.path("odd.aar")))
        classpath = self.classpath(aars)
        stem = aars[0][:-len(".aar")]
        with zipfile.ZipFile(stem + "-sources.jar") as archive:
            self.assertEqual(archive.namelist(), ["com/example/Odd.java"])
            archive.extractall(self.path("sources"))
        self.call("javac", "--release", "8", "-Xlint:-options,-classfile", "-classpath", classpath, "-d", self.path("compiled"),
                  self.path("sources", "com", "example", "Odd.java"), os.path.join(nacre.ROOT, "runtime", "java", "annotations", "NonNull.java"))

        def members(classes):
            said = self.call("javap", "-constants", "-classpath", classes + os.pathsep + classpath, "com.example.Odd")
            return sorted(line for line in said.splitlines() if line.startswith("  public"))
        self.assertEqual(members(self.path("compiled")), members(classpath.split(os.pathsep)[0]))
        with zipfile.ZipFile(stem + "-javadoc.jar") as archive:
            page = archive.read("index.html").decode()
        self.assertIn("<td>inputInPut()</td><td>FloatBuffer</td><td>in put</td><td>f32[4]</td>", page)
        self.assertIn("i64[2, 3]", page)
        self.assertNotIn("<b>", page)

    def test_the_same_models_give_the_same_bytes(self):
        libraries = self.compile_for_android("relu")
        contents = []
        for zone in ("UTC", "Asia/Tokyo"):
            self.call(os.path.join(nacre.BIN, "nacre-package"), *libraries, "--maven=maven", f"--runtime={RUNTIME_AAR}", cwd=self.folder,
                      env=dict(os.environ, TZ=zone))
            contents.append({name: self.read(os.path.join(folder, name)) for folder, _, names in os.walk(self.path("maven")) for name in names})
        self.assertEqual(*contents)
        self.assertFalse(os.path.exists(self.path("relu.aar")), "with --maven, an AAR apart is written only if it is asked for")

    def test_apps_in_c_find_headers_and_libraries(self):
        libraries = self.compile_for_android("convnet")
        self.package(*libraries, "-o", "convnet.aar", "--maven=maven", "--coordinates=com.example:net:2.1")
        with zipfile.ZipFile(self.path("convnet.aar")) as archive:
            archive.extractall(self.path("aar"), [name for name in archive.namelist() if name.startswith("prefab/")])
        module = self.path("aar", "prefab", "modules", "convnet")
        self.assertEqual(json.loads(self.read(self.path("aar", "prefab", "prefab.json"))),
                         {"schema_version": 1, "name": "convnet", "version": "2.1", "dependencies": []})
        self.assertEqual(json.loads(self.read(os.path.join(module, "module.json"))), {"export_libraries": [], "library_name": "libconvnet"})
        self.assertEqual(sorted(os.listdir(os.path.join(module, "include", "nacre"))),
                         ["describe.h", "elements.hpp", "executor.h", "image.hpp", "info.h", "resize.hpp", "runtime.h", "runtime.hpp", "state.h", "weights.h"])
        with open(self.path("app.c"), "w") as file:
            file.write('#include "convnet.h"\nint app(void);\nint app(void) {\n  nacre_session *session;\n'
                       '  return nacre_session_create(&nacre_model_convnet, 0, &session);\n}\n')
        clang = os.path.join(nacre.LLVM_BIN, "clang")
        for abi, triple, library in zip(("arm64-v8a", "x86_64"), ("aarch64-linux-android24", "x86_64-linux-android24"), libraries):
            libs = os.path.join(module, "libs", "android." + abi)
            self.assertEqual(json.loads(self.read(os.path.join(libs, "abi.json"))), {"abi": abi, "api": 24, "ndk": 21, "stl": "none"})
            self.assertEqual(self.read(os.path.join(libs, "libconvnet.so")), self.read(library))
            self.call(clang, f"--target={triple}", "-std=c99", "-Wall", "-Werror", "-nostdlibinc", "-fPIC", "-c", "app.c", "-o", "app.o", "-I",
                      os.path.join(module, "include"), cwd=self.folder)
            self.call(os.path.join(nacre.LLVM_BIN, "ld.lld"), "-shared", "--no-undefined", "app.o", os.path.join(libs, "libconvnet.so"), "-o", "libapp.so",
                      cwd=self.folder)
            self.assertIn("libconvnet.so", self.call(os.path.join(nacre.LLVM_BIN, "llvm-readelf"), "--dynamic", self.path("libapp.so")))

    def test_without_a_header_apps_in_c_are_told(self):
        libraries = self.compile_for_android("relu")
        os.remove(self.path("android-arm64", "relu.h"))
        self.assertIn(f"nacre-package: note: apps in C and C++ cannot use this AAR, because '{self.path('android-arm64', 'relu.h')}' cannot be read",
                      self.package(*libraries, "-o", "relu.aar"))
        with zipfile.ZipFile(self.path("relu.aar")) as archive:
            self.assertFalse([name for name in archive.namelist() if name.startswith("prefab/")])

    def test_weights_files_are_assets(self):
        libraries = self.compile_for_android("convnet", "--weights-in=file")
        self.package(*libraries, "-o", "convnet.aar")
        with zipfile.ZipFile(self.path("convnet.aar")) as archive:
            for abi, library in zip(("arm64-v8a", "x86_64"), libraries):
                self.assertEqual(archive.read(f"assets/nacre/{abi}/convnet.weights"), self.read(library.replace(".so", ".weights")))
        self.package(*libraries, "-o", "bare.aar", "--weights=none")
        with zipfile.ZipFile(self.path("bare.aar")) as archive:
            self.assertFalse([name for name in archive.namelist() if name.startswith("assets/")])

        arm64, x86_64 = (library.replace(".so", ".weights") for library in libraries)
        whole = self.read(arm64)
        shutil.copy(x86_64, arm64)
        self.assertIn(f"'{arm64}' does not fit '{libraries[0]}'; compile both again", self.package(*libraries, "-o", "x.aar", status=1))
        for content in (b"", whole[:1000]):
            with open(arm64, "wb") as file:
                file.write(content)
            self.assertIn(f"'{arm64}' is not a whole weights file; compile the model again", self.package(*libraries, "-o", "x.aar", status=1))
        os.remove(arm64)
        self.assertIn(f"the weights of '{libraries[0]}' cannot be read from '{arm64}': No such file or directory; copy that file, too, or deliver it "
                      "otherwise and pass --weights=none", self.package(*libraries, "-o", "x.aar", status=1))
        self.assertFalse(os.path.exists(self.path("x.aar")))

    def test_java_opens_weights_files(self):
        """Two trainings of one network, a damaged file, none, and a library that needs none; states start with the file's values."""
        jar = os.environ["NACRE_JAR"]
        self.call("javac", "--release", "8", "-Xlint:-options", "-classpath", jar, "-d", self.path("app"), os.path.join(HERE, "package", "WeightsCheck.java"))
        for seed in (1, 2):
            graph = nacre.Graph("dense", seed=seed)
            graph.node("MatMul", [graph.input("x", [2, 8]), graph.weight("w", [8, 3], -0.3, 0.3)], output="logits")
            graph.output("logits", [2, 3])
            os.mkdir(self.path(str(seed)))
            graph.save(self.path(str(seed), "dense.onnx"))
            self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path(str(seed), "dense.onnx"), "-o", self.path(str(seed), "libdense.so"), "--train",
                      "--loss=softmax-cross-entropy:logits", "--weights-in=file")
        damaged = bytearray(self.read(self.path("1", "libdense.weights")))
        damaged[-1] ^= 1
        with open(self.path("damaged"), "wb") as file:
            file.write(damaged)
        run = ("java", "-Xcheck:jni", f"-Djava.library.path={JNI_HOST}", "-classpath", self.path("app") + os.pathsep + jar, "WeightsCheck")
        one, one_state, two, two_state, *refused = self.call(
            *run, self.path("1", "libdense.so"), self.path("1", "libdense.weights"), self.path("2", "libdense.weights"), self.path("damaged"), "none").splitlines()
        self.assertNotEqual(float(one), float(two))
        self.assertEqual([one_state, two_state], ["the same with a state"] * 2)
        self.assertEqual(refused, [
            "BAD_ARGUMENT: the weights file is damaged: its contents do not have the hash that it names; copy or download it again", "no state: BAD_ARGUMENT",
            "BAD_ARGUMENT: the weights of 'dense' are in a file that nacre-compile wrote with the library: open it, and pass it in the session's options",
            "no state: BAD_ARGUMENT"])
        inside = self.compile("relu")
        self.assertEqual(self.call(*run, inside, self.path("damaged")), "BAD_ARGUMENT: weightsFile requires a model compiled with --weights-in=file; "
                         "this library contains its weights\n")

    def test_options_that_cannot_be(self):
        libraries = self.compile_for_android("relu")
        for options, words, status in (
                (["--coordinates=com.example:relu:1"], "--coordinates requires --maven", 2),
                ([f"--runtime={RUNTIME_AAR}"], "--runtime requires --maven", 2),
                (["--weights=zip"], "--weights must be assets or none, but is 'zip'", 2),
                (["--maven=maven", "--coordinates=relu"], "--coordinates must be <group>:<artifact>:<version>, of letters, digits, dots, hyphens and "
                 "underscores, as com.example:classifier:1.0, but is 'relu'", 2),
                (["--maven=maven", "--coordinates=a:../b:1"], "--coordinates must be ", 2),
                (["--maven=maven", "--runtime=nacre.jar"], "--runtime must be nacre-runtime.aar, but is 'nacre.jar'", 1),
                (["--maven=maven", "--runtime=absent.aar"], "'absent.aar' cannot be read: No such file or directory", 1)):
            self.assertIn(f"nacre-package: {words}", self.package(*libraries, *options, status=status))
            self.assertFalse(os.path.exists(self.path("maven")))


if __name__ == "__main__":
    unittest.main()
