// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. products: x86 multiplies every other lane to 64 bits; NEON has an instruction for the whole;
//        2. shifts that round halves up: NEON has an instruction for them.

#include "codegen/cpu/ScalarOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

constexpr unsigned kLanesOfNeon = 4;

unsigned lanesOf(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getNumElements() : 0;
}

/// Emits a NEON instruction with two operands of i32, for four lanes at a time.
Value emitNeon(VectorBuilder &build, StringRef instruction, Value a, Value b) {
  SmallVector<Value> parts;
  for (auto [left, right] : llvm::zip_equal(build.split(a, kLanesOfNeon), build.split(b, kLanesOfNeon)))
    parts.push_back(build.intrinsic("llvm.aarch64.neon." + instruction + ".v" + Twine(lanesOf(left)) + "i32",
                                    left.getType(), {left, right}));
  return build.join(parts);
}

//===----------------------------------------------------------------------===//
// 1. Products
//===----------------------------------------------------------------------===//

class ProductEmitter {
public:
  ProductEmitter(VectorBuilder &build, plan::MultiplyHighOp op) : build(build), op(op), saturates(op.getSaturates()) {}

  Value emit(Value a, Value b) {
    const unsigned lanes = lanesOf(a);
    if (build.target.arm64 && lanes > 1)
      return emitNeon(build, "sqrdmulh", a, b);
    if (lanes < 4)
      return plan::expand(build.ops, op, {a, b});
    const auto pairs = VectorType::get({lanes / 2}, build.ops.getI64Type());
    Value product = interleave(rounded(low(a, pairs), low(b, pairs)), rounded(high(a, pairs), high(b, pairs)));
    if (!saturates)
      return product;
    // No other product is the smallest integer.
    Value least = build.intConstant(INT32_MIN, product.getType());
    Value isLeast = build.make<arith::CmpIOp>(arith::CmpIPredicate::eq, product, least);
    return build.make<arith::SelectOp>(isLeast, build.intConstant(INT32_MAX, product.getType()), product);
  }

private:
  Value shifted(Value value, int64_t by, bool left) {
    Value amount = build.intConstant(by, value.getType());
    return left ? build.make<arith::ShLIOp>(value, amount) : build.make<arith::ShRSIOp>(value, amount);
  }
  // Return lanes 0, 2, ... or lanes 1, 3, ... sign-extended to 64 bits. LLVM merges the extension into the
  // multiplication's instruction.
  Value low(Value value, VectorType pairs) {
    return shifted(shifted(build.make<vector::BitCastOp>(pairs, value), 32, /*left=*/true), 32, /*left=*/false);
  }
  Value high(Value value, VectorType pairs) {
    return shifted(build.make<vector::BitCastOp>(pairs, value), 32, /*left=*/false);
  }
  Value rounded(Value a, Value b) {
    Value product = build.make<arith::MulIOp>(a, b);
    return build.make<arith::AddIOp>(product, build.intConstant(int64_t(1) << 30, product.getType()));
  }
  /// Interleaves bits 31 to 62 of the lanes of both vectors.
  Value interleave(Value even, Value odd) {
    const int64_t lanes = 2 * int64_t(lanesOf(even));
    const auto type = VectorType::get({lanes}, build.ops.getI32Type());
    Value down = build.make<arith::ShRUIOp>(even, build.intConstant(31, even.getType()));
    Value up = build.make<arith::AddIOp>(odd, odd);
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; ++lane)
      order.push_back(lane % 2 == 0 ? lane : lanes + lane);
    return vector::ShuffleOp::create(build.ops, build.loc, build.make<vector::BitCastOp>(type, down),
                                     build.make<vector::BitCastOp>(type, up), order);
  }

  VectorBuilder &build;
  plan::MultiplyHighOp op;
  const bool saturates;
};

} // namespace

Value emitMultiplyHigh(VectorBuilder &build, plan::MultiplyHighOp op, Value a, Value b) {
  return ProductEmitter(build, op).emit(a, b);
}

//===----------------------------------------------------------------------===//
// 2. Shifts
//===----------------------------------------------------------------------===//

Value emitShiftHalfUp(VectorBuilder &build, plan::ShiftHalfUpOp op, Value x, Value places) {
  if (!build.target.arm64 || lanesOf(x) <= 1)
    return plan::expand(build.ops, op, {x, places});
  // NEON shifts to the left by -1 - places.
  Value by = arith::XOrIOp::create(build.ops, build.loc, places, build.intConstant(-1, places.getType()));
  return emitNeon(build, "srshl", x, by);
}

} // namespace nacre::codegen::cpu
