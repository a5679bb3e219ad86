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

/// A nest over `columns` columns with these operands of `types`, whose body is `body` and yields an i8.
std::string nest(int64_t columns, llvm::ArrayRef<std::string> types, const std::string &body) {
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
    plan.kernel @kernel nest ({0}) into (%y: {1}) cut 0 : 7 by 1 {{
      %r = linalg.generic {{indexing_maps = [{2}#same], iterator_types = ["parallel", "parallel"]}
          ins({3} : {4}) outs(%y : {1}) {{
      ^bb0({5}%o: i8):
        {6}
        linalg.yield %r8 : i8
      } -> {1}
      plan.yield %r : {1}
    })",
                       arguments, written, maps, values, tensors, scalars, body);
}

/// %x, an f32, rounded and clamped as the importer writes it, and cast as kernels do.
std::string quantize(Bounds bounds) {
  const bool isUnsigned = bounds.low >= 0;
  return llvm::formatv(R"(%zero = arith.constant {0:F1} : f32
        %low = arith.constant {1:F1} : f32
        %high = arith.constant {2:F1} : f32
        %least = arith.constant {3:F1} : f32
        %most = arith.constant {4:F1} : f32
        %rounded = math.roundeven %x : f32
        %moved = arith.addf %rounded, %zero : f32
        %atLeast = arith.maximumf %moved, %low : f32
        %atMost = arith.minimumf %atLeast, %high : f32
        %isMore = arith.cmpf ogt, %atMost, %least : f32
        %more = arith.select %isMore, %atMost, %least : f32
        %isLess = arith.cmpf olt, %more, %most : f32
        %less = arith.select %isLess, %more, %most : f32
        %integer = arith.fptosi %less : f32 to i32
        {5}
        %r8 = arith.trunci %{6} : i32 to i8)",
                       double(bounds.zero), double(bounds.low), double(bounds.high), isUnsigned ? 0.0 : -128.0,
                       isUnsigned ? 255.0 : 127.0, isUnsigned ? "" : R"(%isNaN = arith.cmpf uno, %atMost, %atMost : f32
        %none = arith.constant 0 : i32
        %number = arith.select %isNaN, %none, %integer : i32)",
                       isUnsigned ? "integer" : "number");
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
    checkOnAll(nest(70, {"i8", "i8"}, R"(%c7 = arith.constant 7 : i8
        %small = arith.andi %b0, %c7 : i8
        %c29 = arith.constant 29 : i8
        %large = arith.muli %a0, %c29 : i8
        %n = arith.sitofp %large : i8 to f32
        %d = arith.uitofp %small : i8 to f32
        %x = arith.divf %n, %d : f32
        )" + quantize(bounds)));
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

/// The bounds alone, of integers.
TEST_F(CpuQuantized, ClampedIntegers) {
  for (const Bounds &bounds : kBounds)
    for (int64_t columns : {5, 64})
      checkOnAll(nest(columns, {"i32", "i32"},
                      llvm::formatv(R"(%factor = arith.constant 37 : i32
        %large = arith.muli %a0, %factor : i32
        %places = arith.constant 28 : i32
        %extreme = arith.shli %b0, %places : i32
        %small = arith.addi %large, %extreme : i32
        %low = arith.constant {0} : i32
        %high = arith.constant {1} : i32
        %zero = arith.constant {2} : i32
        %moved = arith.addi %small, %zero : i32
        %atLeast = arith.maxsi %moved, %low : i32
        %atMost = arith.minsi %atLeast, %high : i32
        %r8 = arith.trunci %atMost : i32 to i8)",
                                    bounds.low, bounds.high, bounds.zero)));
}

/// A product with a fixed-point number, of two least integers, too, if it `saturates`; and a rounding shift by 1 to 16.
std::string fixedPoint(bool saturates) {
  return llvm::formatv(R"(%c1 = arith.constant 1 : i32
        %c15 = arith.constant 15 : i32
        %c31 = arith.constant 31 : i32
        %mask = arith.constant {0} : i32
        %factor = arith.constant {3} : i32
        %many = arith.muli %b0, %factor : i32
        %m = arith.andi %many, %mask : i32
        %x = arith.muli %a0, %factor : i32
        %wideX = arith.extsi %x : i32 to i64
        %wideM = arith.extsi %m : i32 to i64
        %product = arith.muli %wideX, %wideM : i64
        %half = arith.constant 1073741824 : i64
        %nudged = arith.addi %product, %half : i64
        %c31wide = arith.constant 31 : i64
        %shifted = arith.shrsi %nudged, %c31wide : i64
        %most = arith.constant 2147483647 : i64
        {1}
        %high = arith.trunci %{2} : i64 to i32
        %places = arith.andi %c0, %c15 : i32
        %sign = arith.shrsi %high, %c31 : i32
        %below = arith.addi %high, %sign : i32
        %doubled = arith.shrsi %below, %places : i32
        %up = arith.addi %doubled, %c1 : i32
        %rounded = arith.shrsi %up, %c1 : i32
        %r8 = arith.trunci %rounded : i32 to i8)",
                       saturates ? -1 : 0x7fffffff, saturates ? "%least = arith.minsi %shifted, %most : i64" : "",
                       saturates ? "least" : "shifted", saturates ? 1 << 29 : 1798765433);
}

TEST_F(CpuQuantized, FixedPointNumbers) {
  for (bool saturates : {false, true})
    for (int64_t columns : {1, 2, 6, 64, 71})
      checkOnAll(nest(columns, {"i32", "i32", "i32"}, fixedPoint(saturates)));
}

} // namespace
