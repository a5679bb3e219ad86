// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  compares kernels that emitters wrote with the fallback's, on random data.
// Why:   the fallback is upstream's lowering: whatever differs is an emitter's mistake. And units in any order, or a
//        share that is cut in two, must never change a bit.
// How:   compile, load in-process, run in three divisions, compare whole storages with their surroundings.

#ifndef NACRE_TEST_UNIT_CODEGEN_CPU_DIFFERENTIAL_H
#define NACRE_TEST_UNIT_CODEGEN_CPU_DIFFERENTIAL_H

#include "test/unit/codegen/Packed.h"
#include "test/unit/codegen/cpu/CompiledKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <random>

namespace nacre::codegen::test {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::FloatType;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::ParserConfig;
using mlir::RankedTensorType;
using mlir::Type;

class Differential : public testing::Test {
protected:
  Differential() { context.loadDialect<plan::PlanDialect>(); }

  /// `text` is one kernel. Its emitter must take it, and do what the fallback does.
  void check(const std::string &text, double tolerance = 1e-5) { checkOn({""}, text, tolerance); }

  /// The same with each instruction set that this machine has.
  void checkOnAll(const std::string &text, double tolerance = 1e-5) { checkOn(instructionSets(), text, tolerance); }

  /// The same with those that convert f16 in one instruction.
  void checkWithHalves(const std::string &text, double tolerance = 1e-5) {
    std::vector<std::string> cpus = instructionSets();
    llvm::erase(cpus, "x86-64-v2");
    checkOn(cpus, text, tolerance);
  }

  /// The same for the CPUs `cpus`, whose instructions this machine must have.
  void checkOn(const std::vector<std::string> &cpus, const std::string &text, double tolerance) {
    SCOPED_TRACE(text);
    auto module = mlir::parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module);
    auto kernel = *module->getOps<plan::KernelOp>().begin();
    std::vector<std::vector<Storage>> emitted(cpus.size());
    for (auto [cpu, storages] : llvm::zip_equal(cpus, emitted))
      run(kernel, cpu, /*fallback=*/false, storages);
    // No emitter of this kind takes another kind's work, and the fallback reads weights, and writes, as the tensors
    // are.
    std::vector<Storage> plain;
    SmallVector<plan::EncodingAttr> written;
    for (int64_t number = kernel.getNumInputs(); number < kernel.getBody().getNumArguments(); ++number)
      written.push_back(kernel.getEncoding(number));
    kernel.setKind(plan::KernelKind::Scan);
    kernel.removeEncodingsAttr();
    run(kernel, "", /*fallback=*/true, plain);
    if (HasFatalFailure())
      return;
    for (auto [number, encoding] : llvm::enumerate(written))
      if (const unsigned argument = kernel.getNumInputs() + number; encoding)
        plain[argument] = packed(plain[argument], typeOf(kernel, argument), encoding);
    for (auto [cpu, storages] : llvm::zip_equal(cpus, emitted)) {
      SCOPED_TRACE(cpu);
      ASSERT_EQ(storages.size(), plain.size());
      for (size_t i = 0; i < plain.size(); ++i)
        compare(storages[i], plain[i], tolerance);
    }
  }

  /// True if the output of `text` has a NaN, if the elements of the input `input` from `first` on are NaNs.
  bool readsNans(const std::string &text, unsigned input, int64_t first) {
    auto module = mlir::parseSourceString<ModuleOp>(text, ParserConfig(&context));
    auto kernel = *module->getOps<plan::KernelOp>().begin();
    const CompiledKernel compiled(kernel, "");
    std::mt19937 random(1);
    std::vector<Storage> storages;
    for (Type type : kernel.getBody().getArgumentTypes())
      storages.emplace_back(cast<RankedTensorType>(type)).fill(random);
    storages[input].setNans(first);
    std::vector<void *> buffers;
    for (Storage &storage : storages)
      buffers.push_back(storage.data());
    compiled.run(buffers, 0, kernel.getCutExtent(), /*backwards=*/false);
    return storages.back().hasNan();
  }

private:
  void run(plan::KernelOp kernel, const std::string &cpu, bool fallback, std::vector<Storage> &storages) {
    SCOPED_TRACE(fallback ? "fallback" : "emitted for " + (cpu.empty() ? "this CPU" : cpu));
    const CompiledKernel compiled(kernel, cpu);
    ASSERT_TRUE(bool(compiled));
    ASSERT_EQ(compiled.code.fallback, fallback);

    const int64_t extent = kernel.getCutExtent(), grain = kernel.getGrain();
    const int64_t middle = std::min(extent, (extent / 2 + grain - 1) / grain * grain);
    std::vector<std::vector<Storage>> results;
    for (auto [cut, backwards] : {std::pair(extent, false), std::pair(extent, true), std::pair(middle, false)}) {
      std::mt19937 random(1);
      results.push_back({});
      for (Type type : kernel.getBody().getArgumentTypes())
        results.back().emplace_back(cast<RankedTensorType>(type)).fill(random);
      std::vector<void *> buffers;
      std::vector<Storage> weights;
      weights.reserve(results.back().size());
      for (auto [number, storage] : llvm::enumerate(results.back())) {
        const plan::EncodingAttr encoding = kernel.getEncoding(number);
        const RankedTensorType type = typeOf(kernel, number);
        if (encoding && int64_t(number) >= kernel.getNumInputs())
          storage = packed(storage, type, encoding);
        else if (encoding)
          weights.emplace_back(packed(storage, type, encoding));
        buffers.push_back(encoding && int64_t(number) < kernel.getNumInputs() ? weights.back().data() : storage.data());
      }
      compiled.run(buffers, 0, cut, backwards);
      compiled.run(buffers, cut, extent, backwards);
    }
    for (auto [number, result] : llvm::enumerate(results))
      for (size_t i = 0; i < result.size(); ++i)
        EXPECT_TRUE(result[i].memory == results.front()[i].memory)
            << "storage " << i << " depends on the division: not the same " << kDivisions[number];
    storages = std::move(results.front());
  }

  static RankedTensorType typeOf(plan::KernelOp kernel, unsigned argument) {
    return cast<RankedTensorType>(kernel.getBody().getArgument(argument).getType());
  }

  static constexpr const char *kDivisions[] = {"at once", "unit by unit from the last", "in two shares"};

  static void compare(Storage &emitted, Storage &plain, double tolerance) {
    double largest = 0;
    for (int64_t i = 0; i < plain.size(); ++i)
      largest = std::max(largest, std::isfinite(plain.at(i)) ? std::abs(plain.at(i)) : 0);
    for (int64_t i = 0; i < plain.size(); ++i) {
      const double is = emitted.at(i), must = plain.at(i);
      if (is != must && !(std::isnan(is) && std::isnan(must))) {
        ASSERT_NEAR(is, must, isa<FloatType>(plain.elementType) ? tolerance * largest : 0) << "at element " << i;
      }
    }
    auto guards = [](Storage &storage) {
      return std::string(storage.memory.data(), kGuard) + std::string(storage.data() + storage.bytes, kGuard);
    };
    EXPECT_EQ(guards(emitted), guards(plain));
  }

  MLIRContext context;
};

} // namespace nacre::codegen::test

#endif // NACRE_TEST_UNIT_CODEGEN_CPU_DIFFERENTIAL_H
