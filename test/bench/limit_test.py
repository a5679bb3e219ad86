#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arithmetic of limit.py, on a machine of round numbers and a profile as nacre-run printed it."""
import unittest

from limit import Launch, Machine, Part, class_of, limit_of, possible, read_profile, read_shapes, take_times
from readers.onnx import Model, Node  # noqa: E402, whose folder limit knows

PROFILE = """\
batch: 1
          us   share   times  engine       kind         kernel                   nodes
     402.750  60.53%       1  cpu          contraction  conv_3                   n_conv_29, n_batchnormalization_34, n_clip_37
     100.500  20.43%       1  cpu          contraction  conv_6                   n_conv_56
     100.250  20.00%       1  cpu          contraction  conv_6                   n_conv_56
       9.250   1.04%     100  cpu          nest         sigmoid_0                \n\
     612.750 100.00%
"""

KIB, MIB = 1 << 10, 1 << 20


def launch(kind="contraction", flops=0.0, weights=0.0, reads=0.0, writes=0.0, iterations=1):
    return Launch("nodes", "kernel", kind, iterations, flops, flops, weights, reads, writes)


class LimitTest(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(flops=1e11, l2_bytes=MIB, l2_rate=1e11, last_bytes=32 * MIB, last_rate=5e10, memory_rate=1e10)

    def expect(self, limit, seconds, bound):
        self.assertAlmostEqual(limit.seconds, seconds, delta=seconds * 1e-9)
        self.assertEqual(limit.bound, bound)

    def test_arithmetic_binds_where_there_is_much_of_it(self):
        self.expect(limit_of(launch(flops=2e8, weights=64 * KIB, reads=64 * KIB, writes=64 * KIB), self.machine, 2 * MIB), 2e-3, "arithmetic")

    def test_weights_come_from_memory_where_the_model_is_larger_than_the_cache(self):
        dense = launch(flops=4e6, weights=8 * MIB, reads=16 * KIB, writes=4 * KIB)
        activations = 20 * KIB / 1e11
        self.expect(limit_of(dense, self.machine, 100 * MIB), 8 * MIB / 1e10 + activations, "weights")
        self.expect(limit_of(dense, self.machine, 30 * MIB), 8 * MIB / 5e10 + activations, "weights")

    def test_activations_lie_where_they_fit(self):
        self.expect(limit_of(launch("nest", reads=4 * MIB, writes=512 * KIB), self.machine, 64 * MIB),
                    4 * MIB / 5e10 + 512 * KIB / 1e11, "activations")
        self.expect(limit_of(launch("nest", reads=64 * MIB), self.machine, 64 * MIB), 64 * MIB / 1e10, "activations")

    def test_a_loop_reads_its_weights_from_memory_once(self):
        recurrence = launch(flops=1e6, weights=4 * MIB, iterations=100)
        self.expect(limit_of(recurrence, self.machine, 64 * MIB), 4 * MIB / 1e10 + 99 * 4 * MIB / 5e10, "weights")
        self.expect(limit_of(launch(flops=1e6, weights=64 * MIB, iterations=10), self.machine, 80 * MIB), 10 * 64 * MIB / 1e10, "weights")

    def test_of_a_table_only_what_is_gathered_counts(self):
        row = {"nodes": "n", "kernel": "k", "kind": "indexed", "iterations": 1, "flops": 0, "executed_flops": 0, "weight_bytes": 30 * MIB, "read_bytes": 8,
               "written_bytes": 4 * KIB}
        self.assertEqual(Launch.of(row).weights, 4 * KIB)
        self.assertEqual(Launch.of(dict(row, kind="nest")).weights, 30 * MIB)

    def test_products_of_winograd_count_as_what_they_are(self):
        row = {"nodes": "n", "kernel": "k", "kind": "contraction", "iterations": 1, "flops": 9e9, "executed_flops": 4e9, "weight_bytes": 0,
               "read_bytes": 0, "written_bytes": 0}
        self.expect(limit_of(Launch.of(row), self.machine, 0), 4e-2, "arithmetic")
        self.assertEqual(class_of(Launch.of(row), "arithmetic"), "convolutions by Winograd's method")

    def test_classes(self):
        self.assertEqual(class_of(launch("nest"), "activations"), "nest")
        self.assertEqual(class_of(launch(flops=2e6, weights=4e6), "weights"), "contractions bound by their weights")
        self.assertEqual(class_of(launch(flops=18 * 1000, writes=4 * 1000), "activations"), "depthwise convolutions")
        self.assertEqual(class_of(launch(flops=1152 * 1000, writes=4 * 1000), "arithmetic"), "contractions")

    def test_a_contraction_is_as_slow_as_alone_or_as_its_bytes(self):
        self.assertEqual(possible(launch(weights=1e7), 2e-3, self.machine, 100 * MIB), 2e-3)
        self.assertEqual(possible(launch(weights=1e8), 2e-3, self.machine, 100 * MIB), 1e-2)
        self.assertEqual(possible(launch(weights=1e7, iterations=3), 0, self.machine, 100 * MIB), 1e-3 + 2 * 1e7 / 5e10)

    def test_the_machine_is_the_best_that_was_seen(self):
        machine, levels = Machine(), {"l2_bytes": MIB, "last_bytes": 32 * MIB, "threads": 2}
        machine.take(2e11, dict(levels, l2_gbps=90, last_gbps=50, memory_gbps=9))
        machine.take(1e11, dict(levels, l2_gbps=100, last_gbps=40, memory_gbps=10))
        self.assertEqual(machine, Machine(2e11, 2 * MIB, 1e11, 32 * MIB, 5e10, 1e10))

    def test_a_profile_is_read_by_kernel_and_nodes(self):
        times = read_profile(PROFILE)
        self.assertEqual(times["conv_3", "n_conv_29, n_batchnormalization_34, n_clip_37"], [402.75e-6])
        self.assertEqual(times["sigmoid_0", ""], [9.25e-6])
        self.assertEqual(len(times), 3)

    def test_the_least_of_all_profiles_counts(self):
        alike = [Launch("n_conv_56", "conv_6", "contraction", 1, 0, 0, 0, 0, 0) for _ in range(2)]
        other = Launch("n_conv_57", "conv_6", "contraction", 1, 0, 0, 0, 0, 0)
        take_times(alike + [other], read_profile(PROFILE))
        take_times(alike, {("conv_6", "n_conv_56"): [99e-6, 101e-6]})
        self.assertEqual([round(one.seconds * 1e6, 3) for one in alike], [99.0, 100.5])
        self.assertEqual(other.seconds, 0)

    def test_a_part_takes_what_comes_from_outside_and_gives_the_last(self):
        graph = Model(nodes=[Node("conv", "Conv", ["x", "w", ""], ["c"]), Node("relu", "Relu", ["c"], ["r"]), Node("add", "Add", ["r", "s"], ["a"])],
                      initializers={"w": 4})
        part = Part(graph, Launch("conv, relu, add", "conv_0", "contraction", 1, 0, 0, 0, 0, 0))
        self.assertEqual((part.inputs, part.output), (["x", "s"], "a"))
        shapes = read_shapes("inputs\n  data f32[1,3]\noutputs\n  x f32[1,3,224,224]\n  s i64[]\n25 launches\n")
        self.assertEqual(part.options(shapes), ["--input=x", "--input=s", "--shape=x=1x3x224x224", "--output=a"])


if __name__ == "__main__":
    unittest.main()
