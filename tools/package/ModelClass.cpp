// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/package/ModelClass.h"
#include "tools/package/ClassFile.h"

#include "runtime/include/nacre/info.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nacre::tools {
namespace {

constexpr StringLiteral kSuper = "dev/nacre/CompiledModel";
constexpr StringLiteral kNonNull = "androidx/annotation/NonNull";

/// Instructions of the virtual machine.
enum Opcode : unsigned {
  Sipush = 0x11,
  LdcW = 0x13,
  Aload0 = 0x2a,
  Aload1 = 0x2b,
  Aload2 = 0x2c,
  Areturn = 0xb0,
  Return = 0xb1,
  Invokevirtual = 0xb6,
  Invokespecial = 0xb7,
  New = 0xbb,
  Dup = 0x59
};

/// The buffer that Java has for elements: the end of its name, and of ByteBuffer's method that views bytes as one.
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

/// A name that is no text of Java's can be used by its number alone: such a tensor has no constant.
bool isText(StringRef name) {
  return all_of(name, [](char c) { return isPrint(c); }) && name.size() < 65536;
}

class Writer {
public:
  Writer(StringRef className, StringRef library, const ModelFile &model, const EntryOfFile &entry)
      : file(className, kSuper), library(library), model(model), entry(entry) {}

  std::string write() {
    addConstructors();
    addTensors("input", entry.inputs);
    addTensors("output", entry.outputs);
    return file.bytes();
  }

private:
  BigEndianBytes &pushText(BigEndianBytes &code, StringRef text) { return code.u1(LdcW).u2(file.textIndex(text)); }

  void addConstructors() {
    constexpr StringLiteral kOptions = "dev/nacre/SessionOptions";
    constexpr StringLiteral kOpens =
        "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ldev/nacre/SessionOptions;)V";
    const unsigned opens = file.methodIndex(kSuper, "<init>", kOpens);

    BigEndianBytes plain;
    pushText(pushText(pushText(plain.u1(Aload0), library), model.name), entry.name);
    plain.u1(New).u2(file.classIndex(kOptions)).u1(Dup);
    plain.u1(Invokespecial).u2(file.methodIndex(kOptions, "<init>", "()V"));
    file.addMethod("<init>", "()V", plain.u1(Invokespecial).u2(opens).u1(Return), 6, 1);

    BigEndianBytes withOptions;
    pushText(pushText(pushText(withOptions.u1(Aload0), library), model.name), entry.name);
    file.addMethod("<init>", "(Ldev/nacre/SessionOptions;)V",
                   withOptions.u1(Aload1).u1(Invokespecial).u2(opens).u1(Return), 5, 2);

    BigEndianBytes ofModel;
    pushText(ofModel.u1(Aload0).u1(Aload1), entry.name).u1(Aload2).u1(Invokespecial);
    ofModel.u2(file.methodIndex(kSuper, "<init>", "(Ldev/nacre/Model;Ljava/lang/String;Ldev/nacre/SessionOptions;)V"));
    file.addMethod("<init>", "(Ldev/nacre/Model;Ldev/nacre/SessionOptions;)V", ofModel.u1(Return), 4, 3);
  }

  void addTensors(StringRef what, ArrayRef<TensorOfFile> tensors) {
    StringSet<> taken;
    for (const auto &[index, tensor] : enumerate(tensors)) {
      std::string name = (Twine(what) + camelCase(tensor.name)).str();
      if (!taken.insert(name).second)
        taken.insert(name += "_" + std::to_string(index));
      if (isText(tensor.name))
        file.addTextConstant(constantOf(what, name), tensor.name);
      addTensor(what, name, unsigned(index), bufferOf(tensor.type));
    }
  }

  /// inputImageData becomes INPUT_IMAGE_DATA.
  static std::string constantOf(StringRef what, StringRef method) {
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

  void addTensor(StringRef what, StringRef method, unsigned index, StringRef buffer) {
    const std::string type = ("Ljava/nio/" + Twine(buffer) + "Buffer;").str();
    BigEndianBytes code;
    code.u1(Aload0).u1(Invokevirtual).u2(file.methodIndex(kSuper, "session", "()Ldev/nacre/Session;"));
    code.u1(Sipush).u2(index);
    code.u1(Invokevirtual).u2(file.methodIndex("dev/nacre/Session", what, "(I)Ljava/nio/ByteBuffer;"));
    if (buffer != "Byte")
      code.u1(Invokevirtual)
          .u2(file.methodIndex("java/nio/ByteBuffer", ("as" + Twine(buffer) + "Buffer").str(), "()" + type));
    file.addMethod(method, "()" + type, code.u1(Areturn), 2, 1, {kNonNull});
  }

  ClassFile file;
  StringRef library;
  const ModelFile &model;
  const EntryOfFile &entry;
};

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
      result += '_'; // 1_2 is not 12
    result += begins ? toUpper(c) : c;
    begins = false;
  }
  return result;
}

std::string writeModelClass(StringRef className, StringRef library, const ModelFile &model, const EntryOfFile &entry) {
  return Writer(className, library, model, entry).write();
}

} // namespace nacre::tools
