// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a library or of a folder, by the tensors' names. A comparison need not know whether this machine or a
// phone computed them. A library runs as in nacre-run; a folder has the files of nacre-run --output.

#ifndef NACRE_TOOLS_DIFF_ANSWERS_H
#define NACRE_TOOLS_DIFF_ANSWERS_H

#include "tools/run/session/ModelSession.h"

#include <map>

namespace nacre::diff {

struct Answer {
  nacre_element_type type = NACRE_F32;
  run::Dims dims;
  std::vector<double> numbers;
};

struct Answers {
  std::map<std::string, Answer> tensors;
  bool usedGpu = false;
  bool storesHalves = false; ///< True if the library stores some values as f16.
};

/// Reads the numbers from a tensor's bytes.
Answer readAnswer(const run::TensorView &tensor);

/// Reads the answers of `path`. A library runs with these inputs; in a folder, only the files of tensors in `wanted`
/// are read.
run::Outcome findAnswers(const std::string &path, const run::Options &options, const std::vector<run::Port> &inputs,
                         const std::vector<run::Port> &wanted, Answers &answers);

} // namespace nacre::diff

#endif // NACRE_TOOLS_DIFF_ANSWERS_H
