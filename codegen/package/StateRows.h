// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the runtime is told of a state: where the elements of its tensors lie, and what its file says of them.
// Why:   a compiler knows all that but the numbers; an app that carries the answers needs no code to find them.
// How:   plain functions on the rows of model_format.h, which tests of the runtime call too.

#ifndef NACRE_CODEGEN_PACKAGE_STATEROWS_H
#define NACRE_CODEGEN_PACKAGE_STATEROWS_H

#include "runtime/include/nacre/model_format.h"

#include <string>
#include <vector>

namespace nacre::package {

/// How a variable is stored: its axes in this order, or, if there is none, in the model's; and the last of them in panels
/// of this width, if it is not 0, of so many parts side by side in so many groups.
struct StoredForm {
  std::vector<int64_t> order;
  uint32_t width = 0, groups = 1, parts = 1;
};

/// Fills what `row`, whose tensor has this shape, says of what is stored, but for the place of its loops, which it returns.
std::vector<int64_t> describeLoops(nacre_variable &row, const std::vector<int64_t> &shape, const StoredForm &form);

/// What the texts of a state's file are, but for numbers that only a run knows.
struct StateFileTexts {
  struct Row {
    std::string text;
    uint32_t type = 0, shape = 0; ///< Where in it they are.
  };

  std::string head;
  std::vector<Row> rows;    ///< By variable.
  uint32_t stepCounter = 0; ///< As in the model's table.
  uint64_t bufferBytes = 0;
};

/// Of all variables, whose order in the file it fills in, too.
StateFileTexts describeFile(nacre_variable *variables, uint32_t count, const char *strings, const int64_t *dims);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_STATEROWS_H
