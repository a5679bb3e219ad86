// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of a CNNdroid network, checked.
//
// A text has `key: value` lines for the whole network, and layers in their order, each `layer { key: value ... }`. Keys
// ignore case, as in CNNdroid. A value is a text in quotes or one word. Keys of layers are stored unchanged; the
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
  std::string name;                    ///< unique; the type and the layer's number if the text has no name
  llvm::StringRef type;                ///< type as the list of operators spells it
  llvm::StringRef parametersFile;      ///< empty without parameters
  llvm::SmallVector<Entry, 4> entries; ///< all other keys, in their order
};

struct Definition {
  std::vector<Layer> layers;
  std::optional<int64_t> allocatedRam; ///< limit of memory, in MiB
};

/// Returns whether the text seems to be a definition, even if it is damaged.
bool isDefinition(llvm::StringRef text);

/// Reads `text`, which must outlive the result; errors are emitted at `loc` and name the line.
mlir::FailureOr<Definition> readDefinition(llvm::StringRef text, mlir::Location loc);

} // namespace nacre::importer::cnndroid_format

#endif // NACRE_COMPILER_IMPORT_CNNDROID_DEFINITION_H
