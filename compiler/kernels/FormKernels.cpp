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
  /// The element type that the model says, where storages hold another; the whole type where they are packed.
  static TypeAttr getExternalType(Value value, TypeAttr packed) {
    if (packed)
      return packed;
    Type elementType = cast<RankedTensorType>(value.getType()).getElementType();
    return getStorageType(elementType) == elementType ? TypeAttr() : TypeAttr::get(elementType);
  }

  void readInputs() {
    for (BlockArgument argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), nn::nameAttr);
      auto packed = function.getArgAttrOfType<TypeAttr>(argument.getArgNumber(), "nn.type");
      OpBuilder &builder = entry.getBuilder();
      entry.map(argument,
                plan::StorageOp::create(builder, argument.getLoc(),
                                        getStorageTensorType(cast<RankedTensorType>(argument.getType())),
                                        plan::Role::Input, name, builder.getI64IntegerAttr(argument.getArgNumber()),
                                        getExternalType(argument, packed), IntegerAttr(), DenseI64ArrayAttr()));
    }
  }

  LogicalResult writeOutputs() {
    auto results = cast<func::ReturnOp>(function.front().getTerminator());
    OpBuilder &builder = entry.getBuilder();
    unsigned named = 0;
    for (OpOperand &result : results->getOpOperands()) {
      Value value = entry.lookup(result.get());
      if (!value)
        return failure();
      unsigned number = result.getOperandNumber();
      auto name = function.getResultAttrOfType<StringAttr>(number, nn::nameAttr);
      auto packed = function.getResultAttrOfType<TypeAttr>(number, "nn.type");
      named += name ? 1 : 0;
      plan::OutputOp::create(builder, results.getLoc(), value, name ? name : getNodeName(result.get()),
                             builder.getI64IntegerAttr(name ? number : number - named),
                             getExternalType(result.get(), packed), getCounts(number),
                             name ? UnitAttr() : builder.getUnitAttr());
    }
    return success();
  }

  /// The node that finds a count.
  static StringAttr getNodeName(Value count) {
    auto named = dyn_cast<NameLoc>(count.getLoc());
    return named ? named.getName() : StringAttr::get(count.getContext(), "");
  }

  /// The counts of a result's axes: those results come after all that have names, and are numbered by themselves.
  DenseI64ArrayAttr getCounts(unsigned result) {
    auto results = function.getResultAttrOfType<DenseI64ArrayAttr>(result, nn::countsAttr);
    if (!results)
      return {};
    int64_t named = llvm::count_if(llvm::seq(function.getNumResults()), [&](unsigned other) {
      return function.getResultAttr(other, nn::nameAttr) != nullptr;
    });
    auto counts =
        llvm::map_to_vector(results.asArrayRef(), [&](int64_t other) { return other < 0 ? -1 : other - named; });
    return DenseI64ArrayAttr::get(function.getContext(), counts);
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
