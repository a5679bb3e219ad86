// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns each function of `nn` operators into a `plan.entry` that launches kernels on tensors. Kernels are the units of
// code, placement and scheduling. So this pass decides once which operators are fused. Arguments become inputs,
// operators become launches (FormOperators.h), and results become outputs.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/entries/EntryBuilder.h"
#include "compiler/kernels/entries/FormOperators.h"
#include "compiler/kernels/iterations/IterationPlan.h"
#include "dialects/nn/Labels.h"
#include "dialects/nn/Limits.h"
#include "dialects/nn/Variables.h"
#include "dialects/nn/codes/Quantization.h"
#include "dialects/plan/Notes.h"

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
    plan::copyEngine(function, entry.getEntry());
    if (failed(readInputs()) || failed(formOperators(entry, function.front())))
      return failure();
    return writeOutputs();
  }

private:
  /// Returns the element type in the model if it differs from the type of the storage. For packed elements, returns the
  /// whole type.
  static TypeAttr getExternalType(Value value, TypeAttr packed) {
    if (packed)
      return packed;
    Type elementType = cast<RankedTensorType>(value.getType()).getElementType();
    return getStorageType(elementType) == elementType ? TypeAttr() : TypeAttr::get(elementType);
  }

  LogicalResult readInputs() {
    int64_t inputs = 0, states = 0;
    for (BlockArgument argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), nn::nameAttr);
      auto packed = function.getArgAttrOfType<TypeAttr>(argument.getArgNumber(), "nn.type");
      auto variable = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), nn::variableAttr);
      OpBuilder &builder = entry.getBuilder();
      Value read = plan::StorageOp::create(builder, argument.getLoc(),
                                           getStorageTensorType(cast<RankedTensorType>(argument.getType())),
                                           variable ? plan::Role::State : plan::Role::Input, variable ? variable : name,
                                           builder.getI64IntegerAttr(variable ? states++ : inputs++),
                                           getExternalType(argument, packed), IntegerAttr(), DenseI64ArrayAttr());
      entry.map(argument, read);
      if (auto role = function.getArgAttr(argument.getArgNumber(), nn::roleAttr); variable && role)
        read.getDefiningOp()->setAttr(plan::kStateRole, role);
      if (auto order = function.getArgAttr(argument.getArgNumber(), nn::orderAttr); variable && order)
        read.getDefiningOp()->setAttr(plan::kOrder, order);
      if (auto labels = function.getArgAttr(argument.getArgNumber(), nn::labelsAttr))
        read.getDefiningOp()->setAttr(plan::kLabels, labels);
      if (auto note = function.getArgAttr(argument.getArgNumber(), nn::quantizationAttr); !variable && note)
        read.getDefiningOp()->setAttr(nn::quantizationAttr, note);
      auto initial = function.getArgAttrOfType<ElementsAttr>(argument.getArgNumber(), nn::initialAttr);
      if (!variable || !initial)
        continue;
      FailureOr<plan::WeightOp> weight = entry.getPlan().getInitial(variable, initial, argument.getLoc());
      if (failed(weight))
        return failure();
      read.getDefiningOp()->setAttr(plan::kInitial, FlatSymbolRefAttr::get(weight->getSymNameAttr()));
    }
    return success();
  }

  LogicalResult writeOutputs() {
    auto results = cast<func::ReturnOp>(function.front().getTerminator());
    OpBuilder &builder = entry.getBuilder();
    int64_t numbers[3] = {};
    for (unsigned number = 0, counts = 0; number < results.getNumOperands(); ++number) {
      countsBefore.push_back(counts);
      counts += kindOf(number) == Result::Count;
    }
    for (OpOperand &result : results->getOpOperands()) {
      Value value = entry.lookup(result.get());
      if (!value)
        return failure();
      unsigned number = result.getOperandNumber();
      auto name = function.getResultAttrOfType<StringAttr>(number, nn::nameAttr);
      auto packed = function.getResultAttrOfType<TypeAttr>(number, "nn.type");
      const Result kind = kindOf(number);
      const auto limit = function.getResultAttrOfType<ArrayAttr>(number, nn::limitAttr);
      if (kind == Result::Count)
        name = limit ? builder.getStringAttr(nn::readLimit(limit).tensor) : getNodeName(result.get());
      else if (kind == Result::State)
        name = function.getResultAttrOfType<StringAttr>(number, nn::variableAttr);
      auto output = plan::OutputOp::create(builder, results.getLoc(), value, name,
                                           builder.getI64IntegerAttr(numbers[unsigned(kind)]++),
                                           getExternalType(result.get(), packed), getCounts(number),
                                           kind == Result::Count ? builder.getUnitAttr() : UnitAttr());
      if (kind == Result::State)
        output->setAttr(plan::kBecomesState, builder.getUnitAttr());
      if (limit)
        output->setAttr(nn::limitAttr, limit);
      if (auto note = function.getResultAttr(number, nn::quantizationAttr); kind == Result::Output && note)
        output->setAttr(nn::quantizationAttr, note);
    }
    return success();
  }

  enum class Result { Output, Count, State };

  Result kindOf(unsigned number) {
    if (function.getResultAttr(number, nn::variableAttr))
      return Result::State;
    return function.getResultAttr(number, nn::nameAttr) ? Result::Output : Result::Count;
  }

  /// Returns the name of the model's node that computes a count.
  static StringAttr getNodeName(Value count) {
    auto named = dyn_cast<NameLoc>(count.getLoc());
    return named ? named.getName() : StringAttr::get(count.getContext(), "");
  }

  /// Returns, for each axis of a result, the index of its count among all counts; -1 for an axis without a count.
  DenseI64ArrayAttr getCounts(unsigned result) {
    auto results = function.getResultAttrOfType<DenseI64ArrayAttr>(result, nn::countsAttr);
    if (!results)
      return {};
    auto counts = llvm::map_to_vector(results.asArrayRef(),
                                      [&](int64_t other) -> int64_t { return other < 0 ? -1 : countsBefore[other]; });
    return DenseI64ArrayAttr::get(function.getContext(), counts);
  }

  func::FuncOp function;
  EntryBuilder entry;
  SmallVector<int64_t> countsBefore; ///< Number of counts before each result.
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
