#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--preprocess of nacre-compile and nacre-eval: a library that takes pixels computes from the values that their definition gives, and options
that do not fit the model are refused.

How:  the model of one Relu shows these values themselves; a convolution, that kernels which read pixels compute with them.
"""
import os
import sys
import unittest

import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import onnx_writer
import tflite_writer

FAILED, USAGE = 1, 2
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
AS_TORCHVISION = ":mean=" + ",".join(map(str, MEAN)) + ":std=" + ",".join(map(str, STD))
HEIGHT, WIDTH = 18, 23


def values(pixels, mean=(0,), std=(1,), scale=1):
    """What a picture of bytes stands for, in the order of operations of f32 that is documented."""
    real = pixels.astype(numpy.float32)
    if scale != 255:
        real = real * numpy.float32(scale) / numpy.float32(255)
    return (real - numpy.array(mean, numpy.float32)) / numpy.array(std, numpy.float32)


class PreprocessTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.pixels = numpy.random.default_rng(3).integers(0, 256, (HEIGHT, WIDTH, 3)).astype(numpy.uint8)

    def relu(self, *dims, element=onnx_writer.FLOAT):
        graph = onnx_writer.Graph("relu")
        graph.node("Relu", [graph.input("x", dims, element)], output="y")
        graph.output("y", dims, element)
        path = self.path("relu.onnx")
        graph.save(path)
        return path

    def convolution(self):
        graph = onnx_writer.Graph("convolution", seed=4)
        x = graph.node("Conv", [graph.input("x", [1, 3, HEIGHT, WIDTH]), graph.kernel("w", [8, 3, 3, 3])], pads=[1, 1, 1, 1], strides=[2, 2])
        graph.node("Relu", [x], output="y")
        graph.output("y", [1, 8, 9, 12])
        path = self.path("convolution.onnx")
        graph.save(path)
        return path

    def computed(self, model, pixels, option, *options, run=()):
        """The output of a library that takes pixels."""
        numpy.save(self.path("pixels.npy"), pixels)
        library = self.path("libpixels.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", library, "--quiet", f"--preprocess={option}", *options)
        self.run_model(library, f"--input=x={self.path('pixels.npy')}", f"--output={self.folder}", *run)
        return numpy.load(self.path("y.npy"))

    def evaluated(self, model, pixels, option):
        numpy.save(self.path("pixels.npy"), pixels)
        self.call(os.path.join(nacre.BIN, "nacre-eval"), model, "--floats=stored", f"--preprocess={option}", f"--input=x={self.path('pixels.npy')}", f"--output={self.folder}")
        return numpy.load(self.path("y.npy"))

    def refuses(self, model, option, words, status=FAILED):
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", self.path("no.so"), "--quiet", f"--preprocess={option}", status=status)
        self.assertIn(f"--preprocess={option}: ", said)
        self.assertIn(words, said)

    def assertBits(self, got, wanted):
        self.assertEqual(got.shape, wanted.shape)
        self.assertEqual(got.tobytes(), wanted.tobytes())

    def assertNear(self, got, wanted):
        """Rounded in another order, which is more exact."""
        self.assertEqual((got.shape, got.dtype), (wanted.shape, wanted.dtype))
        numpy.testing.assert_allclose(got, wanted, rtol=3e-7, atol=3e-7 * abs(wanted).max())

    def test_values_are_those_of_the_definition(self):
        model = self.relu(1, 3, HEIGHT, WIDTH)
        for option, arguments in (("x", {}), ("x:range=255:mean=104,117,123", {"mean": (104, 117, 123), "scale": 255}),
                                  ("x" + AS_TORCHVISION, {"mean": MEAN, "std": STD}), ("x:std=0.5:mean=0.5", {"mean": (0.5,), "std": (0.5,)}),
                                  ("x:range=2:mean=1", {"mean": (1,), "scale": 2})):
            wanted = numpy.maximum(values(self.pixels, **arguments), 0).transpose(2, 0, 1)[None]
            with self.subTest(option=option):
                self.assertNear(self.computed(model, self.pixels[None], option), wanted)
                self.assertNear(self.evaluated(model, self.pixels[None], option), wanted)

    def test_bytes_of_a_pixel_in_another_order(self):
        model = self.relu(1, 3, HEIGHT, WIDTH)
        alpha = numpy.full((HEIGHT, WIDTH, 1), 77, numpy.uint8)
        wanted = numpy.maximum(values(self.pixels, MEAN, STD), 0).transpose(2, 0, 1)[None]
        for order, pixels in (("rgba", [self.pixels, alpha]), ("bgr", [self.pixels[..., ::-1]]), ("bgra", [self.pixels[..., ::-1], alpha])):
            with self.subTest(order=order):
                self.assertNear(self.computed(model, numpy.concatenate(pixels, 2)[None], f"x{AS_TORCHVISION}:pixels={order}"), wanted)
        # A network that wants blue first has its mean in that order.
        wanted = numpy.maximum(values(self.pixels[..., ::-1], (104, 117, 123), scale=255), 0).transpose(2, 0, 1)[None]
        self.assertNear(self.computed(model, self.pixels[None], "x:range=255:mean=104,117,123:channels=bgr"), wanted)

    def test_layouts_ranks_and_gray(self):
        wanted = values(self.pixels, MEAN, STD)
        self.assertNear(self.computed(self.relu(1, HEIGHT, WIDTH, 3), self.pixels[None], "x" + AS_TORCHVISION), numpy.maximum(wanted, 0)[None])
        self.assertNear(self.computed(self.relu(3, HEIGHT, WIDTH), self.pixels, "x" + AS_TORCHVISION), numpy.maximum(wanted, 0).transpose(2, 0, 1))
        gray = self.pixels[..., :1]
        self.assertNear(self.computed(self.relu(2, 1, HEIGHT, WIDTH), numpy.stack([gray, gray[::-1]]), "x"),
                        numpy.stack([values(gray), values(gray[::-1])]).transpose(0, 3, 1, 2))
        self.assertNear(self.computed(self.relu(1, 3, 3, 3), self.pixels[None, :3, :3], "x:layout=nhwc"), values(self.pixels[None, :3, :3]))

    def test_a_new_batch_is_one_of_pixels(self):
        pixels = numpy.stack([self.pixels, self.pixels[::-1]])
        self.assertNear(self.computed(self.relu(1, 3, HEIGHT, WIDTH), pixels, "x", f"--shape=x=2x3x{HEIGHT}x{WIDTH}"), values(pixels).transpose(0, 3, 1, 2))

    def test_kernels_read_pixels(self):
        """As if the pixels had been prepared outside, on the CPU, the GPU and both."""
        model, prepared = self.convolution(), self.path("prepared.npy")
        numpy.save(prepared, values(self.pixels, MEAN, STD).transpose(2, 0, 1)[None])
        self.call(os.path.join(nacre.BIN, "nacre-eval"), model, f"--input=x={prepared}", f"--output={self.folder}")
        wanted = numpy.load(self.path("y.npy"))
        for options, run in (((), ()), (("--place=gpu",), ("--gpu",)), (("--place=split:50",), ("--gpu",))):
            with self.subTest(options=options):
                numpy.testing.assert_allclose(self.computed(model, self.pixels[None], "x" + AS_TORCHVISION, *options, run=run), wanted, rtol=0, atol=2e-5)

    def test_codes_of_a_quantized_input(self):
        dims, scale, zero = [1, HEIGHT, WIDTH, 3], 0.05, -30
        net = tflite_writer.Net()
        x, y = (make(name, dims, tflite_writer.INT8, scale=scale, zero=zero) for make, name in ((net.input, "x"), (net.output, "y")))
        net.op(19, [x], [y])  # RELU
        net.save(self.path("codes.tflite"))
        codes = numpy.clip(numpy.rint(values(self.pixels, MEAN, STD) / numpy.float32(scale)) + zero, -128, 127).astype(numpy.int8)
        self.assertBits(self.computed(self.path("codes.tflite"), self.pixels[None], "x" + AS_TORCHVISION), numpy.maximum(codes, zero)[None])

    def test_options_that_do_not_fit(self):
        model = self.relu(1, 3, HEIGHT, WIDTH)
        self.refuses(model, "image", "must name an input, but there is no 'image'; inputs are 'x'")
        self.refuses(model, "x:mean=1,2", "mean must have one number, or one for each of 3 channels, but has 2")
        self.refuses(model, "x:pixels=gray", "the network has 3 channels, so pixels must not be gray")
        self.refuses(self.relu(1, 4, HEIGHT, WIDTH), "x", "must have an axis of 1 or 3 channels before or after height and width, but is float[1x4x18x23]")
        self.refuses(self.relu(1, 3, 3, 3), "x", "add :layout=nchw or :layout=nhwc")
        self.refuses(self.relu(1, 64), "x", "must name a picture with three axes")
        self.refuses(self.relu(1, 3, 8, 8, element=onnx_writer.INT32), "x", "must name an input of floats, or of integers with one scale")
        for option, words in (("x:std=0", "std must be above 0"), ("x:mean=a", "'a' must be a number"), ("x:maen=1", "did you mean 'mean'?"),
                              ("x:range=-1", "range must be one number above 0"), ("x:pixels=rbg", "pixels must be rgb, bgr, rgba, bgra or gray"),
                              ("x:channels=gray", "channels must be rgb or bgr"), ("x:layout=hwc", "layout must be nchw or nhwc"),
                              (":mean=1", "must be input:mean="), ("x:mean=1:mean=2", "mean stands twice")):
            self.refuses(model, option, words, status=USAGE)


if __name__ == "__main__":
    unittest.main()
