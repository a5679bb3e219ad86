// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a model made by hand, in memory, whose kernels are C functions.
// Why:   the runtime is tested without the compiler, and against tables that the compiler never writes.
// How:   y = relu(x * w + 1), rows of x shared among threads; then a loop adds the rows of y
//        to an accumulator in the state, which is copied out as `sum`. Every test gets a table of its own, to bend as
//        it likes.

#ifndef NACRE_TEST_RUNTIME_TOYMODEL_H
#define NACRE_TEST_RUNTIME_TOYMODEL_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::test {

constexpr int64_t kRows = 64;
constexpr int64_t kColumns = 48;

struct ToyModel {
  ToyModel();
  ToyModel(const ToyModel &) = delete;
  ToyModel &operator=(const ToyModel &) = delete;

  const nacre_model *model() const { return &table.head; }

  /// Adds a loop before the state is written, which has iterations, and no end, while x[kSwitch] is not zero, as it is
  /// by toyInput. An iteration computes y again.
  void loopWhile();

  nacre_model_table table;
  nacre_entry entries[2];
  nacre_kernel kernels[4];
  nacre_cpu_variant variants[5];
  nacre_step steps[6];
  nacre_operand operands[8];
  nacre_tensor inputs[1];
  nacre_tensor outputs[2];
  nacre_weight weights[1];
  nacre_variable variables[1]; ///< `total`, the accumulator.
  int64_t dims[12];
  nacre_step looping[10];
  nacre_operand conditional[9];
  alignas(NACRE_ALIGNMENT) float scale[kColumns];
};

constexpr int64_t kSwitch = 3;

/// The right outputs for x[i] = toyInput(i); the state makes `sum` grow from run to run.
float toyInput(int64_t index);
float toyOutput(int64_t index);
float toySum(int64_t column, int runs);

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_TOYMODEL_H
