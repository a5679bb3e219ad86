// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX, as one of the formats that models come in.
//
// How:  1. what a file of ONNX looks like,
//       2. the view of a checked model that the walk wants.

#include "compiler/import/onnx/Format.h"

#include "compiler/import/FileKind.h"
#include "compiler/import/onnx/Domains.h"
#include "compiler/import/onnx/Reader.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Files
//===----------------------------------------------------------------------===//

/// Whether the fields of a ModelProto lead to its graph, or to the end of a file that is cut off before: other files of
/// protobuf have no such fields, or others first.
bool claims(const ModelFile &file) {
  StringRef rest = file.getBuffer();
  if (isText(rest))
    return false;
  while (!rest.empty()) {
    uint64_t tag, value;
    if (!takeVarint(rest, tag))
      return false;
    uint64_t field = tag >> 3;
    if (field == 7)
      return (tag & 7) == 2;
    bool isNumber = field == 1 || field == 5;
    bool isKnown = field == 14 || field == 20 || field == 25 || (field >= 1 && field <= 8);
    if (!isKnown || (tag & 7) != (isNumber ? 0 : 2))
      return false;
    if (!takeVarint(rest, value))
      return true;
    if (!isNumber && value > rest.size())
      return true;
    rest = rest.drop_front(isNumber ? 0 : value);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// 2. The view
//===----------------------------------------------------------------------===//

/// What the attribute holds. Files older than the field `type` say it by what is there.
onnx::AttributeProto::AttributeType getKind(const onnx::AttributeProto &attribute) {
  using Proto = onnx::AttributeProto;
  if (attribute.has_type())
    return attribute.type();
  return attribute.has_f()          ? Proto::FLOAT
         : attribute.has_i()        ? Proto::INT
         : attribute.has_s()        ? Proto::STRING
         : attribute.has_t()        ? Proto::TENSOR
         : attribute.floats_size()  ? Proto::FLOATS
         : attribute.ints_size()    ? Proto::INTS
         : attribute.strings_size() ? Proto::STRINGS
                                    : Proto::UNDEFINED;
}

DeclaredType readType(const onnx::TypeProto &proto, MLIRContext *context) {
  DeclaredType type;
  if (!proto.has_tensor_type())
    return type;
  const onnx::TypeProto::Tensor &tensor = proto.tensor_type();
  type.elementType = fromDataType(tensor.elem_type(), context);
  if (!type.elementType && tensor.elem_type() != onnx::TensorProto::UNDEFINED)
    type.name = getElementTypeName(tensor.elem_type());
  if (!tensor.has_shape())
    return type;
  type.shape.emplace();
  for (const onnx::TensorShapeProto::Dimension &dim : tensor.shape().dim()) {
    bool isKnown = dim.has_dim_value() && dim.dim_value() >= 0;
    type.shape->push_back({isKnown ? dim.dim_value() : ShapedType::kDynamic, dim.dim_param()});
  }
  return type;
}

class OnnxGraph : public GraphView {
public:
  explicit OnnxGraph(OnnxModel &model) : GraphView(model.getLocation()), model(model) {
    for (const onnx::TensorProto &initializer : model.getGraph().initializer())
      initializers[initializer.name()] = &initializer;
  }

  SmallVector<GraphValue> getInputs() const override {
    SmallVector<GraphValue> inputs = read(model.getGraph().input());
    for (GraphValue &input : inputs)
      input.hasDefault = initializers.contains(input.name);
    return inputs;
  }
  SmallVector<GraphValue> getOutputs() const override { return read(model.getGraph().output()); }
  size_t getNumNodes() const override { return model.getNodes().size(); }
  GraphNode getNode(size_t index) const override;
  FailureOr<SmallVector<NamedAttribute>> readAttributes(size_t node) override;
  FailureOr<ElementsAttr> readConstant(StringRef name) override;

private:
  template <typename Protos> SmallVector<GraphValue> read(const Protos &protos) const {
    return llvm::map_to_vector(protos, [&](const onnx::ValueInfoProto &proto) {
      return GraphValue{proto.name(), readType(proto.type(), getLocation().getContext())};
    });
  }

  OnnxModel &model;
  llvm::StringMap<const onnx::TensorProto *> initializers;
};

GraphNode OnnxGraph::getNode(size_t index) const {
  const onnx::NodeProto &proto = *model.getNodes()[index];
  GraphNode node{proto.op_type(),
                 {},
                 &getOperators(proto.domain()),
                 model.getOpsetVersion(proto.domain()),
                 model.getLocation(proto),
                 llvm::to_vector_of<StringRef>(proto.input()),
                 llvm::to_vector_of<StringRef>(proto.output())};
  if (!isStandardDomain(proto.domain()))
    node.domain = proto.domain();
  return node;
}

FailureOr<ElementsAttr> OnnxGraph::readConstant(StringRef name) {
  const onnx::TensorProto *initializer = initializers.lookup(name);
  assert(initializer && "the reader has checked that every value is defined");
  FailureOr<StoredTensor> tensor = model.read(*initializer, getLocation(name));
  if (failed(tensor))
    return failure();
  return makeConstant(*tensor, name);
}

FailureOr<SmallVector<NamedAttribute>> OnnxGraph::readAttributes(size_t node) {
  const onnx::NodeProto &proto = *model.getNodes()[node];
  Location loc = model.getLocation(proto);
  Builder builder(loc.getContext());
  SmallVector<NamedAttribute> result;
  llvm::StringSet<> names;
  for (const onnx::AttributeProto &attribute : proto.attribute()) {
    if (!names.insert(attribute.name()).second || attribute.name().empty())
      return emitError(loc) << "attribute '" << attribute.name() << "' must be given once and have a name";
    Attribute value;
    switch (getKind(attribute)) {
    case onnx::AttributeProto::INT:
      value = builder.getI64IntegerAttr(attribute.i());
      break;
    case onnx::AttributeProto::FLOAT:
      value = builder.getF32FloatAttr(attribute.f());
      break;
    case onnx::AttributeProto::STRING:
      value = builder.getStringAttr(attribute.s());
      break;
    case onnx::AttributeProto::INTS:
      value = builder.getDenseI64ArrayAttr(ArrayRef(attribute.ints().data(), attribute.ints_size()));
      break;
    case onnx::AttributeProto::FLOATS:
      value = builder.getDenseF32ArrayAttr(ArrayRef(attribute.floats().data(), attribute.floats_size()));
      break;
    case onnx::AttributeProto::STRINGS:
      value = builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(attribute.strings()));
      break;
    case onnx::AttributeProto::TENSOR: {
      FailureOr<StoredTensor> tensor = model.read(attribute.t(), loc);
      if (failed(tensor))
        return failure();
      value = makeConstant(*tensor, attribute.t().name().empty() ? StringRef(attribute.name()) : attribute.t().name());
      break;
    }
    default:
      return emitError(loc) << "attribute '" << attribute.name()
                            << "' must be a number, a string, a tensor or a list of those";
    }
    result.push_back(builder.getNamedAttr(attribute.name(), value));
  }
  return result;
}

class OnnxView : public ModelView {
public:
  explicit OnnxView(std::unique_ptr<OnnxModel> model) : model(std::move(model)), graph(*this->model) {}

  GraphView &getGraph() override { return graph; }

  FailureOr<StoredTensor> readTensorFile(const FileBytes &bytes, Location loc) override {
    OnnxFile file(bytes, /*folder=*/"");
    onnx::TensorProto proto;
    if (failed(file.parseTensor(loc, proto)))
      return failure();
    return file.read(proto, loc);
  }

private:
  std::unique_ptr<OnnxModel> model;
  OnnxGraph graph;
};

FailureOr<std::unique_ptr<ModelView>> read(const ModelFile &file, MLIRContext *context) {
  FailureOr<std::unique_ptr<OnnxModel>> model = OnnxModel::read(file, context);
  if (failed(model))
    return failure();
  return std::unique_ptr<ModelView>(std::make_unique<OnnxView>(std::move(*model)));
}

} // namespace

const Format format = {"an ONNX model", claims, read};

} // namespace nacre::importer::onnx_format
