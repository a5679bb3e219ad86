// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements WeightsFile.h. dladdr() finds the path of the library that contains the model.

#include "tools/run/session/WeightsFile.h"
#include "tools/run/session/Text.h"

#include <dlfcn.h>

namespace nacre::run {

/// Returns the library's path with the extension .weights, or "" if the loader does not know it.
static std::string besideLibrary(const nacre_model *model) {
  Dl_info library;
  if (!dladdr(model, &library) || !library.dli_fname)
    return "";
  std::string path = library.dli_fname;
  if (path.size() > 3 && path.compare(path.size() - 3, 3, ".so") == 0)
    path.resize(path.size() - 3);
  return path + ".weights";
}

std::string weightsPathOf(const nacre_model *model, const Options &options) {
  if (!nacre_weights_are_apart(model))
    return "";
  return options.apartFile.empty() ? besideLibrary(model) : options.apartFile;
}

WeightsFile::~WeightsFile() {
  if (model)
    nacre_weights_close(model, &weights);
}

Outcome WeightsFile::open(const nacre_model *of, const Options &options) {
  const std::string &named = options.apartFile;
  if (!nacre_weights_are_apart(of))
    return named.empty() ? Outcome()
                         : usageFailure("--weights-file requires a model compiled with --weights-in=file; this library "
                                        "contains its weights");
  const std::string path = weightsPathOf(of, options);
  char reason[256] = "";
  if (nacre_weights_open(of, path.c_str(), &weights, reason, sizeof reason) != NACRE_OK)
    return usageFailure("'" + path + "': " + printableText(reason) +
                        (named.empty() ? "; --weights-file names another one" : ""));
  model = of;
  return std::nullopt;
}

void WeightsFile::addTo(nacre_session_options &settings) const {
  settings.weights = weights.data;
  settings.weights_bytes = weights.bytes;
}

} // namespace nacre::run
