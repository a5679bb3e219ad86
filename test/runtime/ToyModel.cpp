// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see ToyModel.h.
// Why:   see there.
// How:   the tables are filled as codegen/package would; the strings are one literal, offsets found in it by name.

#include "test/runtime/ToyModel.h"
#include "test/runtime/RuntimeSlots.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace nacre::test {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kStrings =
    "\0toy\0nacre 0\0host\0main\0second\0x\0y\0sum\0w\0scale\0relu\0copy\0add\0"
    "mul_1+add_1\0relu_1\0loop_1\0sum_1\0copy_1\0total\0\"total\":{\"dtype\":\"F32\",\"shape\":[48]\0"
    "\"F32\",\"shape\":[48]\0[48]\0" NACRE_FILE_CHECKSUM NACRE_FILE_FINGERPRINT "\"0123456789abcdef\"\0"sv;

uint32_t text(std::string_view name) {
  const std::string quoted = '\0' + std::string(name) + '\0';
  return static_cast<uint32_t>(kStrings.find(quoted) + 1);
}

/// Returns the text that begins so, as text() does.
uint32_t textFrom(std::string_view begin) {
  return static_cast<uint32_t>(kStrings.find('\0' + std::string(begin)) + 1);
}

// A unit is a row.
void scaleRows(const nacre_kernel_args *args, int64_t begin, int64_t end) {
  auto *x = static_cast<const float *>(args->buffers[0]);
  auto *w = static_cast<const float *>(args->buffers[1]);
  auto *t = static_cast<float *>(args->buffers[2]);
  auto *row = static_cast<float *>(args->scratch);
  for (int64_t r = args->share_begin + begin; r < args->share_begin + end; ++r) {
    for (int64_t c = 0; c < kColumns; ++c)
      row[c] = x[r * kColumns + c] * w[c];
    for (int64_t c = 0; c < kColumns; ++c)
      t[r * kColumns + c] = row[c] + 1;
  }
}

// A unit is half a row: units_per_block is 2.
void reluHalfRows(const nacre_kernel_args *args, int64_t begin, int64_t end) {
  auto *t = static_cast<const float *>(args->buffers[0]);
  auto *y = static_cast<float *>(args->buffers[1]);
  const int64_t first = args->share_begin * kColumns;
  for (int64_t i = first + begin * kColumns / 2; i < first + end * kColumns / 2; ++i)
    y[i] = t[i] > 0 ? t[i] : 0;
}

// One row into the accumulator; one unit.
void addRow(const nacre_kernel_args *args, int64_t, int64_t) {
  auto *row = static_cast<const float *>(args->buffers[0]);
  auto *sum = static_cast<float *>(args->buffers[1]);
  for (int64_t c = 0; c < kColumns; ++c)
    sum[c] += row[c];
}

void copyRow(const nacre_kernel_args *args, int64_t, int64_t) {
  std::memcpy(args->buffers[1], args->buffers[0], kColumns * sizeof(float));
}

nacre_step launch(uint32_t kernel, uint32_t firstOperand, uint32_t operandCount, std::string_view name,
                  int64_t extent) {
  nacre_step step = {};
  step.kind = NACRE_STEP_LAUNCH;
  step.kernel = kernel;
  step.first_operand = firstOperand;
  step.operand_count = operandCount;
  step.name = text(name);
  step.cut_extent = step.cpu_end = extent;
  step.grain = 1;
  return step;
}

nacre_step bracket(nacre_step_kind kind, int64_t trips) {
  nacre_step step = {};
  step.kind = kind;
  step.trip_count = trips;
  step.name = text("loop_1");
  return step;
}

nacre_tensor tensor(std::string_view name, uint32_t rank, uint32_t firstDim, uint64_t bytes) {
  return {text(name), NACRE_F32, rank, firstDim, bytes, 1, 0, NACRE_NO_BOUNDS, NACRE_NO_COUNTS};
}

} // namespace

ToyModel::ToyModel() {
  constexpr uint64_t rowBytes = kColumns * sizeof(float), allRows = kRows * rowBytes;
  for (int64_t c = 0; c < kColumns; ++c)
    scale[c] = static_cast<float>(c % 5 - 2);
  weights[0] = {text("w"), NACRE_WEIGHT_DENSE, 0, 0, 0, sizeof scale};
  const int64_t shapesAndLoops[] = {kRows, kColumns, kColumns, 0, 1, 0, 1, 0, 1, 0, 1, 0};
  std::memcpy(dims, shapesAndLoops, sizeof dims);
  inputs[0] = tensor("x", 2, 0, allRows);
  outputs[0] = tensor("y", 2, 0, allRows);
  outputs[1] = tensor("sum", 1, 2, rowBytes);

  nacre_variable &total = variables[0] = {};
  total.tensor = tensor("total", 1, 2, rowBytes);
  total.offset = 64;
  total.stored_bytes = total.element_bytes = rowBytes;
  total.role = NACRE_STATE_RECURRENT;
  total.first_loop = total.loop_count = 4;
  total.part_columns = 1;
  total.file_row = textFrom("\"total\"");
  total.file_type = textFrom("\"F32\"");
  total.file_shape = text("[48]");

  // The first variant of `scale` needs what no CPU has: it must be passed over.
  const uint64_t nowhere = NACRE_CPU_NEED(63);
  variants[0] = {nullptr, nowhere, 1, 1, 0, 1000, 0};
  variants[1] = {scaleRows, 0, 1, 1, rowBytes, 1000, 0};
  variants[2] = {reluHalfRows, 0, 1, 2, 0, 500, 0};
  variants[3] = {copyRow, 0, 1, 1, 0, 10, 0};
  variants[4] = {addRow, 0, 1, 1, 0, 100, 0};
  kernels[0] = {&variants[0], nullptr, 2, 0, NACRE_KERNEL_CONTRACTION, text("scale")};
  kernels[1] = {&variants[2], nullptr, 1, 0, NACRE_KERNEL_NEST, text("relu")};
  kernels[2] = {&variants[3], nullptr, 1, 0, NACRE_KERNEL_PERMUTE, text("copy")};
  kernels[3] = {&variants[4], nullptr, 1, 0, NACRE_KERNEL_NEST, text("add")};

  operands[0] = {NACRE_SPACE_INPUT, 0, 0, 0, allRows, NACRE_READ, NACRE_F32};
  operands[1] = {NACRE_SPACE_WEIGHT, 0, 0, 0, sizeof scale, NACRE_READ, NACRE_F32};
  operands[2] = {NACRE_SPACE_ARENA, 0, 128, 0, allRows, NACRE_READ_WRITE, NACRE_F32};
  operands[3] = {NACRE_SPACE_OUTPUT, 0, 0, 0, allRows, NACRE_WRITE, NACRE_F32};
  operands[4] = {NACRE_SPACE_OUTPUT, 0,          0,        rowBytes,
                 rowBytes,           NACRE_READ, NACRE_F32}; // a row further each time round the loop
  operands[5] = {NACRE_SPACE_STATE, 0, 64, 0, rowBytes, NACRE_READ_WRITE, NACRE_F32};
  operands[6] = {NACRE_SPACE_STATE, 0, 64, 0, rowBytes, NACRE_READ, NACRE_F32};
  operands[7] = {NACRE_SPACE_OUTPUT, 1, 0, 0, rowBytes, NACRE_WRITE, NACRE_F32};

  steps[0] = launch(0, 0, 3, "mul_1+add_1", kRows);
  steps[1] = launch(1, 2, 2, "relu_1", kRows);
  steps[2] = bracket(NACRE_STEP_LOOP_BEGIN, kRows);
  steps[3] = launch(3, 4, 2, "sum_1", 1);
  steps[4] = bracket(NACRE_STEP_LOOP_END, 0);
  steps[5] = launch(2, 6, 2, "copy_1", 1);

  entries[0] = {inputs, outputs, steps, operands, text("main"), 1, 2, 6, 8, 0, 128 + kRows * rowBytes, 2, 0};
  entries[1] = entries[0];
  entries[1].name = text("second");
  entries[1].step_count = entries[1].first_write = 2;

  table = {{&kSlots<true>.functions},
           NACRE_FORMAT_VERSION,
           0,
           NACRE_ROW_SIZES,
           0,
           kStrings.data(),
           dims,
           kernels,
           scale,
           weights,
           entries,
           sizeof scale,
           64 + rowBytes,
           static_cast<uint32_t>(kStrings.size()),
           sizeof dims / sizeof *dims,
           4,
           1,
           2,
           text("toy"),
           text("nacre 0"),
           text("host"),
           nullptr,
           0,
           variables,
           1,
           0,
           textFrom(NACRE_FILE_CHECKSUM),
           0,
           512,
           0};
}

void ToyModel::loopWhile() {
  std::copy(operands, operands + 8, conditional);
  conditional[8] = {NACRE_SPACE_INPUT, 0, kSwitch * sizeof(float) + 3, 0, 1, NACRE_READ, NACRE_U8}; // sign and exponent
  std::copy(steps, steps + 2, looping);
  looping[2] = bracket(NACRE_STEP_LOOP_BEGIN, NACRE_ENDLESS);
  looping[3] = bracket(NACRE_STEP_LOOP_TEST, 0);
  looping[3].first_operand = 8;
  looping[3].operand_count = 1;
  looping[3].target = 5;
  looping[4] = steps[1];
  looping[5] = bracket(NACRE_STEP_LOOP_END, 0);
  std::copy(steps + 2, steps + 6, looping + 6);
  entries[0].steps = looping;
  entries[0].step_count = 10;
  entries[0].operands = conditional;
  entries[0].operand_count = 9;
  entries[0].first_write = 6;
}

float toyInput(int64_t index) { return static_cast<float>(index % 7 - 3); }

float toyOutput(int64_t index) {
  const float y = toyInput(index) * static_cast<float>(index % kColumns % 5 - 2) + 1;
  return y > 0 ? y : 0;
}

float toySum(int64_t column, int runs) {
  float sum = 0; // small whole numbers: exact in any order
  for (int64_t row = 0; row < kRows; ++row)
    sum += toyOutput(row * kColumns + column);
  return sum * static_cast<float>(runs);
}

} // namespace nacre::test
