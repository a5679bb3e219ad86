// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits kernels that compute the left operand of their product: separable convolutions, normalized rows.
// Why:   such kernels are formed for GPUs. Without a GPU, the CPU should take no longer than for two separate kernels.
// How:   1. each half (codegen/form/fused/KernelHalves.h) becomes a function, by the emitter of its kind;
//        2. a block of units of the second half is also a block of this kernel. It is divided into a few parts if there
//           are few blocks;
//        3. for each block, the first half is called for its rows. Its results go to this thread's scratch, unless they
//           have a storage. Then the second half is called for its units. Both halves count indices from the beginning
//           of the axis, so that the address of scratch is moved back by the indices before the block.

#include "codegen/cpu/EmitFunction.h"
#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Units.h"
#include "codegen/form/Access.h"
#include "codegen/form/fused/KernelHalves.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

class HalvesEmitter {
public:
  HalvesEmitter(KernelFunction &function, const KernelHalves &halves, const EmittedFunction &first,
                const EmittedFunction &second)
      : function(function), build(function), halves(halves), first(first), second(second) {
    plan::KernelOp maker = halves.first.kernel, product = halves.second.kernel;
    firstExtent = maker.getCutExtent();
    cutExtent = product.getCutExtent();
    strideBytes =
        computeStrides(halves.between.getShape())[maker.getCutAxis()] * bytesOfElement(halves.between.getElementType());
  }

  void emit() {
    divide();
    placeScratch();
    if (halves.cutFactor == 0)
      return emitWhole();
    build.loop(build.divide(function.begin, parts), build.divide(build.add(function.end, parts - 1), parts), 1,
               [&](Position block) { emitBlock(block.counter); });
  }

private:
  //===--------------------------------------------------------------------===//
  // 2. Units
  //===--------------------------------------------------------------------===//

  /// Returns the estimated nanoseconds of `indices` indices of the first half.
  double firstCost(int64_t indices) const {
    return double(llvm::divideCeil(indices, first.body.unitExtent)) * first.body.unitsPerBlock * first.body.unitCost;
  }

  void divide() {
    const KernelFunction &product = second.body;
    function.unitExtent = product.unitExtent;
    parts = product.unitsPerBlock;
    const int64_t blocks = llvm::divideCeil(cutExtent, product.unitExtent);
    const double cost = product.unitCost * parts,
                 before = firstCost(halves.cutFactor ? std::min(firstExtent, product.unitExtent * halves.cutFactor)
                                                     : firstExtent);
    if (halves.cutFactor)
      parts = choosePart(blocks, before, cost);
    function.unitsPerBlock = parts;
    function.unitCost = (cost + before) / parts;
    function.flops = first.body.flops + product.flops;
    function.fallback = first.body.fallback || product.fallback;
    function.keepsOrder = first.body.keepsOrder || product.keepsOrder;
  }

  /// Returns the number of parts of a block. Each part computes all rows of its block again. So only blocks of kernels
  /// with few blocks are divided, and only if that costs little.
  int64_t choosePart(int64_t blocks, double before, double cost) const {
    constexpr int64_t wantedUnits = 16, times = 4;
    const double cheap = std::clamp(cost / (times * std::max(before, 1.0)), 1.0, double(wantedUnits));
    return std::max<int64_t>(
        1, std::min<int64_t>({parts, int64_t(llvm::divideCeil(wantedUnits, blocks)), int64_t(cheap)}));
  }

  //===--------------------------------------------------------------------===//
  // 3. Blocks
  //===--------------------------------------------------------------------===//

  bool isStored() const {
    return llvm::all_of(halves.second.arguments, [](const auto &argument) { return argument.has_value(); });
  }

  /// Allocates the scratch of both halves, which use the same bytes one after the other, and then the scratch for the
  /// rows between them.
  void placeScratch() {
    betweenAt = llvm::alignTo(std::max(first.body.scratchBytes, second.body.scratchBytes), kLineBytes);
    function.scratchBytes = betweenAt;
    if (isStored())
      return;
    int64_t bytes = storedBytes(halves.between);
    if (halves.cutFactor)
      bytes -= std::max<int64_t>(0, firstExtent - halves.cutFactor * function.unitExtent) * strideBytes;
    function.scratchBytes += llvm::alignTo(bytes, kLineBytes);
  }

  Value difference(Value a, Value b) { return arith::SubIOp::create(build.ops, build.loc, a, b); }
  Value scratch(Value at, const MemRefType &type) {
    return memref::ViewOp::create(build.ops, build.loc, type, function.scratch, at, ValueRange());
  }

  /// Calls a half. `firstIndex` is the index of the first half's axis that is at the beginning of scratch.
  void call(const KernelHalf &half, const EmittedFunction &emitted, Value firstIndex, Value shareBegin, Value shareEnd,
            Value begin, Value end) {
    const ArrayRef<Type> types = func::FuncOp(emitted.function).getArgumentTypes();
    SmallVector<Value> operands;
    for (auto [argument, type] : llvm::zip(half.arguments, types))
      operands.push_back(argument ? function.buffers[*argument]
                                  : scratch(difference(build.index(betweenAt), build.scaled(firstIndex, strideBytes)),
                                            cast<MemRefType>(type)));
    operands.push_back(scratch(build.index(0), cast<MemRefType>(types[operands.size()])));
    operands.append({shareBegin, shareEnd, begin, end});
    func::CallOp::create(build.ops, build.loc, emitted.function, operands);
  }

  void callFirst(Value low, Value high) {
    const KernelFunction &body = first.body;
    Value indices = difference(high, low);
    Value blocks = build.divide(build.add(indices, body.unitExtent - 1), body.unitExtent);
    call(halves.first, first, low, low, high, build.index(0), build.scaled(blocks, body.unitsPerBlock));
  }

  /// Emits code that computes all rows of the first half in every call.
  void emitWhole() {
    callFirst(build.index(0), build.index(firstExtent));
    call(halves.second, second, build.index(0), function.shareBegin, function.shareEnd, function.begin, function.end);
  }

  void emitBlock(Value block) {
    Value low = build.address({{function.shareBegin, 0}, {block, 0}}, {1, function.unitExtent}, 0);
    Value high = emitMin(build, build.add(low, function.unitExtent), function.shareEnd);
    Value firstLow = build.scaled(low, halves.cutFactor);
    callFirst(firstLow, emitMin(build, build.scaled(high, halves.cutFactor), build.index(firstExtent)));

    Value before = build.scaled(block, parts);
    Value begin = emitMax(build, difference(function.begin, before), build.index(0));
    Value end = emitMin(build, difference(function.end, before), build.index(parts));
    call(halves.second, second, firstLow, low, high, unitOf(begin), unitOf(end));
  }

  /// Returns the index of the second half's unit with which part `part` of a block begins.
  Value unitOf(Value part) { return build.divide(build.scaled(part, second.body.unitsPerBlock), parts); }

  KernelFunction &function;
  VectorBuilder build;
  const KernelHalves &halves;
  const EmittedFunction &first, &second;
  int64_t firstExtent = 1, cutExtent = 1; ///< Extents of the cut axes of the first half and of the kernel
  /// Size of the intermediate result for one index of the first half's cut axis, in bytes.
  int64_t strideBytes = 0;
  int64_t parts = 1;     ///< Number of units of a block
  int64_t betweenAt = 0; ///< Offset of the intermediate result in scratch, in bytes
};

/// Emits the function of a half. It is private, because only this kernel calls it.
FailureOr<EmittedFunction> emitHalf(KernelHalf &half, const Target &target) {
  FailureOr<EmittedFunction> emitted = emitFunction(half.kernel, target);
  if (failed(emitted))
    return failure();
  func::FuncOp function = emitted->function;
  function.setPrivate();
  function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(function.getContext(), LLVM::Linkage::Internal));
  return emitted;
}

} // namespace

LogicalResult nacre::codegen::cpu::emitHalves(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<KernelHalves> halves = failure();
  if (plan::overwrittenBy(kernel) || failed(halves = divideKernel(kernel)))
    return failure();
  FailureOr<EmittedFunction> first = emitHalf(halves->first, function.target),
                             second = emitHalf(halves->second, function.target);
  const bool both = succeeded(first) && succeeded(second);
  if (both)
    HalvesEmitter(function, *halves, *first, *second).emit();
  for (const FailureOr<EmittedFunction> &half : {first, second})
    if (succeeded(half) && !both)
      func::FuncOp(half->function).erase();
  halves->first.kernel.erase();
  halves->second.kernel.erase();
  return success(both);
}
