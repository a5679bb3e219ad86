// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the weights file of a model that has one, opened.
// Why:   sessions and states of such a model need it, and outlive no mapping of it.
// How:   the file of --weights-file, or else the one beside the library: libmodel.weights.

#ifndef NACRE_TOOLS_RUN_SESSION_WEIGHTSFILE_H
#define NACRE_TOOLS_RUN_SESSION_WEIGHTSFILE_H

#include "tools/run/session/Options.h"

namespace nacre::run {

/// Returns the path of the file that a model's weights are read from; "" if its library contains them.
std::string weightsPathOf(const nacre_model *model, const Options &options);

class WeightsFile {
public:
  WeightsFile() = default;
  WeightsFile(const WeightsFile &) = delete;
  WeightsFile &operator=(const WeightsFile &) = delete;
  ~WeightsFile();

  /// Does nothing for a model whose library contains its weights.
  Outcome open(const nacre_model *model, const Options &options);
  void addTo(nacre_session_options &settings) const;

private:
  const nacre_model *model = nullptr; // whose call closes the file
  nacre_weights weights{};
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_WEIGHTSFILE_H
