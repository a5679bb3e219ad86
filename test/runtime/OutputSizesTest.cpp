// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  outputs of which a run decides how large they are.
// Why:   an app must never be told of elements that are not there, whatever the model's tables or kernels say.
// How:   the toy model with a kernel of its own: the rows of x that begin with more than 0, packed, and how many there
//        are.

#include "test/runtime/RuntimeSlots.h"
#include "test/runtime/ToyModel.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace nacre::test {
namespace {

void packRows(const nacre_kernel_args *args, int64_t, int64_t) {
  auto *x = static_cast<const float *>(args->buffers[0]);
  auto *y = static_cast<float *>(args->buffers[1]);
  int64_t count = 0;
  for (int64_t row = 0; row < kRows; ++row)
    if (x[row * kColumns] > 0)
      std::memcpy(y + count++ * kColumns, x + row * kColumns, kColumns * sizeof(float));
  std::memcpy(args->buffers[2], &count, sizeof count);
}

/// Outputs: the rows, as many as are found, and the toy's `sum`, which nothing writes here; then the count.
struct PackingModel : ToyModel {
  static constexpr uint32_t kCounts = sizeof dims / sizeof *dims; ///< Behind the toy's own.
  static constexpr uint32_t kBound = kCounts + 2;                 ///< The bound of the count, if a test sets it.

  PackingModel() {
    packed[0] = outputs[0];
    packed[0].first_count = kCounts;
    packed[1] = outputs[1];
    packed[2] = {0, NACRE_I64, 0, 0, sizeof(int64_t), 1, 0, NACRE_NO_BOUNDS, NACRE_NO_COUNTS};
    std::memcpy(shapes, dims, sizeof dims);
    shapes[kCounts] = 2; // axis 0 of the rows
    shapes[kCounts + 1] = -1;
    shapes[kBound] = kRows - 1;
    variants[1].function = packRows;
    variants[1].units_per_block = 1;
    operands[1] = {NACRE_SPACE_OUTPUT, 0, 0, 0, packed[0].bytes, NACRE_WRITE, NACRE_F32};
    operands[2] = {NACRE_SPACE_OUTPUT, 2, 0, 0, sizeof(int64_t), NACRE_WRITE, NACRE_I64};
    steps[0].cut_extent = steps[0].cpu_end = 1;
    entries[0].outputs = packed;
    entries[0].output_count = 3;
    entries[0].hidden_outputs = 1;
    entries[0].step_count = 1;
    table.entry_count = 1;
    table.dims = shapes;
    table.dim_count = sizeof shapes / sizeof *shapes;
  }

  nacre_tensor packed[3];
  int64_t shapes[kBound + 1];
};

class OutputSizesTest : public testing::Test {
protected:
  ~OutputSizesTest() override { nacre_session_destroy(session); }

  nacre_status create() {
    options.threads = 1;
    options.reason = reason;
    options.reason_capacity = sizeof reason;
    return nacre_session_create(toy.model(), &options, &session);
  }

  /// Writes `count` rows that are taken.
  void takeRows(int64_t count) {
    void *x = nullptr;
    ASSERT_EQ(nacre_session_input(session, 0, &x), NACRE_OK);
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t column = 0; column < kColumns; ++column)
        static_cast<float *>(x)[row * kColumns + column] = float(row < count ? row + 1 : -1);
  }

  void run(int64_t count) {
    takeRows(count);
    ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  }

  void expectRows(int64_t count) {
    int64_t dims[2] = {-1, -1};
    ASSERT_EQ(nacre_session_output_dims(session, 0, dims), NACRE_OK);
    EXPECT_EQ(dims[0], count);
    EXPECT_EQ(dims[1], kColumns);
    void *y = nullptr;
    ASSERT_EQ(nacre_session_output(session, 0, &y), NACRE_OK);
    for (int64_t row = 0; row < count; ++row)
      EXPECT_EQ(static_cast<float *>(y)[row * kColumns], float(row + 1));
  }

  PackingModel toy;
  nacre_session_options options = nacre_session_options_default();
  nacre_session *session = nullptr;
  char reason[256] = "";
};

TEST_F(OutputSizesTest, ChangeFromRunToRun) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  for (int64_t count : {int64_t(3), kRows, int64_t(0), int64_t(1)}) {
    run(count);
    expectRows(count);
  }
}

TEST_F(OutputSizesTest, AreThoseOfTheShapeElsewhere) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  int64_t dims[1] = {-1};
  EXPECT_EQ(nacre_session_output_dims(session, 1, dims), NACRE_OK); // before any run
  EXPECT_EQ(dims[0], kColumns);
}

TEST_F(OutputSizesTest, NeedARun) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  int64_t dims[2] = {-7, -7};
  EXPECT_EQ(nacre_session_output_dims(session, 0, dims), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_session_reason(session), "the size of output 0 is known only after a run");
  EXPECT_EQ(dims[0], -7);
}

TEST_F(OutputSizesTest, AreBoundedWhateverAKernelSays) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  toy.variants[1].function = [](const nacre_kernel_args *args, int64_t, int64_t) {
    auto *x = static_cast<const float *>(args->buffers[0]);
    const int64_t count = x[0] > 0 ? INT64_MAX : INT64_MIN;
    std::memcpy(args->buffers[2], &count, sizeof count);
  };
  nacre_session_destroy(session);
  ASSERT_EQ(create(), NACRE_OK) << reason;
  int64_t dims[2];
  run(1);
  EXPECT_EQ(nacre_session_output_dims(session, 0, dims), NACRE_OK);
  EXPECT_EQ(dims[0], kRows);
  run(0);
  EXPECT_EQ(nacre_session_output_dims(session, 0, dims), NACRE_OK);
  EXPECT_EQ(dims[0], 0);
}

TEST_F(OutputSizesTest, AreTheOnlySignOfCounts) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  nacre_entry_info entry;
  ASSERT_EQ(nacre_entry_describe(toy.model(), 0, &entry), NACRE_OK);
  EXPECT_EQ(entry.output_count, 2u);
  nacre_tensor_info info;
  ASSERT_EQ(nacre_output_describe(toy.model(), 0, 0, &info), NACRE_OK);
  EXPECT_EQ(info.open_axes, 1u);
  EXPECT_EQ(info.dims[0], kRows);
  ASSERT_EQ(nacre_output_describe(toy.model(), 0, 1, &info), NACRE_OK);
  EXPECT_EQ(info.open_axes, 0u);
  EXPECT_EQ(nacre_output_describe(toy.model(), 0, 2, &info), NACRE_BAD_ARGUMENT);
  void *data = nullptr;
  int64_t dims[2];
  uint32_t index;
  EXPECT_EQ(nacre_session_output(session, 2, &data), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_bind_output(session, 2, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_find_output(session, "", &index), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_output_dims(session, 2, dims), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_session_reason(session), "output must be below 2, but is 2");
}

TEST_F(OutputSizesTest, FailTheRunIfTheyExceedTheirBound) {
  toy.packed[2].first_bound = PackingModel::kBound;
  toy.table.limit_count = 1;
  toy.table.head.functions = &kSlots<true, false, false, 2, 1>.functions;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  run(kRows - 1); // the bound itself
  expectRows(kRows - 1);
  takeRows(kRows);
  EXPECT_EQ(nacre_session_run(session), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_reason(session), "'' must be at most " + std::to_string(kRows - 1) +
                                               ", its bound in this model, but is " + std::to_string(kRows));
  int64_t dims[2];
  EXPECT_EQ(nacre_session_output_dims(session, 0, dims), NACRE_BAD_ARGUMENT); // there is no answer to read
  run(1);
  expectRows(1);
}

TEST_F(OutputSizesTest, RefuseDamagedTables) {
  const auto refuses = [&](auto &field, auto value) {
    auto good = field;
    field = value;
    EXPECT_EQ(create(), NACRE_UNSUPPORTED);
    EXPECT_NE(std::string(reason).find("damaged"), std::string::npos) << reason;
    field = good;
  };
  refuses(toy.packed[0].first_count, PackingModel::kCounts + 1); // beyond the last dims
  refuses(toy.packed[0].first_count, NACRE_NO_COUNTS - 1);
  refuses(toy.packed[0].rank, UINT32_MAX);
  refuses(toy.shapes[PackingModel::kCounts], int64_t(1)); // an output of the app
  refuses(toy.shapes[PackingModel::kCounts], int64_t(3));
  refuses(toy.shapes[PackingModel::kCounts], INT64_MIN);
  refuses(toy.packed[2].element_type, uint32_t(NACRE_I32));
  refuses(toy.packed[2].rank, 1u);
  refuses(toy.packed[2].bytes, uint64_t(4));
  refuses(toy.packed[2].first_bound, PackingModel::kCounts + 3); // beyond the last dims
  refuses(toy.packed[1].first_bound, PackingModel::kCounts + 2); // of an output of the app
  refuses(toy.entries[0].hidden_outputs, 4u);
  refuses(toy.entries[0].hidden_outputs, 0u);
  EXPECT_EQ(create(), NACRE_OK) << reason;
}

} // namespace
} // namespace nacre::test
