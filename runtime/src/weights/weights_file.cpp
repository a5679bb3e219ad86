// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps and checks weights files.
// Why: an app may download a new file. A file that is truncated, damaged, or from another network must cause an error
//      with a reason, not wrong results.
// How: compares the header with the model's table, in an order in which the first error is the most helpful one. Then
//      it hashes the contents. Creating a session checks the header again, because an app may pass any pointer.

#include "runtime/include/nacre/weights_format.h"
#include "runtime/src/describe.h"
#include "runtime/src/platform.h"
#include "runtime/src/slot_functions.h"
#include "runtime/src/weights/content_hash.h"

namespace nacre::runtime {
namespace {

constexpr uint64_t kMagicBytes = sizeof NACRE_WEIGHTS_MAGIC - 1;
constexpr uint64_t kHashedFrom = offsetof(nacre_weights_header, layout);
static_assert(sizeof(nacre_weights_header) % 256 == 0 && kHashedFrom % ContentHash::kStripe == 0);

const nacre_model_table &table_of(const nacre_model *model) {
  return *reinterpret_cast<const nacre_model_table *>(model);
}

nacre_status refuse_size(uint64_t right, uint64_t bytes, Reason &reason) {
  reason << "the weights file must have " << right << " bytes, but has " << bytes
         << ": it is incomplete; copy or download it again";
  return NACRE_BAD_ARGUMENT;
}

nacre_status check_file(const nacre_model_table &model, const char *data, uint64_t bytes, bool reads_all,
                        Reason &reason) {
  const uint64_t right = sizeof(nacre_weights_header) + model.weights_bytes;
  if (reinterpret_cast<uintptr_t>(data) % NACRE_ALIGNMENT != 0) {
    reason << "the weights file must be in memory aligned to " << uint64_t(NACRE_ALIGNMENT)
           << " bytes, but is not; use nacre_weights_open, or copy it";
    return NACRE_BAD_ARGUMENT;
  }
  if (bytes >= kMagicBytes && !equal_bytes(data, NACRE_WEIGHTS_MAGIC, kMagicBytes)) {
    reason << "the weights file must be written by nacre-compile --weights-in=file, but is another kind of file";
    return NACRE_BAD_ARGUMENT;
  }
  if (bytes < sizeof(nacre_weights_header))
    return refuse_size(right, bytes, reason);
  const auto &header = *reinterpret_cast<const nacre_weights_header *>(data);
  if (header.version != NACRE_WEIGHTS_VERSION) {
    reason << "the weights file must have version " << uint64_t(NACRE_WEIGHTS_VERSION) << ", but has version "
           << uint64_t(header.version) << "; write it with the Nacre that compiled the library";
    return NACRE_BAD_ARGUMENT;
  }
  if (header.layout != model.weights_layout) {
    char name[sizeof header.model]; // The text in the file may lack its final 0.
    copy_text(name, sizeof name, header.model);
    reason << "the weights file, of '" << name << "', does not fit this library, of '" << model.strings + model.name
           << "': the network, an option or the version of Nacre differs; use it with the library compiled with it";
    return NACRE_BAD_ARGUMENT;
  }
  if (bytes != right || header.bytes != right)
    return refuse_size(right, bytes, reason);
  if (reads_all && ContentHash::of(data + kHashedFrom, bytes - kHashedFrom) != header.hash) {
    reason << "the weights file is damaged: its contents do not have the hash that it names; copy or download it again";
    return NACRE_BAD_ARGUMENT;
  }
  return NACRE_OK;
}

nacre_status answer(nacre_status status, const Reason &why, char *reason, size_t reason_capacity) {
  if (reason && status != NACRE_OK)
    copy_text(reason, reason_capacity, why.c_str());
  return status;
}

nacre_status check(const nacre_model *model, const void *data, size_t bytes, uint32_t reads_all, char *reason,
                   size_t reason_capacity) {
  const nacre_model_table &table = table_of(model);
  Reason why;
  nacre_status status = NACRE_BAD_ARGUMENT;
  if (data)
    status = check_file(table, static_cast<const char *>(data), bytes, reads_all != 0, why);
  else
    why << "the weights of '" << table.strings + table.name
        << "' are in a file that nacre-compile wrote with the library: open it, and pass it in the session's options";
  return answer(status, why, reason, reason_capacity);
}

void close(const void *data, size_t bytes) { unmap_file(data, bytes); }

nacre_status open(const nacre_model *model, const char *path, size_t weights_size, nacre_weights *out_weights,
                  char *reason, size_t reason_capacity) {
  Reason why;
  const long file = open_to_read(path);
  const int64_t bytes = file < 0 ? file : file_bytes(file);
  const long mapped = bytes > 0 ? map_file(file, uint64_t(bytes)) : long(bytes);
  if (file >= 0)
    close_file(file);
  if (mapped < 0) {
    why << "the weights file cannot be read: ";
    if (const char *text = file_error_text(mapped))
      why << text;
    else
      why << "system error " << uint64_t(-mapped);
    return answer(NACRE_FAILED, why, reason, reason_capacity);
  }
  // Address of the mapped file; null if the file is empty.
  const auto *data = reinterpret_cast<const char *>(mapped); // NOLINT(performance-no-int-to-ptr): the system's answer
  if (nacre_status status = check_file(table_of(model), data, uint64_t(bytes), true, why)) {
    if (data)
      close(data, size_t(bytes));
    return answer(status, why, reason, reason_capacity);
  }
  copy_out(out_weights, weights_size,
           nacre_weights{data, size_t(bytes), reinterpret_cast<const nacre_weights_header *>(data)->hash});
  return NACRE_OK;
}

} // namespace

constexpr nacre_weights_functions weights_files = {sizeof(nacre_weights_functions), open, check, close};

} // namespace nacre::runtime
