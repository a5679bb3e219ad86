// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection of intermediate tensors that become results in addition to the outputs (`--keep`), so that users can
// inspect them. Handlers do not know the selection, because the import does not depend on it. See
// compiler/import/entry/KeptValues.h.

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
