// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/bytes/IntegerProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nacre::codegen::cpu {

static int64_t bitsOf(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  return type.getNumElements() * type.getElementTypeBitWidth();
}

/// Returns the bits of `vector` as a vector of `type`.
static Value as(VectorBuilder &build, Value vector, Type type) {
  const int64_t count = bitsOf(vector) / type.getIntOrFloatBitWidth();
  return vector::BitCastOp::create(build.ops, build.loc, VectorType::get({count}, type), vector);
}

static Value bytesOf(VectorBuilder &build, Value words) { return as(build, words, build.ops.getI8Type()); }

static Value widened(VectorBuilder &build, Value words, bool isUnsigned) {
  Value bytes = bytesOf(build, words);
  Type type = VectorType::get({bitsOf(words) / 8}, build.ops.getI16Type());
  if (isUnsigned)
    return arith::ExtUIOp::create(build.ops, build.loc, type, bytes);
  return arith::ExtSIOp::create(build.ops, build.loc, type, bytes);
}

Value multiplyAddByVnni(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  const std::string name = "llvm.x86.avx512.vpdpbusd." + std::to_string(bitsOf(sums));
  return build.intrinsic(name, sums.getType(), {sums, bytesOf(build, lhs), bytesOf(build, rhs)});
}

Value multiplyAddShortsByVnni(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  const Type number = build.ops.getI16Type();
  const std::string name = "llvm.x86.avx512.vpdpwssd." + std::to_string(bitsOf(sums));
  return build.intrinsic(name, sums.getType(), {sums, as(build, lhs, number), as(build, rhs, number)});
}

static StringRef nameOfPairs(int64_t bits) {
  return bits == 512   ? "llvm.x86.avx512.pmaddw.d.512"
         : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                       : "llvm.x86.sse2.pmadd.wd";
}

/// Adds pairs of products of 16-bit integers to the sums.
static Value addPairs(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  Value products = build.intrinsic(nameOfPairs(bitsOf(sums)), sums.getType(), {lhs, rhs});
  return arith::AddIOp::create(build.ops, build.loc, sums, products);
}

template <bool isUnsignedLhs, bool isUnsignedRhs>
Value multiplyAddByPairs(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  return addPairs(build, widened(build, lhs, isUnsignedLhs), widened(build, rhs, isUnsignedRhs), sums);
}

template <bool isUnsignedRhs> Value multiplyAddWideRows(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  return addPairs(build, as(build, lhs, build.ops.getI16Type()), widened(build, rhs, isUnsignedRhs), sums);
}

Value multiplyAddShorts(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  const Type number = build.ops.getI16Type();
  return addPairs(build, as(build, lhs, number), as(build, rhs, number), sums);
}

Value multiplyAddShortsByElement(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  auto extended = [&](Value number) { return arith::ExtSIOp::create(build.ops, build.loc, sums.getType(), number); };
  return arith::AddIOp::create(build.ops, build.loc, sums,
                               arith::MulIOp::create(build.ops, build.loc, extended(lhs), extended(rhs)));
}

/// Returns the two halves of a word of eight bytes, each broadcast to twice as many lanes. The halves are taken from
/// the vector that holds the word. From the broadcast word, LLVM would need five instructions.
static SmallVector<Value, 2> quartersOfElement(VectorBuilder &build, vector::ExtractOp element, int64_t lanes) {
  Value all = as(build, element.getSource(), build.ops.getI32Type());
  SmallVector<Value, 2> quarters;
  for (int64_t half : {0, 1})
    quarters.push_back(vector::ShuffleOp::create(
        build.ops, build.loc, all, all, SmallVector<int64_t>(lanes, 2 * element.getStaticPosition().front() + half)));
  return quarters;
}

/// Returns the first and the last four bytes of each word of eight bytes. Words of four bytes are returned unchanged.
static SmallVector<Value, 2> quartersOf(VectorBuilder &build, Value words) {
  auto type = cast<VectorType>(words.getType());
  if (type.getElementTypeBitWidth() == 32)
    return {words};
  if (auto broadcast = words.getDefiningOp<vector::BroadcastOp>())
    if (auto element = broadcast.getSource().getDefiningOp<vector::ExtractOp>())
      return quartersOfElement(build, element, type.getNumElements());
  Value all = as(build, words, build.ops.getI32Type());
  SmallVector<Value, 2> quarters;
  for (int64_t first : {0, 1}) {
    SmallVector<int64_t> from;
    for (int64_t lane = first; lane < 2 * type.getNumElements(); lane += 2)
      from.push_back(lane);
    quarters.push_back(vector::ShuffleOp::create(build.ops, build.loc, all, all, from));
  }
  return quarters;
}

template <bool isUnsignedLhs, bool isUnsignedRhs>
Value multiplyAddByDots(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  static_assert(isUnsignedLhs || !isUnsignedRhs, "there is no such instruction");
  const StringRef name = isUnsignedRhs   ? "llvm.aarch64.neon.udot.v4i32.v16i8"
                         : isUnsignedLhs ? "llvm.aarch64.neon.usdot.v4i32.v16i8"
                                         : "llvm.aarch64.neon.sdot.v4i32.v16i8";
  for (auto [a, b] : llvm::zip_equal(quartersOf(build, lhs), quartersOf(build, rhs))) {
    // LLVM selects the form with an element only if the element is the second operand, as for sdot.
    Value first = bytesOf(build, b), second = bytesOf(build, a);
    if (isUnsignedLhs != isUnsignedRhs)
      std::swap(first, second);
    sums = build.intrinsic(name, sums.getType(), {sums, first, second});
  }
  return sums;
}

template <bool isUnsignedLhs, bool isUnsignedRhs>
Value multiplyAddByMatrices(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  static_assert(isUnsignedLhs || !isUnsignedRhs, "there is no such instruction");
  const StringRef name = isUnsignedRhs   ? "llvm.aarch64.neon.ummla.v4i32.v16i8"
                         : isUnsignedLhs ? "llvm.aarch64.neon.usmmla.v4i32.v16i8"
                                         : "llvm.aarch64.neon.smmla.v4i32.v16i8";
  return build.intrinsic(name, sums.getType(), {sums, bytesOf(build, lhs), bytesOf(build, rhs)});
}

template <bool isUnsignedLhs, bool isUnsignedRhs>
Value multiplyAddByHalves(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  // 255 * -128 fits 16 signed bits, too.
  const StringRef pairs =
      isUnsignedLhs && isUnsignedRhs ? "llvm.aarch64.neon.uaddlp.v4i32.v8i16" : "llvm.aarch64.neon.saddlp.v4i32.v8i16";
  for (auto [a, b] : llvm::zip_equal(quartersOf(build, lhs), quartersOf(build, rhs))) {
    Value products =
        arith::MulIOp::create(build.ops, build.loc, widened(build, a, isUnsignedLhs), widened(build, b, isUnsignedRhs));
    sums = arith::AddIOp::create(build.ops, build.loc, sums, build.intrinsic(pairs, sums.getType(), {products}));
  }
  return sums;
}

Value multiplyAddStepsInPairs(VectorBuilder &build, const StepFactors &first, const StepFactors &second, Value sums) {
  auto productOf = [&](const StepFactors &step) -> Value {
    return arith::MulIOp::create(build.ops, build.loc, widened(build, step.lhs, false),
                                 widened(build, step.rhs, false));
  };
  Value products = arith::AddIOp::create(build.ops, build.loc, productOf(first), productOf(second));
  return arith::AddIOp::create(build.ops, build.loc, sums,
                               build.intrinsic("llvm.aarch64.neon.saddlp.v4i32.v8i16", sums.getType(), {products}));
}

Value multiplyAddHalvesInPairs(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  const SmallVector<Value, 2> left = quartersOf(build, lhs), right = quartersOf(build, rhs);
  return multiplyAddStepsInPairs(build, {left.front(), right.front()}, {left.back(), right.back()}, sums);
}

#define NACRE_FOR_SIGNS(function, lhs, rhs) template Value function<lhs, rhs>(VectorBuilder &, Value, Value, Value);
NACRE_FOR_SIGNS(multiplyAddByPairs, false, false)
NACRE_FOR_SIGNS(multiplyAddByPairs, false, true)
NACRE_FOR_SIGNS(multiplyAddByPairs, true, false)
NACRE_FOR_SIGNS(multiplyAddByPairs, true, true)
template Value multiplyAddWideRows<false>(VectorBuilder &, Value, Value, Value);
template Value multiplyAddWideRows<true>(VectorBuilder &, Value, Value, Value);
NACRE_FOR_SIGNS(multiplyAddByDots, false, false)
NACRE_FOR_SIGNS(multiplyAddByDots, true, false)
NACRE_FOR_SIGNS(multiplyAddByDots, true, true)
NACRE_FOR_SIGNS(multiplyAddByMatrices, false, false)
NACRE_FOR_SIGNS(multiplyAddByMatrices, true, false)
NACRE_FOR_SIGNS(multiplyAddByMatrices, true, true)
NACRE_FOR_SIGNS(multiplyAddByHalves, false, false)
NACRE_FOR_SIGNS(multiplyAddByHalves, false, true)
NACRE_FOR_SIGNS(multiplyAddByHalves, true, false)
NACRE_FOR_SIGNS(multiplyAddByHalves, true, true)
#undef NACRE_FOR_SIGNS

} // namespace nacre::codegen::cpu
