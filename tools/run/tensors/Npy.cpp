// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compiler/import/npy/Npy.h reads files; this file converts element types to those of the runtime.

#include "tools/run/tensors/Npy.h"

#include "compiler/import/npy/Npy.h"
#include "dialects/OutputFile.h"

namespace nacre::run {

bool isNpy(std::string_view bytes) { return bytes.substr(0, npy::kMagic.size()) == npy::kMagic; }

static nacre_element_type typeOf(npy::Element element) {
  switch (element.kind) {
  case npy::Kind::Bool:
    return NACRE_BOOL;
  case npy::Kind::Bfloat:
    return NACRE_BF16;
  case npy::Kind::Float:
    return element.bytes == 2 ? NACRE_F16 : element.bytes == 4 ? NACRE_F32 : NACRE_F64;
  case npy::Kind::Signed:
    return element.bytes == 1 ? NACRE_I8 : element.bytes == 2 ? NACRE_I16 : element.bytes == 4 ? NACRE_I32 : NACRE_I64;
  case npy::Kind::Unsigned:
    return element.bytes == 1 ? NACRE_U8 : element.bytes == 2 ? NACRE_U16 : element.bytes == 4 ? NACRE_U32 : NACRE_U64;
  }
  return NACRE_F32;
}

std::string parseNpy(std::string_view bytes, TensorView &tensor) {
  npy::Array array;
  std::string problem = npy::parse(bytes, array);
  if (problem.empty())
    tensor = {typeOf(array.element), std::move(array.dims), array.data, array.count};
  return problem;
}

Outcome writeNpy(const std::string &path, const TensorView &tensor) {
  const ElementType &type = *findElementType(tensor.type);
  std::string header =
      std::string("{'descr': '") + (type.bits <= 8 ? "|" : "<") + type.npy + "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : type.isPacked() ? Dims{static_cast<int64_t>(tensor.bytes())} : tensor.dims)
    header += std::to_string(dim) + ",";
  header += "), }";
  const size_t prefix = npy::kMagic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' '); // the elements begin at a multiple of 64 bytes
  header += '\n';
  const uint16_t length = static_cast<uint16_t>(header.size());

  std::string head(npy::kMagic);
  head.append("\x01\x00", 2).append(reinterpret_cast<const char *>(&length), sizeof length).append(header);
  OutputFile file;
  std::string problem = file.open(path);
  for (std::string_view part : {std::string_view(head), {static_cast<const char *>(tensor.data), tensor.bytes()}})
    problem = problem.empty() ? file.write(part) : problem;
  problem = problem.empty() ? file.keep() : problem;
  return problem.empty() ? std::nullopt : Outcome(usageFailure("cannot write '" + path + "': " + problem));
}

} // namespace nacre::run
