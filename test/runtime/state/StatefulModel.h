// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the toy model with more to keep: tensors of all roles, of many types, in panels and turned.
// Why:   a state in memory and its file must be right for every model that a compiler may write.
// How:   rows after those of ToyModel, which runs as it does without them.

#ifndef NACRE_TEST_RUNTIME_STATE_STATEFULMODEL_H
#define NACRE_TEST_RUNTIME_STATE_STATEFULMODEL_H

#include "test/runtime/ToyModel.h"

#include <string>
#include <vector>

namespace nacre::test {

struct StatefulModel {
  StatefulModel();

  const nacre_model *model() const { return toy.model(); }
  nacre_variable &operator[](const std::string &name);
  /// Says again what files have of the variables, after a change of these.
  void describe();

  ToyModel toy; ///< Its `total` comes first.
  std::vector<nacre_variable> variables;
  std::vector<int64_t> dims;
  std::string strings;

private:
  void add(const char *name, nacre_element_type type, nacre_state_role role, std::vector<int64_t> shape, uint64_t bytes,
           uint64_t storedBytes, std::vector<int64_t> order = {}, uint32_t width = 0, uint32_t groups = 1,
           uint32_t parts = 1);
};

/// All tensors of a state, one after the other, as the model has them.
std::string contents(const nacre_model *model, nacre_state *state);
/// Makes each tensor of these roles bytes of a seed.
void fill(const nacre_model *model, nacre_state *state, unsigned seed, uint32_t roles = NACRE_STATE_ALL);

std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &bytes);

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_STATE_STATEFULMODEL_H
