// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  turns every kernel into a function, by an emitter that fits the kernel's kind and form.
// Why:   an emitter that makes all decisions itself is fast and predictable. An emitter that does not fit the kernel
//        declines.
// How:   1. create an empty function with the common signature;
//        2. try the emitters of the kernel's kind, then the fallback;
//        3. note on the function how the work is divided.

#include "codegen/cpu/EmitFunction.h"

#include "codegen/KernelNotes.h"
#include "codegen/PackWeights.h"
#include "codegen/TargetOptions.h"
#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Passes.h"
#include "codegen/form/EmitterList.h"
#include "dialects/plan/Notes.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-emit-cpu"

namespace nacre::codegen::cpu {
#define GEN_PASS_DEF_EMITCPUPASS
#include "codegen/cpu/Passes.h.inc"
} // namespace nacre::codegen::cpu

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

//===----------------------------------------------------------------------===//
// 1. The function
//===----------------------------------------------------------------------===//

func::FuncOp makeFunction(plan::KernelOp kernel) {
  OpBuilder builder(kernel);
  SmallVector<Type> types;
  for (auto [number, type] : llvm::enumerate(kernel.getBody().getArgumentTypes()))
    types.push_back(
        MemRefType::get({countStoredElements(kernel, number)}, cast<RankedTensorType>(type).getElementType()));
  const unsigned buffers = types.size();
  types.push_back(MemRefType::get({0}, builder.getI8Type()));
  types.append(4, builder.getIndexType());
  auto function =
      func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(), builder.getFunctionType(types, {}));
  // The buffer of the first result follows the buffers of the inputs.
  const std::optional<unsigned> overwritten = plan::overwrittenBy(kernel);
  for (unsigned i = 0; i <= buffers; ++i)
    if (!overwritten || (i != *overwritten && i != unsigned(kernel.getNumInputs())))
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  return function;
}

/// Starts an empty body, and discards the output of an earlier emitter.
KernelFunction startBody(func::FuncOp function, const Target &target) {
  function.getBody().dropAllReferences();
  function.getBody().getBlocks().clear();
  Block *entry = function.addEntryBlock();
  auto builder = OpBuilder::atBlockEnd(entry);
  auto returned = func::ReturnOp::create(builder, function.getLoc());
  builder.setInsertionPoint(returned);

  KernelFunction body{target, builder, function.getLoc(), {}, {}, {}, {}, {}, {}};
  ArrayRef<BlockArgument> arguments = function.getArguments();
  body.buffers.append(arguments.begin(), arguments.end() - 5);
  arguments = arguments.take_back(5);
  body.scratch = arguments[0];
  body.shareBegin = arguments[1];
  body.shareEnd = arguments[2];
  body.begin = arguments[3];
  body.end = arguments[4];
  return body;
}

//===----------------------------------------------------------------------===//
// 3. What the runtime must know
//===----------------------------------------------------------------------===//

void finish(func::FuncOp function, const KernelFunction &body) {
  Builder builder(function.getContext());
  function->setAttr(notes::kKernel, builder.getUnitAttr());
  function->setAttr(notes::kUnitExtent, builder.getI64IntegerAttr(body.unitExtent));
  function->setAttr(notes::kUnitsPerBlock, builder.getI64IntegerAttr(body.unitsPerBlock));
  function->setAttr(notes::kScratchBytes, builder.getI64IntegerAttr(body.scratchBytes));
  function->setAttr(notes::kUnitNanoseconds,
                    builder.getI64IntegerAttr(static_cast<int64_t>(std::min(body.unitCost, double(UINT32_MAX)))));
  function->setAttr(notes::kFlops, builder.getF64FloatAttr(body.flops));
  if (body.executedFlops)
    function->setAttr(notes::kExecutedFlops, builder.getF64FloatAttr(*body.executedFlops));
  if (body.fallback)
    function->setAttr(notes::kFallback, builder.getStringAttr(body.declinedBy));
  if (body.keepsOrder)
    function->setAttr(notes::kKeepsOrder, builder.getUnitAttr());
}

//===----------------------------------------------------------------------===//
// 2. The emitters
//===----------------------------------------------------------------------===//

constexpr plan::EncodingKind kPanels[] = {plan::EncodingKind::Panel};

constexpr EmitterEntry<Emitter> kEmitters[] = {
    {"winograd", plan::KernelKind::Contraction, emitWinograd, kPanels, /*knowsGroups=*/true},
    {"contraction", plan::KernelKind::Contraction, emitContraction, kPanels, /*knowsGroups=*/true},
    {"depthwise", plan::KernelKind::Contraction, emitDepthwise},
    {"halves", plan::KernelKind::Contraction, emitHalves, kPanels},
    {"halves", plan::KernelKind::Separable, emitHalves, kPanels},
    {"nest", plan::KernelKind::Nest, emitNest},
    {"attention", plan::KernelKind::Attention, emitAttention},
    {"row", plan::KernelKind::Row, emitRow},
    {"pack", plan::KernelKind::Permute, emitPack, kPanels},
    {"permute", plan::KernelKind::Permute, emitPermute},
    {"nest", plan::KernelKind::Permute, emitNest},
    {"indexed", plan::KernelKind::Indexed, emitIndexed},
    {"serial", plan::KernelKind::Serial, emitSerial},
    {"fallback", std::nullopt, emitFallback},
};

LogicalResult emitKernel(plan::KernelOp kernel, const Target &target) {
  FailureOr<EmittedFunction> emitted = emitFunction(kernel, target);
  if (succeeded(emitted)) {
    finish(emitted->function, emitted->body);
    kernel.erase();
    return success();
  }
  return kernel.emitError("must have a form that a CPU emitter accepts, but does not; likely a missing case in the "
                          "kernels phase (docs/phases/kernels.md)");
}

struct EmitCpu : codegen::cpu::impl::EmitCpuPassBase<EmitCpu> {
  using EmitCpuPassBase::EmitCpuPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Target, 1>> targets = readTargetOptions(getOperation(), target, cpu);
    if (failed(targets) || failed(emitKernels(getOperation(), targets->front())))
      signalPassFailure();
  }
};

} // namespace

FailureOr<EmittedFunction> nacre::codegen::cpu::emitFunction(plan::KernelOp kernel, const Target &target) {
  func::FuncOp function = makeFunction(kernel);
  std::string declinedBy;
  for (const EmitterEntry<Emitter> &candidate : emittersFor(kernel, ArrayRef(kEmitters))) {
    KernelFunction body = startBody(function, target);
    if (failed(candidate.emit(kernel, body))) {
      LDBG() << candidate.name << " declines " << kernel.getSymName();
      declinedBy += (declinedBy.empty() ? "" : ", ") + candidate.name.str();
      continue;
    }
    auto scratch = MemRefType::get({static_cast<int64_t>(body.scratchBytes)}, body.builder.getI8Type());
    body.scratch.setType(scratch);
    body.declinedBy = declinedBy;
    function.setFunctionType(body.builder.getFunctionType(function.front().getArgumentTypes(), {}));
    return EmittedFunction{function, std::move(body)};
  }
  function.erase();
  return failure();
}

LogicalResult nacre::codegen::cpu::emitKernels(ModuleOp module, const Target &target) {
  for (auto kernel : llvm::make_early_inc_range(module.getOps<plan::KernelOp>()))
    if (failed(emitKernel(kernel, target)))
      return failure();
  return success();
}
