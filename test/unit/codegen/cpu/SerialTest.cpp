// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what serial kernels compute, with each instruction set and in any division, bit by bit.
// How:   each kernel is written once more here, in C++, which adds in the same order.

#include "test/unit/codegen/SerialTexts.h"
#include "test/unit/codegen/Storage.h"
#include "test/unit/codegen/cpu/CompiledKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <functional>
#include <regex>

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using nacre::codegen::test::CompiledKernel;

namespace {

template <typename T> T *dataOf(Storage &storage) { return reinterpret_cast<T *>(storage.data()); }

class Serial : public testing::Test {
protected:
  Serial() { context.loadDialect<plan::PlanDialect>(); }

  /// `expect` changes the storages as the kernel must.
  void check(std::string text, const std::vector<std::pair<const char *, int64_t>> &sizes,
             const std::function<void(std::vector<Storage> &)> &expect) {
    for (const auto &[name, size] : sizes)
      text = std::regex_replace(text, std::regex(name), std::to_string(size));
    SCOPED_TRACE(text);
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module);
    auto kernel = *module->getOps<plan::KernelOp>().begin();
    std::vector<Storage> expected = fill(kernel);
    expect(expected);
    for (const std::string &cpu : test::instructionSets()) {
      SCOPED_TRACE(cpu);
      const CompiledKernel compiled(kernel, cpu);
      ASSERT_TRUE(bool(compiled));
      ASSERT_FALSE(compiled.code.fallback);
      const int64_t extent = kernel.getCutExtent(), grain = kernel.getGrain();
      for (int64_t cut = 0; cut <= extent; cut += grain)
        for (bool backwards : {false, true})
          run(compiled, kernel, cut, backwards, expected);
    }
  }

private:
  static std::vector<Storage> fill(plan::KernelOp kernel) {
    std::mt19937 random(1);
    std::vector<Storage> storages;
    for (Type type : kernel.getBody().getArgumentTypes()) {
      storages.emplace_back(cast<RankedTensorType>(type));
      storages.back().fill(random);
    }
    return storages;
  }

  static void run(const CompiledKernel &compiled, plan::KernelOp kernel, int64_t cut, bool backwards,
                  const std::vector<Storage> &expected) {
    std::vector<Storage> storages = fill(kernel);
    std::vector<void *> buffers;
    for (Storage &storage : storages)
      buffers.push_back(storage.data());
    compiled.run(buffers, cut, kernel.getCutExtent(), backwards);
    compiled.run(buffers, 0, cut, backwards);
    for (auto [number, storage] : llvm::enumerate(storages))
      EXPECT_TRUE(storage.memory == expected[number].memory) << "storage " << number << ", cut at " << cut;
  }

  MLIRContext context;
};

} // namespace

TEST_F(Serial, SumsAlongAnAxis) {
  // Lanes of every width and a rest; few of them; rows of one element; a line as long as the tensor.
  for (auto [a, n, b] :
       std::vector<std::array<int64_t, 3>>{{3, 7, 150}, {2, 9, 3}, {5, 40, 1}, {1, 100, 1}, {1, 5, 64}})
    check(kRunningSum, {{"A", a}, {"N", n}, {"B", b}}, [a = a, n = n, b = b](std::vector<Storage> &storages) {
      for (int64_t i = 0; i < a; ++i)
        for (int64_t j = 0; j < b; ++j) {
          float sum = 0;
          for (int64_t k = 0; k < n; ++k)
            dataOf<float>(storages[1])[(i * n + k) * b + j] = sum += dataOf<float>(storages[0])[(i * n + k) * b + j];
        }
    });
}

TEST_F(Serial, UpdatesOfRowsKeepTheirOrder) {
  for (int64_t columns : {1, 5, 37})
    check(kAddedRows, {{"COLS", columns}}, [columns](std::vector<Storage> &storages) {
      auto *x = dataOf<float>(storages[0]), *updates = dataOf<float>(storages[2]), *y = dataOf<float>(storages[3]);
      for (int64_t j = 0; j < columns; ++j) {
        y[8 + j] = y[5 * 50 + 8 + j] = 1;
        for (int64_t i = 0; i < 4; ++i)
          y[(i + 1) * 50 + 8 + j] = x[i * columns + j];
        for (int64_t k = 0; k < 6; ++k)
          if (const int64_t row = dataOf<int64_t>(storages[1])[k]; row >= 0 && row < 4)
            y[(row + 1) * 50 + 8 + j] += updates[k * columns + j];
      }
    });
}

TEST_F(Serial, ProgramsEndWhenDataSay) {
  check(kCounted, {}, [](std::vector<Storage> &storages) {
    for (int64_t i = 0; i < 20; ++i) {
      float sum = 0, even = 0;
      int64_t count = 0;
      for (; count < 9 && sum < 2; ++count) {
        const float magnitude = std::abs(dataOf<float>(storages[0])[i * 9 + count]);
        sum += magnitude;
        even += count % 2 == 0 ? magnitude : 0;
      }
      dataOf<int64_t>(storages[1])[i] = count;
      dataOf<float>(storages[2])[i] = even;
    }
  });
}

TEST_F(Serial, PointsOwnRanges) {
  check(kRanges, {}, [](std::vector<Storage> &storages) {
    auto *y = dataOf<int32_t>(storages[2]);
    std::copy_n(dataOf<int32_t>(storages[0]), 10, y);
    for (int64_t k = 0; k < 30; ++k)
      if (const int32_t row = dataOf<int32_t>(storages[1])[k] + 4; row >= 0 && row < 10)
        y[row] *= 2;
  });
}

TEST_F(Serial, ParallelIterationsAddInTheirOrder) {
  // Lanes of every width and a rest; fewer than a vector has.
  for (int64_t columns : {2, 6, 64, 150})
    check(kIterations, {{"COLS", columns}, {"HALF", columns / 2}}, [columns](std::vector<Storage> &storages) {
      const auto *x = dataOf<float>(storages[0]), *w = dataOf<float>(storages[1]);
      auto *last = dataOf<float>(storages[2]), *all = dataOf<float>(storages[3]);
      for (int64_t i = 0; i < 5; ++i) {
        std::vector<float> state(columns, 1), next(columns);
        for (int64_t iteration = 2; iteration >= 0; --iteration) {
          for (int64_t j = 0; j < columns; ++j) {
            float sums[2] = {};
            for (int64_t k = 0; k < columns; ++k) {
              // A product rounds before it is added.
              const volatile float product = state[k] * w[k * columns + j];
              sums[k / (columns / 2)] += product;
            }
            const volatile float scaled = (sums[0] + sums[1]) * 0.125f;
            all[(iteration * 5 + i) * columns + j] = next[j] = scaled + x[(iteration * 5 + i) * columns + j];
          }
          state = next;
        }
        std::copy(state.begin(), state.end(), last + i * columns);
      }
    });
}
