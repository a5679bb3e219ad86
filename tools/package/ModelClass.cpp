// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/package/ModelClass.h"
#include "tools/package/ClassFile.h"
#include "tools/package/ModelMembers.h"

using namespace llvm;

namespace nacre::tools {
namespace {

constexpr StringLiteral kSuper = "dev/nacre/CompiledModel";
constexpr StringLiteral kNonNull = "androidx/annotation/NonNull";

/// Instructions of the Java virtual machine.
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

class Writer {
public:
  Writer(StringRef className, StringRef library, const ModelFile &model, const EntryOfFile &entry)
      : file(className, kSuper), library(library), model(model), entry(entry) {}

  std::string write() {
    addConstructors();
    for (const Member &member : membersOf(entry)) {
      if (!member.constant.empty())
        file.addTextConstant(member.constant, member.tensor->name);
      addTensor(member);
    }
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

  void addTensor(const Member &member) {
    const StringRef buffer = member.buffer;
    const std::string type = ("Ljava/nio/" + Twine(buffer) + "Buffer;").str();
    BigEndianBytes code;
    code.u1(Aload0).u1(Invokevirtual).u2(file.methodIndex(kSuper, "session", "()Ldev/nacre/Session;"));
    code.u1(Sipush).u2(member.index);
    code.u1(Invokevirtual).u2(file.methodIndex("dev/nacre/Session", member.what, "(I)Ljava/nio/ByteBuffer;"));
    if (buffer != "Byte")
      code.u1(Invokevirtual)
          .u2(file.methodIndex("java/nio/ByteBuffer", ("as" + Twine(buffer) + "Buffer").str(), "()" + type));
    file.addMethod(member.method, "()" + type, code.u1(Areturn), 2, 1, {kNonNull});
  }

  ClassFile file;
  StringRef library;
  const ModelFile &model;
  const EntryOfFile &entry;
};

} // namespace

std::string writeModelClass(StringRef className, StringRef library, const ModelFile &model, const EntryOfFile &entry) {
  return Writer(className, library, model, entry).write();
}

} // namespace nacre::tools
