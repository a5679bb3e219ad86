// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  arithmetic on indices that are never negative.
// Why:   addresses are sums of products with constants. Constant terms are folded when they are built.

#ifndef NACRE_CODEGEN_GPU_INDEXBUILDER_H
#define NACRE_CODEGEN_GPU_INDEXBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace nacre::codegen::gpu {

class IndexBuilder {
public:
  IndexBuilder(mlir::OpBuilder &ops, mlir::Location loc) : ops(ops), loc(loc) {}

  mlir::OpBuilder &ops;
  mlir::Location loc;

  mlir::Value constant(int64_t value) { return mlir::arith::ConstantIndexOp::create(ops, loc, value); }
  mlir::Value add(mlir::Value a, mlir::Value b) { return ops.createOrFold<mlir::arith::AddIOp>(loc, a, b); }
  mlir::Value add(mlir::Value a, int64_t b) { return b == 0 ? a : add(a, constant(b)); }
  /// Returns a - b. A negative difference wraps around.
  mlir::Value subtract(mlir::Value a, mlir::Value b) { return ops.createOrFold<mlir::arith::SubIOp>(loc, a, b); }
  mlir::Value multiply(mlir::Value a, int64_t b) {
    return b == 0 ? constant(0) : b == 1 ? a : ops.createOrFold<mlir::arith::MulIOp>(loc, a, constant(b));
  }
  mlir::Value divide(mlir::Value a, int64_t b) {
    return b == 1 ? a : ops.createOrFold<mlir::arith::DivUIOp>(loc, a, constant(b));
  }
  mlir::Value remainder(mlir::Value a, int64_t b) {
    return b == 1 ? constant(0) : ops.createOrFold<mlir::arith::RemUIOp>(loc, a, constant(b));
  }
  mlir::Value least(mlir::Value a, mlir::Value b) { return ops.createOrFold<mlir::arith::MinUIOp>(loc, a, b); }
  mlir::Value isBelow(mlir::Value a, mlir::Value b) {
    return ops.createOrFold<mlir::arith::CmpIOp>(loc, mlir::arith::CmpIPredicate::ult, a, b);
  }
  mlir::Value isEqual(mlir::Value a, mlir::Value b) {
    return ops.createOrFold<mlir::arith::CmpIOp>(loc, mlir::arith::CmpIPredicate::eq, a, b);
  }

  /// Emits `body` under `condition`. The code is unconditional if `condition` is null or constant true.
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body) {
    if (!condition || mlir::matchPattern(condition, mlir::m_One()))
      return body();
    auto branch = mlir::scf::IfOp::create(ops, loc, condition, /*withElseRegion=*/false);
    mlir::OpBuilder::InsertionGuard guard(ops);
    ops.setInsertionPointToStart(branch.thenBlock());
    body();
  }
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_INDEXBUILDER_H
