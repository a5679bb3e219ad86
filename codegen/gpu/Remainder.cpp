// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. the bits of a float; 2. long division; 3. the remainder as a float again.

#include "codegen/gpu/Remainder.h"
#include "codegen/IntegerTerms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// 1. Bits
//===----------------------------------------------------------------------===//

/// The positions of the fields in the bits of a float.
struct Layout {
  explicit Layout(Type type)
      : width(getElementTypeOrSelf(type).getIntOrFloatBitWidth()),
        fraction(cast<FloatType>(getElementTypeOrSelf(type)).getFPMantissaWidth() - 1),
        bias(llvm::maxIntN(width - fraction - 1)) {}

  const unsigned width, fraction;
  const int64_t bias;
};

/// The parts of a magnitude, which is digits * 2^(exponent - bias - fraction).
struct Parts {
  Term digits, exponent;
};

Parts partsOf(Term magnitude, const Layout &layout) {
  const int64_t leading = int64_t(1) << layout.fraction;
  Term exponent = shiftRight(magnitude, layout.fraction), fraction = magnitude & magnitude.integer(leading - 1);
  Term isSubnormal = compare(Predicate::eq, exponent, 0);
  return {isSubnormal.select(fraction, fraction | magnitude.integer(leading)),
          isSubnormal.select(exponent.integer(1), exponent)};
}

//===----------------------------------------------------------------------===//
// 2. Division
//===----------------------------------------------------------------------===//

/// Returns digits * 2^shift % divisor, of scalars. An iteration handles `bitsPerIteration` bits, the bits of the type
/// beyond the digits.
Term divideLong(Term digits, Term shift, Term divisor, unsigned bitsPerIteration) {
  OpBuilder &ops = digits.builder->ops;
  const Location loc = digits.builder->loc;
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(ops, loc, value).getResult(); };
  // Compute ceil(shift / bitsPerIteration), but at least one iteration.
  Term least = compare(Predicate::eq, shift, 0).select(shift.integer(1), shift);
  Value count = arith::IndexCastUIOp::create(ops, loc, ops.getIndexType(), plus(least, bitsPerIteration - 1).value);
  Value iterations = arith::DivUIOp::create(ops, loc, count, index(bitsPerIteration));
  auto loop = scf::ForOp::create(ops, loc, index(0), iterations, index(1), ValueRange{digits.value, shift.value});
  OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToStart(loop.getBody());
  Term rest = digits.make(loop.getRegionIterArg(0)), left = digits.make(loop.getRegionIterArg(1));
  Term most = left.integer(bitsPerIteration), now = compare(Predicate::ult, left, most).select(left, most);
  Term shifted = shiftLeft(rest, now);
  scf::YieldOp::create(
      ops, loc, ValueRange{shifted.op<arith::RemUIOp>(shifted.value, divisor.value).value, minus(left, now).value});
  return digits.make(loop.getResult(0));
}

/// Divides each lane in a separate loop, because lanes need different numbers of iterations. In addition, Mesa 22.3's
/// lavapipe computes wrong lanes of vectors that a loop carries.
Term divideLanes(Term digits, Term shift, Term divisor, unsigned bitsPerIteration) {
  auto vector = dyn_cast<VectorType>(digits.type());
  if (!vector)
    return divideLong(digits, shift, divisor, bitsPerIteration);
  OpBuilder &ops = digits.builder->ops;
  const Location loc = digits.builder->loc;
  SmallVector<Value> lanes;
  for (int64_t at = 0; at < vector.getNumElements(); ++at) {
    auto lane = [&](Term term) { return term.make(vector::ExtractOp::create(ops, loc, term.value, at)); };
    lanes.push_back(divideLong(lane(digits), lane(shift), lane(divisor), bitsPerIteration).value);
  }
  return digits.make(vector::FromElementsOp::create(ops, loc, vector, lanes));
}

//===----------------------------------------------------------------------===//
// 3. Floats
//===----------------------------------------------------------------------===//

/// Returns the bits of the float digits * 2^(exponent - bias - fraction). `digits` must not have more digits than a
/// float.
Term bitsOfParts(const Parts &parts, Type type, const Layout &layout) {
  Term bits = parts.digits.op<arith::UIToFPOp>(type, parts.digits.value).bits();
  Term moved = plus(parts.exponent, -(layout.bias + layout.fraction));
  Term exponent = plus(shiftRight(bits, layout.fraction), moved);
  Term isNormal = compare(Predicate::sgt, exponent, 0) & compare(Predicate::ne, parts.digits, 0);
  // A shift by the whole width is undefined, so the shift is limited even if its result is not selected.
  Term subnormal = shiftLeft(parts.digits, plus(parts.exponent, -1) & bits.integer(layout.width - 1));
  return isNormal.select(plus(bits, shiftLeft(moved, layout.fraction)), subnormal);
}

} // namespace

Term floatRemainder(Term x, Term y) {
  const Layout layout(x.type());
  Term bits = x.bits(), a = magnitudeBits(x), b = magnitudeBits(y);
  const Parts dividend = partsOf(a, layout), divisor = partsOf(b, layout);
  Term isSmaller = compare(Predicate::ult, a, b), isZero = compare(Predicate::eq, b, 0);
  Term shift = isSmaller.select(a.integer(0), minus(dividend.exponent, divisor.exponent));
  Term rest = divideLanes(dividend.digits, shift, isZero.select(a.integer(1), divisor.digits),
                          layout.width - layout.fraction - 1);
  Term result = isSmaller.select(a, bitsOfParts({rest, divisor.exponent}, x.type(), layout));
  result = compare(Predicate::slt, bits, 0).select(plus(result, llvm::minIntN(layout.width)), result);
  Term isNumber = isFinite(x) & !(isZero | isNaN(y));
  return isNumber.select(result.as(getElementTypeOrSelf(x.type())),
                         x.constant(std::numeric_limits<double>::quiet_NaN()));
}

Term signedRemainder(Term x, Term y) { return minus(x, times(y, x.op<arith::DivSIOp>(x.value, y.value))); }

} // namespace nacre::codegen::gpu
