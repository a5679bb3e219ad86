#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boxes that do not overlap: TensorFlow Lite's non-maximum suppression, and the operator that its detection nets end in.

How:  each algorithm is written down here as its kernel goes about it, box by box.
"""
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tflite_test
from tflite_test import f32
from tflite_writer import FLOAT32, INT32, UINT8, flex_map

BOXES, CLASSES = 14, 3
OPERATOR = "TFLite_Detection_PostProcess"


def overlap(a, b):
    """Of two boxes (y, x, y, x): what they have in common, as a part of what both cover."""
    (a, b) = [(min(p[0], p[2]), min(p[1], p[3]), max(p[0], p[2]), max(p[1], p[3])) for p in (a, b)]
    areas = [(p[2] - p[0]) * (p[3] - p[1]) for p in (a, b)]
    if min(areas) <= 0:
        return 0
    common = max(min(a[2], b[2]) - max(a[0], b[0]), 0) * max(min(a[3], b[3]) - max(a[1], b[1]), 0)
    return common / (sum(areas) - common)


def suppress(boxes, scores, most, limit, least):
    """Those of at least `least`, by falling score, that share no more than `limit` with one before."""
    taken = []
    for n in sorted((n for n, score in enumerate(scores) if score >= least), key=lambda n: -scores[n]):
        if len(taken) < most and all(overlap(boxes[n], boxes[m]) <= limit for m in taken):
            taken.append(n)
    return taken


def suppress_softly(boxes, scores, most, limit, least, sigma):
    """A candidate is compared once with each box that was taken, and goes back to the others if its score has become less."""
    queue, taken, left = [(score, n, 0) for n, score in enumerate(scores) if score > least], [], []
    while queue and len(taken) < most:
        best = max(queue)
        queue.remove(best)
        score, n, seen = best
        goes = False
        for m in reversed(taken[seen:]):
            part = overlap(boxes[n], boxes[m])
            if part >= limit:
                goes = True
                break
            if sigma > 0:
                score *= math.exp(-0.5 / sigma * part * part)
            if score <= least:
                break
        if goes:
            continue
        if score == best[0]:
            taken.append(n)
            left.append(score)
        elif score > least:
            queue.append((score, n, len(taken)))
    return taken, left


class DetectionTest(nacre.NacreTest):
    save, check = tflite_test.TfliteTest.save, tflite_test.TfliteTest.check

    def test_suppression(self):
        model = tflite_test.Model(51)
        boxes = []
        for _ in range(12):
            y, x, high, wide = (model.random.uniform(0, 1) for _ in range(4))
            boxes.append([f32(v) for v in (y, x, y + 0.3 + high, x + 0.3 + wide)])
        boxes[3] = boxes[3][2:] + boxes[3][:2]  # corners in the other order
        boxes[5] = boxes[4]
        scores = [f32(model.random.uniform(0.1, 1)) for _ in boxes]
        b, _ = model.feed("b", [12, 4], FLOAT32, sum(boxes, []))
        s, _ = model.feed("s", [12], FLOAT32, scores)
        few = self.add(model, "hard", b, s, boxes, scores, 10, 0.3, 0.2)
        self.assertLess(few, 10)
        self.add(model, "short", b, s, boxes, scores, 2, 0.4, 0.2)
        self.add(model, "long", b, s, boxes, scores, 15, 0.7, 0.0)
        self.add(model, "alone", b, s, boxes, scores, 4, 0.0, 0.2)
        self.add(model, "none", b, s, boxes, scores, 4, 0.5, 2.0)
        self.add(model, "same", b, s, boxes, scores, 9, 0.3, 0.2, sigma=0.0)
        fading = self.add(model, "soft", b, s, boxes, scores, 12, 0.8, 0.2, sigma=0.3)
        self.assertGreater(fading, few)
        self.check(model)

    def add(self, model, name, b, s, boxes, scores, most, limit, least, sigma=None):
        """One suppression, and its answer; how many boxes it takes."""
        operands = [b, s, model.list(most, shape=[])]
        operands += [model.tensor(f"{name}{k}", [], values=[v]) for k, v in enumerate((limit, least, sigma)) if v is not None]
        taken, left = suppress_softly(boxes, scores, most, f32(limit), f32(least), f32(sigma or 0))
        results = [model.output(f"{name}_boxes", [most], INT32)]
        model.wanted[f"{name}_boxes"] = (INT32, [most], taken + [0] * (most - len(taken)))
        if sigma is not None:
            results.append(model.output(f"{name}_scores", [most]))
            model.wanted[f"{name}_scores"] = (FLOAT32, [most], left + [0] * (most - len(taken)))
        results.append(model.output(f"{name}_count", [], INT32))
        model.wanted[f"{name}_count"] = (INT32, [], [len(taken)])
        model.op(120 if sigma is None else 121, operands, results)
        return len(taken)

    @staticmethod
    def decode(codes, anchors, scales):
        """Corners, computed in double precision up to the center and half the size."""
        boxes = []
        for code, anchor in zip(codes, anchors):
            center = [f32(code[k] / scales[k] * anchor[2 + k] + anchor[k]) for k in range(2)]
            half = [f32(0.5 * math.exp(code[2 + k] / scales[2 + k]) * anchor[2 + k]) for k in range(2)]
            boxes.append([f32(c - h) for c, h in zip(center, half)] + [f32(c + h) for c, h in zip(center, half)])
        return boxes

    def detect(self, codes, scores, anchors, most, by_box, by_class, regular):
        """Corners, classes, scores and count; `scores` has no background."""
        boxes = self.decode(codes, anchors, (10, 10, 5, 5))
        found, threshold, limit = [], f32(0.3), f32(0.5)
        if regular:
            for kind in range(CLASSES):
                own = [row[kind] for row in scores]
                found += [(own[n], kind, n) for n in suppress(boxes, own, by_class, limit, threshold)]
            found = sorted(found, key=lambda f: -f[0])[:most]
            self.assertGreater(len(found), 2)
            rows, count = [(boxes[n], kind, score) for score, kind, n in found], len(found)
        else:
            best = [max(row) for row in scores]
            taken = suppress(boxes, best, most, limit, threshold)
            self.assertNotEqual(taken, sorted(range(BOXES), key=lambda n: -best[n])[:len(taken)], "no box is suppressed")
            count, rows = len(taken), []
            for n in taken:
                kinds = sorted(range(CLASSES), key=lambda k: -scores[n][k])[:by_box]
                rows += [(boxes[n], kind, scores[n][kind]) for kind in kinds] + [([0] * 4, 0, 0)] * (by_box - len(kinds))
        rows += [([0] * 4, 0, 0)] * (most * by_box - len(rows))
        return sum((row[0] for row in rows), []), [row[1] for row in rows], [row[2] for row in rows], count

    def run_detection(self, most=10, by_box=1, by_class=100, regular=False, background=True, quantized=False, on_arm64=False):
        model = tflite_test.Model(52)
        def draw(low, high, columns, scale, zero):
            """Rows of reals, and what stands for them in the file."""
            reals = [[f32(model.random.uniform(low, high)) for _ in range(columns)] for _ in range(BOXES)]
            if not quantized:
                return reals, sum(reals, []), {}
            codes = [[max(0, min(255, round(v / scale) + zero)) for v in row] for row in reals]
            return [[f32(f32(scale) * (c - zero)) for c in row] for row in codes], sum(codes, []), {"scale": scale, "zero": zero}
        element = UINT8 if quantized else FLOAT32
        codes, c, how = draw(-2, 2, 5, 0.02, 100)
        x, _ = model.feed("codes", [1, BOXES, 5], element, c, **how)
        columns = CLASSES + background
        scores, s, how = draw(0, 1, columns, 1 / 256, 0)
        y, _ = model.feed("scores", [1, BOXES, columns], element, s, **how)
        anchors, a, how = draw(0.3, 0.8, 4, 1 / 256, 3)
        z = model.tensor("anchors", [BOXES, 4], element, a, **how)
        corners, kinds, values, count = self.detect([row[:4] for row in codes], [row[background:] for row in scores], anchors, most, by_box, by_class, regular)
        rows = most * by_box
        shapes = {"corners": [1, rows, 4], "kinds": [1, rows], "values": [1, rows], "count": [1]}
        numbers = {"max_detections": most, "max_classes_per_detection": by_box, "num_classes": CLASSES, "nms_score_threshold": 0.3, "nms_iou_threshold": 0.5,
                   "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0, "_output_quantized": True}
        if regular:
            numbers.update(detections_per_class=by_class, use_regular_nms=True)
        model.op(OPERATOR, [x, y, z], [model.output(*output) for output in shapes.items()], custom=flex_map(numbers, indirect=["x_scale", "w_scale"]))
        answers = {"corners": corners, "kinds": kinds, "values": values, "count": [count]}
        model.wanted.update({name: (FLOAT32, shape, answers[name]) for name, shape in shapes.items()})
        self.check(model, on_arm64=on_arm64)

    def test_best_class_of_each_box(self):
        self.run_detection()

    def test_several_classes_of_each_box(self):
        self.run_detection(most=9, by_box=2)

    def test_more_classes_than_there_are(self):
        self.run_detection(most=9, by_box=5, background=False)

    def test_each_class_by_itself(self):
        self.run_detection(most=6, by_class=3, regular=True)

    def test_more_boxes_than_there_are(self):
        self.run_detection(most=100, by_box=2, regular=True)

    def test_on_arm64(self):
        self.run_detection(most=6, by_class=3, regular=True, on_arm64=True)

    def test_bytes(self):
        self.run_detection(quantized=True)


if __name__ == "__main__":
    unittest.main()
