// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A 64-bit little-endian ELF file: its header, its segments, and reads by offset and by address.
// Why: the system's loader trusts everything in the file, so everything that it uses is checked here first.
// How: structures follow the System V ABI, "gABI" chapters 4 and 5.

#ifndef NACRE_RUNTIME_INSPECT_ELF_FILE_H
#define NACRE_RUNTIME_INSPECT_ELF_FILE_H

#include "runtime/inspect/library_check.h"
#include "runtime/src/text.h"

namespace nacre::inspect {

using runtime::Reason;

struct FileHeader {
  unsigned char identity[16]; // Magic number, class (64 bits), byte order (little endian), version.
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, segments, sections;
  uint32_t flags;
  uint16_t header_bytes, segment_bytes, segment_count, section_bytes, section_count, name_section;
};

struct Segment {
  enum Type : uint32_t {
    None = 0,
    Load = 1,
    Dynamic = 2,
    Note = 4,
    Headers = 6,
    ThreadLocal = 7,
    UnwindTable = 0x6474e550,
    ReadOnlyLater = 0x6474e552,
    Property = 0x6474e553
  };
  enum Flag : uint32_t { Executable = 1, Writable = 2, Readable = 4 };

  uint32_t type, flags;
  uint64_t offset, address, physical_address, file_bytes, memory_bytes, alignment;
};

constexpr uint32_t kMostSegments = 64;

/// True if `first` + `bytes` is at most `end`. The check cannot overflow.
inline bool fits(uint64_t first, uint64_t bytes, uint64_t end) { return first <= end && bytes <= end - first; }

class ElfFile {
public:
  ElfFile() = default;
  ElfFile(const ElfFile &) = delete;
  ElfFile &operator=(const ElfFile &) = delete;
  ~ElfFile();

  /// Opens the file and checks all headers. If `any_machine`, accepts code for any machine.
  nacre_library_verdict open(const char *path, bool any_machine, nacre_library_facts &facts, Reason &reason);

  /// Reads `bytes` bytes at an offset in the file. Returns false if they are outside of the file, or if the system
  /// cannot read them.
  bool read(uint64_t offset, void *to, uint64_t bytes) const;
  /// Like read(), but reads at an address of the loaded library.
  bool read_loaded(uint64_t address, void *to, uint64_t bytes) const;
  /// Returns the loaded segment that contains `bytes` bytes at `address`, or nullptr. If `from_file`, the file must
  /// also contain these bytes.
  const Segment *find_load(uint64_t address, uint64_t bytes, bool from_file) const;

  const FileHeader &get_header() const { return header; }
  const Segment *begin() const { return segments; }
  const Segment *end() const { return segments + count; }

private:
  bool check_tables(Reason &reason);
  bool check_load(const Segment &load, uint64_t &previous_end, Reason &reason) const;
  bool check_part(const Segment &part, Reason &reason) const;
  bool refuse_cut(uint64_t needed, Reason &reason) const;

  long file = -1;
  uint64_t bytes = 0;
  FileHeader header;
  Segment segments[kMostSegments];
  uint32_t count = 0;
};

/// Completes the reason for a damaged file with `what`. Returns false.
bool refuse(Reason &reason, const char *what);

} // namespace nacre::inspect

#endif // NACRE_RUNTIME_INSPECT_ELF_FILE_H
