// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the definitions of the facts that operators state in NnOps.td.
// Why:   NnInterfaces.td explains these facts.
// How:   a fact is a trait: a base class of the operator that implements methods of an interface. If a fact depends on
//        attributes, the operator defines the method itself.

#ifndef NACRE_DIALECTS_NN_OPERATORFACTS_H
#define NACRE_DIALECTS_NN_OPERATORFACTS_H

#include "dialects/nn/Axes.h"
#include "dialects/nn/Counts.h"
#include "dialects/nn/Layouts.h"
#include "dialects/nn/WorkKind.h"

#include "mlir/IR/OpDefinition.h"

namespace nacre::nn {

/// Width of an operator's results in an f32 network that is computed in f16.
enum class Width {
  Free,    ///< Results are as narrow as the network.
  Same,    ///< Results are as wide as the operands. Those computed only from integers keep all digits.
  Bounded, ///< Like Same, and no result is large for any operands.
  Full     ///< Results are never narrowed, such as a state that adds up over all steps.
};

class ConstantView;
using Views = llvm::ArrayRef<ConstantView>;

// A trait is a base class of mlir::Op, not of the operator.
// NOLINTBEGIN(bugprone-crtp-constructor-accessibility)

/// States that kernels of kind `kind` compute the operator.
template <WorkKind kind> struct Works {
  template <typename OpT> class Impl : public mlir::OpTrait::TraitBase<OpT, Works<kind>::Impl> {
  public:
    WorkKind getWorkKind() { return kind; }
  };
};

template <Width width> struct HasWidth {
  template <typename OpT> class Impl : public mlir::OpTrait::TraitBase<OpT, HasWidth<width>::Impl> {
  public:
    Width getWidth() { return width; }
  };
};

/// States that all operands broadcast to the result.
template <typename OpT> class Broadcasts : public mlir::OpTrait::TraitBase<OpT, Broadcasts> {
public:
  Axes getIterationAxes() { return axesOfBroadcast(this->getOperation()); }
  void moveAttributes(const OpLayouts &) {}
};

/// States that all operands have the results' axes. An attribute `axis` or `axes` names some of them, which are reduced
/// unless the operator states its axes itself.
template <typename OpT> class KeepsAxes : public mlir::OpTrait::TraitBase<OpT, KeepsAxes> {
public:
  Axes getIterationAxes() {
    return axesReducing(this->getOperation(), named(llvm::cast<OpT>(this->getOperation()), 0));
  }
  void moveAttributes(const OpLayouts &layouts) { move(llvm::cast<OpT>(this->getOperation()), layouts.result, 0); }

private:
  template <typename T> static auto named(T op, int) -> decltype(op.setAxis(0), Permutation()) {
    return {int64_t(op.getAxis())};
  }
  template <typename T> static auto named(T op, int) -> decltype(op.setAxes(Dims()), Permutation()) {
    return Permutation(op.getAxes());
  }
  template <typename T> static auto move(T op, Dims layout, int) -> decltype(op.setAxis(0)) {
    op.setAxis(moveAxis(op.getAxis(), layout));
  }
  template <typename T> static auto move(T op, Dims layout, int) -> decltype(op.setAxes(Dims())) {
    op.setAxes(moveAxes(op.getAxes(), layout));
  }
};

/// States that each element of the result is computed from one element of every operand.
template <typename OpT> class Evaluated : public mlir::OpTrait::TraitBase<OpT, Evaluated> {
public:
  int64_t countReducedElements() { return 0; }
  bool keepsSplats() { return true; }
};

/// States that all elements of the result are computed, even for splats.
template <typename OpT> class EvaluatedInFull : public mlir::OpTrait::TraitBase<OpT, EvaluatedInFull> {
public:
  int64_t countReducedElements() { return 0; }
  bool keepsSplats() { return false; }
};

/// States that all elements of the first operand are read.
template <typename OpT> class EvaluatedByReducing : public mlir::OpTrait::TraitBase<OpT, EvaluatedByReducing> {
public:
  int64_t countReducedElements() {
    return llvm::cast<mlir::RankedTensorType>(this->getOperation()->getOperand(0).getType()).getNumElements();
  }
  bool keepsSplats() { return false; }
};

// NOLINTEND(bugprone-crtp-constructor-accessibility)

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_OPERATORFACTS_H
