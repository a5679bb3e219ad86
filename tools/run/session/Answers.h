// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what becomes of the outputs of a run: compared, written, or summarised.
// Why:   the three ways to look at an answer, kept out of main.
// How:   one line per output on standard output.

#ifndef NACRE_TOOLS_RUN_SESSION_ANSWERS_H
#define NACRE_TOOLS_RUN_SESSION_ANSWERS_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// Compares what --expect names; the failure names the worst element of the first output that differs.
Outcome compareOutputs(std::vector<Port> &outputs, const Options &options);

/// Writes every output, and the state, to FOLDER/NAME.npy.
Outcome writeOutputs(ModelSession &session, const std::string &folder);
Outcome writePorts(const std::vector<Port> &ports, const std::string &folder);

/// Writes a file of JSON.
Outcome writeJson(const std::string &path, const std::string &json);

/// A tensor's name as a file's: what a path gives a meaning to is replaced.
std::string fileName(std::string name);

/// Returns "smallest X, largest X, mean X" of the elements that are numbers, after the count of those that are NaN, if any; "" if
/// the tensor is empty.
std::string summarise(const TensorView &tensor);

void summariseOutputs(const std::vector<Port> &outputs);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_ANSWERS_H
