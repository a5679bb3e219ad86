// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  models cut off at every 97th byte, and with every 31st byte inverted: each is imported, or refused with an
//        error.
// Why:   downloads break off and storage decays; the reader of no format may crash, hang, or take memory that the file
//        does not justify.
// How:   each argument is a model: a file, with the weights next to it if it is a network of Caffe or CNNdroid, or a
//        folder; its files are damaged one after the other. The damaged model lies in a folder of its own under the
//        working directory, and is imported from there as a user's would be. The kernel says how much was resident at
//        most since it was last asked.

#include "test/fuzz/Watch.h"

#include "compiler/import/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

constexpr size_t cutStep = 97, flipStep = 31;
constexpr time_t secondsEach = 20;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool countsMemory = false; // the sanitizer's own is far more
#elif defined(__has_feature)
constexpr bool countsMemory = !__has_feature(address_sanitizer);
#else
constexpr bool countsMemory = true;
#endif

/// A line of the kernel's file about this process, in KiB.
size_t readStatus(const std::string &field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, field.size(), field) == 0)
      return std::strtoull(line.c_str() + field.size(), nullptr, 10);
  return 0;
}

/// Returns the resident size now, from which the peak counts again.
size_t resetPeak() {
  std::ofstream("/proc/self/clear_refs") << "5";
  return readStatus("VmHWM:");
}

struct Damage {
  std::string model; ///< Path of the imported model
  std::string bytes; ///< Content of the undamaged file
  std::string name;  ///< Path of the file in its true place, for messages
  size_t modelKiB;   ///< Size of all files of the model
  size_t count = 0, refused = 0, failures = 0;

  void fail(const char *why) {
    std::fprintf(stderr, "%s: %s\n", why, currentInput);
    ++failures;
  }

  /// Imports the model with `content` instead of the file at `path`.
  void import(const std::string &path, const std::string &content, const char *what, size_t at) {
    std::snprintf(currentInput, sizeof currentInput, "%s, %s %zu of %zu", name.c_str(), what, at, bytes.size());
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(content.data(), std::streamsize(content.size()));
    const size_t before = resetPeak();
    {
      WithTimeLimit limit(secondsEach);
      mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
      bool reported = false;
      mlir::ScopedDiagnosticHandler note(&context, [&](mlir::Diagnostic &diagnostic) {
        reported |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
      });
      nacre::importer::ImportOptions options;
      if (fs::path(model).extension() == ".txt") // a network of CNNdroid, whose input is as large as the app says
        options.shapes["data"] = {1, 3, 6, 6};
      auto module = nacre::importer::importModel(model, options, &context);
      if (module ? failed(mlir::verify(*module)) : !reported)
        fail(module ? "makes IR that does not verify" : "is refused without an error");
      refused += !module;
      if (!module && at == 0 && content == bytes)
        fail("is refused as it is");
    }
    ++count;
    const size_t peak = readStatus("VmHWM:"), allowed = 4 * modelKiB + (64 << 10);
    if (countsMemory && peak > before && peak - before > allowed) {
      std::fprintf(stderr, "%zu KiB, where %zu are allowed: ", peak - before, allowed);
      fail("takes too much memory");
    }
  }

  void run(const std::string &path) {
    import(path, bytes, "undamaged, from byte", 0);
    for (size_t end = 0; end < bytes.size(); end += cutStep)
      import(path, bytes.substr(0, end), "cut at byte", end);
    std::string flipped = bytes;
    for (size_t at = 0; at < bytes.size(); at += flipStep) {
      flipped[at] = static_cast<char>(~flipped[at]);
      import(path, flipped, "inverted byte", at);
      flipped[at] = bytes[at];
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), std::streamsize(bytes.size()));
  }
};

std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Damages each file of the model; returns the number of failures.
size_t damageModel(const fs::path &model, const fs::path &scratch) {
  fs::remove_all(scratch);
  fs::create_directories(scratch);
  const fs::path copy = scratch / model.filename();
  fs::copy(model, copy, fs::copy_options::recursive);
  std::vector<fs::path> files;
  if (fs::is_directory(copy)) {
    for (const auto &entry : fs::recursive_directory_iterator(copy))
      if (entry.is_regular_file())
        files.push_back(entry.path());
  } else {
    files.push_back(copy);
    const fs::path weights = fs::path(model).replace_extension(".caffemodel");
    if (model.extension() == ".prototxt" && fs::exists(weights)) {
      files.push_back(scratch / weights.filename());
      fs::copy(weights, files.back());
    }
    for (const auto &entry : fs::directory_iterator(model.parent_path()))
      if (model.extension() == ".txt" && entry.path().extension() == ".msg") {
        files.push_back(scratch / entry.path().filename());
        fs::copy(entry.path(), files.back());
      }
  }
  std::sort(files.begin(), files.end());
  size_t bytes = 0, failures = 0;
  for (const fs::path &file : files) {
    fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
    bytes += fs::file_size(file);
  }
  for (const fs::path &file : files) {
    Damage damage{copy.string(), readFile(file), (model.parent_path() / fs::relative(file, scratch)).string(),
                  bytes >> 10};
    damage.run(file.string());
    std::printf("%s: damaged %zu times, refused %zu times\n", damage.name.c_str(), damage.count, damage.refused);
    failures += damage.failures;
  }
  fs::remove_all(scratch);
  return failures;
}

} // namespace

int main(int argc, char **argv) {
  watchSignals();
  size_t models = 0, failures = 0;
  for (int index = 1; index < argc; ++index) {
    if (!fs::exists(argv[index])) {
      std::printf("skipped: there is no %s\n", argv[index]);
      continue;
    }
    ++models;
    failures += damageModel(fs::canonical(argv[index]), fs::absolute("damaged"));
  }
  return failures ? 1 : models ? 0 : 77;
}
