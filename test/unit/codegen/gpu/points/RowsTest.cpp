// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows: softmax, normalizations and long sums, of every length that the division into invocations meets.

#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

using GpuRows = GpuDifferential;

constexpr char kSoftmax[] = R"(
#all = affine_map<(d0, d1) -> (d0, d1)>
#in = affine_map<(d0, d1) -> (INDICES)>
#row = affine_map<(d0, d1) -> (d0)>
plan.kernel @kernel row (%x: tensor<SHAPExf32>) into (%y: tensor<SHAPExf32>) cut AXIS : ROWS by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<ROWSxf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %max = linalg.generic {indexing_maps = [#in, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<SHAPExf32>) outs(%f : tensor<ROWSxf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<ROWSxf32>
  %ee = tensor.empty() : tensor<ROWSxCOLSxf32>
  %exp = linalg.generic {indexing_maps = [#in, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<SHAPExf32>, tensor<ROWSxf32>) outs(%ee : tensor<ROWSxCOLSxf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.subf %a, %c : f32
    %m = math.exp %s : f32
    linalg.yield %m : f32
  } -> tensor<ROWSxCOLSxf32>
  %e2 = tensor.empty() : tensor<ROWSxf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<ROWSxCOLSxf32>) outs(%f2 : tensor<ROWSxf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<ROWSxf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #in], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<ROWSxCOLSxf32>, tensor<ROWSxf32>) outs(%y : tensor<SHAPExf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.divf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<SHAPExf32>
  plan.yield %r : tensor<SHAPExf32>
})";

TEST_F(GpuRows, SoftmaxOfContiguousRows) {
  for (const char *columns : {"2", "37", "40", "173", "1000", "5000", "5001"})
    checkWith(kSoftmax, {{"INDICES", "d0, d1"},
                         {"SHAPE", std::string("29x") + columns},
                         {"AXIS", "0"},
                         {"ROWS", "29"},
                         {"COLS", columns}});
}

TEST_F(GpuRows, SoftmaxOfStridedRows) {
  for (const char *columns : {"2", "21", "300"})
    checkWith(kSoftmax, {{"INDICES", "d1, d0"},
                         {"SHAPE", std::string(columns) + "x70"},
                         {"AXIS", "1"},
                         {"ROWS", "70"},
                         {"COLS", columns}});
}

/// Over HxW pixels of each of C channels, scaled and shifted by channel; into a storage with a halo.
constexpr char kInstanceNorm[] = R"(
#in = affine_map<(n, c, h, w) -> (n, h, w, c)>
#stat = affine_map<(n, c, h, w) -> (n, c)>
#one = affine_map<(n, c, h, w) -> (c)>
plan.kernel @kernel row (%x: tensor<2x7x9xCxf32>, %g: tensor<Cxf32>, %b: tensor<Cxf32>) into (%y: tensor<2x9x11xCxf32>) cut 0 : 2 by 1 {
  %zero = arith.constant 0.0 : f32
  %inv = arith.constant 0.015873016 : f32
  %eps = arith.constant 1.0e-3 : f32
  %region = linalg.fill ins(%zero : f32) outs(%y : tensor<2x9x11xCxf32>) -> tensor<2x9x11xCxf32>
  %t = tensor.extract_slice %region[0, 1, 1, 0] [2, 7, 9, C] [1, 1, 1, 1] : tensor<2x9x11xCxf32> to tensor<2x7x9xCxf32>
  %e = tensor.empty() : tensor<2xCxf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2xCxf32>) -> tensor<2xCxf32>
  %sum = linalg.generic {indexing_maps = [#in, #stat], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x : tensor<2x7x9xCxf32>) outs(%f : tensor<2xCxf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<2xCxf32>
  %var = linalg.generic {indexing_maps = [#in, #stat, #stat], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %sum : tensor<2x7x9xCxf32>, tensor<2xCxf32>) outs(%f : tensor<2xCxf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %mean = arith.mulf %s, %inv : f32
    %d = arith.subf %a, %mean : f32
    %q = arith.mulf %d, %d : f32
    %m = arith.addf %o, %q : f32
    linalg.yield %m : f32
  } -> tensor<2xCxf32>
  %r = linalg.generic {indexing_maps = [#in, #stat, #stat, #one, #one, #in], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %sum, %var, %g, %b : tensor<2x7x9xCxf32>, tensor<2xCxf32>, tensor<2xCxf32>, tensor<Cxf32>, tensor<Cxf32>) outs(%t : tensor<2x7x9xCxf32>) {
  ^bb0(%a: f32, %s: f32, %v: f32, %gain: f32, %bias: f32, %o: f32):
    %mean = arith.mulf %s, %inv : f32
    %d = arith.subf %a, %mean : f32
    %w = arith.mulf %v, %inv : f32
    %u = arith.addf %w, %eps : f32
    %root = math.rsqrt %u : f32
    %n = arith.mulf %d, %root : f32
    %k = arith.mulf %n, %gain : f32
    %z = arith.addf %k, %bias : f32
    linalg.yield %z : f32
  } -> tensor<2x7x9xCxf32>
  %i = tensor.insert_slice %r into %region[0, 1, 1, 0] [2, 7, 9, C] [1, 1, 1, 1] : tensor<2x7x9xCxf32> into tensor<2x9x11xCxf32>
  plan.yield %i : tensor<2x9x11xCxf32>
})";

TEST_F(GpuRows, InstanceNormWithHalo) {
  checkWith(kInstanceNorm, {{"xCxf32", "x24xf32"}, {"<Cxf32", "<24xf32"}, {"9, C\\]", "9, 24]"}});
  checkWith(kInstanceNorm, {{"xCxf32", "x5xf32"}, {"<Cxf32", "<5xf32"}, {"9, C\\]", "9, 5]"}});
}

/// Long sums of a nest, with an epilogue.
constexpr char kSum[] = R"(
#in = affine_map<(d0, d1) -> (INDICES)>
#out = affine_map<(d0, d1) -> (d0)>
#same = affine_map<(d0) -> (d0)>
plan.kernel @kernel nest (%x: tensor<SHAPExTYPE>) into (%y: tensor<ROWSxTYPE>) cut 0 : ROWS by 1 {
  %start = arith.constant START : TYPE
  %three = arith.constant START : TYPE
  %e = tensor.empty() : tensor<ROWSxTYPE>
  %f = linalg.fill ins(%start : TYPE) outs(%e : tensor<ROWSxTYPE>) -> tensor<ROWSxTYPE>
  %s = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<SHAPExTYPE>) outs(%f : tensor<ROWSxTYPE>) {
  ^bb0(%a: TYPE, %o: TYPE):
    %t = OPERATION %o, %a : TYPE
    linalg.yield %t : TYPE
  } -> tensor<ROWSxTYPE>
  %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%s : tensor<ROWSxTYPE>) outs(%y : tensor<ROWSxTYPE>) {
  ^bb0(%a: TYPE, %o: TYPE):
    %t = OPERATION %a, %three : TYPE
    linalg.yield %t : TYPE
  } -> tensor<ROWSxTYPE>
  plan.yield %r : tensor<ROWSxTYPE>
})";

TEST_F(GpuRows, LongSums) {
  struct Sum {
    const char *operation, *type, *start;
  };
  for (const Sum &sum : std::initializer_list<Sum>{{"arith.addf", "f32", "0.5"},
                                                   {"arith.maximumf", "f32", "-0.5"},
                                                   {"arith.minimumf", "f64", "0.0"},
                                                   {"arith.addi", "i64", "1"},
                                                   {"arith.maxsi", "i32", "-7"}}) {
    checkWith(kSum, {{"INDICES", "d0, d1"},
                     {"SHAPE", "23x1500"},
                     {"ROWS", "23"},
                     {"OPERATION", sum.operation},
                     {"TYPE", sum.type},
                     {"START", sum.start}});
    checkWith(kSum, {{"INDICES", "d1, d0"},
                     {"SHAPE", "150x23"},
                     {"ROWS", "23"},
                     {"OPERATION", sum.operation},
                     {"TYPE", sum.type},
                     {"START", sum.start}});
  }
}

/// All rows are one: more rows than workgroups may be in a row of them.
TEST_F(GpuRows, MoreRowsThanWorkgroups) {
  checkWith(kSoftmax, {{"INDICES", "d0, d1"},
                       {"SHAPE", "300000x5"},
                       {"cut AXIS : ROWS by 1", "cut 0 : 300000 by 300000"},
                       {"ROWS", "300000"},
                       {"COLS", "5"}});
}

TEST_F(GpuRows, OperandsThatBeginAnywhere) {
  for (const char *columns : {"40", "173", "5000"})
    checkAnywhere(with(kSoftmax, {{"INDICES", "d0, d1"},
                                  {"SHAPE", std::string("29x") + columns},
                                  {"AXIS", "0"},
                                  {"ROWS", "29"},
                                  {"COLS", columns}}));
  checkAnywhere(with(kInstanceNorm, {{"xCxf32", "x24xf32"}, {"<Cxf32", "<24xf32"}, {"9, C\\]", "9, 24]"}}));
}

TEST_F(GpuRows, OperandsInPieces) {
  checkInPieces(
      with(kSoftmax, {{"INDICES", "d0, d1"}, {"SHAPE", "29x173"}, {"AXIS", "0"}, {"ROWS", "29"}, {"COLS", "173"}}),
      4096);
  checkInPieces(with(kInstanceNorm, {{"xCxf32", "x24xf32"}, {"<Cxf32", "<24xf32"}, {"9, C\\]", "9, 24]"}}), 2048);
}

} // namespace
