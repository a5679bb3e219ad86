// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the numbers that a library gives, or that lie in a folder, by the tensors' names.
// Why:   who computed them, here or on a phone, is of no matter to a comparison.
// How:   a library is run as nacre-run runs it; a folder is as nacre-run --output writes it.

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
  bool storesHalves = false; ///< Whether they are of a library that stores some values as fp16.
};

/// Of a tensor's bytes.
Answer readAnswer(const run::TensorView &tensor);

/// From `path`, a library, which is run with these inputs, or a folder, in which files of the tensors `wanted` are looked for.
run::Outcome findAnswers(const std::string &path, const run::Options &options, const std::vector<run::Port> &inputs,
                         const std::vector<run::Port> &wanted, Answers &answers);

} // namespace nacre::diff

#endif // NACRE_TOOLS_DIFF_ANSWERS_H
