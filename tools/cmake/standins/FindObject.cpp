// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libgcc_eh.a of GCC 12 finds unwind tables through a function that glibc only has since 2.35. A program that links it
// statically would not start on older systems (RHEL 9 has glibc 2.34). This file defines the same function with
// dl_iterate_phdr, which every glibc has. A program that links libgcc_s does not call this function.

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

#ifdef DLFO_STRUCT_HAS_EH_DBASE // Defined if the system's libgcc knows the function.

namespace {

struct Search {
  uintptr_t address;
  dl_find_object *object;
};

/// Stores the object and returns 1, which ends the search, if the address is in one of the object's loaded segments.
int describeObject(dl_phdr_info *info, size_t, void *data) {
  const Search &search = *static_cast<Search *>(data);
  const ElfW(Phdr) *found = nullptr, *tables = nullptr;
  uintptr_t end = 0;
  for (const ElfW(Phdr) *header = info->dlpi_phdr, *last = header + info->dlpi_phnum; header != last; ++header) {
    const uintptr_t start = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME)
      tables = header;
    if (header->p_type != PT_LOAD)
      continue;
    end = start + header->p_memsz;
    if (search.address >= start && search.address < end)
      found = header;
  }
  if (!found || !tables)
    return 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the linker gives addresses as integers.
  const auto at = [&](uintptr_t offset) { return reinterpret_cast<void *>(info->dlpi_addr + offset); };
  *search.object = {};
  search.object->dlfo_map_start = at(0);
  search.object->dlfo_map_end = reinterpret_cast<void *>(end); // NOLINT(performance-no-int-to-ptr)
  search.object->dlfo_eh_frame = at(tables->p_vaddr);
  return 1;
}

} // namespace

/// This function is hidden, so libraries that the program loads, such as drivers, call the function of the C library.
extern "C" __attribute__((visibility("hidden"))) int _dl_find_object(void *address, dl_find_object *object) noexcept {
  Search search{reinterpret_cast<uintptr_t>(address), object};
  return dl_iterate_phdr(describeObject, &search) == 1 ? 0 : -1;
}

#endif
