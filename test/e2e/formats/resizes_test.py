#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resize by fractional scales, by sizes and before version 11, against its definition (resizes.py).

Why:  nacre-eval and libraries read the same tables, so that only an independent reference sees a wrong one.
How:  nacre-eval has all methods for all sizes and scales; a sample has a size in 24. Libraries have a few images of each method,
      which the sample chooses.
"""
import os
import random
import shutil
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import resizes
from resizes import NEAREST, RULES, SCALES, Images, Method, methods

SAMPLED = int(os.environ.get("NACRE_SAMPLE") or 0)


def mixed_images(**options):
    """Every method, for two images of random sizes and scales each; and sizes in place of scales."""
    draw, images = random.Random(SAMPLED), Images(**options)
    for rule in RULES:
        for method in methods(rule):
            for scales in (draw.sample(SCALES[:27], 2), draw.sample(SCALES, 2)):
                images.add_scaled(method, (draw.randint(20, 40), draw.randint(20, 40)), scales)
        if rule != "tf_crop_and_resize":
            images.add_sized(Method("nearest", rule, draw.choice(NEAREST)), (draw.randint(2, 40), draw.randint(2, 40)), (draw.randint(2, 60), 28))
    return images


class ResizesTest(nacre.NacreTest):
    parts = 5  # coprime to the samples of sizes below

    def write(self, images):
        path = self.path(f"{len(os.listdir(self.folder))}.onnx")
        images.save(path)
        for name, array in images.fed.items():
            np.save(self.path(name + ".npy"), array)
        return path

    def check(self, images, run, model, *options):
        """`run` computes the images' vector from `model`."""
        folder = self.path(f"out{len(os.listdir(self.folder))}")
        os.mkdir(folder)
        run(model, f"--output={folder}", *(f"--input={name}={self.path(name)}.npy" for name in images.fed), *options)
        found = list(images.differences(np.load(os.path.join(folder, "y.npy")), 1e-5))
        self.assertEqual(found, [], f"{len(found)} of {len(images.cases)} images differ")

    def evaluate(self, images):
        self.assertGreater(len(images.cases), 10)
        self.check(images, lambda *options: self.call(os.path.join(nacre.BIN, "nacre-eval"), *options), self.write(images))

    def compile_images(self, images, *options):
        library = self.path("libimages.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.write(images), "-o", library, "--quiet", *options)
        return library

    def test_the_reference(self):
        """By hand: PyTorch's image of a third, positions that are halves, and an axis that keeps its neighbour's aspect ratio."""
        third = resizes.scaled_positions("asymmetric", 9, 3, SCALES[0], resizes.WHOLE)
        self.assertEqual(third.tolist(), [0, 3, 6])
        halves = np.array([.5, 1.5, -.5, 2.5 + 4e-7, 2.5 + 4e-6])
        for nearest, wanted in zip(NEAREST, ([0, 1, -1, 2, 3], [1, 2, 0, 3, 3], [0, 1, -1, 2, 2], [1, 2, 0, 3, 3])):
            self.assertEqual(resizes.take_nearest(halves, nearest, 1e-6).tolist(), wanted, nearest)
        bicubic = resizes.make_matrix(Method("cubic", "half_pixel"), [np.float32(1.25)], 4, 1)
        np.testing.assert_allclose(bicubic, [[-.10546875, .87890625, .26171875, -.03515625]])
        smooth = resizes.make_matrix(Method("linear", "half_pixel", antialias=1), [.5, 2.5], 4, .5)
        np.testing.assert_allclose(smooth, [[.5, .375, .125, 0], [0, .125, .375, .5]])

    def test_scales(self):
        for rule in RULES:
            for method in methods(rule):
                images = Images()
                for sizes, scales in resizes.pairs_of_axes():
                    if nacre.is_in_sample(sizes[0], 24):
                        images.add_scaled(method, sizes, scales)
                with self.subTest(str(method)):
                    self.evaluate(images)

    def test_sizes(self):
        """Positions that are exact fractions: (new, old) such as 18 and 14 fail where a rounded scale divides."""
        for rule in RULES[:-1]:
            images = Images()
            for nearest in NEAREST:
                for old in range(1, 65):
                    if nacre.is_in_sample(old, 12):
                        for new in range(1, 100, 3):
                            images.add_sized(Method("nearest", rule, nearest), (old, 65 - old), (new, 101 - new))
            with self.subTest(rule):
                self.evaluate(images)

    def test_aspect_ratios(self):
        images = Images()
        for rule in RULES[:-1]:
            for policy in ("not_larger", "not_smaller"):
                for method in (Method("nearest", rule, "floor"), Method("nearest", rule), Method("linear", rule), Method("cubic", rule, antialias=1)):
                    for new in range(3, 40, 5):
                        images.add_sized(method, (14, 35), (new, 28), policy)
        self.evaluate(images)

    def test_before_version_11(self):
        for opset in (7, 9, 10):
            images = Images(opset=opset)
            for sizes, scales in resizes.pairs_of_axes():
                if nacre.is_in_sample(sizes[0], 12) and (opset == 10 or min(scales) >= 1):
                    for mode in ("nearest", "linear"):
                        images.add_upsampled(mode, sizes, scales)
            with self.subTest(opset=opset):
                self.evaluate(images)

    def test_libraries(self):
        images = mixed_images()
        self.check(images, self.run_model, self.compile_images(images))

    def test_libraries_with_channels(self):
        images = mixed_images(has_planes=True)
        self.check(images, self.run_model, self.compile_images(images))

    @unittest.skipUnless(shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT), "needs qemu-aarch64 and an arm64 sysroot")
    def test_libraries_on_arm64(self):
        images = mixed_images(has_planes=True)
        self.check(images, self.run_arm64, self.compile_images(images, "--target=linux-arm64"))

    def test_libraries_on_a_gpu(self):
        images = mixed_images(has_planes=True)
        library = self.compile_images(images, "--place=gpu")
        for cut in (100, 50):
            with self.subTest(cut=cut):
                self.check(images, self.run_model, library, f"--gpu-cut={cut}")


if __name__ == "__main__":
    unittest.main()
