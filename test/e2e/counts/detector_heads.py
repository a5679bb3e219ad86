#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The last parts of torchvision's detectors, as torch.onnx.export writes them (the exporter by traces): from scores to the boxes that are found.

usage: detector_heads.py FOLDER

Why:  every size in them is decided by the data: how many boxes score enough, fit a level of the pyramid, and are left of those that overlap.
How:  a head is a graph of the same operators in the same order, with few boxes and random weights. FOLDER gets each head and its inputs, for
      which detectors.json has the answers of ONNX Runtime 1.30.
"""
import json
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3, "samples", "models"))
from onnx_writer import FLOAT, INT64, Graph, tensor, write_npy

IMAGE = 100.0
END = 2**63 - 1


class Head(Graph):
    """`inputs_of` has the shape of each input, and what its numbers are."""

    def __init__(self, name, inputs_of):
        super().__init__(name, opset=16)
        self.inputs_of = inputs_of
        for name_of_input, (dims, _) in inputs_of.items():
            self.input(name_of_input, dims)

    def list(self, *values):
        return self.integers(f"list_{len(self.initializers)}", list(values))

    def index(self, value):
        return self.count(f"index_{len(self.initializers)}", value)

    def number(self, value):
        return self.constant(f"number_{len(self.initializers)}", [], [value])

    def numbers(self, dims):
        return self.weight(f"weight_{len(self.initializers)}", dims, -0.4, 0.4)

    def column(self, x, column):
        return self.node("Gather", [x, self.index(column)], axis=1)

    def part(self, x, begin, end, axis, step=1):
        return self.node("Slice", [x, self.list(begin), self.list(end), self.list(axis), self.list(step)])

    def rows(self, x, index):
        return self.node("Gather", [x, index], axis=0)

    def places(self, mask):
        """torch.where(mask)[0]"""
        found = self.node("Transpose", [self.node("NonZero", [mask])], perm=[1, 0])
        return self.node("Squeeze", [found, self.list(1)])

    def masked(self, x, mask):
        """x[mask]"""
        return self.node("GatherND", [x, self.node("Transpose", [self.node("NonZero", [mask])], perm=[1, 0])])

    def size(self, x):
        """The size of the first axis, as a list."""
        return self.node("Unsqueeze", [self.node("Gather", [self.node("Shape", [x]), self.index(0)], axis=0), self.list(0)])

    def like(self, x, values, code="f"):
        """torch.full_like"""
        return self.node("ConstantOfShape", [self.node("Shape", [x])], value=tensor(values, code))

    def largest(self, x, of, most):
        """The largest elements of x, as many as `of` has, but at most `most`, and their places."""
        number = self.node("ReduceMin", [self.node("Concat", [self.list(most), self.size(of)], axis=0)], keepdims=0)
        name = f"largest_{len(self.nodes)}"
        return self.node("TopK", [x, self.node("Reshape", [number, self.list(-1)])], output=[name, f"{name}_at"], axis=0)

    def clip(self, boxes):
        """clip_boxes_to_image"""
        sides = [self.node("Clip", [self.part(boxes, side, 4, 1, 2), self.number(0.0), self.number(IMAGE)]) for side in range(2)]
        both = self.node("Concat", [self.node("Unsqueeze", [side, self.list(2)]) for side in sides], axis=2)
        return self.node("Reshape", [both, self.node("Shape", [boxes])])

    def suppress(self, boxes, scores, overlap):
        """torchvision.ops.nms"""
        boxes = self.node("Unsqueeze", [boxes, self.list(0)])
        scores = self.node("Unsqueeze", [self.node("Unsqueeze", [scores, self.list(0)]), self.list(0)])
        threshold = self.constant(f"overlap_{len(self.nodes)}", [1], [overlap])
        found = self.node("NonMaxSuppression", [boxes, scores, self.list(2**31 - 1), threshold])
        return self.node("Squeeze", [self.node("Gather", [found, self.list(2)], axis=1), self.list(1)])

    def finish(self, boxes, scores, labels, overlap, most):
        """Suppresses boxes of the same label (batched_nms, which moves those of others away), and keeps the best."""
        far = self.node("Add", [self.node("ReduceMax", [boxes], keepdims=0), self.number(1.0)])
        offsets = self.node("Mul", [self.node("Cast", [labels], to=FLOAT), far])
        moved = self.node("Add", [boxes, self.node("Unsqueeze", [offsets, self.list(1)])])
        kept = self.part(self.suppress(moved, scores, overlap), 0, most, 0)
        for name, x, dims, element in (("boxes", boxes, ["n", 4], FLOAT), ("scores", scores, ["n"], FLOAT), ("labels", labels, ["n"], INT64)):
            self.node("Gather", [x, kept], output=f"found_{name}", axis=0)
            self.output(f"found_{name}", dims, element)
        return self


def ssd():
    """Of SSD and SSDlite: for each class, the best boxes that score enough."""
    head = Head("ssd", {"boxes": ([40, 4], "boxes"), "scores": ([40, 3], "scores")})
    clipped, found = head.clip("boxes"), []
    for label in (1, 2):
        scores = head.column("scores", label)
        keep = head.node("Greater", [scores, head.number(0.3)])
        scores, boxes = head.masked(scores, keep), head.masked(clipped, keep)
        scores, at = head.largest(scores, scores, 15)
        found.append((head.rows(boxes, at), scores, head.like(scores, [label], "q")))
    return head.finish(*(head.node("Concat", parts, axis=0) for parts in zip(*found)), overlap=0.45, most=10)


def decode(head, codes, anchors):
    """BoxCoder.decode_single of one class, for rows of four numbers."""
    size = [head.node("Sub", [head.column(anchors, 2 + side), head.column(anchors, side)]) for side in range(2)]
    center = [head.node("Add", [head.column(anchors, side), head.node("Mul", [size[side], head.number(0.5)])]) for side in range(2)]
    low, high = [], []
    for side in range(2):
        across = head.node("Unsqueeze", [size[side], head.list(1)])
        middle = head.node("Add", [head.node("Mul", [head.part(codes, side, END, 1, 4), across]),
                                   head.node("Unsqueeze", [center[side], head.list(1)])])
        code = head.node("Clip", [head.part(codes, 2 + side, END, 1, 4), "", head.number(4.135)])
        half = head.node("Mul", [head.node("Mul", [head.node("Exp", [code]), across]), head.number(0.5)])
        low.append(head.node("Sub", [middle, half]))
        high.append(head.node("Add", [middle, half]))
    together = head.node("Concat", [head.node("Unsqueeze", [part, head.list(2)]) for part in low + high], axis=2)
    rows = head.part(head.node("Shape", [together]), 0, 1, 0)
    return head.node("Reshape", [together, head.node("Concat", [rows, head.list(-1)], axis=0)])


def retinanet():
    """Of RetinaNet and FCOS: for each level of the pyramid, the best pairs of an anchor and a class."""
    classes, inputs = 3, {}
    for level, anchors in enumerate((60, 24)):
        inputs |= {f"logits{level}": ([anchors, classes], "logits"), f"codes{level}": ([anchors, 4], "codes"), f"anchors{level}": ([anchors, 4], "boxes")}
    head, found = Head("retinanet", inputs), []
    for level in range(2):
        scores = head.node("Reshape", [head.node("Sigmoid", [f"logits{level}"]), head.list(-1)])
        keep = head.node("Greater", [scores, head.number(0.6)])
        places = head.places(keep)
        scores, at = head.largest(head.masked(scores, keep), places, 20)
        pairs = head.rows(places, at)
        anchors = head.node("Div", [pairs, head.index(classes)])
        boxes = decode(head, head.rows(f"codes{level}", anchors), head.rows(f"anchors{level}", anchors))
        found.append((head.clip(boxes), scores, head.node("Mod", [pairs, head.index(classes)])))
    return head.finish(*(head.node("Concat", parts, axis=0) for parts in zip(*found)), overlap=0.5, most=12)


def faster_rcnn():
    """Of Faster, Mask and Keypoint R-CNN: proposals that are left, their features from two levels, and a box for each class."""
    classes, channels, cells = 3, 8, 3
    head = Head("faster_rcnn", {"proposals": ([30, 4], "boxes"), "objectness": ([30], "scores"), "features0": ([1, channels, 25, 25], "codes"),
                                "features1": ([1, channels, 13, 13], "codes")})
    side = [head.node("Sub", [head.column("proposals", 2 + axis), head.column("proposals", axis)]) for axis in range(2)]
    wide = [head.node("GreaterOrEqual", [one, head.number(1.0)]) for one in side]
    large = head.places(head.node("And", wide))
    boxes, scores = head.rows("proposals", large), head.rows("objectness", large)
    likely = head.places(head.node("GreaterOrEqual", [scores, head.number(0.2)]))
    boxes, scores = head.rows(boxes, likely), head.rows(scores, likely)
    boxes = head.rows(boxes, head.part(head.suppress(boxes, scores, 0.7), 0, 14, 0))

    # MultiScaleRoIAlign: each box is read from the level that its area chooses, and written to its place.
    rois = head.node("Concat", [head.like(head.part(boxes, 0, 1, 1), [0.0]), boxes], axis=1)
    area = head.node("Mul", [head.node("Sub", [head.column(boxes, 2 + axis), head.column(boxes, axis)]) for axis in range(2)])
    level = head.node("Div", [head.node("Log", [head.node("Div", [head.node("Sqrt", [area]), head.number(20.0)])]), head.number(math.log(2))])
    level = head.node("Clip", [head.node("Floor", [head.node("Add", [level, head.number(1.0)])]), head.number(0.0), head.number(1.0)])
    level = head.node("Cast", [level], to=INT64)
    rest = [head.list(channels), head.list(cells), head.list(cells)]
    merged = head.node("ConstantOfShape", [head.node("Concat", [head.size(level), *rest], axis=0)], value=tensor([0.0]))
    for number in range(2):
        places = head.places(head.node("Equal", [level, head.index(number)]))
        own = head.rows(rois, places)
        images = head.node("Cast", [head.node("Squeeze", [head.part(own, 0, 1, 1), head.list(1)])], to=INT64)
        features = head.node("RoiAlign", [f"features{number}", head.part(own, 1, 5, 1), images], output_height=cells, output_width=cells,
                             sampling_ratio=2, spatial_scale=0.25 / (number + 1), mode="avg",
                             coordinate_transformation_mode="output_half_pixel")
        index = head.node("Reshape", [places, head.list(-1, 1, 1, 1)])
        index = head.node("Expand", [index, head.node("Concat", [head.size(index), *rest], axis=0)])
        merged = head.node("ScatterElements", [merged, index, features], axis=0)

    # TwoMLPHead, FastRCNNPredictor and postprocess_detections
    def dense(x, inputs, outputs):
        return head.node("Gemm", [x, head.numbers([outputs, inputs]), head.numbers([outputs])], transB=1)

    hidden = head.node("Relu", [dense(head.node("Flatten", [merged], axis=1), channels * cells * cells, 16)])
    scores = head.node("Softmax", [dense(hidden, 16, classes)], axis=-1)
    shifts = head.node("Reshape", [dense(hidden, 16, 4 * classes), head.list(-1, classes, 4)])
    boxes = head.node("Add", [head.node("Unsqueeze", [boxes, head.list(1)]), shifts])
    boxes, scores = head.part(boxes, 1, END, 1), head.part(scores, 1, END, 1)
    labels = head.node("Expand", [head.node("Reshape", [head.list(1, 2), head.list(1, -1)]), head.node("Shape", [scores])])
    boxes = head.node("Reshape", [boxes, head.list(-1, 4)])
    scores, labels = (head.node("Reshape", [x, head.list(-1)]) for x in (scores, labels))
    enough = head.places(head.node("Greater", [scores, head.number(0.3)]))
    return head.finish(*(head.rows(x, enough) for x in (boxes, scores, labels)), overlap=0.5, most=10)


HEADS = {"ssd": ssd, "retinanet": retinanet, "faster_rcnn": faster_rcnn}


def draw(head, seed):
    """Numbers for each input. Of seed 0, no box scores enough."""
    numbers = random.Random(seed)
    drawn = {}
    for name, (dims, kind) in head.inputs_of.items():
        count = math.prod(dims)
        if kind == "boxes":
            corners = [[numbers.uniform(0, 0.8 * IMAGE) for _ in range(2)] for _ in range(dims[0])]
            values = [v for low in corners for v in (*low, *(side + numbers.uniform(0, 0.4 * IMAGE) for side in low))]
        elif kind == "scores":
            values = [numbers.random() if seed else 0.0 for _ in range(count)]
        elif kind == "logits":
            values = [numbers.gauss(0, 2) if seed else -5.0 for _ in range(count)]
        else:
            values = [numbers.gauss(0, 0.2) for _ in range(count)]
        drawn[name] = (dims, values)
    return drawn


def main():
    folder = sys.argv[1]
    for name, make in HEADS.items():
        head = make()
        head.save(os.path.join(folder, f"{name}.onnx"))
        for seed in range(5):
            for of_input, (dims, values) in draw(head, seed).items():
                write_npy(os.path.join(folder, f"{name}-{seed}-{of_input}.npy"), dims, values)
    print(json.dumps({name: list(make().inputs_of) for name, make in HEADS.items()}))


if __name__ == "__main__":
    main()
