// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: turns each function of `nn` operators into a `plan.entry` that launches kernels on tensors.
// Why:  a kernel is the unit of everything that follows: code, placement, scheduling; what is fused is decided once,
//       here.
// How:  the arguments become inputs, the operators launches (FormOperators.h), the results outputs.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/forms/ElementTypes.h"
#include "compiler/kernels/forms/EntryBuilder.h"
#include "compiler/kernels/forms/FormOperators.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;
using namespace nacre::kernels;

namespace {

class EntryFormer {
public:
  EntryFormer(ModulePlan &plan, func::FuncOp function)
      : function(function), entry(plan, function.getName(), function.getLoc()) {}

  LogicalResult run() {
    readInputs();
    if (failed(formOperators(entry, function.front())))
      return failure();
    return writeOutputs();
  }

private:
  /// The element type that the model says, where storages hold another.
  static TypeAttr getExternalType(Value value) {
    Type elementType = cast<RankedTensorType>(value.getType()).getElementType();
    return getStorageType(elementType) == elementType ? TypeAttr() : TypeAttr::get(elementType);
  }

  void readInputs() {
    for (BlockArgument argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "nn.name");
      OpBuilder &builder = entry.getBuilder();
      entry.map(argument,
                plan::StorageOp::create(builder, argument.getLoc(),
                                        getStorageTensorType(cast<RankedTensorType>(argument.getType())),
                                        plan::Role::Input, name, builder.getI64IntegerAttr(argument.getArgNumber()),
                                        getExternalType(argument), IntegerAttr()));
    }
  }

  LogicalResult writeOutputs() {
    auto results = cast<func::ReturnOp>(function.front().getTerminator());
    for (OpOperand &result : results->getOpOperands()) {
      auto name = function.getResultAttrOfType<StringAttr>(result.getOperandNumber(), "nn.name");
      OpBuilder &builder = entry.getBuilder();
      Value value = entry.lookup(result.get());
      if (!value)
        return failure();
      plan::OutputOp::create(builder, results.getLoc(), value, name,
                             builder.getI64IntegerAttr(result.getOperandNumber()), getExternalType(result.get()));
    }
    return success();
  }

  func::FuncOp function;
  EntryBuilder entry;
};

struct FormKernels : kernels::impl::FormKernelsPassBase<FormKernels> {
  void runOnOperation() override {
    ModulePlan plan(getOperation());
    for (func::FuncOp function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (failed(EntryFormer(plan, function).run()))
        return signalPassFailure();
      function.erase();
    }
  }
};

} // namespace
