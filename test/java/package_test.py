#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Android libraries: what is in them, that they are the same every time, and an app of Java that uses one here."""
import os
import re
import shutil
import struct
import subprocess
import sys
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import nacre  # noqa: E402

JAR = os.environ["NACRE_JAR"]
RUNTIME_AAR = os.environ["NACRE_AAR"]
JNI_HOST = os.environ["NACRE_JNI_HOST"]
PAGE = 16384
ABIS = {"arm64-v8a": 183, "x86_64": 62}  # e_machine
FIRST_DATE = (1980, 1, 1, 0, 0, 0)


def data_offset(archive, info):
    """Where an entry's bytes begin in the file."""
    archive.fp.seek(info.header_offset + 26)
    name, extra = struct.unpack("<HH", archive.fp.read(4))
    return info.header_offset + 30 + name + extra


class PackageTest(nacre.NacreTest):
    def compile_for_android(self, name, *options):
        targets = ("android-arm64", "android-x86_64")
        self.compile(name, "--target=" + ",".join(targets), *options)
        return [self.path(target, f"lib{name}.so") for target in targets]

    def package(self, *arguments, status=0):
        return self.call(os.path.join(nacre.BIN, "nacre-package"), *arguments, status=status)

    def make_aar(self, name="convnet", *options):
        aar = self.path(name + ".aar")
        self.package(*self.compile_for_android(name), "-o", aar, *options)
        return aar

    def test_what_is_in_an_aar(self):
        libraries = self.compile_for_android("convnet")
        aar = self.path("convnet.aar")
        self.assertEqual(self.package(*libraries, "-o", aar), "")
        with zipfile.ZipFile(aar) as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual([name for name in archive.namelist() if not name.startswith("prefab/")],
                             ["AndroidManifest.xml", "META-INF/com/android/build/gradle/aar-metadata.properties", "R.txt", "classes.jar",
                              "jni/arm64-v8a/libconvnet.so", "jni/x86_64/libconvnet.so", "proguard.txt"])
            self.assertEqual({info.date_time for info in archive.infolist()}, {FIRST_DATE})
            for library, (abi, machine) in zip(libraries, ABIS.items()):
                with open(library, "rb") as file:
                    packed = archive.read(f"jni/{abi}/libconvnet.so")
                    self.assertEqual(packed, file.read())
                self.assertEqual(struct.unpack_from("<H", packed, 18)[0], machine)
            self.assertIn('package="dev.nacre.model.convnet"', archive.read("AndroidManifest.xml").decode())
            archive.extract("classes.jar", self.folder)
        with zipfile.ZipFile(self.path("classes.jar")) as archive:
            self.assertEqual(archive.namelist(), ["dev/nacre/model/Convnet.class"])

    def test_the_runtimes_aar(self):
        with zipfile.ZipFile(RUNTIME_AAR) as archive:
            self.assertEqual(archive.namelist(), ["AndroidManifest.xml", "R.txt", "classes.jar", "jni/arm64-v8a/libnacre_jni.so",
                                                  "jni/x86_64/libnacre_jni.so", "proguard.txt"])
            for abi, machine in ABIS.items():
                self.assertEqual(struct.unpack_from("<H", archive.read(f"jni/{abi}/libnacre_jni.so"), 18)[0], machine)
            archive.extract("classes.jar", self.folder)
            rules = archive.read("proguard.txt").decode()
        with zipfile.ZipFile(self.path("classes.jar")) as archive:
            classes = archive.namelist()
            self.assertEqual({tuple(info.date_time) for info in archive.infolist()}, {(1980, 1, 1, 0, 0, 2)})
        for kept in re.findall(r"class (dev\.nacre\.\w+)", rules):
            self.assertIn(kept.replace(".", "/") + ".class", classes)
        self.assertFalse([name for name in classes if not name.startswith("dev/nacre/")], "nothing of others")

    def test_the_same_libraries_give_the_same_bytes(self):
        libraries = self.compile_for_android("convnet")
        contents = []
        for zone, order in (("UTC", 1), ("Asia/Tokyo", -1)):
            self.call(os.path.join(nacre.BIN, "nacre-package"), *libraries[::order], "-o", self.path("convnet.aar"),
                      env=dict(os.environ, TZ=zone))
            with open(self.path("convnet.aar"), "rb") as file:
                contents.append(file.read())
        self.assertEqual(*contents)

    def test_the_runtimes_aar_is_the_same_every_time(self):
        folder = self.path("aar")
        with zipfile.ZipFile(RUNTIME_AAR) as archive:
            archive.extractall(folder)
        again = self.path("again.aar")
        self.call("cmake", "-DJAR=jar", "-DFOLDER=aar", f"-DOUTPUT={again}", "-P",
                  os.path.join(nacre.ROOT, "runtime", "java", "jar.cmake"), cwd=self.folder, env=dict(os.environ, TZ="Asia/Tokyo"))
        with open(RUNTIME_AAR, "rb") as one, open(again, "rb") as other:
            self.assertEqual(one.read(), other.read())

    def classes_of(self, aar):
        folder = self.path("classes")
        with zipfile.ZipFile(aar) as archive:
            archive.extract("classes.jar", folder)
        return os.path.join(folder, "classes.jar")

    def test_an_app_of_java_runs_the_model(self):
        classpath = self.classes_of(self.make_aar()) + os.pathsep + JAR
        self.call("javac", "--release", "8", "-Xlint:all,-options,-classfile", "-Werror", "-classpath", classpath, "-d", self.path("app"),
                  os.path.join(HERE, "package", "ConvnetCheck.java"))
        self.compile("convnet")  # for this machine, under the same name
        self.call("python3", os.path.join(nacre.ROOT, "samples", "models", "make_convnet.py"), self.folder)
        said = self.call("java", "-Xcheck:jni", "-Xverify:all", f"-Djava.library.path={JNI_HOST}{os.pathsep}{self.folder}", "-classpath",
                         self.path("app") + os.pathsep + classpath, "ConvnetCheck", self.path("convnet.input.npy"),
                         os.path.join(nacre.ROOT, "samples", "models", "convnet.expected.npy"))
        self.assertEqual(re.sub(r".*-Xverify:all.*\n", "", said), "image probabilities: the session is closed\n")

    def test_the_gpu_computes_for_java(self):
        library = self.compile("convnet", "--place=gpu")
        self.call("javac", "--release", "8", "-Xlint:-options", "-classpath", JAR, "-d", self.path("app"), os.path.join(HERE, "package", "GpuCheck.java"))
        os.mkdir(self.path("cache"))
        said = self.call("java", "-Xcheck:jni", f"-Djava.library.path={JNI_HOST}", "-classpath", self.path("app") + os.pathsep + JAR, "GpuCheck",
                         library, self.path("cache"))
        if said == "no device\n":
            self.skipTest("there is no Vulkan device")
        self.assertRegex(said, r"^computed by [^\n]+\n$")

    def test_what_is_installed(self):
        prefix = self.path("installed")
        build = os.path.dirname(nacre.BIN)
        self.call("cmake", "--install", build, "--prefix", prefix, "--component", "java")
        found = [os.path.relpath(os.path.join(folder, name), prefix) for folder, _, names in os.walk(prefix) for name in names]
        self.assertEqual(sorted(name for name in found if not name.startswith("share/doc/")),
                         ["lib/jni/libnacre_jni.so", "share/java/nacre.jar", "share/nacre/nacre-runtime-javadoc.jar",
                          "share/nacre/nacre-runtime-sources.jar", "share/nacre/nacre-runtime.aar"])

    def javap(self, aar, name):
        return self.call("javap", "-v", "-classpath", self.classes_of(aar), name)

    def test_names_and_types_of_the_class(self):
        """Of a model whose names are no identifiers, and collide once they are."""
        graph = nacre.Graph("odd-names")
        a, b = graph.input("class", [4]), graph.input("in put", [4])
        c, d = graph.input("in_put", [4]), graph.input("1.2", [4], 7)
        graph.output(graph.node("Add", [a, b], output="x/y:0"), [4])
        graph.output(graph.node("Relu", [c], output="x_y_0"), [4])
        graph.output(graph.node("Add", [d, d], output="\u00e4"), [4], 7)
        graph.save(self.path("odd-names.onnx"))
        nacre.MODELS["odd-names"] = lambda: graph
        for options, name in (((), "dev.nacre.model.OddNames"), (("--class=com.example.Classifier",), "com.example.Classifier")):
            aar = self.path("odd.aar")
            self.package(*self.compile_for_android("odd-names"), "-o", aar, *options)
            shown = self.javap(aar, name)
            methods = re.findall(r"public (java\.nio\.\w+) (\w+)\(\);", shown)
            self.assertEqual(methods, [("java.nio.FloatBuffer", "inputClass"), ("java.nio.FloatBuffer", "inputInPut"),
                                       ("java.nio.FloatBuffer", "inputInPut_2"), ("java.nio.LongBuffer", "input1_2"),
                                       ("java.nio.FloatBuffer", "outputXY0"), ("java.nio.FloatBuffer", "outputXY0_1"),
                                       ("java.nio.LongBuffer", "output")])
            constants = dict(re.findall(r"public static final java.lang.String (\w+);\n.*\n.*\n\s+ConstantValue: String (.*)", shown))
            self.assertEqual(constants["INPUT_IN_PUT"], "in put")
            self.assertEqual(constants["INPUT_IN_PUT_2"], "in_put")
            self.assertEqual(constants["INPUT_1_2"], "1.2")
            self.assertEqual(shown.count("androidx.annotation.NonNull"), 7)

    def test_a_class_for_each_entry(self):
        graph = nacre.Graph("dense", seed=5)
        graph.node("MatMul", [graph.input("x", [2, 8]), graph.weight("w", [8, 3], -0.3, 0.3)], output="logits")
        graph.output("logits", [2, 3])
        graph.save(self.path("trained.onnx"))
        nacre.MODELS["trained"] = lambda: graph
        self.package(*self.compile_for_android("trained", "--train", "--loss=softmax-cross-entropy:logits"), "-o", self.path("trained.aar"))
        with zipfile.ZipFile(self.classes_of(self.path("trained.aar"))) as archive:
            self.assertEqual(archive.namelist(), ["dev/nacre/model/Trained.class", "dev/nacre/model/TrainedTrain.class",
                                                  "dev/nacre/model/TrainedEvaluate.class"])
        self.assertIn("inputX()", self.javap(self.path("trained.aar"), "dev.nacre.model.TrainedTrain"))

    @unittest.skipUnless(shutil.which("zipalign") and shutil.which("aapt"), "needs zipalign and aapt")
    def test_libraries_lie_on_pages_of_16_kib_in_an_app(self):
        """As Gradle does it: libraries are stored, and zipalign moves them to pages."""
        app, aligned = self.path("app.apk"), self.path("aligned.apk")
        with zipfile.ZipFile(app, "w", zipfile.ZIP_STORED) as apk:
            for aar in (self.make_aar(), RUNTIME_AAR):
                with zipfile.ZipFile(aar) as archive:
                    for name in archive.namelist():
                        if name.startswith("jni/"):
                            apk.writestr("lib/" + name[len("jni/"):], archive.read(name))
        self.call("zipalign", "-f", str(PAGE), app, aligned)
        self.call("zipalign", "-c", str(PAGE), aligned)
        listed = self.call("aapt", "list", aligned).split()
        self.assertEqual(len([name for name in listed if name.endswith(".so")]), 4)
        with zipfile.ZipFile(aligned) as apk:
            for info in apk.infolist():
                offset = data_offset(apk, info)
                self.assertEqual(offset % PAGE, 0)
                header = apk.read(info)
                table, size, count = (struct.unpack_from(form, header, at)[0] for form, at in (("<Q", 32), ("<H", 54), ("<H", 56)))
                for at in range(table, table + size * count, size):
                    if struct.unpack_from("<I", header, at)[0] == 1:  # PT_LOAD
                        self.assertEqual(struct.unpack_from("<Q", header, at + 48)[0], PAGE)

    def test_what_is_refused(self):
        arm64, x86_64 = self.compile_for_android("relu")
        linux = self.compile("relu", "--target=linux-arm64", output=self.path("liblinux.so"))
        other = self.compile("dense", "--target=android-x86_64", output=self.path("libother.so"))
        changed = self.compile("dense", "--target=android-x86_64", "--name=relu", output=self.path("libchanged.so"))
        with open(arm64, "rb") as file:
            whole = file.read()
        for name, content in (("empty", b""), ("text", b"hello"), ("cut", whole[:len(whole) // 2])):
            with open(self.path(name), "wb") as file:
                file.write(content)
        jni = os.path.join(JNI_HOST, "libnacre_jni.so")
        for arguments, words in (
                ([linux], f"'{linux}' must be for Android, but was compiled for linux-arm64; compile with "
                          "--target=android-arm64,android-x86_64"),
                ([arm64, arm64], f"there must be one library for each ABI, but '{arm64}' and '{arm64}' are both for arm64-v8a"),
                ([arm64, other], f"all libraries must be of one model, but '{arm64}' is relu and '{other}' is other"),
                ([arm64, changed], f"all libraries must be of one model, but '{arm64}' is relu and '{changed}' is relu, with other "
                                   "inputs or outputs"),
                ([self.path("none")], f"'{self.path('none')}' cannot be read: No such file or directory"),
                ([self.path("empty")], f"'{self.path('empty')}' is not a model: it is not a 64-bit shared library"),
                ([self.path("text")], f"'{self.path('text')}' is not a model: it is not a 64-bit shared library"),
                ([jni], f"'{jni}' is not a model: it has no symbol nacre_model_<name>; give libraries that nacre-compile wrote"),
                ([arm64, "--class=Classifier"],
                 "--class must be a class in a package, as com.example.Classifier, but is 'Classifier'"),
                ([arm64, "--class=com.new.Classifier"],
                 "--class must be a class in a package, as com.example.Classifier, but is 'com.new.Classifier'"),
                ([x86_64, "-o", self.path("no", "x.aar")], f"cannot write '{self.path('no', 'x.aar')}': No such file or directory")):
            arguments = arguments if "-o" in arguments else [*arguments, "-o", self.path("x.aar")]
            self.assertEqual(self.package(*arguments, status=1), f"nacre-package: {words}\n")
            self.assertFalse(os.path.exists(self.path("x.aar")))
        said = self.package(self.path("cut"), "-o", self.path("x.aar"), status=1)
        self.assertIn(f"'{self.path('cut')}' is not a model: ", said)

    def test_damaged_libraries_are_refused_not_followed(self):
        """Each byte of the headers and of what the loader reads, changed: an answer or a message, never a crash."""
        arm64, _ = self.compile_for_android("relu")
        with open(arm64, "rb") as file:
            whole = bytearray(file.read())
        damaged = self.path("damaged.so")
        program = os.path.join(nacre.BIN, "nacre-package")
        for at in [*range(0, 64, 3), *range(64, 2048, 61), *range(2048, len(whole), max(1, len(whole) // 40))]:
            changed = bytearray(whole)
            changed[at] ^= 0xFF
            with open(damaged, "wb") as file:
                file.write(changed)
            done = subprocess.run([program, damaged, "-o", self.path("x.aar")], capture_output=True, check=False)
            self.assertIn(done.returncode, (0, 1), f"byte {at}: {done.stderr.decode(errors='replace')}")


if __name__ == "__main__":
    unittest.main()
