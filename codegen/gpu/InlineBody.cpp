// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. operations that SPIR-V lacks; 2. operations in general. Functions on f32 are the same as on the CPU
//           (codegen/Functions.h), because both engines compute parts of one tensor, and GLSL guarantees few digits;
//        3. bodies, operation by operation.

#include "codegen/gpu/InlineBody.h"

#include "codegen/Functions.h"
#include "codegen/IntegerTerms.h"
#include "codegen/KernelNotes.h"
#include "codegen/form/ScalarBody.h"
#include "codegen/gpu/ExactQuotients.h"
#include "codegen/gpu/Remainder.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

Type typeIn(Type element, unsigned width) { return width == 1 ? element : Type(VectorType::get({width}, element)); }

//===----------------------------------------------------------------------===//
// 1. Operations that SPIR-V lacks
//===----------------------------------------------------------------------===//

/// Returns `a` if it wins the comparison, otherwise `b`; NaN if either is NaN. A constant that is not NaN needs no
/// test.
Value emitExtremum(TermBuilder &builder, Value a, Value b, arith::CmpFPredicate wins) {
  auto isNumber = [](Value value) {
    std::optional<double> splat = splatOf(value);
    return splat && !std::isnan(*splat);
  };
  if (isNumber(b))
    std::swap(a, b);
  Term x{&builder, a}, y{&builder, b};
  Term chosen = x.compare(wins, y).select(x, y);
  return (isNumber(a) ? chosen : x.compare(arith::CmpFPredicate::UNO, x).select(x, chosen)).value;
}

/// Like the above, for integers. GLSL's instructions only support 32 bits.
Value emitExtremum(TermBuilder &builder, Value a, Value b, arith::CmpIPredicate wins) {
  Term x{&builder, a}, y{&builder, b};
  return x.op<arith::CmpIOp>(wins, a, b).select(x, y).value;
}

/// Rounds towards zero.
Value truncate(TermBuilder &builder, Value value) {
  Term x{&builder, value};
  return (x < 0).select(x.op<math::CeilOp>(value), x.op<math::FloorOp>(value)).value;
}

Value magnitude(TermBuilder &builder, Value value) {
  Term x{&builder, value}, zero = x.integer(0);
  Term negative = x.op<arith::CmpIOp>(arith::CmpIPredicate::slt, value, zero.value);
  return negative.select(x.op<arith::SubIOp>(zero.value, value), x).value;
}

/// Returns x with half of its digits. Products of two such values are exact, with or without a fused sum.
Term upperHalf(Term x) { return (x.bits() & x.bits().integer(int32_t(0xfffff000))).f32(); }

/// Returns x - q * y. The result is exact if q is the rounded quotient, because each product and each difference is
/// exact.
Term remainderOf(Term x, Term q, Term y) {
  Term highOfQ = upperHalf(q), lowOfQ = q - highOfQ, highOfY = upperHalf(y), lowOfY = y - highOfY;
  return x - highOfQ * highOfY - highOfQ * lowOfY - lowOfQ * highOfY - lowOfQ * lowOfY;
}

/// Refines a quotient by one step of Newton's method with an exact remainder. See Markstein, "Computation of elementary
/// functions on the IBM RISC System/6000 processor", 1990. The remainder is exact even on devices that do not fuse
/// products and sums. The step is dropped if it changes the quotient too much, as for infinities and very small values.
Value divideExactly(TermBuilder &builder, Value a, Value b) {
  Term x{&builder, a}, y{&builder, b}, quotient = x / y;
  Term refined = fma(remainderOf(x, quotient, y), 1 / y, quotient);
  return (abs(refined - quotient) < abs(quotient) * 0x1p-20).select(refined, quotient).value;
}

/// Emits an operation with the constant zero whose result some drivers get wrong, although the shader requires NaN and
/// signed zeros. x - x and x * 0 must be NaN for NaN and infinities, but drivers return 0. x + 0, x - -0 and 0 - x must
/// be 0 for zeros of either sign, but drivers return x or -x. One example is a sum that begins with 0. Returns null for
/// all other operations.
Value emitWithZero(Operation *op, Term a, Term b) {
  Term nan = a.constant(std::nan(""));
  auto isZero = [&](unsigned operand, bool isNegative) {
    return matchPattern(op->getOperand(operand), m_AnyZeroFloat()) &&
           std::signbit(splatOf(operand == 0 ? a.value : b.value).value_or(0)) == isNegative;
  };
  if (isa<arith::SubFOp>(op)) {
    if (a.value == b.value)
      return isFinite(a).select(a.constant(0), nan).value;
    if (isZero(0, /*isNegative=*/false))
      return (b == 0).select(a, negate(b)).value;
    return isZero(1, /*isNegative=*/true) ? (a == 0).select(a.constant(0), a).value : Value();
  }
  if (matchPattern(op->getOperand(0), m_AnyZeroFloat()))
    std::swap(a, b);
  else if (!matchPattern(op->getOperand(1), m_AnyZeroFloat()))
    return {};
  if (isa<arith::AddFOp>(op))
    return std::signbit(splatOf(b.value).value_or(0)) ? a.value : (a == 0).select(b, a).value;
  Term isNegative = compare(arith::CmpIPredicate::slt, a.bits(), 0);
  return isFinite(a).select(isNegative.select(negate(b), b), nan).value;
}

/// Emits a quotient with the constant zero, for which some drivers always return zero. But x / 0 is infinite or NaN,
/// and 0 / x is NaN for 0 and NaN. Returns null for other quotients.
Value emitQuotientWithZero(Operation *op, Term a, Term b) {
  if (matchPattern(op->getOperand(1), m_AnyZeroFloat()))
    return (a * std::copysign(HUGE_VAL, splatOf(b.value).value_or(0))).value;
  if (!matchPattern(op->getOperand(0), m_AnyZeroFloat()))
    return {};
  return ((b < 0) | (b > 0)).select((b < 0).select(negate(a), a), a.constant(std::nan(""))).value;
}

/// True if an operation on f16 is computed in f32.
bool isComputedInSingle(Operation *op) {
  // This comparison tests bits, and not all devices have 16-bit integers.
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return comparison.getPredicate() == arith::CmpFPredicate::UNO;
  return isa<arith::RemFOp>(op) ||
         (isa<math::MathDialect>(op->getDialect()) && !isa<math::AbsFOp, math::CopySignOp>(op));
}

bool isDivided(Type type) { return !getElementTypeOrSelf(type).isInteger(32); }

//===----------------------------------------------------------------------===//
// 2. Operations
//===----------------------------------------------------------------------===//

/// Emits `op` on `operands`. `type` is the type of the result.
Value emitOperation(TermBuilder &builder, Operation *op, ArrayRef<Value> operands, Type type) {
  auto create = [&](ArrayRef<Value> values, Type result) {
    return builder.ops.create(builder.loc, op->getName().getIdentifier(), values, result, op->getAttrs())->getResult(0);
  };
  const Type element = getElementTypeOrSelf(operands.front());
  if (element.isF32())
    if (std::optional<Value> value = emitFunction(builder, op, operands))
      return *value;
  if (element.isF16() && isComputedInSingle(op)) {
    const Type wide = withElement(operands.front().getType(), builder.ops.getF32Type());
    SmallVector<Value> extended = llvm::map_to_vector(
        operands, [&](Value value) -> Value { return arith::ExtFOp::create(builder.ops, builder.loc, wide, value); });
    const bool isHalf = getElementTypeOrSelf(type).isF16();
    Value value = emitOperation(builder, op, extended, isHalf ? wide : type);
    return isHalf ? Value(arith::TruncFOp::create(builder.ops, builder.loc, type, value)) : value;
  }
  auto extremum = [&](auto predicate) { return emitExtremum(builder, operands[0], operands[1], predicate); };
  if (isa<arith::DivFOp>(op))
    if (Value value = emitQuotientWithZero(op, {&builder, operands[0]}, {&builder, operands[1]}))
      return value;
  if (element.isF32() && isa<arith::DivFOp>(op) && isRounded(op))
    return divideExactly(builder, operands[0], operands[1]);
  if ((element.isF32() || element.isF64()) && isa<arith::AddFOp, arith::MulFOp, arith::SubFOp>(op))
    if (Value value = emitWithZero(op, {&builder, operands[0]}, {&builder, operands[1]}))
      return value;
  const bool isOdd = isDivided(type);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::MaximumFOp>([&](auto) { return extremum(arith::CmpFPredicate::OGT); })
      .Case<arith::MinimumFOp>([&](auto) { return extremum(arith::CmpFPredicate::OLT); })
      .Case<arith::MaxSIOp>([&](auto) { return isOdd ? extremum(arith::CmpIPredicate::sgt) : create(operands, type); })
      .Case<arith::MinSIOp>([&](auto) { return isOdd ? extremum(arith::CmpIPredicate::slt) : create(operands, type); })
      .Case<arith::MaxUIOp>([&](auto) { return isOdd ? extremum(arith::CmpIPredicate::ugt) : create(operands, type); })
      .Case<arith::MinUIOp>([&](auto) { return isOdd ? extremum(arith::CmpIPredicate::ult) : create(operands, type); })
      .Case<arith::RemFOp>([&](auto) { return floatRemainder({&builder, operands[0]}, {&builder, operands[1]}).value; })
      .Case<arith::RemSIOp>(
          [&](auto) { return signedRemainder({&builder, operands[0]}, {&builder, operands[1]}).value; })
      .Case<math::TruncOp>([&](auto) { return truncate(builder, operands[0]); })
      .Case<arith::CmpFOp>([&](arith::CmpFOp comparison) {
        const bool isByBits = element.isF32() && comparison.getPredicate() == arith::CmpFPredicate::UNO;
        return isByBits ? isUnordered({&builder, operands[0]}, {&builder, operands[1]}).value : create(operands, type);
      })
      .Case<math::AbsIOp>([&](auto) { return magnitude(builder, operands[0]); })
      .Case<math::CopySignOp>([&](auto) { return copySign({&builder, operands[0]}, {&builder, operands[1]}).value; })
      .Case<math::IPowIOp>([&](auto) { return integerPower({&builder, operands[0]}, {&builder, operands[1]}).value; })
      .Default([&](Operation *) { return create(operands, type); });
}

/// Emits an operation on bf16 values in f32. In shaders, bf16 values are i16.
Value emitOnBf16(TermBuilder &builder, Operation *op, ArrayRef<Value> operands, Type type) {
  const Type f32 = builder.ops.getF32Type();
  const bool isResult = getElementTypeOrSelf(type).isBF16();
  if (isa<arith::SelectOp>(op) || (isa<arith::BitcastOp>(op)))
    return isa<arith::BitcastOp>(op)
               ? operands.front()
               : Value(arith::SelectOp::create(builder.ops, builder.loc, operands[0], operands[1], operands[2]));
  SmallVector<Value> wide(operands);
  for (auto [value, original] : llvm::zip_equal(wide, op->getOperands()))
    if (original.getType().isBF16())
      value = extendBf16({&builder, value}).value;
  const Type from = wide.front().getType();
  if (isa<arith::ExtFOp>(op))
    return getElementTypeOrSelf(type).isF32()
               ? wide.front()
               : Value(arith::ExtFOp::create(builder.ops, builder.loc, type, wide.front()));
  if (isa<arith::TruncFOp>(op)) {
    if (!getElementTypeOrSelf(from).isF32())
      wide.front() = arith::TruncFOp::create(builder.ops, builder.loc, withElement(from, f32), wide.front());
    return roundToBf16({&builder, wide.front()}).value;
  }
  Value value = emitOperation(builder, op, wide, isResult ? withElement(type, f32) : type);
  return isResult ? roundToBf16({&builder, value}).value : value;
}

bool isKnown(Operation *op) {
  if (isa<arith::ArithDialect>(op->getDialect()))
    return !isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op);
  const bool isDouble = op->getOperand(0).getType().isF64();
  if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::FmaOp, math::IPowIOp, math::RoundOp,
          math::RoundEvenOp, math::SqrtOp, math::IsNaNOp, math::IsInfOp, math::TruncOp>(op))
    return true;
  // GLSL's other functions, and those of codegen/Functions.h, exist only up to 32 bits.
  return !isDouble && isa<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp, math::AtanOp, math::AtanhOp,
                          math::CopySignOp, math::CosOp, math::CoshOp, math::ErfOp, math::ErfcOp, math::ExpOp,
                          math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log10Op, math::Log1pOp, math::Log2Op,
                          math::PowFOp, math::RsqrtOp, math::SinOp, math::SinhOp, math::TanOp, math::TanhOp>(op);
}

bool isWord(Type type) { return type.isF16() || type.isBF16() || type.isF32() || type.isF64() || type.isIntOrIndex(); }

} // namespace

//===----------------------------------------------------------------------===//
// 3. Bodies
//===----------------------------------------------------------------------===//

Type storedType(Type element) { return element.isBF16() ? Type(IntegerType::get(element.getContext(), 16)) : element; }

TypedAttr storedConstant(TypedAttr value) {
  auto number = dyn_cast<FloatAttr>(value);
  if (!number || !number.getType().isBF16())
    return value;
  return IntegerAttr::get(storedType(number.getType()), number.getValue().bitcastToAPInt());
}

Value extendStoredBf16(OpBuilder &builder, Location loc, Value bits) {
  ShaderTerms terms(builder, loc);
  return extendBf16({&terms, bits}).value;
}

bool canInlineOnGpu(Operation &op) {
  return isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && isWord(op.getResult(0).getType()) &&
         isKnown(&op);
}

bool canInlineOnGpu(Block &body) {
  return canInline(body) && llvm::all_of(body.getArgumentTypes(), isWord) &&
         llvm::all_of(body.without_terminator(),
                      [](Operation &op) { return isa<arith::ConstantOp>(op) || canInlineOnGpu(op); });
}

Value inlineOperation(TermBuilder &builder, Operation *op, ArrayRef<Value> operands, unsigned width) {
  SmallVector<Value> matched(operands);
  Type type = op->getResult(0).getType();
  if (llvm::any_of(operands, [](Value operand) { return isa<VectorType>(operand.getType()); })) {
    for (Value &operand : matched)
      operand = broadcast(builder.ops, builder.loc, operand, width);
    type = typeIn(type, width);
  }
  auto isBf16 = [](Type element) { return element.isBF16(); };
  if (llvm::any_of(op->getOperandTypes(), isBf16) || llvm::any_of(op->getResultTypes(), isBf16))
    return emitOnBf16(builder, op, matched, type);
  Value value = emitOperation(builder, op, matched, type);
  if (auto product = value.getDefiningOp<arith::MulFOp>(); product && isPartOfRoundedQuotient(op))
    product->setAttr(notes::kNotFused, builder.ops.getUnitAttr());
  return value;
}

Value broadcast(OpBuilder &builder, Location loc, Value value, unsigned width) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, loc, typeIn(value.getType(), width), value);
}

static Value valueOf(OpBuilder &builder, Location loc, IRMapping &values, Value value) {
  TypedAttr constant;
  if (!values.contains(value) && matchPattern(value, m_Constant(&constant)))
    values.map(value, arith::ConstantOp::create(builder, loc, storedConstant(constant)).getResult());
  return values.lookup(value);
}

static void inlineInto(ShaderTerms &terms, IRMapping &values, Operation *op, unsigned width) {
  SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value value) { return valueOf(terms.ops, terms.loc, values, value); });
  values.map(op->getResult(0), inlineOperation(terms, op, operands, width));
}

SmallVector<Value> inlineBody(OpBuilder &builder, Location loc, Block &body, ArrayRef<Value> arguments,
                              unsigned width) {
  ShaderTerms terms(builder, loc);
  IRMapping values;
  values.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator())
    if (!isa<arith::ConstantOp>(op))
      inlineInto(terms, values, &op, width);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return valueOf(builder, loc, values, value); });
}

SmallVector<Value> inlineValues(OpBuilder &builder, Location loc, ValueRange wanted, IRMapping &values,
                                unsigned width) {
  ShaderTerms terms(builder, loc);
  SetVector<Operation *> pending; // Operations that are needed, in the order in which they were found.
  auto need = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && !isa<arith::ConstantOp>(op) && !values.contains(value))
      pending.insert(op);
  };
  llvm::for_each(wanted, need);
  for (size_t next = 0; next < pending.size(); ++next)
    llvm::for_each(pending[next]->getOperands(), need);
  SmallVector<Operation *> needed = pending.takeVector();
  llvm::sort(needed, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : needed)
    inlineInto(terms, values, op, width);
  return llvm::map_to_vector(wanted, [&](Value value) { return valueOf(builder, loc, values, value); });
}

} // namespace nacre::codegen::gpu
