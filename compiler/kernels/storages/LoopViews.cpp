// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/storages/LoopViews.h"

#include "dialects/nn/NnDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nacre::kernels {

bool isTensorView(Operation *op) {
  auto view = dyn_cast<plan::ViewOp>(op);
  return view && isa<RankedTensorType>(view.getResult().getType());
}

static bool moves(plan::ViewOp view) {
  for (; view; view = view.getSource().getDefiningOp<plan::ViewOp>())
    if (view.getCounter())
      return true;
  return false;
}

static Operation *getLoopAround(Operation *op) {
  do
    op = op->getParentOp();
  while (!isa<plan::ForOp, plan::WhileOp, plan::EntryOp>(op));
  return op;
}

bool movesTooFar(plan::ViewOp view) {
  if (!moves(view))
    return false;
  Operation *loop = getLoopAround(view);
  llvm::SetVector<Operation *> readers(view->user_begin(), view->user_end());
  for (size_t next = 0; next < readers.size(); ++next) {
    Operation *reader = readers[next];
    if (getLoopAround(reader) != loop || isa<plan::ForOp>(reader))
      return true;
    if (isa<nn::NnDialect>(reader->getDialect()))
      readers.insert(reader->user_begin(), reader->user_end());
  }
  return false;
}

} // namespace nacre::kernels
