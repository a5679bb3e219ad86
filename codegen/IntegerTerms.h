// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  operations on integers, and on the bits of floats, as functions of terms.
// Why:   a driver may assume that there is no NaN, and may reorder float arithmetic. It assumes nothing about integers.

#ifndef NACRE_CODEGEN_INTEGERTERMS_H
#define NACRE_CODEGEN_INTEGERTERMS_H

#include "codegen/Term.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::codegen {

// The functions plus() and minus() wrap on overflow.
inline Term plus(Term a, Term b) { return a.op<mlir::arith::AddIOp>(a.value, b.value); }
inline Term plus(Term a, int64_t b) { return plus(a, a.integer(b)); }
inline Term minus(Term a, Term b) { return a.op<mlir::arith::SubIOp>(a.value, b.value); }
inline Term minus(Term a) { return minus(a.integer(0), a); }
inline Term times(Term a, Term b) { return a.op<mlir::arith::MulIOp>(a.value, b.value); }
inline Term shiftLeft(Term a, Term b) { return a.op<mlir::arith::ShLIOp>(a.value, b.value); }
inline Term shiftLeft(Term a, int64_t b) { return shiftLeft(a, a.integer(b)); }
inline Term shiftRight(Term a, Term b) { return a.op<mlir::arith::ShRUIOp>(a.value, b.value); }
inline Term shiftRight(Term a, int64_t b) { return shiftRight(a, a.integer(b)); }

inline Term compare(mlir::arith::CmpIPredicate predicate, Term a, Term b) {
  return a.op<mlir::arith::CmpIOp>(predicate, a.value, b.value);
}
inline Term compare(mlir::arith::CmpIPredicate predicate, Term a, int64_t b) {
  return compare(predicate, a, a.integer(b));
}

// The functions below compare bits of an f32 or f64 without its sign. The bits of NaN are larger than the bits of
// infinity.
inline int64_t infinityBits(Term x) {
  return mlir::getElementTypeOrSelf(x.type()).isF64() ? 0x7ff0000000000000 : 0x7f800000;
}
inline Term magnitudeBits(Term x) {
  Term bits = x.bits();
  return bits & bits.integer(llvm::maxIntN(mlir::getElementTypeOrSelf(bits.type()).getIntOrFloatBitWidth()));
}
inline Term isNaN(Term x) { return compare(mlir::arith::CmpIPredicate::ugt, magnitudeBits(x), infinityBits(x)); }
inline Term isFinite(Term x) { return compare(mlir::arith::CmpIPredicate::ult, magnitudeBits(x), infinityBits(x)); }

/// True if `a` or `b` is NaN.
inline Term isUnordered(Term a, Term b) {
  if (!a.builder->isShader)
    return a.compare(mlir::arith::CmpFPredicate::UNO, b);
  return a.value == b.value ? isNaN(a) : isNaN(a) | isNaN(b);
}

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_INTEGERTERMS_H
