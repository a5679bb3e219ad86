// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   Package.h describes the steps.

#include "codegen/package/Package.h"
#include "codegen/PackWeights.h"
#include "codegen/package/BuildId.h"
#include "codegen/package/CHeader.h"
#include "codegen/package/LibrarySum.h"
#include "codegen/package/Linker.h"
#include "codegen/package/WeightsFile.h"
#include "codegen/package/WeightsSection.h"
#include "dialects/OutputFile.h"
#include "dialects/RemoveOnSignal.h"
#include "dialects/nn/ConstantData.h"
#include "runtime/include/nacre/runtime.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <mutex>
#include <unistd.h>

using namespace llvm;

namespace nacre::package {
namespace {

//===----------------------------------------------------------------------===//
// 1. Weights
//===----------------------------------------------------------------------===//

codegen::PackedWeight packedWeight(plan::WeightOp weight) {
  return codegen::PackedWeight(cast<mlir::RankedTensorType>(weight.getValue().getType()), weight.getEncodingAttr());
}

/// True if the bytes of `weight` can be read at the position of `other`: both are equal, or both are plain and one
/// begins with the other, such as the positions of a shorter text. If `areApart`, both must belong to the same nodes.
/// Two weights that are equal by chance differ after the next training, but the layout must not change.
bool isStoredIn(plan::WeightOp other, plan::WeightOp weight, bool areApart) {
  if (areApart && other.getLoc() != weight.getLoc())
    return false;
  if (other.getEncodingAttr() != weight.getEncodingAttr())
    return false;
  return nn::haveSameData(other.getValue(), weight.getValue()) ||
         (!weight.getEncodingAttr() && nn::beginsWith(other.getValue(), weight.getValue()));
}

/// Returns the position of each weight. Entries are imported and folded separately, so weights that they share are
/// stored once.
SmallVector<PlacedWeight> placeWeights(mlir::ModuleOp module, bool areApart, uint64_t &totalBytes) {
  SmallVector<PlacedWeight> placed;
  DenseMap<uint64_t, SmallVector<size_t, 1>> alike; ///< Weights that are stored, by a hash of their beginning.
  for (auto weight : module.getOps<plan::WeightOp>())
    placed.push_back({weight, 0, uint64_t(packedWeight(weight).sizeInBytes())});
  // A weight is stored in an earlier one, or in a larger one.
  SmallVector<size_t> order = to_vector(seq(placed.size())), holders = order;
  stable_sort(order, [&](size_t a, size_t b) { return placed[a].bytes > placed[b].bytes; });
  for (size_t index : order) {
    SmallVector<size_t, 1> &known = alike[nn::hashBeginning(placed[index].weight.getValue())];
    const auto *holder =
        find_if(known, [&](size_t other) { return isStoredIn(placed[other].weight, placed[index].weight, areApart); });
    if (holder != known.end())
      holders[index] = *holder;
    else
      known.push_back(index);
  }
  totalBytes = 0;
  for (auto [index, holder] : enumerate(holders))
    if (holder == index) {
      placed[index].offset = totalBytes;
      totalBytes = alignTo(totalBytes + placed[index].bytes, codegen::kGpuBufferAlignment);
    }
  for (auto [index, holder] : enumerate(holders)) {
    placed[index].offset = placed[holder].offset;
    placed[index].repeats = holder != index;
  }
  return placed;
}

/// Packs every weight, and writes it to `file` at its position after byte `base`.
Error writeWeights(int file, uint64_t base, ArrayRef<PlacedWeight> weights, unsigned jobs) {
  struct Chunk {
    const PlacedWeight *placed;
    int64_t index;
  };
  SmallVector<Chunk> chunks;
  for (const PlacedWeight &placed : weights)
    for (int64_t index = 0, count = placed.repeats ? 0 : packedWeight(placed.weight).numChunks(); index < count;
         ++index)
      chunks.push_back({&placed, index});

  std::atomic<size_t> next{0};
  std::mutex failureMutex;
  std::string failure;
  auto fail = [&](const Twine &message) {
    std::lock_guard<std::mutex> lock(failureMutex);
    failure = message.str();
    next = chunks.size();
  };
  auto work = [&] {
    SmallVector<char, 0> bytes;
    for (size_t at; (at = next++) < chunks.size();) {
      plan::WeightOp weight = chunks[at].placed->weight;
      mlir::FailureOr<nn::ConstantView> source = nn::ConstantView::get(weight.getValue());
      if (failed(source))
        return fail("weight '" + weight.getSymName() + "' has no bytes");
      codegen::PackedWeight packed = packedWeight(weight);
      packed.packChunk(*source, chunks[at].index, bytes);
      uint64_t offset = base + chunks[at].placed->offset + packed.chunkOffset(chunks[at].index);
      for (StringRef rest(bytes.data(), bytes.size()); !rest.empty();) {
        ssize_t written = sys::RetryAfterSignal(-1, pwrite, file, rest.data(), rest.size(), off_t(offset));
        if (written <= 0)
          return fail(sys::StrError());
        rest = rest.drop_front(size_t(written));
        offset += size_t(written);
      }
    }
  };
  DefaultThreadPool pool(hardware_concurrency(jobs));
  for (unsigned job = 0; job < jobs; ++job)
    pool.async(work);
  pool.wait();
  return failure.empty() ? Error::success() : createStringError("cannot write the weights: " + failure);
}

//===----------------------------------------------------------------------===//
// 2. Files
//===----------------------------------------------------------------------===//

/// Sizes of an object's code sections and data sections in bytes.
struct ObjectBytes {
  uint64_t code = 0, data = 0;
};

ObjectBytes bytesOf(StringRef object) {
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(object, "object"));
  if (!file) {
    consumeError(file.takeError());
    return {};
  }
  ObjectBytes bytes;
  for (const object::SectionRef &section : (*file)->sections()) {
    if (section.isText())
      bytes.code += section.getSize();
    else if (section.isData())
      bytes.data += section.getSize();
  }
  return bytes;
}

/// Sets the sizes that are only known after the link.
Error measureFile(const std::string &path, PackageSizes &sizes) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError("cannot read '" + path + "': " + file.getError().message());
  const uint64_t code = bytesOf((*file)->getBuffer()).code;
  sizes.runtimeBytes = code - std::min(code, sizes.codeBytes);
  sizes.fileBytes = (*file)->getBufferSize();
  return Error::success();
}

/// Returns an error with the text `problem`; success if it is empty.
Error cannotWrite(const std::string &path, const std::string &problem) {
  return problem.empty() ? Error::success() : createStringError("cannot write '" + path + "': " + problem);
}

/// File next to the library that is incomplete. The destructor removes it unless it was renamed, and so does an
/// interrupt of the compiler.
class Partial {
public:
  /// Takes ownership of the file `path`. An empty path stands for no file.
  explicit Partial(std::string path) : path(std::move(path)) {
    if (!this->path.empty())
      removeOnSignal(this->path);
  }
  Partial(const Partial &) = delete;
  Partial &operator=(const Partial &) = delete;
  ~Partial() {
    if (path.empty())
      return;
    (void)sys::fs::remove(path); // An error here would not help the user.
    sys::DontRemoveFileOnSignal(path);
  }

  const std::string path;
};

} // namespace

std::string modelNameOf(StringRef outputPath) {
  StringRef stem = sys::path::stem(outputPath);
  stem.consume_front("lib");
  std::string name;
  for (char c : stem)
    name += isAlnum(c) ? c : '_';
  return name.empty() || isDigit(name[0]) ? "_" + name : name;
}

std::string headerPathOf(StringRef outputPath) {
  SmallString<128> path = sys::path::parent_path(outputPath);
  StringRef stem = sys::path::stem(outputPath);
  stem.consume_front("lib");
  sys::path::append(path, stem + ".h");
  return path.str().str();
}

uint64_t weightBytes(mlir::ModuleOp module, bool areApart) {
  uint64_t bytes = 0;
  placeWeights(module, areApart, bytes);
  return bytes;
}

/// Opens `path`, and writes all weights from byte `base` on.
static Error writeWeightsTo(const std::string &path, uint64_t base, ArrayRef<PlacedWeight> weights, unsigned jobs) {
  int file;
  if (std::error_code error = sys::fs::openFileForReadWrite(path, file, sys::fs::CD_OpenExisting, sys::fs::OF_None))
    return createStringError("cannot open '" + path + "': " + error.message());
  Error error = writeWeights(file, base, weights, jobs);
  if (close(file) && !error)
    return createStringError("cannot write '" + path + "': " + sys::StrError());
  return error;
}

/// Writes the header and the weights to `file`, which does not have its final name yet.
static Error writeWeightsFile(OutputFile &file, const TableObject &table, ArrayRef<PlacedWeight> weights,
                              uint64_t weightBytes, const PackageOptions &options) {
  const nacre_weights_header head = weightsHead(options.modelName, table.weightsLayout, weightBytes);
  const std::string &path = file.beside();
  if (Error error = cannotWrite(path, file.write(StringRef(reinterpret_cast<const char *>(&head), sizeof head))))
    return error;
  if (truncate(path.c_str(), off_t(head.bytes)))
    return cannotWrite(path, sys::StrError());
  if (Error error = writeWeightsTo(path, sizeof head, weights, options.jobs))
    return error;
  return sealWeightsFile(path);
}

Expected<PackageSizes> writePackage(mlir::ModuleOp module, ArrayRef<CompiledKernel> kernels,
                                    ArrayRef<codegen::Target> targets, const PackageOptions &options) {
  const codegen::Target &target = targets.back();
  PackageSizes sizes;
  SmallVector<PlacedWeight> weights = placeWeights(module, options.weightsApart, sizes.weightBytes);
  std::string symbol = "nacre_model_" + options.modelName;

  Expected<TableObject> table = buildTableObject({module, kernels, weights, sizes.weightBytes, options.modelName,
                                                  symbol, options.compiler, options.weightsApart,
                                                  /*isSummed=*/!options.relocatable},
                                                 target);
  if (!table)
    return table.takeError();
  SmallVector<StringRef> objects;
  for (const CompiledKernel &kernel : kernels)
    for (const codegen::KernelCode &code : kernel.variants) {
      objects.emplace_back(code.object.data(), code.object.size());
      sizes.codeBytes += bytesOf(objects.back()).code;
    }
  for (const CompiledKernel &kernel : kernels)
    for (const codegen::GpuKernelCode &code : kernel.gpu.variants)
      sizes.gpuCodeBytes += code.code.size() * sizeof(uint32_t);
  sizes.gpuPackedBytes = table->packedGpuBytes;
  objects.emplace_back(table->object.data(), table->object.size());
  sizes.tableBytes = bytesOf(objects.back()).data - sizes.gpuPackedBytes;

  OutputFile output, weightsOutput;
  if (options.weightsApart) {
    if (sizes.weightBytes == 0)
      return createStringError("the model has no weights, so there is no file to write; omit --weights-in=file");
    sizes.weightsPath = weightsPathOf(options.outputPath);
    if (std::string problem = findOutputProblem(sizes.weightsPath); !problem.empty())
      return cannotWrite(sizes.weightsPath, problem);
    if (Error error = cannotWrite(sizes.weightsPath, weightsOutput.open(sizes.weightsPath, removeOnSignal)))
      return error;
  }
  const Partial apart(weightsOutput.beside());
  const uint64_t bytesInside = options.weightsApart ? 0 : sizes.weightBytes;
  if (std::string problem = findOutputProblem(options.outputPath); !problem.empty())
    return cannotWrite(options.outputPath, problem);
  if (Error error = cannotWrite(options.outputPath, output.open(options.outputPath, removeOnSignal)))
    return error;
  const Partial library(output.beside()), weightsObject(output.beside() + ".weights");
  const std::string &partial = library.path, &weightsFile = weightsObject.path;
  if (options.relocatable) {
    if (bytesInside) {
      std::string head = weightsObjectHead(target.arm64, weightsSymbol(options.modelName), bytesInside);
      if (Error error = cannotWrite(weightsFile, writeFile(weightsFile, head, removeOnSignal)))
        return error;
      if (truncate(weightsFile.c_str(), off_t(head.size() + bytesInside)))
        return createStringError("cannot write '" + weightsFile + "': " + sys::StrError());
      if (Error error = writeWeightsTo(weightsFile, head.size(), weights, options.jobs))
        return error;
    }
    if (Error error = linkRelocatable(objects, bytesInside ? weightsFile : "", target, partial))
      return error;
  } else {
    std::string placeholder;
    if (bytesInside)
      placeholder = weightsPlaceholder(target.arm64, weightsSymbol(options.modelName), bytesInside);
    LinkInputs inputs{objects, placeholder, symbol, sys::path::filename(options.outputPath).str(), options.jobs};
    if (Error error = link(inputs, target, partial))
      return error;
    if (bytesInside) {
      Expected<uint64_t> base = attachWeights(partial);
      if (!base)
        return base.takeError();
      if (Error error = writeWeightsTo(partial, *base, weights, options.jobs))
        return error;
    }
    if (Error error = writeLibrarySum(partial))
      return error;
    Expected<std::string> id = writeBuildId(partial);
    if (!id)
      return id.takeError();
    sizes.buildId = *id;
  }

  if (options.weightsApart)
    if (Error error = writeWeightsFile(weightsOutput, *table, weights, sizes.weightBytes, options))
      return error;

  const std::string header = headerPathOf(options.outputPath);
  if (Error error =
          cannotWrite(header, writeFile(header, modelHeader(module, options.modelName, symbol), removeOnSignal)))
    return error;
  if (Error error = measureFile(partial, sizes))
    return error;
  if (options.weightsApart)
    if (Error error = cannotWrite(sizes.weightsPath, weightsOutput.keep()))
      return error;
  if (Error error = cannotWrite(options.outputPath, output.keep()))
    return error;
  return sizes;
}

} // namespace nacre::package
