# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CNNdroid's own networks: LeNet with the weights and the answers of the Caffe network that it was made from, the others with random ones.

The converter is CNNdroid's, written again: a file for each layer with the weights, then the bias.
"""
import os
import shutil

import numpy as np

from cases import Case, DataSet, Tolerance
from readers import caffe, messagepack
from references import caffe as caffe_reference
from references import cnndroid as reference

# Of each network the input, and of its layers by the names of their files the outputs and the kernel. The first dense layers of AlexNet
# have 4096 outputs, which would only take time.
_IMAGE_NET = ((1, 3, 227, 227), {"conv1": (96, 11), "conv2": (256, 5), "conv3": (384, 3), "conv4": (384, 3), "conv5": (256, 3), "fc6": (512, None),
                                 "fc7": (512, None), "fc8": (1000, None)})
_NETWORKS = {
    "AlexNet_def": _IMAGE_NET, "CaffeNet_def": _IMAGE_NET,
    "Cifar10_def": ((2, 3, 32, 32), {"conv1": (32, 5), "conv2": (32, 5), "conv3": (64, 5), "ip1": (64, None), "ip2": (10, None)}),
    # Of 224 rows the last convolution of the first layer begins where Caffe has none.
    "NIN_def": ((1, 3, 224, 224), {"conv1": (96, 11), "cccp1": (96, 1), "cccp2": (96, 1), "conv2": (256, 5), "cccp3": (256, 1), "cccp4": (256, 1),
                                   "conv3": (384, 3), "cccp5": (384, 1), "cccp6": (384, 1), "conv4-1024": (1024, 3), "cccp7-1024": (1024, 1),
                                   "cccp8-1024": (1000, 1)})}
_TOLERANCES = {"f4": Tolerance(1e-3, 1e-4)}


def _name_of(layer):
    return layer["parameters_file"].removeprefix("model_param_").removesuffix(".msg")


class CnndroidCase(Case):
    """A definition with parameters that are written beside a copy of it."""

    source = ""  # of `path`, which is the copy
    trained = None  # the Caffe network that it was made from, and the weights

    def prepare(self, scratch):
        self.source = self.source or self.path
        self.path = os.path.join(scratch, "net.txt")
        shutil.copy(self.source, self.path)
        layers = reference.read_layers(self.path)
        inputs, answer = self.of_caffe(scratch, layers) if self.trained else self.of_random(scratch, layers)
        given, expected = (os.path.join(scratch, name) for name in ("in.npy", "out.npy"))
        np.save(given, inputs)
        np.save(expected, answer.astype(np.float32))
        yield DataSet({"data": given}, {layers[-1]["name"]: expected})

    def shapes(self, data_set):
        return {name: np.load(path, mmap_mode="r").shape for name, path in data_set.inputs.items()}

    def of_caffe(self, scratch, layers):
        network, weights = self.trained
        blobs = caffe.read_weights(weights)
        for layer in layers:
            if "parameters_file" in layer:
                kernel, bias = blobs[_name_of(layer)]
                kernel = kernel if layer["type"] == "Convolution" else kernel.reshape(-1)
                messagepack.write(os.path.join(scratch, layer["parameters_file"]), kernel, bias.reshape(-1))
        inputs = np.random.default_rng(11).uniform(0, 1, (3, 1, 28, 28)).astype(np.float32)
        answer, = caffe_reference.run(caffe.read_net(network), {"data": inputs}, blobs).values()
        return inputs, answer

    def of_random(self, scratch, layers):
        random = np.random.default_rng(11)
        shape, sizes = _NETWORKS[os.path.basename(self.name)]
        inputs = x = random.uniform(-1, 1, shape).astype(np.float32)
        for layer in layers:
            parameters = ()
            if "parameters_file" in layer:
                outputs, layer["_kernel"] = sizes[_name_of(layer)]
                weights, bias = parameters = reference.draw(layer, outputs, x, random)
                messagepack.write(os.path.join(scratch, layer["parameters_file"]), weights if weights.ndim == 4 else weights.reshape(-1), bias)
            x = reference.run_layer(layer, x, parameters)
        return inputs, x


def case_of(group, name, path, folder):
    case = CnndroidCase(group, name, path, tolerances=_TOLERANCES)
    case.answers = case.prepare
    if os.path.basename(name) == "LeNet_def":
        case.trained = tuple(os.path.join(folder, "cnndroid_lenet", file) for file in ("lenet.prototxt", "lenet_iter_10000.caffemodel"))
    return case
