// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every element type, point by point.

#include "runtime/include/nacre/model_format.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

using GpuPointTypes = GpuDifferential;

/// Halves compute in f32; comparisons give bytes.
constexpr char kHalves[] = R"(
#all = affine_map<(d0, d1) -> (d0, d1)>
plan.kernel @kernel nest (%x: tensor<9x20xELEM>, %b: tensor<20xELEM>) into (%y: tensor<9x20xELEM>) cut 0 : 9 by 1 {
  %r = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> (d1)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<9x20xELEM>, tensor<20xELEM>) outs(%y : tensor<9x20xELEM>) {
  ^bb0(%a: ELEM, %c: ELEM, %o: ELEM):
    %d = arith.extf %a : ELEM to f32
    %e = arith.extf %c : ELEM to f32
    %m = arith.mulf %d, %e : f32
    %s = arith.truncf %m : f32 to ELEM
    linalg.yield %s : ELEM
  } -> tensor<9x20xELEM>
  plan.yield %r : tensor<9x20xELEM>
})";

TEST_F(GpuPointTypes, Halves) {
  checkWith(kHalves, {{"ELEM", "f16"}}, 1e-3);
  checkWith(kHalves, {{"ELEM", "bf16"}}, 8e-3);
}

constexpr char kLess[] = R"(
#all = affine_map<(d0, d1) -> (d0, d1)>
plan.kernel @kernel nest (%x: tensor<9x20xELEM>, %b: tensor<9x20xELEM>, %m: tensor<9x20xi8>) into (%y: tensor<9x20xi8>) cut 0 : 9 by 1 {
  %r = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b, %m : tensor<9x20xELEM>, tensor<9x20xELEM>, tensor<9x20xi8>) outs(%y : tensor<9x20xi8>) {
  ^bb0(%a: ELEM, %c: ELEM, %k: i8, %o: i8):
    %d = COMPARE, %a, %c : ELEM
    %e = arith.trunci %k : i8 to i1
    %f = arith.andi %d, %e : i1
    %s = arith.extui %f : i1 to i8
    linalg.yield %s : i8
  } -> tensor<9x20xi8>
  plan.yield %r : tensor<9x20xi8>
})";

TEST_F(GpuPointTypes, ComparisonsAndBooleans) {
  for (const char *element : {"f32", "f64"})
    checkWith(kLess, {{"ELEM", element}, {"COMPARE", "arith.cmpf olt"}});
  for (const char *element : {"i8", "i16", "i32", "i64"})
    checkWith(kLess, {{"ELEM", element}, {"COMPARE", "arith.cmpi slt"}});
}

constexpr char kConvert[] = R"(
#all = affine_map<(d0) -> (d0)>
plan.kernel @kernel nest (%x: tensor<44xFROM>) into (%y: tensor<44xTO>) cut 0 : 44 by 1 {
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]} ins(%x : tensor<44xFROM>) outs(%y : tensor<44xTO>) {
  ^bb0(%a: FROM, %o: TO):
    %s = OPERATION %a : FROM to TO
    linalg.yield %s : TO
  } -> tensor<44xTO>
  plan.yield %r : tensor<44xTO>
})";

TEST_F(GpuPointTypes, Conversions) {
  struct Conversion {
    const char *operation, *from, *to;
  };
  for (const Conversion &conversion : std::initializer_list<Conversion>{{"arith.sitofp", "i32", "f32"},
                                                                        {"arith.sitofp", "i64", "f32"},
                                                                        {"arith.sitofp", "i8", "f32"},
                                                                        {"arith.fptosi", "f32", "i32"},
                                                                        {"arith.fptosi", "f64", "i64"},
                                                                        {"arith.extf", "f32", "f64"},
                                                                        {"arith.truncf", "f64", "f32"},
                                                                        {"arith.extsi", "i8", "i64"},
                                                                        {"arith.extui", "i16", "i32"},
                                                                        {"arith.trunci", "i64", "i16"},
                                                                        {"arith.extf", "bf16", "f32"},
                                                                        {"arith.truncf", "f32", "bf16"},
                                                                        {"arith.truncf", "f32", "f16"}})
    checkWith(kConvert, {{"FROM", conversion.from}, {"TO", conversion.to}, {"OPERATION", conversion.operation}});
}

/// Sums and differences cross 2^32 in both directions.
constexpr char kWords[] = R"(
#all = affine_map<(d0) -> (d0)>
plan.kernel @kernel nest (%x: tensor<44xi64>, %b: tensor<44xi64>, %h: tensor<44xi32>) into (%y: tensor<44xi64>) cut 0 : 44 by 1 PLACES {
  %below = arith.constant 4294967293 : i64
  %at = arith.constant 4294967296 : i64
  %r = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel"]}
      ins(%x, %b, %h : tensor<44xi64>, tensor<44xi64>, tensor<44xi32>) outs(%y : tensor<44xi64>) {
  ^bb0(%a: i64, %c: i64, %n: i32, %o: i64):
    %sum = arith.addi %a, %below : i64
    %difference = arith.subi %c, %below : i64
    %wide = arith.EXTEND %n : i32 to i64
    %less = arith.minsi %sum, %difference : i64
    %more = arith.maxsi %difference, %wide : i64
    %one = arith.cmpi PREDICATE, %sum, %at : i64
    %other = arith.cmpi PREDICATE, %wide, %difference : i64
    %first = arith.select %one, %less, %sum : i64
    %second = arith.select %other, %first, %more : i64
    linalg.yield %second : i64
  } -> tensor<44xi64>
  plan.yield %r : tensor<44xi64>
})";

TEST_F(GpuPointTypes, WideIntegersAsTwoWords) {
  for (const char *predicate : {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
    for (const char *extend : {"extsi", "extui"}) {
      const std::string text = with(kWords, {{"PREDICATE", predicate}, {"EXTEND", extend}, {"PLACES", ""}});
      const std::vector<GpuKernelCode> variants = variantsOf(text);
      ASSERT_EQ(variants.size(), 2u);
      EXPECT_TRUE(variants[0].needs & NACRE_GPU_NEED(NACRE_GPU_INT_64)) << "where a GPU has them, it uses them";
      EXPECT_FALSE(variants[1].needs & NACRE_GPU_NEED(NACRE_GPU_INT_64));
      check(text);
    }
}

TEST_F(GpuPointTypes, WideIntegersAsTwoWordsAnywhere) {
  const std::string text = with(kWords, {{"PREDICATE", "slt"},
                                         {"EXTEND", "extsi"},
                                         {"PLACES", "attributes {nacre.alignments = array<i64: 8, 64, 4, 16>}"}});
  const std::vector<GpuKernelCode> variants = variantsOf(text);
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[1].shifted, 0b1111u);
  EXPECT_FALSE(variants[1].needs & NACRE_GPU_NEED(NACRE_GPU_INT_64));
  check(text);
}

} // namespace
