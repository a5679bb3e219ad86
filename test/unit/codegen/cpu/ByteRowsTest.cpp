// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  new multiply-adds are new rows: dot products and matrix products of bytes, in tiles of the emitter that floats have.
// Why:   a row that no emitter can use is a promise. These two are in no other file, and their tiles compute what they should.
// How:   a program of such tiles is written for arm64, linked with one that compares sums, and run by qemu.

#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/Passes.h"
#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/contraction/MicroTile.h"

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

//===----------------------------------------------------------------------===//
// The rows
//===----------------------------------------------------------------------===//

Value callWithBytes(VectorBuilder &build, StringRef instruction, Value lhs, Value rhs, Value sums) {
  auto bytes = VectorType::get({16}, build.ops.getI8Type());
  SmallVector<Value> operands = {sums};
  for (Value words : {lhs, rhs})
    operands.push_back(vector::BitCastOp::create(build.ops, build.loc, bytes, words));
  return LLVM::CallIntrinsicOp::create(build.ops, build.loc, sums.getType(), build.ops.getStringAttr(instruction),
                                       operands)
      .getResult(0);
}

MachineRow dotProduct() {
  MachineRow row = kNeon;
  row.instruction = "sdot .4s, .16b, .4b[n]";
  row.needs = NACRE_CPU_NEED(NACRE_ARM64_DOTPROD);
  row.types = {Number::S8, Number::S8, Number::S32};
  row.depthStep = 4;
  row.multiplyAdd = [](VectorBuilder &build, Value lhs, Value rhs, Value sums) {
    return callWithBytes(build, "llvm.aarch64.neon.sdot.v4i32.v16i8", lhs, rhs, sums);
  };
  return row;
}

MachineRow matrixProduct() {
  MachineRow row = dotProduct();
  row.instruction = "smmla .4s, .16b, .16b";
  row.needs = NACRE_CPU_NEED(NACRE_ARM64_I8MM);
  row.lanes = 2;
  row.rowsOfStep = 2;
  row.depthStep = 8;
  row.multiplyAdd = [](VectorBuilder &build, Value lhs, Value rhs, Value sums) {
    return callWithBytes(build, "llvm.aarch64.neon.smmla.v4i32.v16i8", lhs, rhs, sums);
  };
  return row;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

struct Tile {
  const MachineRow *machine;
  int64_t rows, columns, depth; ///< The depth in words.
  bool inParts = false;         ///< Of the reduction, between which sums wait in memory.

  int64_t width() const { return int64_t(llvm::alignTo(columns, machine->sumsOfRegister())); }
};

/// A function of pointers to words of Lhs, row after row, to a panel, to sums that wait, and to results.
void emitFunction(ModuleOp module, const std::string &name, const Tile &tile, const Target &target) {
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  const Location loc = module.getLoc();
  Type word = builder.getIntegerType(8 * tile.machine->depthStep), sum = builder.getI32Type();
  const int64_t width = tile.width(), rows = llvm::alignTo(tile.rows, 2);
  const SmallVector<Type> types = {MemRefType::get({tile.rows * tile.depth}, word),
                                   MemRefType::get({tile.depth * width}, word), MemRefType::get({rows * width}, sum),
                                   MemRefType::get({tile.rows * tile.columns}, sum)};
  auto function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  builder.setInsertionPoint(func::ReturnOp::create(builder, loc));
  KernelFunction body{target, builder, loc, {}, {}, {}, {}, {}, {}};
  body.buffers.append(entry->args_begin(), entry->args_end());
  VectorBuilder build(body);

  LoopedContraction contraction;
  contraction.operands = {{0, 0, word}, {1, 0, word}, {3, 0, sum}};
  contraction.columns = {tile.columns, {0, 1, 1}};
  contraction.rows = {{tile.rows, {tile.depth, 0, tile.columns}}};
  contraction.depth = {{tile.depth, {1, width, 0}}};
  contraction.accumulatorType = sum;
  const Panel panel = {body.buffers[1], width, {width}};
  const int64_t first = tile.inParts ? tile.depth / 2 : tile.depth;
  for (int64_t from = 0; from < tile.depth; from += first) {
    DepthPart part;
    part.steps = std::min(first, tile.depth - from);
    part.first = from == 0;
    part.last = from + part.steps == tile.depth;
    if (tile.inParts) {
      part.sums = body.buffers[2];
      part.sumsAt = build.index(0);
      part.sumsStride = width;
    }
    emitTile(build, contraction, body.buffers, panel, part, {tile.rows, tile.columns, *tile.machine},
             {build.index(from), build.index(from * width), build.index(0)});
  }
}

/// Data of all bytes' values, and what a loop over bytes makes of them.
std::string checkOf(const std::string &name, const Tile &tile) {
  const int64_t group = tile.machine->depthStep, depth = tile.depth * group, width = tile.width();
  std::mt19937 random(1);
  std::vector<int> lhs(tile.rows * depth), panel(width * depth), sums(tile.rows * tile.columns);
  for (std::vector<int> *bytes : {&lhs, &panel})
    for (int &byte : *bytes)
      byte = int(random() % 256) - 128;
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t column = 0; column < tile.columns; ++column)
      for (int64_t k = 0; k < depth; ++k)
        sums[row * tile.columns + column] +=
            lhs[row * depth + k] * panel[(k / group * width + column) * group + k % group];
  auto list = [](const std::vector<int> &values) {
    std::string text = "{";
    for (int value : values)
      text += std::to_string(value) + ",";
    return text + "}";
  };
  // Braces come with the lists: formatv would take them for its own.
  return llvm::formatv(R"(
extern "C" void {0}(const signed char *, const signed char *, int *, int *);
alignas(64) static const signed char lhs_{0}[] = {1}, panel_{0}[] = {2};
static const int expected_{0}[] = {3};
alignas(64) static int waiting_{0}[{4}], sums_{0}[{5}];
static bool check_{0}() {{ return {0}(lhs_{0}, panel_{0}, waiting_{0}, sums_{0}), std::equal(sums_{0}, sums_{0} + {5}, expected_{0}); }
)",
                       name, list(lhs), list(panel), list(sums), (tile.rows + 1) * width, sums.size());
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
      ASSERT_TRUE(tileFits(*tile.machine, tile.rows, llvm::divideCeil(tile.columns, tile.machine->lanes)));
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
    llvm::sys::fs::remove_directories(folder);
#endif
  }

  MLIRContext context;
};

} // namespace

TEST_F(ByteRows, DotProducts) {
  const MachineRow row = dotProduct();
  compare({{&row, 8, 8, 16}, {&row, 4, 16, 5}, {&row, 1, 4, 1}, {&row, 3, 7, 9}, {&row, 5, 8, 40, true}});
}

TEST_F(ByteRows, MatrixProducts) {
  const MachineRow row = matrixProduct();
  compare({{&row, 4, 16, 16}, {&row, 2, 4, 1}, {&row, 3, 5, 7}, {&row, 1, 9, 3}, {&row, 5, 8, 21, true}});
}

/// Tables price them by what they multiply in a cycle.
TEST_F(ByteRows, AreChosenAndPriced) {
  const MachineRow rows[] = {dotProduct(), matrixProduct()};
  const uint64_t dot = rows[0].needs, all = dot | rows[1].needs;
  EXPECT_EQ(bestRow(rows, dot, rows[0].types), &rows[0]);
  EXPECT_EQ(bestRow(rows, all, rows[0].types), &rows[1]);
  EXPECT_EQ(rows[0].productsPerCycle(), 4 * kNeon.productsPerCycle());
  EXPECT_EQ(rows[1].productsPerCycle(), 8 * kNeon.productsPerCycle());
  EXPECT_EQ(rows[1].registerBytes(), 16);
  const ContractionShape shape = {1, 256, 256, 512, 512};
  EXPECT_LT(runCycles(rows[0], shape), runCycles(kNeon, shape) / 3);
  EXPECT_LT(runCycles(rows[1], shape), runCycles(rows[0], shape) / 1.5);
}
