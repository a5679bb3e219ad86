// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/iterations/ProgramTensors.h"

#include "compiler/kernels/bodies/ScalarBodies.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {

unsigned ProgramTensors::add(Value tensor) {
  names.push_back(tensor);
  return names.size() - 1;
}

unsigned ProgramTensors::addRow(ArrayRef<int64_t> shape, Type elementType) {
  return add(tensor::EmptyOp::create(ops, loc, shape, elementType));
}

Value ProgramTensors::load(Value tensor, ValueRange at, Type elementType) {
  return fromStorage(ops, loc, tensor::ExtractOp::create(ops, loc, tensor, at), elementType);
}

void ProgramTensors::store(unsigned tensor, Value scalar, ValueRange at, Type elementType) {
  names[tensor] =
      tensor::InsertOp::create(ops, loc, toStorage(ops, loc, scalar, elementType), names[tensor], at).getResult();
}

scf::ForOp ProgramTensors::writeLoop(int64_t iterations, ArrayRef<unsigned> tensors,
                                     llvm::function_ref<void(Value counter)> write) {
  SmallVector<Value> given = llvm::map_to_vector(tensors, [&](unsigned tensor) { return names[tensor]; });
  auto made = scf::ForOp::create(ops, loc, zero, index(iterations), index(1), given);
  auto rename = [&](ValueRange values) {
    for (auto [tensor, value] : llvm::zip_equal(tensors, values))
      names[tensor] = value;
  };
  {
    OpBuilder::InsertionGuard guard(ops);
    ops.setInsertionPointToStart(made.getBody());
    rename(made.getRegionIterArgs());
    write(made.getInductionVar());
    SmallVector<Value> last = llvm::map_to_vector(tensors, [&](unsigned tensor) { return names[tensor]; });
    if (!tensors.empty())
      scf::YieldOp::create(ops, loc, last);
  }
  rename(made.getResults());
  return made;
}

} // namespace nacre::kernels
