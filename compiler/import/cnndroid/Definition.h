// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a CNNdroid network, checked.
//
// What: `key: value` lines about the whole network, and layers in their order, each `layer { key: value ... }`.
// How:  Keys ignore case, as in CNNdroid. A value is a text in quotes or one word. Keys of layers are kept as they are: the
//       handler of the layer's type says which it has.

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
  std::string name;                    ///< unique; the type and the layer's number if the text gives none
  llvm::StringRef type;                ///< as the operators' list spells it
  llvm::StringRef parametersFile;      ///< empty: none
  llvm::SmallVector<Entry, 4> entries; ///< the other ones, in their order
};

struct Definition {
  std::vector<Layer> layers;
  std::optional<int64_t> allocatedRam; ///< in MiB
};

/// Returns whether the text seems to be a definition, even if it is damaged.
bool isDefinition(llvm::StringRef text);

/// Reads `text`, which must outlive the result; errors are emitted at `loc` and name the line.
mlir::FailureOr<Definition> readDefinition(llvm::StringRef text, mlir::Location loc);

} // namespace nacre::importer::cnndroid_format

#endif // NACRE_COMPILER_IMPORT_CNNDROID_DEFINITION_H
