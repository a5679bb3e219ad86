// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Creates the runtime's tables of a state: the layout of its tensors, and their texts in files.
// Why:   The compiler knows everything except the values; with these tables, apps need no code to compute it.
// How:   Plain functions on the rows of model_format.h, which tests of the runtime also call.

#ifndef NACRE_CODEGEN_PACKAGE_STATEROWS_H
#define NACRE_CODEGEN_PACKAGE_STATEROWS_H

#include "runtime/include/nacre/model_format.h"

#include <string>
#include <vector>

namespace nacre::package {

/// The layout of a variable. `order` is the order of its axes; empty for the model's. If the width is not 0, the last
/// axis is in panels of that width, with `parts` side by side in `groups`.
struct StoredForm {
  std::vector<int64_t> order;
  uint32_t width = 0, groups = 1, parts = 1;
};

/// Fills the layout of `row`, whose tensor has this shape, except the position of its loops, and returns the loops.
std::vector<int64_t> describeLoops(nacre_variable &row, const std::vector<int64_t> &shape, const StoredForm &form);

/// The texts of a state's file, except values that are only known at run time.
struct StateFileTexts {
  struct Row {
    std::string text;
    uint32_t type = 0, shape = 0; ///< Offsets of both in `text`
  };

  std::string head;
  std::vector<Row> rows;    ///< Rows of the variables
  uint32_t stepCounter = 0; ///< The same as in the model's table
  uint64_t bufferBytes = 0;
};

/// Returns the texts of all variables, and fills in their order in the file.
StateFileTexts describeFile(nacre_variable *variables, uint32_t count, const char *strings, const int64_t *dims);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_STATEROWS_H
