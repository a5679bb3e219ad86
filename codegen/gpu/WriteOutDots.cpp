// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/WriteOutDots.h"

#include "runtime/include/nacre/model_format.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

class Bytes {
public:
  /// Returns the byte of `word` with index `number`, extended to 32 bits. It is extracted right after the word is made,
  /// so that all later uses share it.
  Value get(Value word, int64_t number, bool isUnsigned) {
    Value &known = values[{word, number * 2 + (isUnsigned ? 1 : 0)}];
    if (known)
      return known;
    OpBuilder ops(word.getContext());
    ops.setInsertionPointAfterValue(word);
    auto constant = [&](int64_t bits) -> Value {
      return arith::ConstantIntOp::create(ops, word.getLoc(), ops.getI32Type(), bits);
    };
    Value top = word;
    if (number < 3)
      top = arith::ShLIOp::create(ops, word.getLoc(), word, constant(24 - 8 * number));
    known = isUnsigned ? arith::ShRUIOp::create(ops, word.getLoc(), top, constant(24)).getResult()
                       : arith::ShRSIOp::create(ops, word.getLoc(), top, constant(24)).getResult();
    return known;
  }

private:
  llvm::DenseMap<std::pair<Value, int64_t>, Value> values;
};

} // namespace

void writeOutDots(mlir::gpu::GPUModuleOp module) {
  Bytes bytes;
  auto replace = [&](auto dot, bool isUnsigned1, bool isUnsigned2) {
    OpBuilder ops(dot);
    Value sum;
    for (int64_t number = 0; number < 4; ++number) {
      Value a = bytes.get(dot.getVector1(), number, isUnsigned1), b = bytes.get(dot.getVector2(), number, isUnsigned2);
      Value product = arith::MulIOp::create(ops, dot.getLoc(), a, b);
      sum = sum ? arith::AddIOp::create(ops, dot.getLoc(), sum, product).getResult() : product;
    }
    dot.replaceAllUsesWith(sum);
    dot.erase();
  };
  module.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](spirv::SDotOp dot) { replace(dot, false, false); })
        .Case([&](spirv::UDotOp dot) { replace(dot, true, true); })
        .Case([&](spirv::SUDotOp dot) { replace(dot, false, true); });
  });
}

uint64_t needsOfDots(Operation *op) {
  uint64_t needs = 0;
  op->walk([&](Operation *inner) {
    needs |= llvm::TypeSwitch<Operation *, uint64_t>(inner)
                 .Case([](spirv::SDotOp) { return NACRE_GPU_NEED(NACRE_GPU_DOT_SIGNED); })
                 .Case([](spirv::UDotOp) { return NACRE_GPU_NEED(NACRE_GPU_DOT_UNSIGNED); })
                 .Case([](spirv::SUDotOp) { return NACRE_GPU_NEED(NACRE_GPU_DOT_MIXED); })
                 .Default([](Operation *) { return uint64_t(0); });
  });
  return needs;
}

} // namespace nacre::codegen::gpu
