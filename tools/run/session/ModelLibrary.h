// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the .so of a compiled model. Apps contain the name of the model's symbol, but nacre-run must find it.
// runtime/inspect first checks the file and finds the symbol. If the file is not a model, is damaged, or is for another
// machine, the message is clearer than dlopen's.

#ifndef NACRE_TOOLS_RUN_SESSION_MODELLIBRARY_H
#define NACRE_TOOLS_RUN_SESSION_MODELLIBRARY_H

#include "runtime/include/nacre/runtime.h"
#include "tools/run/tensors/Failure.h"

namespace nacre::run {

class ModelLibrary {
public:
  ModelLibrary() = default;
  ModelLibrary(const ModelLibrary &) = delete;
  ModelLibrary &operator=(const ModelLibrary &) = delete;
  ~ModelLibrary();

  Outcome open(const std::string &path);

  const nacre_model *model = nullptr;
  std::string symbol;
  std::string buildId;  // build ID in hexadecimal; empty if the library has none
  size_t codeBytes = 0; // size of the executable segments in bytes

private:
  void *handle = nullptr;
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_MODELLIBRARY_H
