// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  tiles of the rows that arm64 multiplies bytes with: dot products, matrix products, and products of 16 bits.
// Why:   most machines that run tests have no such instructions.
// How:   a program of such tiles is written for arm64, linked with one that compares sums, and run by qemu.

#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/Passes.h"
#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/tiles/MicroTile.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "test/unit/codegen/cpu/Machines.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;
using namespace nacre::codegen::cpu::test;

namespace {

/// Rows of operands with these signs, for a core with dot products, with matrix products as well, or with neither.
const MachineRow &rowOf(const char *cpu, Number lhs, Number rhs, int64_t k, bool pairsFit = false) {
  const Target target = llvm::cantFail(parseTargets("linux-arm64", cpu)).front();
  return *bestRow(machineRows(), target.needs, {lhs, rhs, Number::S32, k, pairsFit}, /*isSingleRow=*/false,
                  target.inOrder);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

struct Tile {
  const MachineRow *machine;
  int64_t rows, columns, depth; ///< The depth in words.
  bool inParts = false;         ///< True if the reduction has parts, between which sums wait in memory.
  int64_t overlap = 0;          ///< Overlap of the last word with the one before, in bytes.

  int64_t width() const { return int64_t(llvm::alignTo(columns, machine->sumsOfRegister())); }
  int64_t group() const { return machine->step.types.k; }
  /// Bytes of a row.
  int64_t run() const { return depth * group() - overlap; }
  /// Position of the sums in a register.
  int64_t sumsOfRow() const { return width() * machine->step.rows * machine->step.sumsOfLane; }
};

/// A function of pointers to words of Lhs, row after row, to a panel, to sums that wait, and to results.
void emitFunction(ModuleOp module, const std::string &name, const Tile &tile, const Target &target) {
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  const Location loc = module.getLoc();
  Type byte = builder.getI8Type(), sum = builder.getI32Type();
  const int64_t width = tile.width(), group = tile.group(), bytes = tile.run();
  const SmallVector<Type> types = {
      MemRefType::get({tile.rows * bytes}, byte), MemRefType::get({tile.depth * group * width}, byte),
      MemRefType::get({tile.rows * tile.sumsOfRow()}, sum), MemRefType::get({tile.rows * tile.columns}, sum)};
  auto function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  builder.setInsertionPoint(func::ReturnOp::create(builder, loc));
  KernelFunction body{target, builder, loc, {}, {}, {}, {}, {}, {}};
  body.buffers.append(entry->args_begin(), entry->args_end());
  VectorBuilder build(body);

  LoopedContraction contraction;
  contraction.operands = {{0, 0, byte}, {1, 0, byte}, {3, 0, sum}};
  contraction.columns = {tile.columns, {0, 1, 1}};
  contraction.rows = {{tile.rows, {bytes, 0, tile.columns}}};
  contraction.depth = {{tile.depth, {group, width * group, 0}}};
  contraction.accumulatorType = sum;
  contraction.groups = {group, bytes};
  const Panel panel = {body.buffers[1], width, {width * group}};
  const int64_t first = tile.inParts ? tile.depth / 2 : tile.depth;
  for (int64_t from = 0; from < tile.depth; from += first) {
    DepthPart part;
    part.steps = std::min(first, tile.depth - from);
    part.first = from == 0;
    part.last = from + part.steps == tile.depth;
    if (tile.inParts) {
      part.sums = body.buffers[2];
      part.sumsAt = build.index(0);
      part.sumsStride = tile.sumsOfRow();
    }
    emitTile(build, contraction, body.buffers, panel, part, {tile.rows, tile.columns, *tile.machine},
             {build.index(from * group), build.index(from * group * width), build.index(0)});
  }
}

/// Data of all bytes' values, many of them the least possible one, and the results of a loop over bytes.
std::string checkOf(const std::string &name, const Tile &tile) {
  const int64_t group = tile.group(), depth = tile.depth * group, width = tile.width(), run = tile.run();
  std::mt19937 random(1);
  std::vector<int> lhs(tile.rows * run), panel(width * depth), sums(tile.rows * tile.columns);
  auto fill = [&](std::vector<int> &bytes, Number number, bool hasLeast) {
    const int least = number == Number::U8 ? 0 : hasLeast ? -128 : -127, most = number == Number::U8 ? 255 : 127;
    for (int &byte : bytes)
      byte = random() % 4 == 0 ? least : least + int(random() % (most - least + 1));
  };
  fill(lhs, tile.machine->step.types.lhs, /*hasLeast=*/true);
  fill(panel, tile.machine->step.types.rhs, !tile.machine->step.types.pairsFit);
  // What the last word has in common with the one before is multiplied there.
  for (int64_t column = 0; column < width; ++column)
    std::fill_n(panel.end() - (width - column) * group, tile.overlap, 0);
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t column = 0; column < tile.columns; ++column)
      for (int64_t k = 0; k < depth; ++k)
        sums[row * tile.columns + column] += lhs[row * run + (k < depth - group ? k : k - tile.overlap)] *
                                             panel[(k / group * width + column) * group + k % group];
  auto list = [](const std::vector<int> &values) {
    std::string text = "{";
    for (int value : values)
      text += std::to_string(value) + ",";
    return text + "}";
  };
  auto nameOf = [](Number number) { return number == Number::S8 ? "signed" : "unsigned"; };
  // Braces come with the lists: formatv would take them for its own.
  return llvm::formatv(R"(
extern "C" void {0}(const void *, const void *, int *, int *);
alignas(64) static const {6} char lhs_{0}[] = {1};
alignas(64) static const {7} char panel_{0}[] = {2};
static const int expected_{0}[] = {3};
alignas(64) static int waiting_{0}[{4}], sums_{0}[{5}];
static bool check_{0}() {{ return {0}(lhs_{0}, panel_{0}, waiting_{0}, sums_{0}), std::equal(sums_{0}, sums_{0} + {5}, expected_{0}); }
)",
                       name, list(lhs), list(panel), list(sums), tile.rows * tile.sumsOfRow(), sums.size(),
                       nameOf(tile.machine->step.types.lhs), nameOf(tile.machine->step.types.rhs));
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

void writeObject(ModuleOp module, const Target &target, const std::string &path) {
  PassManager passes(module.getContext());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createLowerToLlvmPass());
  ASSERT_TRUE(succeeded(passes.run(module)));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  ASSERT_TRUE(code);
  std::string error;
  const llvm::Triple triple(target.triple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  ASSERT_TRUE(found) << error;
  std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(triple, target.cpu, target.features, {}, llvm::Reloc::PIC_));
  code->setTargetTriple(triple);
  code->setDataLayout(machine->createDataLayout());
  std::error_code failure;
  llvm::raw_fd_ostream file(path, failure);
  ASSERT_FALSE(failure) << failure.message();
  llvm::legacy::PassManager writer;
  ASSERT_FALSE(machine->addPassesToEmitFile(writer, file, nullptr, llvm::CodeGenFileType::ObjectFile));
  writer.run(*code);
}

int run(ArrayRef<StringRef> command) {
  std::string error;
  const int status = llvm::sys::ExecuteAndWait(command.front(), command, std::nullopt, {}, 0, 0, &error);
  EXPECT_EQ(error, "") << command.front().str();
  return status;
}

class ByteRows : public testing::Test {
protected:
  ByteRows() {
    registerBuiltinDialectTranslation(context);
    registerLLVMDialectTranslation(context);
    context.loadDialect<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, memref::MemRefDialect,
                        scf::SCFDialect, vector::VectorDialect>();
  }

  void compare(ArrayRef<Tile> tiles) {
#ifndef NACRE_QEMU
    GTEST_SKIP() << "qemu-aarch64 and aarch64-linux-gnu-g++ are not installed";
#else
    const Target target = llvm::cantFail(parseTargets("linux-arm64", "neoverse-n2")).front();
    auto module = ModuleOp::create(UnknownLoc::get(&context));
    std::string source = "#include <algorithm>\n", calls;
    for (auto [number, tile] : llvm::enumerate(tiles)) {
      ASSERT_TRUE(tileFits(*tile.machine, tile.rows, llvm::divideCeil(tile.columns, tile.machine->step.lanes)));
      const std::string name = "tile" + std::to_string(number);
      emitFunction(module, name, tile, target);
      source += checkOf(name, tile);
      calls += llvm::formatv("  if (!check_{0}()) return {1};\n", name, number + 1);
    }
    source += "int main() {\n" + calls + "  return 0;\n}\n";

    SmallString<128> folder;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("nacre-byte-rows", folder));
    auto at = [&](StringRef name) { return (folder + "/" + name).str(); };
    const std::string object = at("tiles.o"), main = at("main.cpp"), program = at("program");
    writeObject(module, target, object);
    std::error_code failure;
    llvm::raw_fd_ostream(main, failure) << source;
    ASSERT_FALSE(failure) << failure.message();
    ASSERT_EQ(run({NACRE_ARM64_CXX, "-static", main, object, "-o", program}), 0);
    EXPECT_EQ(run({NACRE_QEMU, "-cpu", "max", program}), 0) << "the number of a tile, from 1 on";
    module->erase();
    EXPECT_FALSE(llvm::sys::fs::remove_directories(folder));
#endif
  }

  MLIRContext context;
};

} // namespace

TEST_F(ByteRows, DotProducts) {
  for (auto [lhs, rhs] : {std::pair(Number::S8, Number::S8), std::pair(Number::U8, Number::U8)})
    for (int64_t k : {4, 8}) {
      const MachineRow &row = rowOf("cortex-a76", lhs, rhs, k);
      compare({{&row, 8, 8, 16}, {&row, 4, 16, 5}, {&row, 1, 4, 1}, {&row, 3, 7, 9}, {&row, 5, 8, 40, true}});
    }
  const MachineRow &mixed = rowOf("neoverse-n2", Number::U8, Number::S8, 4);
  compare({{&mixed, 8, 8, 16}, {&mixed, 3, 7, 9}});
}

TEST_F(ByteRows, MatrixProducts) {
  for (auto [lhs, rhs] :
       {std::pair(Number::S8, Number::S8), std::pair(Number::U8, Number::U8), std::pair(Number::U8, Number::S8)}) {
    const MachineRow &row = rowOf("neoverse-n2", lhs, rhs, 8);
    EXPECT_EQ(row.step.rows, 2);
    compare({{&row, 4, 16, 16}, {&row, 2, 4, 1}, {&row, 3, 5, 7}, {&row, 1, 9, 3}, {&row, 5, 8, 21, true}});
  }
}

TEST_F(ByteRows, ProductsOfSixteenBits) {
  for (Number lhs : {Number::U8, Number::S8})
    for (Number rhs : {Number::U8, Number::S8})
      for (int64_t k : {4, 8}) {
        const MachineRow &row = rowOf("cortex-a72", lhs, rhs, k);
        EXPECT_EQ(row.step.sumsOfLane, 2);
        compare({{&row, 4, 8, 16}, {&row, 2, 4, 1}, {&row, 3, 5, 7}, {&row, 1, 9, 3}, {&row, 3, 8, 21, true}});
      }
}

/// Two products are added up in 16 bits where no weight is -128.
TEST_F(ByteRows, ProductsInPairs) {
  for (int64_t k : {4, 8}) {
    const MachineRow &row = rowOf("cortex-a72", Number::S8, Number::S8, k, /*pairsFit=*/true);
    EXPECT_TRUE(row.step.types.pairsFit);
    EXPECT_LT(row.stepCycles(), rowOf("cortex-a72", Number::S8, Number::S8, k).stepCycles());
    compare({{&row, 2, 16, 16}, {&row, 2, 4, 1}, {&row, 3, 5, 7}, {&row, 1, 9, 3}, {&row, 3, 8, 21, true}});
  }
  const MachineRow &little = rowOf("cortex-a53", Number::S8, Number::S8, 4, /*pairsFit=*/true);
  EXPECT_TRUE(little.step.types.pairsFit && little.costs.inOrder);
  compare({{&little, 2, 12, 16}, {&little, 3, 5, 7}, {&little, 1, 9, 3}});
}

/// The last word begins within the one before, with and without another that it makes a pair with.
TEST_F(ByteRows, RunsOfPartsOfWords) {
  for (const char *cpu : {"cortex-a53", "cortex-a72", "cortex-a76"})
    for (bool pairsFit : {false, true}) {
      const MachineRow &row = rowOf(cpu, Number::S8, Number::S8, 4, pairsFit);
      compare({{&row, 3, 8, 2, false, 1},
               {&row, 2, 4, 3, false, 3},
               {&row, 2, 12, 6, false, 3},
               {&row, 1, 5, 7, false, 2},
               {&row, 3, 8, 8, true, 2}});
    }
}

TEST_F(ByteRows, InOrder) {
  const MachineRow &row = rowOf("cortex-a55", Number::S8, Number::S8, 4);
  EXPECT_TRUE(row.costs.inOrder);
  compare({{&row, 8, 8, 32}, {&row, 7, 8, 17}, {&row, 3, 7, 9}});
}

/// Tables price them by their products in a cycle.
TEST_F(ByteRows, ArePricedByWhatTheyMultiply) {
  const MachineRow &dot = rowOf("neoverse-n2", Number::S8, Number::S8, 4),
                   &matrix = rowOf("neoverse-n2", Number::S8, Number::S8, 8);
  EXPECT_EQ(dot.productsPerCycle(), 4 * kNeon.productsPerCycle());
  EXPECT_EQ(matrix.productsPerCycle(), 8 * kNeon.productsPerCycle());
  EXPECT_EQ(matrix.registerBytes(), 16);
  const ContractionShape shape = {1, 256, 256, 512, 512};
  EXPECT_LT(runCycles(dot, shape), runCycles(kNeon, shape) / 3);
  EXPECT_LT(runCycles(matrix, shape), runCycles(dot, shape) / 1.5);
}
