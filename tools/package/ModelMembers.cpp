// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/package/ModelMembers.h"

#include "runtime/include/nacre/info.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nacre::tools {
namespace {

/// Returns the prefix of Java's buffer class for an element type, which is also in the name of ByteBuffer's method.
StringRef bufferOf(uint32_t type) {
  switch (type) {
  case NACRE_F32:
    return "Float";
  case NACRE_F64:
    return "Double";
  case NACRE_I64:
  case NACRE_U64:
    return "Long";
  case NACRE_I32:
  case NACRE_U32:
    return "Int";
  case NACRE_I16:
  case NACRE_U16:
  case NACRE_F16:
  case NACRE_BF16:
    return "Short";
  default:
    return "Byte";
  }
}

/// True if a name can be a Java text. A tensor with another name has no constant, and can only be used by its index.
bool isText(StringRef name) {
  return all_of(name, [](char c) { return isPrint(c); }) && name.size() < 65536;
}

/// Converts the name of a method to the name of its constant: inputImageData becomes INPUT_IMAGE_DATA.
std::string constantOf(StringRef what, StringRef method) {
  std::string name = what.upper();
  for (char c : method.drop_front(what.size())) {
    if (isUpper(c) || (isDigit(c) && !isDigit(name.back())))
      name += '_';
    name += toUpper(c);
  }
  std::string once;
  for (char c : name)
    if (c != '_' || once.back() != '_')
      once += c;
  return once;
}

void addMembers(const std::string &what, ArrayRef<TensorOfFile> tensors, std::vector<Member> &members) {
  StringSet<> taken;
  for (const auto &[index, tensor] : enumerate(tensors)) {
    std::string name = what + camelCase(tensor.name);
    if (!taken.insert(name).second)
      taken.insert(name += "_" + std::to_string(index));
    std::string constant = isText(tensor.name) ? constantOf(what, name) : "";
    members.push_back({&tensor, unsigned(index), what, std::move(name), std::move(constant), bufferOf(tensor.type)});
  }
}

} // namespace

std::string camelCase(StringRef name) {
  std::string result;
  bool begins = true;
  for (char c : name) {
    if (!isAlnum(c)) {
      begins = true;
      continue;
    }
    if (begins && isDigit(c) && !result.empty() && isDigit(result.back()))
      result += '_'; // 1_2 must not become 12
    result += begins ? toUpper(c) : c;
    begins = false;
  }
  return result;
}

std::vector<Member> membersOf(const EntryOfFile &entry) {
  std::vector<Member> members;
  addMembers("input", entry.inputs, members);
  addMembers("output", entry.outputs, members);
  return members;
}

} // namespace nacre::tools
