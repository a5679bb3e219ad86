// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts of operators that depend on their attributes or types; NnOps.td states all others.

#include "dialects/nn/NnDialect.h"

#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace nacre::nn {

/// A slice that leaves nothing out between its elements is a view.
WorkKind SliceOp::getWorkKind() {
  return llvm::all_of(getSteps(), [](int64_t step) { return step == 1; }) ? WorkKind::Boundary : WorkKind::Nest;
}

/// What a constant pads is the halo of a storage.
WorkKind PadOp::getWorkKind() { return getMode() == PadMode::Constant ? WorkKind::Boundary : WorkKind::Indexed; }

Width UnaryOp::getWidth() { return getFacts(getKind()).is(FunctionFacts::bounded) ? Width::Bounded : Width::Same; }

/// An outer product, of positions by frequencies, adds up nothing. Other products are the network itself, which an image
/// of integers must not make wide.
Width MatMulOp::getWidth() { return getLhs().getType().getShape().back() == 1 ? Width::Same : Width::Free; }

int64_t MatMulOp::countReducedElements() {
  int64_t elements = getType().getNumElements(), depth = getLhs().getType().getShape().back(), steps;
  return llvm::MulOverflow(elements, depth, steps) ? std::numeric_limits<int64_t>::max() : steps;
}

} // namespace nacre::nn
