// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/try/Arrays.h"
#include "tools/measure/Libc.h"

namespace nacre::tries {
namespace {

struct Form {
  const char *npy; // type in .npy files, without the byte order; packed elements are bytes
  unsigned bits;
};

Form formOf(nacre_element_type type) {
  switch (type) {
  case NACRE_F32:
    return {"f4", 32};
  case NACRE_F64:
    return {"f8", 64};
  case NACRE_F16:
    return {"f2", 16};
  case NACRE_BF16:
    return {"V2", 16};
  case NACRE_I8:
    return {"i1", 8};
  case NACRE_U16:
    return {"u2", 16};
  case NACRE_I16:
    return {"i2", 16};
  case NACRE_U32:
    return {"u4", 32};
  case NACRE_I32:
    return {"i4", 32};
  case NACRE_U64:
    return {"u8", 64};
  case NACRE_I64:
    return {"i8", 64};
  case NACRE_BOOL:
    return {"b1", 8};
  case NACRE_U4:
  case NACRE_I4:
  case NACRE_F4E2M1:
    return {"u1", 4};
  case NACRE_U2:
  case NACRE_I2:
    return {"u1", 2};
  case NACRE_U8:
  case NACRE_F8E4M3FN:
  case NACRE_F8E4M3FNUZ:
  case NACRE_F8E5M2:
  case NACRE_F8E5M2FNUZ:
  case NACRE_F8E8M0:
    break;
  }
  return {"u1", 8};
}

constexpr unsigned kMostAxes = 64;

/// Writes elements one after another. Several elements can share a byte; the first is in the lowest bits.
class Elements {
public:
  Elements(FILE *file, unsigned bits, const void *data)
      : file(file), bits(bits), data(static_cast<const unsigned char *>(data)) {}

  void put(uint64_t index) {
    if (bits >= 8) {
      isWritten &= fwrite(data + index * (bits / 8), bits / 8, 1, file) == 1;
      return;
    }
    const unsigned perByte = 8 / bits;
    const unsigned code = data[index / perByte] >> index % perByte * bits & ((1U << bits) - 1);
    byte |= code << filled;
    filled += bits;
    if (filled == 8)
      putByte();
  }

  bool finish() {
    if (filled)
      putByte();
    return isWritten;
  }

private:
  void putByte() {
    const unsigned char whole = static_cast<unsigned char>(byte);
    isWritten &= fwrite(&whole, 1, 1, file) == 1;
    byte = filled = 0;
  }

  FILE *file;
  unsigned bits;
  const unsigned char *data;
  unsigned byte = 0, filled = 0;
  bool isWritten = true;
};

/// Writes the elements of an array of shape `dims` in row-major order. In memory, they lie in an array of shape
/// info.dims, whose axes may be longer. Returns false if a write fails.
bool putElements(Elements &elements, const nacre_tensor_info &info, const int64_t *dims) {
  int64_t at[kMostAxes] = {};
  for (uint32_t axis = 0; axis < info.rank; ++axis)
    if (dims[axis] == 0)
      return elements.finish();
  while (true) {
    uint64_t index = 0;
    for (uint32_t axis = 0; axis < info.rank; ++axis)
      index = index * uint64_t(info.dims[axis]) + uint64_t(at[axis]);
    elements.put(index);
    uint32_t axis = info.rank;
    while (axis > 0 && ++at[axis - 1] == dims[axis - 1])
      at[--axis] = 0;
    if (axis == 0)
      return elements.finish();
  }
}

bool writeHead(FILE *file, const Form &form, const nacre_tensor_info &info, const int64_t *dims) {
  constexpr int kPrefix = 10, kCapacity = 2048, kLineBytes = 64;
  char head[kCapacity];
  int length = snprintf(head, kCapacity, "{'descr': '%s%s', 'fortran_order': False, 'shape': (",
                        form.bits <= 8 ? "|" : "<", form.npy);
  uint64_t count = 1;
  for (uint32_t axis = 0; axis < info.rank; ++axis)
    count *= uint64_t(dims[axis]);
  if (form.bits < 8)
    length += snprintf(head + length, kCapacity - length, "%llu,",
                       static_cast<unsigned long long>((count * form.bits + 7) / 8));
  else
    for (uint32_t axis = 0; axis < info.rank; ++axis)
      length += snprintf(head + length, kCapacity - length, "%lld,", static_cast<long long>(dims[axis]));
  length += snprintf(head + length, kCapacity - length, "), }");
  while ((kPrefix + length + 1) % kLineBytes != 0) // the elements begin at a multiple of kLineBytes
    head[length++] = ' ';
  head[length++] = '\n';
  const char prefix[kPrefix] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, char(length & 255), char(length >> 8)};
  return fwrite(prefix, kPrefix, 1, file) == 1 && fwrite(head, length, 1, file) == 1;
}

} // namespace

bool readArray(const char *path, void *to, uint64_t bytes) {
  unsigned char head[10], rest;
  FILE *file = fopen(path, "rb");
  bool isRead = file && fread(head, 1, 10, file) == 10 && strncmp(reinterpret_cast<char *>(head) + 1, "NUMPY", 5) == 0;
  for (unsigned left = isRead ? head[8] + 256u * head[9] : 0; isRead && left > 0; --left)
    isRead = fread(&rest, 1, 1, file) == 1;
  isRead = isRead && fread(to, 1, bytes, file) == bytes && fread(&rest, 1, 1, file) == 0;
  if (file)
    fclose(file);
  return isRead;
}

bool writeArray(const char *path, const nacre_tensor_info &info, const int64_t *dims, const void *data) {
  if (info.rank > kMostAxes)
    return false;
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  const Form form = formOf(info.type);
  bool isWritten = writeHead(file, form, info, dims);
  if (info.open_axes == 0) {
    isWritten = isWritten && (info.bytes == 0 || fwrite(data, info.bytes, 1, file) == 1);
  } else {
    Elements elements(file, form.bits, data);
    isWritten = isWritten && putElements(elements, info, dims);
  }
  return fclose(file) == 0 && isWritten;
}

} // namespace nacre::tries
