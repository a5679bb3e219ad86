// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the weights file of a model that has one. Sessions and states of such a model need it, and must not outlive its
// mapping. It is the file of --weights-file, or else the one next to the library: libmodel.weights.

#ifndef NACRE_TOOLS_RUN_SESSION_WEIGHTSFILE_H
#define NACRE_TOOLS_RUN_SESSION_WEIGHTSFILE_H

#include "tools/run/session/Options.h"

namespace nacre::run {

/// Returns the path of the file with the model's weights, or "" if its library contains them.
std::string weightsPathOf(const nacre_model *model, const Options &options);

class WeightsFile {
public:
  WeightsFile() = default;
  WeightsFile(const WeightsFile &) = delete;
  WeightsFile &operator=(const WeightsFile &) = delete;
  ~WeightsFile();

  /// Opens the file. Without effect if the library contains its weights.
  Outcome open(const nacre_model *model, const Options &options);
  void addTo(nacre_session_options &settings) const;

private:
  const nacre_model *model = nullptr; // the model that closes the file
  nacre_weights weights{};
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_WEIGHTSFILE_H
