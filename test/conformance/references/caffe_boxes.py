# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layers of SSD that know of boxes, one box at a time."""
import math

import numpy as np


def prior_boxes(p, grid, image):
    """Row 0: the corners of each box, as parts of the image; row 1: variances. `p` are the layer's parameters."""
    sizes = [int(s) for s in p.all("min_size")], [int(s) for s in p.all("max_size")]
    ratios = []
    for ratio in p.all("aspect_ratio"):
        if all(abs(ratio - other) >= 1e-6 for other in [1, *ratios]):
            ratios += [ratio, 1 / ratio] if p.flag("flip", True) else [ratio]
    high, wide = p.one("img_h", p.one("img_size", image[0])), p.one("img_w", p.one("img_size", image[1]))
    step = p.one("step_h", p.one("step", high / grid[0])), p.one("step_w", p.one("step", wide / grid[1]))
    boxes = []
    for row in range(grid[0]):
        for column in range(grid[1]):
            y, x = ((at + p.one("offset", 0.5)) * s for at, s in zip((row, column), step))
            for number, least in enumerate(sizes[0]):
                shapes = [(least, least)]
                if sizes[1]:
                    shapes.append((math.sqrt(least * sizes[1][number]),) * 2)
                shapes += [(least * math.sqrt(r), least / math.sqrt(r)) for r in ratios]
                boxes += [((x - w / 2) / wide, (y - h / 2) / high, (x + w / 2) / wide, (y + h / 2) / high) for w, h in shapes]
    boxes = np.array(boxes, np.float32)
    variances = (p.all("variance") or [0.1]) * (1 if len(p.all("variance")) == 4 else 4)
    rows = np.clip(boxes, 0, 1) if p.flag("clip", False) else boxes
    return np.stack([rows.reshape(-1), np.tile(np.float32(variances), len(boxes))])[None]


def _decode(code, said, prior):
    low, high = prior[:2], prior[2:]
    size = high - low
    if code == "CORNER":
        return prior + said
    if code == "CORNER_SIZE":
        return prior + said * np.concatenate([size, size])
    center, half = said[:2] * size + (low + high) / 2, np.exp(said[2:]) * size / 2
    return np.concatenate([center - half, center + half])


def _area(box):
    return 0 if (box[2:] < box[:2]).any() else float(np.prod(box[2:] - box[:2]))


def _overlap(a, b):
    both = np.concatenate([np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])])
    shared = _area(both) if (both[2:] > both[:2]).all() else 0
    return shared / (_area(a) + _area(b) - shared) if shared else 0


def _suppress(boxes, scores, suppression, threshold):
    """The indices of boxes that are taken, the best first."""
    order = [i for i in np.argsort(-scores, kind="stable") if scores[i] > threshold]
    count, taken = suppression.one("top_k", -1), []
    for i in order if count < 0 else order[:count]:
        if all(_overlap(boxes[i], boxes[j]) <= suppression.one("nms_threshold", 0.3) for j in taken):
            taken.append(i)
    return taken


def detections(p, suppression, locations, scores, priors):
    """A row for each box: image, class, score, corners. `p` and `suppression` are the layer's parameters and `nms_param`."""
    classes, count, background = p.one("num_classes"), priors.shape[2] // 4, p.one("background_label_id", 0)
    corners, variances = priors[0].reshape(2, count, 4)
    if p.flag("variance_encoded_in_target", False):
        variances = np.ones_like(variances)
    locations, scores = locations.reshape(len(locations), count, -1, 4), scores.reshape(-1, count, classes)
    rows = []
    for image, (said, score) in enumerate(zip(locations, scores)):
        found = []
        for label in range(classes):
            of_label = said[:, 0 if p.flag("share_location", True) else label]
            boxes = [_decode(p.one("code_type", "CORNER"), of_label[i] * variances[i], corners[i]) for i in range(count)]
            if label != background:
                found += [(label, score[i, label], boxes[i])
                          for i in _suppress(boxes, score[:, label], suppression, p.one("confidence_threshold", -math.inf))]
        if p.one("keep_top_k", -1) >= 0:
            found = sorted(found, key=lambda f: -f[1])[:p.one("keep_top_k")]
        rows += [[image, label, score, *box] for label, score, box in sorted(found, key=lambda f: (f[0], -f[1]))]
    return np.array(rows, np.float32).reshape(1, 1, -1, 7)
