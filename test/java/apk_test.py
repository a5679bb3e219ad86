#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An app for Android, as Gradle would pack it, by Debian's tools for that: the sample's manifest and resources, the libraries of both
AARs, aligned, signed, and read again by the programs that judge apps. Its code is compiled elsewhere (test/java/sample)."""
import os
import shutil
import struct
import sys
import unittest
import xml.etree.ElementTree as ElementTree
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import nacre  # noqa: E402

SAMPLE = os.path.join(nacre.ROOT, "samples", "android")
FRAMEWORK = "/usr/share/android-framework-res/framework-res.apk"
RUNTIME_AAR = os.environ["NACRE_AAR"]
PAGE = 16384
NEEDED = ("aapt", "zipalign", "apksigner", "keytool")
KEY = ("--ks", "key.p12", "--ks-pass", "pass:of-a-test")


@unittest.skipUnless(all(map(shutil.which, NEEDED)) and os.path.exists(FRAMEWORK), f"needs {', '.join(NEEDED)} and android-framework-res")
class ApkTest(nacre.NacreTest):
    def shell(self, *command, status=0):
        return self.call(*command, status=status, cwd=self.folder)

    def write_manifest(self):
        """The sample's, with what Gradle adds to it."""
        space = "http://schemas.android.com/apk/res/android"
        ElementTree.register_namespace("android", space)
        tree = ElementTree.parse(os.path.join(SAMPLE, "AndroidManifest.xml"))
        tree.getroot().set("package", "dev.nacre.sample")
        tree.write(self.path("AndroidManifest.xml"), encoding="utf-8", xml_declaration=True)

    def make_app(self):
        self.write_manifest()
        # Debian's resources are those of Android 10.
        self.shell("aapt", "package", "-f", "-M", "AndroidManifest.xml", "-S", os.path.join(SAMPLE, "res"), "-I", FRAMEWORK, "-F", "packed.apk",
                   "--min-sdk-version", "24", "--target-sdk-version", "29", "--version-code", "1", "--version-name", "1.0")
        self.compile("convnet", "--target=android-arm64,android-x86_64")
        self.shell(os.path.join(nacre.BIN, "nacre-package"), "android-arm64/libconvnet.so", "android-x86_64/libconvnet.so", "-o", "classifier.aar")
        with zipfile.ZipFile(self.path("packed.apk"), "a", zipfile.ZIP_STORED) as apk:
            for aar in (self.path("classifier.aar"), RUNTIME_AAR):
                with zipfile.ZipFile(aar) as archive:
                    for name in archive.namelist():
                        if name.startswith("jni/"):
                            apk.writestr("lib/" + name.removeprefix("jni/"), archive.read(name))
        self.shell("zipalign", "-f", str(PAGE), "packed.apk", "app.apk")
        self.shell("zipalign", "-c", str(PAGE), "app.apk")

    def sign(self):
        self.shell("keytool", "-genkeypair", "-keystore", "key.p12", "-storetype", "PKCS12", "-storepass", "of-a-test", "-alias", "test", "-keyalg", "RSA",
                   "-keysize", "2048", "-validity", "1", "-dname", "CN=Nacre")
        self.shell("apksigner", "sign", *KEY, "app.apk")

    def offsets(self):
        """{name: where the bytes of a library begin in the app}"""
        with zipfile.ZipFile(self.path("app.apk")) as apk:
            found = {}
            for info in apk.infolist():
                apk.fp.seek(info.header_offset + 26)
                name, extra = struct.unpack("<HH", apk.fp.read(4))
                if info.filename.endswith(".so"):
                    self.assertEqual(info.compress_type, zipfile.ZIP_STORED)
                    found[info.filename] = info.header_offset + 30 + name + extra
            return found

    def test_an_app_that_is_signed(self):
        self.make_app()
        self.sign()
        verified = self.shell("apksigner", "verify", "--verbose", "app.apk")
        self.assertIn("Verified using v2 scheme (APK Signature Scheme v2): true", verified)
        # It may move what lies on pages, and then to pages of its own.
        self.shell("zipalign", "-c", "-p", "4", "app.apk")
        self.assertEqual(sorted(self.offsets()), sorted(f"lib/{abi}/{name}" for abi in ("arm64-v8a", "x86_64")
                                                        for name in ("libconvnet.so", "libnacre_jni.so")))
        self.assertEqual({offset % 4096 for offset in self.offsets().values()}, {0})

        said = self.shell("aapt", "dump", "badging", "app.apk")
        for line in ("package: name='dev.nacre.sample' versionCode='1' versionName='1.0'", "sdkVersion:'24'",
                     "uses-permission: name='android.permission.CAMERA'", "application-label:'Nacre Camera'",
                     "application: label='Nacre Camera' icon='res/mipmap-anydpi-v26/icon.xml'",
                     "launchable-activity: name='dev.nacre.sample.CameraActivity'", "native-code: 'arm64-v8a' 'x86_64'"):
            self.assertIn(line, said)

    def test_a_changed_library_is_noticed(self):
        self.make_app()
        self.sign()
        at = self.offsets()["lib/arm64-v8a/libconvnet.so"] + 5000
        with open(self.path("app.apk"), "r+b") as file:
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ 1]))
        self.assertIn("DOES NOT VERIFY", self.shell("apksigner", "verify", "app.apk", status=1))

    def test_manifests_of_the_aars(self):
        """They are merged into an app's: each must be one that aapt takes by itself."""
        self.compile("convnet", "--target=android-arm64", output=self.path("libconvnet.so"))
        self.shell(os.path.join(nacre.BIN, "nacre-package"), "libconvnet.so", "-o", "classifier.aar")
        for aar, package in ((self.path("classifier.aar"), "dev.nacre.model.convnet"), (RUNTIME_AAR, "dev.nacre")):
            with zipfile.ZipFile(aar) as archive:
                archive.extract("AndroidManifest.xml", self.folder)
            self.shell("aapt", "package", "-f", "-M", "AndroidManifest.xml", "-I", FRAMEWORK, "-F", "manifest.apk")
            said = self.shell("aapt", "dump", "badging", "manifest.apk")
            self.assertIn(f"package: name='{package}'", said)
            self.assertIn("sdkVersion:'24'", said)


if __name__ == "__main__":
    unittest.main()
