// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  files of many examples, and batches of them in an entry's inputs.
// Why:   an entry that trains takes as many examples as it was compiled for; a data set has others.
// How:   files are mapped, and a batch is copied row by row. What does not fit is said in the words of NumPy, which most
//        of these files come from.

#ifndef NACRE_TOOLS_RUN_TRAINING_EXAMPLES_H
#define NACRE_TOOLS_RUN_TRAINING_EXAMPLES_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// The options that name the files.
struct ExampleFiles {
  const char *inputOption, *labelOption;
  const std::vector<std::string> &inputs; // NAME=FILE
  const std::vector<std::string> &labels; // FILE of the only label, or NAME=FILE
};

/// The inputs that say what is right: those that the entry `main` has not, and that are not the learning rate.
std::vector<std::string> labelsOf(const ModelSession &session);

class Examples {
public:
  /// `axes`: NAME:AXIS of inputs that have examples along another axis than 0.
  Outcome open(ModelSession &session, const ExampleFiles &files, const std::vector<std::string> &axes);
  /// Makes `chosen`, as many as a batch has, the batch that a session of these inputs takes.
  void fill(ModelSession &session, const uint32_t *chosen) const;

  uint32_t count() const { return examples; }
  uint32_t batch() const { return perBatch; }
  bool has(const std::string &input) const;
  const TensorView *find(const std::string &input) const;

private:
  struct Column {
    std::string name, path;
    FileTensor file;
    size_t axis = 0;
  };

  Outcome addColumn(ModelSession &session, const std::string &text, const char *option, bool isLabel);
  Outcome check(const Column &column, const Port &port, const char *option, bool isLabel);

  std::vector<Column> columns;
  std::vector<std::pair<std::string, size_t>> axes;
  uint32_t examples = 0, perBatch = 0;
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_EXAMPLES_H
