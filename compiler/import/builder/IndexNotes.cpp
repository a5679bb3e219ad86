// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/builder/IndexNotes.h"

#include "dialects/nn/NnDialect.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace nacre::importer {

static constexpr StringLiteral noteName = "nn.indexed";

void noteIndexed(Value indices, ArrayRef<int64_t> shape) {
  if (indices)
    indices.getDefiningOp()->setDiscardableAttr(noteName, DenseI64ArrayAttr::get(indices.getContext(), shape));
}

ArrayRef<int64_t> findIndexed(Value indices) {
  for (Operation *op = indices.getDefiningOp(); op; op = op->getOperand(0).getDefiningOp()) {
    if (auto note = dyn_cast_or_null<DenseI64ArrayAttr>(op->getDiscardableAttr(noteName)))
      return note.asArrayRef();
    if (!isa<nn::ReshapeOp, nn::CastOp>(op))
      break;
  }
  return {};
}

void eraseIndexNotes(Operation *root) {
  root->walk([](Operation *op) { op->removeDiscardableAttr(noteName); });
}

} // namespace nacre::importer
