// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions that no other emitter takes: depthwise and grouped convolutions, point by point.

#include "test/unit/codegen/gpu/VulkanHarness.h"

#include "llvm/Support/FormatVariadic.h"

using namespace nacre::codegen;

namespace {

using GpuPointContractions = GpuDifferential;

/// CHAN channels, with a bias and a halo.
constexpr char kDepthwise[] = R"(
plan.kernel @kernel contraction (%x: tensor<1x9x10xCHANxf32>, %w: tensor<3x3xCHANxf32>, %b: tensor<CHANxf32>) into (%y: tensor<1x9x10xCHANxf32>)
    cut 1 : 7 by 1 {
  %zero = arith.constant 0.0 : f32
  %region = linalg.fill ins(%zero : f32) outs(%y : tensor<1x9x10xCHANxf32>) -> tensor<1x9x10xCHANxf32>
  %t = tensor.extract_slice %region[0, 1, 1, 0] [1, 7, 8, CHAN] [1, 1, 1, 1] : tensor<1x9x10xCHANxf32> to tensor<1x7x8xCHANxf32>
  %e = tensor.empty() : tensor<1x7x8xCHANxf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x8xCHANxf32>) -> tensor<1x7x8xCHANxf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>,
                                        affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x9x10xCHANxf32>, tensor<3x3xCHANxf32>) outs(%f : tensor<1x7x8xCHANxf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x7x8xCHANxf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b : tensor<1x7x8xCHANxf32>, tensor<CHANxf32>) outs(%t : tensor<1x7x8xCHANxf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %s = arith.addf %a, %d : f32
    linalg.yield %s : f32
  } -> tensor<1x7x8xCHANxf32>
  %i = tensor.insert_slice %r into %region[0, 1, 1, 0] [1, 7, 8, CHAN] [1, 1, 1, 1] : tensor<1x7x8xCHANxf32> into tensor<1x9x10xCHANxf32>
  plan.yield %i : tensor<1x9x10xCHANxf32>
})";

TEST_F(GpuPointContractions, DepthwiseConvolutions) {
  checkWith(kDepthwise, {{"CHAN", "7"}});
  checkWith(kDepthwise, {{"CHAN", "24"}});
}

/// GRP groups of 6 input and OUT output channels; packed in panels of four where PACK says so.
constexpr char kGrouped[] = R"(
plan.kernel @kernel KIND (%x: tensor<1x6x7xINxf32>, %w: tensor<3x3x6xALLxf32>, %b: tensor<ALLxf32>) into (%y: tensor<1x4x5xALLxf32>)
    cut CUT PACK {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x5xALLxf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x5xALLxf32>) -> tensor<1x4x5xALLxf32>
  %g = tensor.empty() : tensor<GRPxOUTxf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, i, j, k) -> (n, h + i, w + j, g * 6 + k)>,
                                        affine_map<(n, h, w, g, o, i, j, k) -> (i, j, k, g * OUT + o)>,
                                        affine_map<(n, h, w, g, o, i, j, k) -> (g, o)>,
                                        affine_map<(n, h, w, g, o, i, j, k) -> (n, h, w, g * OUT + o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %g : tensor<1x6x7xINxf32>, tensor<3x3x6xALLxf32>, tensor<GRPxOUTxf32>) outs(%f : tensor<1x4x5xALLxf32>) {
  ^bb0(%a: f32, %d: f32, %unread: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x4x5xALLxf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b : tensor<1x4x5xALLxf32>, tensor<ALLxf32>) outs(%y : tensor<1x4x5xALLxf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %s = arith.addf %a, %d : f32
    linalg.yield %s : f32
  } -> tensor<1x4x5xALLxf32>
  plan.yield %r : tensor<1x4x5xALLxf32>
})";

TEST_F(GpuPointContractions, GroupedConvolutions) {
  for (const char *cut : {"1 : 4 by 1", "3 : ALL by 1", "3 : ALL by 4"})
    for (const char *width : {"0", "4", "8"})
      for (auto [out, all] : {std::pair("5", "15"), std::pair("8", "24")}) {
        const std::string pack =
            *width == '0' ? ""
                          : llvm::formatv("attributes {{encodings = [unit, #plan.encoding<panel, width = {0}, groups = "
                                          "3>, unit]}",
                                          width)
                                .str();
        checkWith(
            kGrouped,
            {{"KIND", "nest"}, {"CUT", cut}, {"PACK", pack}, {"GRP", "3"}, {"IN", "18"}, {"OUT", out}, {"ALL", all}});
      }
}

} // namespace
