// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads files with many examples, and copies batches of them to an entry's inputs. An entry has a fixed batch size, but
// a data set may have any number of examples. Files are mapped, and a batch is copied row by row. Messages about wrong
// files use NumPy's terms, because NumPy writes most of these files.

#ifndef NACRE_TOOLS_RUN_TRAINING_EXAMPLES_H
#define NACRE_TOOLS_RUN_TRAINING_EXAMPLES_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// The options that name the files, and their values.
struct ExampleFiles {
  const char *inputOption, *labelOption;
  const std::vector<std::string> &inputs; // NAME=FILE
  const std::vector<std::string> &labels; // FILE if there is only one label, or NAME=FILE
};

/// Returns the inputs with labels: those that the entry `main` does not have, except the learning rate.
std::vector<std::string> labelsOf(const ModelSession &session);

class Examples {
public:
  /// Opens the files. `axes` contains NAME:AXIS for each input with another batch axis than 0.
  Outcome open(ModelSession &session, const ExampleFiles &files, const std::vector<std::string> &axes);
  /// Copies a batch of examples to the inputs of a session. `chosen` has the index of each example of the batch.
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
