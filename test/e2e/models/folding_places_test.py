#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is read and written where indices say is the same when a model is compiled and when it runs; see folding_test.py."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from element_types import BOOL, I64, TYPES, edges
from folding_comparison import EXACT, Comparison, Family


class FoldingPlacesTest(Comparison):
    def test_places(self):
        """Indices from the end, and beyond both ends; updates of one element in their order; slices long and short."""
        family = Family("places")
        family.graph.integers("last", [1])
        for element in self.each(TYPES.values()):
            values = (edges(element) * 72)[:72]
            tame = [element.rounded(0.5 + (i % 7) / 4 if element.is_float else i % 7 % 2 if element is BOOL else i % 7) for i in range(72)]
            each = family.input(I64, [0, 3, -1, 9, -9, 2, -4, 1, 1, 1, 4, -5] * 2, [4, 6])
            points, rows = family.input(I64, [0, 0, 3, 5, -1, -1, 9, 2, 1, -9], [5, 2]), family.input(I64, [1, -1, 1, 4], [4, 1])
            x = family.input(element, values[:24], [4, 6])
            family.output("GatherElements", [x, each], element, [4, 6], axis=0)
            family.output("GatherND", [x, points], element, [5])
            family.output("GatherND", [x, rows], element, [4, 6])
            for reduction in ("none", "max", "min") + (() if element is BOOL else ("add", "mul")):
                rounds = element.is_float and reduction in ("add", "mul")
                some, ulps = tame if rounds else values, 4 if rounds else EXACT
                x, updates = family.input(element, some[:24], [4, 6]), family.input(element, some[24:48], [4, 6])
                long, many = family.input(element, some[:72], [4, 18]), family.input(element, some[::-1], [4, 18])
                family.output("ScatterElements", [x, each, updates], element, [4, 6], ulps=ulps, axis=0, reduction=reduction)
                family.output("ScatterND", [x, rows, updates], element, [4, 6], ulps=ulps, reduction=reduction)
                family.output("ScatterND", [long, rows, many], element, [4, 18], ulps=ulps, reduction=reduction)
            if element is not BOOL:
                x = family.input(element, tame[:24] if element.is_float else values[:24], [4, 6])
                family.output("CumSum", [x, "last"], element, [4, 6], ulps=4 if element.is_float else EXACT)
                family.output("CumSum", [x, "first"], element, [4, 6], ulps=4 if element.is_float else EXACT, exclusive=1, reverse=1)
        family.graph.integers("first", [0])
        self.check(family)


if __name__ == "__main__":
    unittest.main()
