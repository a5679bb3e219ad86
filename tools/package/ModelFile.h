// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the description of a compiled model from its library's file, because the library may not be loadable on the
// machine that makes an AAR. The file contains the tables of model_format.h. The values of pointers between tables are
// in relocations.

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
  uint32_t type; ///< Value of nacre_element_type.
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
  std::string target; ///< Value for `nacre-compile --target=`.
  std::vector<EntryOfFile> entries;
  uint64_t weightsLayout = 0; ///< Layout of the matching weights file; 0 if the library contains its weights.
};

/// Returns the path of a file next to the model's library, with the extension `extension`. The name has no `lib` unless
/// `keepsPrefix`.
std::string besideLibrary(const ModelFile &model, llvm::StringRef extension, bool keepsPrefix);

/// Reads the description of a library. Errors begin with the path, and state the expected kind of file.
llvm::Expected<ModelFile> readModelFile(llvm::StringRef path);

/// Reads the weights file next to the library of a model whose weights are separate. Reports an error if the file does
/// not match the library.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readWeightsFile(const ModelFile &model);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_MODELFILE_H
