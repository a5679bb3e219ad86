// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies that end in 8 bits: whatever instructions they become, the bits are those of the operations one by one; see
// Differential.h.

#include "test/unit/codegen/cpu/Differential.h"

#include "llvm/Support/FormatVariadic.h"

using CpuQuantized = nacre::codegen::test::Differential;

namespace {

struct Bounds {
  int zero, low, high;
};

constexpr Bounds kBounds[] = {{0, 0, 255},     {120, 0, 255},  {255, 3, 200},    {0, -128, 127},
                              {-7, -128, 127}, {100, -50, 90}, {-128, -128, 127}};

/// A nest over `columns` columns with these operands of `types` and `further` ones, whose body is `body` and yields an
/// i8.
std::string nest(int64_t columns, llvm::ArrayRef<std::string> types, const std::string &body,
                 const std::string &further = "") {
  constexpr llvm::StringLiteral names = "abcd";
  std::string arguments, values, tensors, maps, scalars;
  for (auto [number, type] : llvm::enumerate(types)) {
    const std::string tensor = llvm::formatv("tensor<7x{0}x{1}>", columns, type), name(1, names[number]);
    arguments += (number ? ", %" : "%") + name + ": " + tensor;
    values += (number ? ", %" : "%") + name;
    tensors += (number ? ", " : "") + tensor;
    maps += "#same, ";
    scalars += "%" + name + "0: " + type + ", ";
  }
  const std::string written = llvm::formatv("tensor<7x{0}xi8>", columns);
  return llvm::formatv(R"(#same = affine_map<(d0, d1) -> (d0, d1)>
    plan.kernel @kernel nest ({0}{7}) into (%y: {1}) cut 0 : 7 by 1 {{
      %r = linalg.generic {{indexing_maps = [{2}#same], iterator_types = ["parallel", "parallel"]}
          ins({3} : {4}) outs(%y : {1}) {{
      ^bb0({5}%o: i8):
        {6}
        linalg.yield %r8 : i8
      } -> {1}
      plan.yield %r : {1}
    })",
                       arguments, written, maps, values, tensors, scalars, body, further);
}

/// %x, an f32, rounded and clamped. `ofNaN` is the result for NaN, or empty if %x is never NaN.
std::string quantize(Bounds bounds, const std::string &ofNaN = "") {
  return llvm::formatv(R"(%zero = arith.constant {0} : i16
        %r8 = plan.round %x plus %zero in {1} to {2} {3} : i8)",
                       bounds.zero, bounds.low, bounds.high, ofNaN.empty() ? "" : "nan " + ofNaN);
}

TEST_F(CpuQuantized, SumsTimesAFactor) {
  // Within the bounds and beyond them, and beyond i32.
  for (const Bounds &bounds : kBounds)
    for (const auto &[columns, factor] : {std::pair(1, 61), {8, 61}, {37, 61}, {64, 500000000}, {71, 7}})
      checkOnAll(nest(columns, {"i32", "f32"},
                      llvm::formatv(R"(%factor = arith.constant {0} : i32
        %sum = arith.muli %a0, %factor : i32
        %f = arith.sitofp %sum : i32 to f32
        %scale = arith.constant {1} : f32
        %scaled = arith.mulf %f, %scale : f32
        %x = arith.mulf %scaled, %b0 : f32
        )",
                                    factor, factor == 7 ? "0.5" : "1.5")
                              .str() +
                          quantize(bounds)));
}

/// A quotient of small integers is NaN or infinite now and then, and often half of an odd number.
TEST_F(CpuQuantized, QuotientsAndNaN) {
  for (const Bounds &bounds : kBounds)
    for (int ofNaN : {0, bounds.low, bounds.zero, bounds.high})
      checkOnAll(nest(70, {"i8", "i8"}, R"(%c7 = arith.constant 7 : i8
        %small = arith.andi %b0, %c7 : i8
        %c29 = arith.constant 29 : i8
        %large = arith.muli %a0, %c29 : i8
        %n = arith.sitofp %large : i8 to f32
        %d = arith.uitofp %small : i8 to f32
        %x = arith.divf %n, %d : f32
        )" + quantize(bounds, std::to_string(ofNaN))));
}

TEST_F(CpuQuantized, SumsOfTwoBytes) {
  for (int64_t columns : {3, 16, 61})
    checkOnAll(nest(columns, {"i8", "i8"}, R"(%n = arith.uitofp %a0 : i8 to f32
        %d = arith.uitofp %b0 : i8 to f32
        %s = arith.constant 0.37 : f32
        %t = arith.constant 0.5 : f32
        %p = arith.mulf %n, %s : f32
        %q = arith.mulf %d, %t : f32
        %x = arith.addf %p, %q : f32
        )" + quantize({-3, 0, 255})));
}

/// A zero point that is only known at run time, one for all elements or one for each.
TEST_F(CpuQuantized, ZeroPointsAtRunTime) {
  for (const char *map : {"affine_map<(d0, d1) -> (0)>", "affine_map<(d0, d1) -> (d1)>"})
    for (const Bounds &bounds : kBounds)
      checkOnAll(llvm::formatv(
          R"(plan.kernel @kernel nest (%a: tensor<7x48xi32>, %z: tensor<48xi16>) into (%y: tensor<7x48xi8>) cut 0 : 7 by 1 {{
      %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, {0}, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
          ins(%a, %z : tensor<7x48xi32>, tensor<48xi16>) outs(%y : tensor<7x48xi8>) {{
      ^bb0(%a0: i32, %z0: i16, %o: i8):
        %f = arith.sitofp %a0 : i32 to f32
        %scale = arith.constant 1.5 : f32
        %x = arith.mulf %f, %scale : f32
        %c127 = arith.constant 127 : i16
        %zero = arith.andi %z0, %c127 : i16
        %r8 = plan.round %x plus %zero in {1} to {2} nan {1} : i8
        linalg.yield %r8 : i8
      } -> tensor<7x48xi8>
      plan.yield %r : tensor<7x48xi8>
    })",
          map, bounds.low, bounds.high));
}

/// Only the bounds of integers.
TEST_F(CpuQuantized, ClampedIntegers) {
  for (const Bounds &bounds : kBounds)
    for (int64_t columns : {5, 64})
      checkOnAll(nest(columns, {"i32", "i32"},
                      llvm::formatv(R"(%factor = arith.constant 37 : i32
        %large = arith.muli %a0, %factor : i32
        %places = arith.constant 28 : i32
        %extreme = arith.shli %b0, %places : i32
        %small = arith.addi %large, %extreme : i32
        %zero = arith.constant {2} : i32
        %moved = arith.addi %small, %zero : i32
        %r8 = plan.clamp %moved in {0} to {1})",
                                    bounds.low, bounds.high, bounds.zero)));
}

/// A product with a fixed-point number, of two least integers, too, if it `saturates`; and a rounding shift by 1 to 16.
std::string fixedPoint(bool saturates) {
  return llvm::formatv(R"(%c15 = arith.constant 15 : i32
        %c31 = arith.constant 31 : i32
        %mask = arith.constant {0} : i32
        %factor = arith.constant {2} : i32
        %many = arith.muli %b0, %factor : i32
        %m = arith.andi %many, %mask : i32
        %x = arith.muli %a0, %factor : i32
        %high = plan.multiply_high {1} %x, %m
        %places = arith.andi %c0, %c15 : i32
        %sign = arith.shrsi %high, %c31 : i32
        %below = arith.addi %high, %sign : i32
        %rounded = plan.shift_half_up %below, %places
        %r8 = arith.trunci %rounded : i32 to i8)",
                       saturates ? -1 : 0x7fffffff, saturates ? "saturates" : "", saturates ? 1 << 29 : 1798765433);
}

TEST_F(CpuQuantized, FixedPointNumbers) {
  for (bool saturates : {false, true})
    for (int64_t columns : {1, 2, 6, 64, 71})
      checkOnAll(nest(columns, {"i32", "i32", "i32"}, fixedPoint(saturates)));
}

TEST_F(CpuQuantized, TablesOfBytes) {
  for (const char *sign : {"", "signed"})
    for (int64_t columns : {1, 7, 16, 300}) {
      const std::string text = nest(columns, {"i8", "i8"},
                                    llvm::formatv(R"(%c29 = arith.constant 29 : i8
        %some = arith.muli %a0, %c29 : i8
        %large = arith.addi %some, %b0 : i8
        %r8 = plan.lookup {0} %large in %t : tensor<256xi8>)",
                                                  sign),
                                    ", %t: tensor<256xi8>");
      checkOnAll(text);
      check(text); // this CPU may have more than its base, which permutes bytes
    }
}

} // namespace
