// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs whose shapes the user must give, because the model leaves them open.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_OPENSHAPES_H
#define NACRE_COMPILER_IMPORT_ENTRY_OPENSHAPES_H

#include "compiler/import/model/GraphView.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace nacre::importer {

class OpenShapes {
public:
  /// Adds `input` and returns true if the size of an axis is unknown, even with the sizes of `symbols`. The first axis
  /// is not checked, because its default is 1.
  bool add(const GraphValue &input, const llvm::StringMap<int64_t> &symbols);

  bool isEmpty() const { return inputs.empty(); }

  /// Reports an error that asks for the shapes of all added inputs. Succeeds without such inputs.
  llvm::LogicalResult askForShapes(GraphView &graph) const;

private:
  /// Input whose shape the user must give, and the reason why.
  struct OpenInput {
    const GraphValue *input;
    std::string reason;
  };

  llvm::StringSet<> asked; ///< symbols of the added inputs
  llvm::SmallVector<OpenInput> inputs;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_OPENSHAPES_H
