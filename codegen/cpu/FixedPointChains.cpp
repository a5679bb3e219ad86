// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. products: x86 multiplies every other lane to 64 bits; NEON has an instruction for the chain;
//        2. shifts that round halves up: NEON has an instruction for them.

#include "codegen/cpu/BodyChains.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

constexpr unsigned kLanesOfNeon = 4;

bool isInteger(Value value, int64_t number) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) && constant.getSExtValue() == number;
}

/// Returns the left operand of `value` if `value` is an `Op` whose right operand is the constant `right`. Otherwise,
/// returns null.
template <typename Op> Value leftOf(Value value, int64_t right) {
  auto op = value.getDefiningOp<Op>();
  return op && isInteger(op.getRhs(), right) ? op.getLhs() : Value();
}

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

/// Product (a * b + 2^30) / 2^31 of i32.
struct HighProduct {
  Value a, b;
  bool saturates = false; ///< True if the square of the smallest integer becomes the largest integer
};

std::optional<HighProduct> readHighProduct(Operation *op) {
  auto narrow = dyn_cast<arith::TruncIOp>(op);
  if (!narrow || !narrow.getType().isInteger(32) || !narrow.getIn().getType().isInteger(64))
    return std::nullopt;
  HighProduct product;
  Value high = narrow.getIn();
  if (Value unbounded = leftOf<arith::MinSIOp>(high, INT32_MAX)) {
    product.saturates = true;
    high = unbounded;
  }
  Value nudged = leftOf<arith::ShRSIOp>(high, 31);
  Value all = nudged ? leftOf<arith::AddIOp>(nudged, int64_t(1) << 30) : Value();
  auto multiply = all ? all.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!multiply)
    return std::nullopt;
  auto a = multiply.getLhs().getDefiningOp<arith::ExtSIOp>(), b = multiply.getRhs().getDefiningOp<arith::ExtSIOp>();
  if (!a || !b || !a.getIn().getType().isInteger(32) || !b.getIn().getType().isInteger(32))
    return std::nullopt;
  product.a = a.getIn();
  product.b = b.getIn();
  return product;
}

class ProductEmitter {
public:
  ProductEmitter(VectorBuilder &build, bool saturates) : build(build), saturates(saturates) {}

  Value emit(Value a, Value b) {
    const unsigned lanes = lanesOf(a);
    if (build.target.arm64 && lanes > 1)
      return emitNeon(build, "sqrdmulh", a, b);
    if (lanes < 4)
      return emitAsWritten(a, b);
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

  Value emitAsWritten(Value a, Value b) {
    Type wide = withElement(a.getType(), build.ops.getI64Type());
    Value sum = rounded(build.make<arith::ExtSIOp>(wide, a), build.make<arith::ExtSIOp>(wide, b));
    Value all = shifted(sum, 31, /*left=*/false);
    if (saturates)
      all = build.make<arith::MinSIOp>(all, build.intConstant(INT32_MAX, wide));
    return build.make<arith::TruncIOp>(a.getType(), all);
  }

  VectorBuilder &build;
  const bool saturates;
};

//===----------------------------------------------------------------------===//
// 2. Shifts
//===----------------------------------------------------------------------===//

/// Shift ((x >> places) + 1) >> 1 of i32.
struct RoundingShift {
  Value x, places;
};

std::optional<RoundingShift> readRoundingShift(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isInteger(32))
    return std::nullopt;
  Value halved = leftOf<arith::ShRSIOp>(op->getResult(0), 1);
  Value shifted = halved ? leftOf<arith::AddIOp>(halved, 1) : Value();
  auto shift = shifted ? shifted.getDefiningOp<arith::ShRSIOp>() : arith::ShRSIOp();
  if (!shift)
    return std::nullopt;
  return RoundingShift{shift.getLhs(), shift.getRhs()};
}

Value emitRoundingShift(VectorBuilder &build, Value x, Value places) {
  if (lanesOf(x) > 1) {
    // NEON shifts to the left by -1 - places.
    Value by = arith::XOrIOp::create(build.ops, build.loc, places, build.intConstant(-1, places.getType()));
    return emitNeon(build, "srshl", x, by);
  }
  Value one = build.intConstant(1, x.getType());
  Value shifted = arith::ShRSIOp::create(build.ops, build.loc, x, places);
  return arith::ShRSIOp::create(build.ops, build.loc, arith::AddIOp::create(build.ops, build.loc, shifted, one), one);
}

} // namespace

std::optional<BodyChain> readFixedPointChain(Operation *op, const Target &target) {
  if (std::optional<HighProduct> product = readHighProduct(op))
    return BodyChain{{product->a, product->b},
                     [saturates = product->saturates](VectorBuilder &build, ArrayRef<Value> operands) {
                       return ProductEmitter(build, saturates).emit(operands[0], operands[1]);
                     }};
  if (!target.arm64)
    return std::nullopt;
  if (std::optional<RoundingShift> shift = readRoundingShift(op))
    return BodyChain{{shift->x, shift->places}, [](VectorBuilder &build, ArrayRef<Value> operands) {
                       return emitRoundingShift(build, operands[0], operands[1]);
                     }};
  return std::nullopt;
}

} // namespace nacre::codegen::cpu
