// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  creates the runtime's tables of a state: the layout of its tensors in memory, and its texts in files.
// Why:   the compiler knows everything except the values of the state. With these tables, the runtime does not have to
//        compute the layout or the texts.
// How:   plain functions fill in the rows of model_format.h. Tests of the runtime also call them.

#ifndef NACRE_CODEGEN_PACKAGE_STATEROWS_H
#define NACRE_CODEGEN_PACKAGE_STATEROWS_H

#include "runtime/include/nacre/model_format.h"

#include <string>
#include <vector>

namespace nacre::package {

/// Layout of a variable. `order` is the order of its axes; empty for the order of the model. If `width` is not 0, the
/// last axis is in panels of `width` columns, with `parts` parts side by side. `groups` is the number of groups.
struct StoredForm {
  std::vector<int64_t> order;
  uint32_t width = 0, groups = 1, parts = 1;
};

/// Fills in the layout of `row`, whose tensor has the shape `shape`, except the position of its loops. Returns the
/// loops.
std::vector<int64_t> describeLoops(nacre_variable &row, const std::vector<int64_t> &shape, const StoredForm &form);

/// Texts of a state's file, except values that are only known at run time.
struct StateFileTexts {
  struct Row {
    std::string text;
    uint32_t type = 0, shape = 0; ///< Offsets of the type and the shape in `text`
  };

  std::string head;
  std::vector<Row> rows; ///< Rows of the variables
  /// Index of the variable that counts training steps, plus 1; 0 if there is no such variable
  uint32_t stepCounter = 0;
  uint64_t bufferBytes = 0;
};

/// Returns the texts of all variables, and fills in the order of the variables in the file.
StateFileTexts describeFile(nacre_variable *variables, uint32_t count, const char *strings, const int64_t *dims);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_STATEROWS_H
