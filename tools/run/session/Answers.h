// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares, writes or summarises the outputs of a run. Prints one line for each output on the standard output.

#ifndef NACRE_TOOLS_RUN_SESSION_ANSWERS_H
#define NACRE_TOOLS_RUN_SESSION_ANSWERS_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// A file of --expect, and the output with which it is compared.
struct Expected {
  Port *port;
  FileTensor tensor;
};

/// Opens the files of --expect. Call this before a run: then a wrong name is an early error, and a file that --output
/// overwrites is not compared with itself.
Outcome openExpected(std::vector<Port> &outputs, const Options &options, std::vector<Expected> &expected);

/// Compares the outputs with the files. The failure contains the worst element of each output that differs.
Outcome compareOutputs(const std::vector<Expected> &expected, Tolerance tolerance);

/// Writes each output, and the state, to the files of outputPaths().
Outcome writeOutputs(const std::vector<Port> &outputs, const std::vector<Port> &states, const std::string &folder);

/// Writes a JSON file.
Outcome writeJson(const std::string &path, const std::string &json);

/// Returns "smallest X, largest X, mean X" of the elements that are not NaN. If there are NaNs, their number comes
/// first. Returns "" if the tensor is empty.
std::string summarise(const TensorView &tensor);

void summariseOutputs(const std::vector<Port> &outputs);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_ANSWERS_H
