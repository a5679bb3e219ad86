// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrainedFile.h. The code reads initializers and nodes of the file, finds the ones that the state replaces, and
// writes the file again, in pieces.

#include "compiler/import/onnx/TrainedFile.h"

#include "compiler/import/files/MappedPaths.h"
#include "compiler/import/onnx/WeightNames.h"
#include "compiler/import/protobuf/WireFields.h"
#include "compiler/import/protobuf/WireScan.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

// Field numbers in onnx.proto, by message.
namespace model {
constexpr uint32_t graph = 7, training = 20;
} // namespace model
namespace training {
constexpr uint32_t algorithm = 2;
} // namespace training
namespace graph {
constexpr uint32_t node = 1, initializer = 5;
} // namespace graph
namespace tensor {
constexpr uint32_t dims = 1, dataType = 2, floats = 4, ints = 5, strings = 6, longs = 7, name = 8, raw = 9,
                   doubles = 10, unsignedLongs = 11, external = 13, location = 14;
} // namespace tensor

//===----------------------------------------------------------------------===//
// 1. Parts of the file
//===----------------------------------------------------------------------===//

struct Initializer {
  StringRef name;
  uint64_t type = 0;
  SmallVector<int64_t> shape;
  StringRef location; ///< file with the elements; empty if they are in this file
};

/// Returns the value of an entry of external data if its key is "location".
StringRef locationIn(StringRef entry) {
  constexpr uint32_t key = 1, value = 2;
  StringRef name, text;
  forEachField(entry, [&](const WireFieldBytes &field) {
    if (field.number == key)
      name = field.body;
    if (field.number == value)
      text = field.body;
    return true;
  });
  return name == "location" ? text : "";
}

bool read(StringRef message, Initializer &initializer) {
  return forEachField(message, [&](const WireFieldBytes &field) {
    if (field.number == tensor::name)
      initializer.name = field.body;
    if (field.number == tensor::dataType)
      initializer.type = field.value;
    if (field.number == tensor::external)
      if (StringRef location = locationIn(field.body); !location.empty())
        initializer.location = location;
    if (field.number != tensor::dims)
      return true;
    if (field.body.empty()) // sizes are stored as separate fields
      initializer.shape.push_back(static_cast<int64_t>(field.value));
    for (StringRef rest = field.body; !rest.empty();) {
      uint64_t size = 0;
      if (!takeVarint(rest, size))
        return false;
      initializer.shape.push_back(static_cast<int64_t>(size));
    }
    return true;
  });
}

/// Returns the name in a state of the element type for ONNX's enumerator `type`.
StringRef nameOfType(uint64_t type) {
  constexpr StringLiteral names[] = {"",     "F32", "U8",  "I8",  "U16", "I16", "I32", "I64", "",
                                     "BOOL", "F16", "F64", "U32", "U64", "",    "",    "BF16"};
  return type < std::size(names) ? StringRef(names[type]) : "";
}

//===----------------------------------------------------------------------===//
// 2. and 3. Writing the file again
//===----------------------------------------------------------------------===//

class Replacement {
public:
  Replacement(StringRef folder, const StateFile &state, Location loc)
      : folder(folder), state(state), loc(loc), saver(allocator) {}

  LogicalResult run(StringRef file, raw_ostream &to) {
    WirePieces pieces(saver);
    if (!collect(file) || !rewrite(file, pieces))
      return hasFailed ? failure() : LogicalResult(emitError(loc) << "the file is damaged");
    if (failed(checkAllReplaced()))
      return failure();
    for (StringRef piece : pieces.get())
      to << piece;
    return success();
  }

private:
  bool has(StringRef name) const { return state.tensors.find(std::string_view(name)) != state.tensors.end(); }

  /// Visits the graphs whose initializers may be variables.
  bool forEachGraph(StringRef file, llvm::function_ref<bool(StringRef)> visit) {
    return forEachField(file, [&](const WireFieldBytes &field) {
      if (field.number == model::graph)
        return visit(field.body);
      return field.number != model::training || forEachField(field.body, [&](const WireFieldBytes &inside) {
               return inside.number != training::algorithm || visit(inside.body);
             });
    });
  }

  bool collect(StringRef file) {
    return forEachGraph(file, [&](StringRef message) {
      return forEachField(message, [&](const WireFieldBytes &field) {
        Initializer found;
        if (field.number == graph::node)
          return collectNames(field.body);
        if (field.number != graph::initializer)
          return true;
        if (!read(field.body, found))
          return false;
        if (!found.location.empty())
          MappedPaths::add((folder + "/" + found.location).str());
        initializers[found.name] = field.body;
        return true;
      });
    });
  }

  /// Collects the names in the state of the initializers that a node reads.
  bool collectNames(StringRef message) {
    onnx::NodeProto node;
    if (!node.ParsePartialFromArray(message.data(), static_cast<int>(message.size())))
      return false;
    for (int index = 0; index < node.input_size() && node.op_type() != "Identity"; ++index)
      if (std::string name = nameWeight(node, index); has(name))
        names[node.input(index)] = name;
    return true;
  }

  bool rewrite(StringRef file, WirePieces &pieces) {
    return forEachField(file, [&](const WireFieldBytes &field) {
      const bool isTraining = field.number == model::training;
      if (field.number != model::graph && !isTraining)
        return pieces.add(field.whole), true;
      WirePieces inside(saver);
      if (isTraining ? !rewriteTraining(field.body, inside) : !rewriteGraph(field.body, inside))
        return false;
      return pieces.add(field.number, inside), true;
    });
  }

  bool rewriteTraining(StringRef message, WirePieces &pieces) {
    return forEachField(message, [&](const WireFieldBytes &field) {
      if (field.number != training::algorithm)
        return pieces.add(field.whole), true;
      WirePieces inside(saver);
      return rewriteGraph(field.body, inside) && (pieces.add(field.number, inside), true);
    });
  }

  bool rewriteGraph(StringRef message, WirePieces &pieces) {
    return forEachField(message, [&](const WireFieldBytes &field) {
      onnx::NodeProto node;
      if (field.number == graph::node &&
          node.ParsePartialFromArray(field.body.data(), static_cast<int>(field.body.size())) &&
          node.op_type() == "Identity" && node.input_size() == 1)
        if (auto known = initializers.find(node.input(0)); known != initializers.end())
          if (std::string name = nameWeight(node, 0); has(name))
            return replace(known->second, name, name, pieces);
      Initializer found;
      if (field.number != graph::initializer || !read(field.body, found))
        return pieces.add(field.whole), true;
      auto renamed = names.find(found.name);
      StringRef inState = renamed == names.end() ? found.name : StringRef(renamed->second);
      if (!has(inState))
        return pieces.add(field.whole), true;
      return replace(field.body, found.name, inState, pieces);
    });
  }

  /// Writes the initializer with the name `name` and the elements of the tensor `inState` of the state.
  bool replace(StringRef initializer, StringRef name, StringRef inState, WirePieces &pieces) {
    const StateTensor &trained = state.tensors.find(std::string_view(inState))->second;
    Initializer found;
    if (!read(initializer, found))
      return false;
    if (nameOfType(found.type) != trained.type || found.shape != trained.shape) {
      emitError(loc) << "the state must have '" << inState << "' like the model, with type " << nameOfType(found.type)
                     << " and shape [" << ArrayRef(found.shape) << "], but has type " << trained.type << " and shape ["
                     << ArrayRef(trained.shape) << "]";
      hasFailed = true;
      return false;
    }
    WirePieces message(saver);
    forEachField(initializer, [&](const WireFieldBytes &field) {
      switch (field.number) {
      case tensor::name:
        message.add(field.number, saver.save(name));
        break;
      case tensor::floats:
      case tensor::ints:
      case tensor::strings:
      case tensor::longs:
      case tensor::raw:
      case tensor::doubles:
      case tensor::unsignedLongs:
      case tensor::external:
      case tensor::location:
        break;
      default:
        message.add(field.whole);
      }
      return true;
    });
    message.add(tensor::raw, trained.bytes);
    pieces.add(graph::initializer, message);
    replaced.insert(inState);
    return true;
  }

  /// Reports an error for tensors of the state that the model does not have, because they would be lost.
  LogicalResult checkAllReplaced() {
    if (replaced.empty())
      return emitError(loc) << "the state has no weight of this model; pass the model that was trained";
    for (const auto &[name, kept] : state.tensors) {
      if (replaced.contains(name))
        continue;
      std::optional<StringRef> owner = ownerOf(name);
      if (!owner)
        return emitError(loc) << "the state belongs to a different model: it has '" << name
                              << "', which this model does not have";
      if (!owner->empty() && !replaced.contains(*owner))
        return emitError(loc) << "the state must have '" << *owner << "' because it has '" << name << "', but does not";
    }
    return success();
  }

  const StringRef folder;
  const StateFile &state;
  Location loc;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver;
  llvm::StringMap<StringRef> initializers;
  llvm::StringMap<std::string> names; ///< names of initializers in the state, if they differ
  llvm::StringSet<> replaced;
  bool hasFailed = false;
};

} // namespace

LogicalResult replaceWeights(const ModelFile &file, const StateFile &state, raw_ostream &to, Location loc) {
  return Replacement(file.folder, state, loc).run(file.getBuffer(), to);
}

} // namespace nacre::importer::onnx_format
