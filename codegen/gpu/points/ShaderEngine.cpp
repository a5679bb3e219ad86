// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/points/ShaderEngine.h"

#include "codegen/gpu/InlineBody.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"

using namespace mlir;

namespace nacre::codegen::gpu {

ShaderEngine::ShaderEngine(PointBuilder &build, KernelFunction &function)
    : build(build), function(function), atEntry(OpBuilder::atBlockBegin(build.ops.getInsertionBlock())) {}

bool ShaderEngine::knows(Operation *op) {
  const bool isComputed = !isa<arith::ConstantOp>(op) &&
                          (isa<arith::ArithDialect>(op->getDialect()) || isa<math::MathDialect>(op->getDialect()));
  return !isComputed || canInlineOnGpu(*op);
}

Value ShaderEngine::load(Value, const Place &place, Value address) {
  return memref::LoadOp::create(build.ops, build.loc, memoryOf(place), address);
}

void ShaderEngine::store(Value stored, const Place &place, Value address) {
  memref::StoreOp::create(build.ops, build.loc, stored, memoryOf(place), address);
}

Value ShaderEngine::compute(Operation *op, ArrayRef<Value> operands) { return inlineOperation(build, op, operands, 1); }

Value ShaderEngine::constant(TypedAttr value) { return build.constant(storedConstant(value)); }

Value ShaderEngine::allocate(RankedTensorType type) {
  auto own = spirv::StorageClassAttr::get(type.getContext(), spirv::StorageClass::Function);
  auto memory =
      MemRefType::get({type.getNumElements()}, storedType(type.getElementType()), MemRefLayoutAttrInterface(), own);
  return memref::AllocaOp::create(atEntry, build.loc, memory);
}

Type ShaderEngine::typeOf(Value value) { return storedType(value.getType()); }

Value ShaderEngine::memoryOf(const Place &place) const {
  return place.argument ? function.buffer(*place.argument, 1) : place.scratch;
}

} // namespace nacre::codegen::gpu
