// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts inputs and outputs with elements of less than a byte to bytes. Apps pass such a tensor in the model's
// format, with several elements in a byte. Kernels use a byte per element, so only this pass handles the difference.
//
// A bitcast at the beginning of the function splits bytes into elements, and one at its end joins elements. The
// attribute `nn.type` keeps the port's type in the model.

#include "compiler/kernels/Passes.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NarrowTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_PACKPORTSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

bool isPacked(Type type) { return nn::isPacked(cast<RankedTensorType>(type).getElementType()); }

/// Return types of a packed tensor: the type of its packed bytes, and the type with one byte per element.
RankedTensorType getBytesType(RankedTensorType type) {
  return RankedTensorType::get(nn::packedBytes(type), IntegerType::get(type.getContext(), 8, IntegerType::Unsigned));
}
RankedTensorType getByByteType(RankedTensorType type) {
  return type.clone({nn::packedBytes(type), nn::elementsPerByte(type.getElementType())});
}

void unpackArgument(BlockArgument argument) {
  RankedTensorType type = cast<RankedTensorType>(argument.getType()), byByte = getByByteType(type);
  const int64_t count = type.getNumElements(), padded = byByte.getNumElements();
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Location loc = argument.getLoc();
  argument.setType(getBytesType(type));
  auto bytes = nn::BitcastOp::create(builder, loc, byByte, argument);
  Value elements = nn::ReshapeOp::create(builder, loc, type.clone({padded}), bytes);
  if (count != padded)
    elements = nn::SliceOp::create(builder, loc, type.clone({count}), elements, ArrayRef<int64_t>{0},
                                   ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
  elements = nn::ReshapeOp::create(builder, loc, type, elements);
  argument.replaceUsesWithIf(elements, [&](OpOperand &use) { return use.getOwner() != bytes; });
}

Value pack(OpBuilder &builder, Location loc, Value value) {
  RankedTensorType type = typeOf(value), byByte = getByByteType(type);
  const int64_t count = type.getNumElements(), missing = byByte.getNumElements() - count;
  value = nn::ReshapeOp::create(builder, loc, type.clone({count}), value);
  if (missing)
    value = nn::PadOp::create(builder, loc, type.clone({count + missing}), nn::PadMode::Constant, value,
                              ArrayRef<int64_t>{0}, ArrayRef<int64_t>{missing},
                              cast<TypedAttr>(builder.getZeroAttr(type.getElementType())));
  value = nn::ReshapeOp::create(builder, loc, byByte, value);
  return nn::BitcastOp::create(builder, loc, getBytesType(type), value);
}

struct PackPorts : kernels::impl::PackPortsPassBase<PackPorts> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    constexpr StringLiteral typeAttr = "nn.type";
    for (BlockArgument argument : function.getArguments())
      if (isPacked(argument.getType())) {
        function.setArgAttr(argument.getArgNumber(), typeAttr, TypeAttr::get(argument.getType()));
        unpackArgument(argument);
      }
    Operation *end = function.front().getTerminator();
    OpBuilder builder(end);
    for (OpOperand &result : end->getOpOperands())
      if (isPacked(result.get().getType())) {
        function.setResultAttr(result.getOperandNumber(), typeAttr, TypeAttr::get(result.get().getType()));
        result.set(pack(builder, end->getLoc(), result.get()));
      }
    function.setFunctionType(builder.getFunctionType(function.front().getArgumentTypes(), end->getOperandTypes()));
  }
};

} // namespace
