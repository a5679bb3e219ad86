// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see ModelLibrary.h.
// Why:   see there.
// How:   every offset taken from the file is checked against its size; what lies outside reads as absent.

#include "tools/run/session/ModelLibrary.h"
#include "tools/run/tensors/MappedFile.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>

namespace nacre::run {
namespace {

constexpr std::string_view kPrefix = "nacre_model_";

#if defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
constexpr unsigned kMachine = EM_X86_64;
#endif

const char *machineName(unsigned machine) {
  return machine == EM_AARCH64 ? "arm64" : machine == EM_X86_64 ? "x86-64" : "another machine";
}

/// Row number `index` of a table in the file.
template <typename Row> std::optional<Row> rowAt(std::string_view file, uint64_t table, uint64_t index) {
  Row row;
  uint64_t offset = 0;
  if (__builtin_mul_overflow(index, sizeof(Row), &offset) || __builtin_add_overflow(offset, table, &offset) ||
      offset > file.size() || file.size() - offset < sizeof(Row))
    return std::nullopt;
  std::memcpy(&row, file.data() + offset, sizeof(Row));
  return row;
}

std::string_view textAt(std::string_view file, uint64_t offset) {
  if (offset >= file.size())
    return {};
  const std::string_view rest = file.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::string findSymbol(std::string_view file, const Elf64_Ehdr &header) {
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = rowAt<Elf64_Shdr>(file, header.e_shoff, i);
    if (!section || section->sh_type != SHT_DYNSYM)
      continue;
    const auto strings = rowAt<Elf64_Shdr>(file, header.e_shoff, section->sh_link);
    for (uint64_t s = 0; strings && s < section->sh_size / sizeof(Elf64_Sym); ++s) {
      const auto symbol = rowAt<Elf64_Sym>(file, section->sh_offset, s);
      if (!symbol) // the table is said to be longer than the file
        break;
      if (symbol->st_shndx == SHN_UNDEF || strings->sh_offset > file.size())
        continue;
      const std::string_view name = textAt(file.substr(strings->sh_offset), symbol->st_name);
      if (name.substr(0, kPrefix.size()) == kPrefix)
        return std::string(name);
    }
  }
  return "";
}

size_t countCodeBytes(std::string_view file, const Elf64_Ehdr &header) {
  size_t bytes = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = rowAt<Elf64_Phdr>(file, header.e_phoff, i);
    if (segment && segment->p_type == PT_LOAD && segment->p_flags & PF_X)
      bytes += segment->p_filesz;
  }
  return bytes;
}

/// What the loader says; of a library of Android it only says that of the C library, which has another name there.
std::string explain(std::string reason) {
  for (const char *name : {"libc.so:", "libm.so:", "libdl.so:"})
    if (reason.find(name) != std::string::npos)
      return reason + "; the model is for Android: run it there by nacre-try, or compile it with --target=linux-" +
             (kMachine == EM_AARCH64 ? "arm64" : "x86_64");
  return reason;
}

} // namespace

ModelLibrary::~ModelLibrary() {
  if (handle)
    dlclose(handle);
}

Outcome ModelLibrary::open(const std::string &path) {
  MappedFile mapped;
  if (Outcome failure = mapped.open(path))
    return failure;
  const std::string_view file = mapped.bytes();
  const auto header = rowAt<Elf64_Ehdr>(file, 0, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return usageFailure("'" + path + "' must be a .so made by nacre-compile, but is not a shared library");
  if (header->e_machine != kMachine)
    return usageFailure("'" + path + "' must be for " + machineName(kMachine) + ", but is for " +
                        machineName(header->e_machine) +
                        "; use the nacre-run of that machine, or qemu with nacre-run-arm64");
  symbol = findSymbol(file, *header);
  if (symbol.empty())
    return usageFailure("'" + path + "' must be a .so made by nacre-compile, but exports no " + std::string(kPrefix) +
                        "<name>");
  codeBytes = countCodeBytes(file, *header);

  // Without a slash dlopen would search the system's folders.
  handle = dlopen((path.find('/') == std::string::npos ? "./" + path : path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Failure{ExitCode::Refused, explain(dlerror())};
  model = static_cast<const nacre_model *>(dlsym(handle, symbol.c_str()));
  if (!model)
    return Failure{ExitCode::Refused, dlerror()};
  return std::nullopt;
}

} // namespace nacre::run
