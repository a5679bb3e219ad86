// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Provides short methods for index arithmetic and memory accesses in serial programs. These programs are long, so each
// operation is one short call. Positions have type `index`; stored positions are i64.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALWRITER_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALWRITER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace nacre::kernels {

/// Short names for operations. Each block creates its own writer.
struct SerialWriter {
  mlir::OpBuilder &ops;
  mlir::Location loc;

  mlir::Value index(int64_t value) const { return mlir::arith::ConstantIndexOp::create(ops, loc, value); }
  mlir::Value add(mlir::Value a, int64_t b) const { return mlir::arith::AddIOp::create(ops, loc, a, index(b)); }
  mlir::Value sub(mlir::Value a, int64_t b) const { return mlir::arith::SubIOp::create(ops, loc, a, index(b)); }
  mlir::Value less(mlir::Value a, mlir::Value b) const {
    return mlir::arith::CmpIOp::create(ops, loc, mlir::arith::CmpIPredicate::slt, a, b);
  }
  mlir::Value equal(mlir::Value a, mlir::Value b) const {
    return mlir::arith::CmpIOp::create(ops, loc, mlir::arith::CmpIPredicate::eq, a, b);
  }
  mlir::Value both(mlir::Value a, mlir::Value b) const { return mlir::arith::AndIOp::create(ops, loc, a, b); }
  mlir::Value either(mlir::Value a, mlir::Value b) const { return mlir::arith::OrIOp::create(ops, loc, a, b); }
  mlir::Value negate(mlir::Value a) const { return mlir::arith::XOrIOp::create(ops, loc, a, yes(true)); }
  mlir::Value yes(bool value) const { return mlir::arith::ConstantOp::create(ops, loc, ops.getBoolAttr(value)); }
  mlir::Value integer(int64_t value) const { return mlir::arith::ConstantIntOp::create(ops, loc, value, 64); }
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b) const {
    return mlir::arith::SelectOp::create(ops, loc, condition, a, b);
  }
  mlir::Value toInteger(mlir::Value a) const { return mlir::arith::IndexCastOp::create(ops, loc, ops.getI64Type(), a); }
  mlir::Value toIndex(mlir::Value a) const { return mlir::arith::IndexCastOp::create(ops, loc, ops.getIndexType(), a); }
  mlir::Value load(mlir::Value tensor, mlir::ValueRange at) const {
    return mlir::tensor::ExtractOp::create(ops, loc, tensor, at);
  }
  mlir::Value store(mlir::Value tensor, mlir::ValueRange at, mlir::Value scalar) const {
    return mlir::tensor::InsertOp::create(ops, loc, scalar, tensor, at);
  }
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALWRITER_H
