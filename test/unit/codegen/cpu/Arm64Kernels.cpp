// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/codegen/cpu/Arm64Kernels.h"

#include "test/unit/codegen/Packed.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "gtest/gtest.h"

namespace nacre::codegen::test {

bool runsArm64() {
#ifdef NACRE_QEMU
  return true;
#else
  return false;
#endif
}

Arm64Kernels::Arm64Kernels(const std::string &cpu) : target(llvm::cantFail(parseTargets("linux-arm64", cpu)).front()) {}

void Arm64Kernels::add(plan::KernelOp kernel, std::vector<Storage> storages) {
  Kernel added;
  llvm::FailureOr<KernelCode> code =
      compileKernel(kernel, target, Emit::Object, "kernel" + std::to_string(kernels.size()));
  ASSERT_TRUE(succeeded(code));
  ASSERT_FALSE(code->fallback);
  added.code = std::move(*code);
  added.extent = kernel.getCutExtent();
  const int64_t grain = kernel.getGrain();
  added.middle = std::min(added.extent, (added.extent / 2 + grain - 1) / grain * grain);
  added.storages = std::move(storages);
  for (auto [number, storage] : llvm::enumerate(added.storages)) {
    auto type = llvm::cast<mlir::RankedTensorType>(kernel.getBody().getArgument(number).getType());
    if (plan::EncodingAttr encoding = kernel.getEncoding(number))
      added.packed.push_back(packed(storage, type, encoding));
    else
      added.packed.emplace_back(mlir::RankedTensorType::get({0}, type.getElementType()));
  }
  kernels.push_back(std::move(added));
}

std::vector<Storage *> Arm64Kernels::Kernel::buffers() {
  std::vector<Storage *> all;
  for (auto [storage, other] : llvm::zip_equal(storages, packed))
    all.push_back(other.bytes ? &other : &storage);
  return all;
}

/// The program: for each kernel, it reads the bytes of its storages with their guards, and writes them back.
std::string Arm64Kernels::program() const {
  std::string declared, rows;
  for (auto [number, kernel] : llvm::enumerate(kernels)) {
    declared += llvm::formatv("extern \"C\" void kernel{0}(const Arguments *, int64_t, int64_t);\n", number);
    rows +=
        llvm::formatv("  {{kernel{0}, {1}, {2}, {3}, {4}, {5}, {6}},\n", number, kernel.storages.size(), kernel.extent,
                      kernel.middle, kernel.code.unitExtent, kernel.code.unitsPerBlock, kernel.code.scratchBytes);
  }
  return R"(#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
struct Arguments { void *const *buffers; void *scratch; int64_t begin, end; const int64_t *sizes; };
)" + declared +
         R"(struct Row { void (*function)(const Arguments *, int64_t, int64_t); size_t storages; int64_t extent, middle, unit, units; size_t scratch; };
static const Row rows[] = {
)" + rows +
         R"(};
int main(int, char **argv) {
  FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
  __asm__ volatile("msr fpcr, %0" : : "r"(uint64_t(1) << 24)); // Subnormal f32 become zero, as in the runtime.
  for (const Row &row : rows) {
    std::vector<void *> all, buffers;
    std::vector<uint64_t> sizes(row.storages);
    for (uint64_t &size : sizes) {
      if (fread(&size, 8, 1, in) != 1) return 1;
      all.push_back(aligned_alloc(64, size / 64 * 64 + 64));
      if (fread(all.back(), 1, size, in) != size) return 2;
      buffers.push_back(static_cast<char *>(all.back()) + 128);
    }
    const size_t bytes = row.scratch / 64 * 64 + 64;
    void *scratch = aligned_alloc(64, bytes);
    memset(scratch, 0x7e, bytes); // As halves, NaN: nothing may depend on it.
    for (int share = 0; share < 2; ++share) {
      const int64_t begin = share ? row.middle : 0, end = share ? row.extent : row.middle;
      const Arguments arguments = {buffers.data(), scratch, begin, end, nullptr};
      const int64_t units = (end - begin + row.unit - 1) / row.unit * row.units;
      for (int64_t unit = units; unit-- > 0;) row.function(&arguments, unit, unit + 1);
    }
    for (size_t number = 0; number < row.storages; ++number)
      if (fwrite(all[number], 1, sizes[number], out) != sizes[number]) return 3;
  }
  return fclose(out);
}
)";
}

#ifdef NACRE_QEMU
static void write(const std::string &path, llvm::StringRef contents) {
  std::error_code failure;
  llvm::raw_fd_ostream(path, failure) << contents;
  ASSERT_FALSE(failure) << failure.message();
}

static void execute(llvm::ArrayRef<llvm::StringRef> command) {
  std::string error;
  ASSERT_EQ(llvm::sys::ExecuteAndWait(command.front(), command, std::nullopt, {}, 0, 0, &error), 0)
      << command.front().str() << error;
}

void Arm64Kernels::run() {
  static_assert(kGuard == 128, "the program knows it");
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("nacre-arm64-kernels", folder));
  auto at = [&](llvm::StringRef name) { return (folder + "/" + name).str(); };
  const std::string main = at("main.cpp"), program = at("program"), in = at("in"), out = at("out");
  write(main, this->program());
  std::vector<std::string> command = {NACRE_ARM64_CXX, "-O1", "-static", main, "-o", program};
  std::string bytes;
  for (auto [number, kernel] : llvm::enumerate(kernels)) {
    command.push_back(at("kernel" + std::to_string(number) + ".o"));
    write(command.back(), llvm::StringRef(kernel.code.object.data(), kernel.code.object.size()));
    for (Storage *storage : kernel.buffers()) {
      const uint64_t size = storage->memory.size();
      bytes.append(reinterpret_cast<const char *>(&size), sizeof(size));
      bytes.append(storage->memory.begin(), storage->memory.end());
    }
  }
  write(in, bytes);
  execute(std::vector<llvm::StringRef>(command.begin(), command.end()));
  execute({NACRE_QEMU, "-cpu", "max", program, in, out});
  auto results = llvm::MemoryBuffer::getFile(out);
  ASSERT_TRUE(bool(results));
  const char *next = (*results)->getBufferStart();
  for (Kernel &kernel : kernels)
    for (Storage *storage : kernel.buffers()) {
      const std::string guards = storage->guards();
      ASSERT_LE(next + storage->memory.size(), (*results)->getBufferEnd());
      std::copy_n(next, storage->memory.size(), storage->memory.begin());
      next += storage->memory.size();
      EXPECT_EQ(storage->guards(), guards) << "a kernel wrote around a storage";
    }
  EXPECT_FALSE(llvm::sys::fs::remove_directories(folder));
}
#else
void Arm64Kernels::run() {}
#endif

} // namespace nacre::codegen::test
