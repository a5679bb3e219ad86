// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a compiled model's .so, opened.
// Why:   apps name the model's symbol in their source; nacre-run must find it, and should say it when a file is not a
//        model, or is one for another machine, better than dlopen does.
// How:   the ELF headers are read first: the machine, the one symbol nacre_model_<name>, the bytes of code.

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
  size_t codeBytes = 0; // of the executable segments

private:
  void *handle = nullptr;
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_MODELLIBRARY_H
