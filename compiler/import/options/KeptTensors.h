// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Selects intermediate tensors that become results in addition to the outputs (`--keep`).
// Why:   To inspect them. The import does not depend on this, so no handler sees it.
// How:   See compiler/import/entry/KeptValues.h.

#ifndef NACRE_COMPILER_IMPORT_OPTIONS_KEPTTENSORS_H
#define NACRE_COMPILER_IMPORT_OPTIONS_KEPTTENSORS_H

#include <string>
#include <vector>

namespace nacre::importer {

struct KeptTensors {
  bool all = false;
  std::vector<std::string> names; ///< names in the model

  bool isAny() const { return all || !names.empty(); }
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_KEPTTENSORS_H
