#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PyTorch, compiled as they are, against PyTorch's own answers. Needs PyTorch (python3-torch)."""
import inspect
import sys
import unittest
import unittest.mock
import warnings

import packaged

packaged.need("torch")
import numpy  # noqa: E402
import torch  # noqa: E402

import nacre  # noqa: E402


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.normalization = torch.nn.BatchNorm2d(8)
        self.dropout = torch.nn.Dropout(0.5)
        self.dense = torch.nn.Linear(8, 5)

    def forward(self, image):
        x = torch.relu(self.normalization(self.convolution(image)))
        return self.dense(self.dropout(x.mean(dim=(2, 3))))


class Both(torch.nn.Module):
    def forward(self, left, right):
        return left + right, left @ right.t()


class TorchTest(packaged.PackageTest):
    def setUp(self):
        super().setUp()
        warnings.simplefilter("ignore")
        torch.manual_seed(3)

    def test_a_network(self):
        net, image = Net(), torch.rand(2, 3, 16, 16)
        model = nacre.from_torch(net, image, accuracy="strict", jobs=1)
        self.assertTrue(net.training, "the module is left as it was")
        self.assertEqual([str(info) for info in model.inputs + model.outputs], ["image: f32[2, 3, 16, 16]", "output: f32[2, 5]"])
        self.assertEqual(model.name, "net")
        net.eval()
        with torch.no_grad():
            numpy.testing.assert_allclose(model.run(image)["output"], net(image).numpy(), rtol=1e-4, atol=1e-5)

    def test_several_inputs_and_outputs(self):
        left, right = torch.rand(4, 6), torch.rand(4, 6)
        model = nacre.from_torch(Both(), (left, right), jobs=1)
        answer = model.run({"left": left, "right": right})
        numpy.testing.assert_allclose(answer["output_0"], (left + right).numpy(), rtol=1e-6)
        numpy.testing.assert_allclose(answer["output_1"], (left @ right.t()).numpy(), rtol=1e-5)
        named = nacre.from_torch(Both(), (left, right), input_names=["a", "b"], output_names=["sum", "product"], jobs=1)
        self.assertEqual([info.name for info in named.inputs + named.outputs], ["a", "b", "sum", "product"])

    def test_training_keeps_the_names_of_weights(self):
        net = torch.nn.Sequential(torch.nn.Linear(2, 1))
        x = torch.rand(8, 2)
        y = 2 * x[:, :1] - x[:, 1:]
        model = nacre.from_torch(net, x, train=True, loss={"mean-squared-error": "output"}, jobs=1)
        self.assertEqual({info.tensor.name for info in model.states if info.role == "weight"}, {"0.weight", "0.bias"})
        label = next(info.name for info in model.entry("train").inputs if info.name not in ("input", "learning_rate"))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            loss = ((net(x) - y)**2).mean()
            loss.backward()
            optimizer.step()
            answer = model.run({"input": x, label: y, "learning_rate": 0.1}, entry="train")
            self.assertAlmostEqual(float(answer["loss"]), float(loss), places=5)
        numpy.testing.assert_allclose(model.state["0.weight"], net[0].weight.detach().numpy(), atol=1e-5)

    def test_a_newer_exporter(self):
        """It exports a module in the mode that it is in, and ignores what the exporter for training is asked for."""
        calls, former = [], torch.onnx.export

        def export(module, examples, path, *, dynamo=True, **arguments):
            calls.append((module.training, dynamo))
            if "dynamo" in inspect.signature(former).parameters:
                arguments["dynamo"] = dynamo
            former(module, examples, path, **arguments)

        net = Net()
        net.normalization.eval()
        with unittest.mock.patch.object(torch.onnx, "export", export):
            nacre.from_torch(net, torch.rand(2, 3, 16, 16), jobs=1)
            self.assertEqual((net.training, net.normalization.training), (True, False), "each part keeps its mode")
            nacre.from_torch(torch.nn.Sequential(torch.nn.Linear(2, 1)), torch.rand(8, 2), train=True, loss={"mean-squared-error": "output"}, jobs=1)
        self.assertEqual(calls, [(False, True), (True, False)])

    def test_mistakes(self):
        self.assert_says(TypeError, "module must be a torch.nn.Module, but is a function", nacre.from_torch, lambda x: x, torch.zeros(1))
        with unittest.mock.patch.dict(sys.modules, {"torch": None}):
            self.assert_says(ImportError, "from_torch needs PyTorch (package torch of PyPI, python3-torch of Debian); or export the module to "
                             "ONNX elsewhere, and pass the file to nacre.compile", nacre.from_torch, None, None)


if __name__ == "__main__":
    unittest.main()
