// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: what a compiled model's library says of it, read from the file.
// Why:  an AAR is made where none of its libraries can be loaded.
// How:  the tables of model_format.h lie in the file; of the pointers between them the relocations have the values.

#ifndef NACRE_TOOLS_PACKAGE_MODELFILE_H
#define NACRE_TOOLS_PACKAGE_MODELFILE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace nacre::tools {

struct TensorOfFile {
  std::string name;
  uint32_t type; ///< nacre_element_type
  llvm::SmallVector<int64_t> shape;

  bool operator==(const TensorOfFile &other) const {
    return name == other.name && type == other.type && shape == other.shape;
  }
};

struct EntryOfFile {
  std::string name;
  std::vector<TensorOfFile> inputs, outputs;

  bool operator==(const EntryOfFile &other) const {
    return name == other.name && inputs == other.inputs && outputs == other.outputs;
  }
};

struct ModelFile {
  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  std::string name;
  std::string target; ///< As given to `nacre-compile --target=`.
  std::vector<EntryOfFile> entries;
  uint64_t weightsLayout = 0; ///< Of the weights file that fits; 0: the library has its weights.
};

/// The path of a file next to a model's library, with another extension and, if it has one, without `lib`.
std::string besideLibrary(const ModelFile &model, llvm::StringRef extension, bool keepsPrefix);

/// Errors begin with the path, and say what the file must be.
llvm::Expected<ModelFile> readModelFile(llvm::StringRef path);

/// The weights file of a model whose weights are not in its library: the one next to it, which must fit.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readWeightsFile(const ModelFile &model);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_MODELFILE_H
