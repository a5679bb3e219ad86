// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The link line is explained argument by argument below; docs/phases/package.md has the layout of the result.

#include "codegen/package/Linker.h"
#include "codegen/package/BuildId.h"
#include "codegen/package/EmbeddedFiles.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace nacre::package {
namespace {

/// Bytes as a file that LLD can open, for as long as this lives.
class MemoryFile {
public:
  static Expected<MemoryFile> create(StringRef name, StringRef bytes) {
    MemoryFile file(memfd_create(name.str().c_str(), MFD_CLOEXEC));
    if (file.descriptor < 0)
      return createStringError("cannot make a file in memory: " + sys::StrError());
    while (!bytes.empty()) {
      ssize_t written = sys::RetryAfterSignal(-1, write, file.descriptor, bytes.data(), bytes.size());
      if (written <= 0)
        return createStringError("cannot write a file in memory: " + sys::StrError());
      bytes = bytes.drop_front(size_t(written));
    }
    return file;
  }

  MemoryFile(MemoryFile &&other) : descriptor(std::exchange(other.descriptor, -1)) {}
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

private:
  explicit MemoryFile(int descriptor) : descriptor(descriptor) {}
  int descriptor;
};

/// The files in memory of one link, and its command line.
class LinkLine {
public:
  explicit LinkLine(const codegen::Target &target)
      : arguments{"ld.lld", "-m", target.arm64 ? "aarch64linux" : "elf_x86_64"} {}

  void add(ArrayRef<std::string> more) { append_range(arguments, more); }

  Expected<std::string> makeFile(StringRef name, StringRef bytes) {
    Expected<MemoryFile> file = MemoryFile::create(name, bytes);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    return files.back().path();
  }

  Error addFile(StringRef name, StringRef bytes) {
    Expected<std::string> path = makeFile(name, bytes);
    if (!path)
      return path.takeError();
    arguments.push_back(*path);
    return Error::success();
  }

  Error run() {
    SmallVector<const char *> pointers;
    for (const std::string &argument : arguments)
      pointers.push_back(argument.c_str());
    static std::mutex oneAtATime;
    std::lock_guard<std::mutex> lock(oneAtATime);
    std::string messages;
    raw_string_ostream stream(messages);
    lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0 && StringRef(messages).contains(sys::StrError(ENOMEM)))
      report_bad_alloc_error("the linker ran out of memory");
    if (result.retCode != 0)
      return createStringError("the link failed, a defect of nacre-compile; please report it:\n" + messages);
    return Error::success();
  }

private:
  std::vector<MemoryFile> files;
  SmallVector<std::string> arguments;
};

} // namespace

Error link(const LinkInputs &inputs, const codegen::Target &target, const std::string &path) {
  LinkLine line(target);
  Expected<std::string> exports = line.makeFile("exports", "{ global: " + inputs.exportedSymbol + "; local: *; };");
  if (!exports)
    return exports.takeError();
  line.add({"-shared", "-o", path, "--soname=" + inputs.soname, "--version-script=" + *exports,
            // Both page sizes: else RELRO ends inside a 16 KiB page, and a kernel with such pages cannot protect it.
            "-z", "max-page-size=16384", "-z", "common-page-size=16384", "-z", "now", "-z", "relro", "-z",
            "noexecstack", "--hash-style=gnu",
            // Functions keep their names, for profilers; what only one object knows, tables and their parts, has none.
            "--discard-all",
            // Same input, same bytes; what nothing calls is left out; what the stubs do not name is not there on a
            // phone.
            reserveBuildId(), "--gc-sections", "--no-undefined", "--threads=" + std::to_string(inputs.threads)});
  for (auto [index, object] : enumerate(inputs.objects))
    if (Error error = line.addFile("object" + std::to_string(index), object))
      return error;
  bool found = false;
  for (const EmbeddedFile &embedded : embeddedFiles()) {
    if (embedded.target != target.name)
      continue;
    if (Error error = line.addFile(embedded.name, embedded.bytes))
      return error;
    found = true;
  }
  if (!found)
    return createStringError("this nacre-compile was built without a runtime for '" + target.name + "'");
  if (!inputs.lastObject.empty())
    if (Error error = line.addFile("last", inputs.lastObject))
      return error;
  return line.run();
}

Error linkRelocatable(ArrayRef<StringRef> objects, StringRef lastPath, const codegen::Target &target,
                      const std::string &path) {
  LinkLine line(target);
  line.add({"-r", "-o", path});
  for (auto [index, object] : enumerate(objects))
    if (Error error = line.addFile("object" + std::to_string(index), object))
      return error;
  if (!lastPath.empty())
    line.add({lastPath.str()});
  return line.run();
}

} // namespace nacre::package
