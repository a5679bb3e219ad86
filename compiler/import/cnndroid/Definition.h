// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of a CNNdroid network, after checks.
//
// A text has `key: value` lines for the whole network, and layers in order, each as `layer { key: value ... }`. Keys
// ignore case, as in CNNdroid. A value is a quoted text or one word. Keys of layers are stored unchanged, because the
// handler of the layer's type decides which are valid.

#ifndef NACRE_COMPILER_IMPORT_CNNDROID_DEFINITION_H
#define NACRE_COMPILER_IMPORT_CNNDROID_DEFINITION_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include <optional>
#include <string>
#include <vector>

namespace nacre::importer::cnndroid_format {

struct Entry {
  llvm::StringRef key, value;
};

struct Layer {
  std::string name;                    ///< unique name; if the text has no name, the type and the layer's position,
                                       ///< from 1
  llvm::StringRef type;                ///< type in the spelling of the list of operators
  llvm::StringRef parametersFile;      ///< file of the parameters; empty for a layer without parameters
  llvm::SmallVector<Entry, 4> entries; ///< all other keys, in order
};

struct Definition {
  std::vector<Layer> layers;
  std::optional<int64_t> allocatedRam; ///< memory limit in MiB
};

/// True if the text looks like a definition, even if it is damaged.
bool isDefinition(llvm::StringRef text);

/// Reads `text`, which must outlive the result. Emits errors at `loc`; they state the line.
mlir::FailureOr<Definition> readDefinition(llvm::StringRef text, mlir::Location loc);

} // namespace nacre::importer::cnndroid_format

#endif // NACRE_COMPILER_IMPORT_CNNDROID_DEFINITION_H
