// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see StatefulModel.h.
// Why:   see there.
// How:   see there.

#include "test/runtime/state/StatefulModel.h"

#include "codegen/package/StateRows.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace nacre::test {

StatefulModel::StatefulModel()
    : variables(toy.variables, toy.variables + 1), dims(toy.dims, std::end(toy.dims)),
      strings(toy.table.strings, toy.table.strings_bytes) {
  const std::vector<int64_t> turned = {2, 3, 1, 0};
  // 6 columns in panels of 4, 12 rows; the counter lies behind what is not a multiple of its size.
  add("conv/w", NACRE_F32, NACRE_STATE_WEIGHT, {6, 3, 2, 2}, 288, 384, turned, 4);
  add("conv/w#momentum", NACRE_F32, NACRE_STATE_MOMENT, {6, 3, 2, 2}, 288, 384, turned, 4);
  add("gates", NACRE_F16, NACRE_STATE_WEIGHT, {3, 12}, 72, 96, {0, 1}, 4, 2, 2);
  add("turned", NACRE_F64, NACRE_STATE_WEIGHT, {2, 3}, 48, 48, {1, 0});
  add("mean", NACRE_BF16, NACRE_STATE_STATISTIC, {3}, 6, 6);
  add("#step", NACRE_I64, NACRE_STATE_COUNTER, {}, 8, 8);
  add("codes", NACRE_I4, NACRE_STATE_RECURRENT, {5}, 3, 3);
  add("a \"name\" \\ \x01 \xc3\xa9", NACRE_F32, NACRE_STATE_WEIGHT, {1}, 4, 4);
  add("nothing", NACRE_F32, NACRE_STATE_RECURRENT, {0, 2}, 0, 0);
  describe();
}

void StatefulModel::describe() {
  toy.table.variables = variables.data();
  toy.table.variable_count = static_cast<uint32_t>(variables.size());
  toy.table.dims = dims.data();
  toy.table.dim_count = static_cast<uint32_t>(dims.size());
  const package::StateFileTexts texts =
      package::describeFile(variables.data(), toy.table.variable_count, strings.data(), dims.data());
  const auto addText = [&](const std::string &text) {
    strings += text + '\0';
    return static_cast<uint32_t>(strings.size() - text.size() - 1);
  };
  for (size_t i = 0; i < variables.size(); ++i) {
    variables[i].file_row = addText(texts.rows[i].text);
    variables[i].file_type = variables[i].file_row + texts.rows[i].type;
    variables[i].file_shape = variables[i].file_row + texts.rows[i].shape;
  }
  toy.table.file_head = addText(texts.head);
  toy.table.step_counter = texts.stepCounter;
  toy.table.file_buffer_bytes = texts.bufferBytes;
  toy.table.strings = strings.data();
  toy.table.strings_bytes = static_cast<uint32_t>(strings.size());
}

void StatefulModel::add(const char *name, nacre_element_type type, nacre_state_role role, std::vector<int64_t> shape,
                        uint64_t bytes, uint64_t storedBytes, std::vector<int64_t> order, uint32_t width,
                        uint32_t groups, uint32_t parts) {
  nacre_variable row = {};
  row.tensor = {static_cast<uint32_t>(strings.size()),
                static_cast<uint32_t>(type),
                static_cast<uint32_t>(shape.size()),
                static_cast<uint32_t>(dims.size()),
                bytes,
                1,
                0,
                NACRE_NO_BOUNDS,
                NACRE_NO_COUNTS};
  strings += name + std::string(1, '\0');
  dims.insert(dims.end(), shape.begin(), shape.end());
  row.offset = toy.table.state_bytes;
  toy.table.state_bytes += (storedBytes + 63) / 64 * 64;
  row.role = role;
  row.first_loop = static_cast<uint32_t>(dims.size());
  const std::vector<int64_t> loops = package::describeLoops(row, shape, {std::move(order), width, groups, parts});
  dims.insert(dims.end(), loops.begin(), loops.end());
  if (row.stored_bytes != storedBytes)
    std::abort();
  variables.push_back(row);
}

nacre_variable &StatefulModel::operator[](const std::string &name) {
  for (nacre_variable &variable : variables)
    if (name == strings.data() + variable.tensor.name)
      return variable;
  std::abort();
}

std::string contents(const nacre_model *model, nacre_state *state) {
  std::string all;
  nacre_state_info info;
  for (uint32_t i = 0; nacre_state_describe(model, i, &info) == NACRE_OK; ++i) {
    std::string bytes(info.bytes, '\0');
    if (nacre_state_read(state, i, bytes.data(), bytes.size()) != NACRE_OK)
      return "";
    all += bytes;
  }
  return all;
}

void fill(const nacre_model *model, nacre_state *state, unsigned seed, uint32_t roles) {
  nacre_state_info info;
  for (uint32_t i = 0; nacre_state_describe(model, i, &info) == NACRE_OK; ++i) {
    std::string bytes(info.bytes, '\0');
    for (char &byte : bytes)
      byte = static_cast<char>((seed = seed * 1103515245 + 12345) >> 16);
    if ((info.role & roles) != 0)
      nacre_state_write(state, i, bytes.data(), bytes.size());
  }
}

std::string readFile(const std::string &path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

} // namespace nacre::test
