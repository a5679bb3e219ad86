// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the weights file of a model whose weights are not in its library. Sessions and states of such a model use the
// mapped file, so they must not outlive this object. The file is the one of --weights-file, or else libmodel.weights
// next to the library.

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

  /// Opens the file. Has no effect if the library contains the weights.
  Outcome open(const nacre_model *model, const Options &options);
  void addTo(nacre_session_options &settings) const;

private:
  const nacre_model *model = nullptr; // model whose functions close the file
  nacre_weights weights{};
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_WEIGHTSFILE_H
