// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  LSTM, GRU and RNN layers as a `plan.for` whose turns launch one step.
// Why:   what does not depend on the step before (the input's product, biases, masks) is computed for all steps at
//        once; a step is a product with the recurrence matrix and the cell.

#ifndef NACRE_COMPILER_KERNELS_FORMS_RECURRENCE_H
#define NACRE_COMPILER_KERNELS_FORMS_RECURRENCE_H

#include "compiler/kernels/forms/EntryBuilder.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

mlir::LogicalResult lowerRecurrent(EntryBuilder &entry, nn::RecurrentOp op);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FORMS_RECURRENCE_H
