// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output values of a library, or of a folder with files of nacre-run --output, by the tensors' names. So a
// comparison need not know whether this machine or a phone computed them. A library runs as in nacre-run.

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

/// Returns the values of a tensor as doubles.
Answer readAnswer(const run::TensorView &tensor);

/// Sets `answers` to the values of `path`, a library or a folder. A library runs with `inputs`. In a folder, only the
/// files of tensors in `wanted` are read.
run::Outcome findAnswers(const std::string &path, const run::Options &options, const std::vector<run::Port> &inputs,
                         const std::vector<run::Port> &wanted, Answers &answers);

} // namespace nacre::diff

#endif // NACRE_TOOLS_DIFF_ANSWERS_H
