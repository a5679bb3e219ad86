// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements library_check.h.
// How: checks the checksum before the tables, because a wrong checksum proves that the file is damaged.

#include "runtime/inspect/content_sum.h"
#include "runtime/inspect/dynamic_section.h"

namespace nacre::inspect {
namespace {

bool check_sum(const ElfFile &file, Reason &reason) {
  const uint64_t place = find_sum(file);
  uint64_t expected = 0, sum = 0;
  // The checksum is 0 if a program other than nacre-compile linked the objects.
  if (place == 0 || !file.read(place, &expected, sizeof expected) || expected == 0)
    return true;
  if (!compute_sum(file, sum))
    return refuse(reason, "it cannot be read to its end");
  return sum == expected || refuse(reason, "its contents do not have the checksum that nacre-compile wrote");
}

nacre_library_verdict check(const char *path, nacre_library_facts &facts, Reason &reason) {
  ElfFile file;
  if (const nacre_library_verdict verdict = file.open(path, /*any_machine=*/false, facts, reason))
    return verdict;
  for (const Segment &segment : file)
    if (segment.type == Segment::Load && segment.flags & Segment::Executable)
      facts.code_bytes += segment.file_bytes;
  read_build_id(file, facts);
  const bool is_good =
      check_sum(file, reason) && check_dynamic_section(file, facts, reason) &&
      (facts.code_bytes != 0 || facts.symbol[0] == 0 || refuse(reason, "no segment of the model is executable"));
  return is_good ? NACRE_LIBRARY_GOOD : NACRE_LIBRARY_DAMAGED;
}

void clear(nacre_library_facts &facts) {
  facts.code_bytes = 0;
  facts.system_error = 0;
  facts.symbol[0] = facts.build_id[0] = facts.reason[0] = 0;
}

} // namespace

} // namespace nacre::inspect

int nacre_library_check(const char *path, nacre_library_facts *out_facts) {
  nacre::inspect::clear(*out_facts);
  nacre::inspect::Reason reason;
  const nacre_library_verdict verdict = nacre::inspect::check(path, *out_facts, reason);
  nacre::runtime::copy_text(out_facts->reason, sizeof out_facts->reason, reason.c_str());
  return verdict;
}

int nacre_library_sum(const char *path, uint64_t *out_sum, uint64_t *out_offset, nacre_library_facts *out_facts) {
  using namespace nacre::inspect;
  clear(*out_facts);
  Reason reason;
  ElfFile file;
  bool is_good = file.open(path, /*any_machine=*/true, *out_facts, reason) == NACRE_LIBRARY_GOOD;
  *out_offset = is_good ? find_sum(file) : 0;
  if (is_good && (*out_offset == 0 || !compute_sum(file, *out_sum)))
    is_good = refuse(reason, "it has no room for a checksum");
  nacre::runtime::copy_text(out_facts->reason, sizeof out_facts->reason, reason.c_str());
  return is_good;
}
