// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a training step over parts of a batch, one after another.
// Why: the values of layers that a step keeps grow with the batch, but gradients do not.
// How: 1. the function for one part becomes the body of a loop. Inputs with a batch are scanned, and outputs with a
//         batch are stacked;
//      2. gradients and the loss are carried. Their means over the parts equal their values for the whole batch.

#include "compiler/train/EntryFunction.h"
#include "compiler/train/Passes.h"
#include "compiler/train/rules/Writer.h"

namespace nacre::train {
#define GEN_PASS_DEF_SPLITBATCHPASS
#include "compiler/train/Passes.h.inc"
} // namespace nacre::train

using namespace mlir;

namespace nacre::train {

namespace {

/// Types of inputs or outputs, by name.
using Types = llvm::StringMap<RankedTensorType>;

/// Type of a tensor for the whole batch, and the axis along which it is larger than the tensor for a part.
struct Whole {
  RankedTensorType type;
  int64_t axis;
};

class BatchSplitter {
public:
  BatchSplitter(func::FuncOp function, const Types &inputs, const Types &outputs)
      : entry(function), builder(&entry.getBody(), entry.getBody().begin()), write(builder, function.getLoc()),
        inputs(inputs), outputs(outputs) {}

  LogicalResult run() {
    if (failed(findRows()))
      return failure();
    if (batched.empty())
      return success(); // The part is the whole batch.
    if (failed(findResults()))
      return failure();
    auto body = std::make_unique<Block>();
    body->addArgument(RankedTensorType::get({}, builder.getI64Type()), write.getLoc());
    for (Value value : initial)
      body->addArgument(value.getType(), write.getLoc());
    splitInputs(*body);
    auto loop = nn::ForOp::create(builder, write.getLoc(), types, parts, Value(), initial, rows, /*reverse=*/false);
    loop.getBody().push_back(body.release());
    fillBody(loop);
    builder.setInsertionPointAfter(loop);
    giveResults(loop);
    return success();
  }

private:
  InFlightDiagnostic error() { return emitError(entry.getFunction().getLoc()); }

  //===--------------------------------------------------------------------===//
  // 1. Inputs and outputs
  //===--------------------------------------------------------------------===//

  /// Returns the tensor's type for the whole batch, or `nullopt` if the type does not depend on the batch.
  FailureOr<std::optional<Whole>> findWhole(StringRef name, RankedTensorType part, const Types &known) {
    RankedTensorType whole = known.lookup(name);
    if (!whole || whole == part)
      return std::optional<Whole>();
    for (int64_t axis = 0; axis < part.getRank() && whole.getRank() == part.getRank(); ++axis) {
      const int64_t size = part.getDimSize(axis), all = whole.getDimSize(axis);
      if (size == all)
        continue;
      const bool isOnly = whole.getShape().drop_front(axis + 1) == part.getShape().drop_front(axis + 1);
      if (!isOnly || size == 0 || all % size != 0 || (parts && parts != all / size))
        break;
      parts = all / size;
      return std::optional<Whole>({whole, axis});
    }
    error() << "--micro-batch and --memory-cap must split the batch along one axis of '" << name << "', but it is "
            << part << " for a part and " << whole << " for the batch";
    return failure();
  }

  LogicalResult findRows() {
    func::FuncOp function = entry.getFunction();
    for (BlockArgument argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), nn::nameAttr);
      if (!name || function.getArgAttr(argument.getArgNumber(), nn::variableAttr))
        continue;
      FailureOr<std::optional<Whole>> whole = findWhole(name.getValue(), typeOf(argument), inputs);
      if (failed(whole))
        return failure();
      if (*whole)
        batched.push_back({argument, **whole});
    }
    return success();
  }

  LogicalResult findResults() {
    // Dropout selects elements by their positions, so it would drop the same elements of each part.
    if (llvm::any_of(entry.variables(nn::VariableRole::Counter),
                     [](const auto &variable) { return variable.first != nn::lossScaleName; }))
      return error() << "--micro-batch and --memory-cap cannot be combined with dropout, which would drop the same "
                        "elements of each part; remove it from the model, or omit --dropout";
    for (const EntryFunction::Result &result : entry.results) {
      auto name = result.notes.getAs<StringAttr>(nn::nameAttr);
      if (result.notes.contains(nn::variableAttr))
        return error() << "--micro-batch and --memory-cap cannot be combined with trained batch normalization, whose "
                          "statistics would cover only a part; use --batch-norm=frozen";
      FailureOr<std::optional<Whole>> whole = std::optional<Whole>();
      if (name)
        whole = findWhole(name.getValue(), typeOf(result.value), outputs);
      if (failed(whole))
        return failure();
      if (!*whole && !isFloat(result.value))
        return error() << "--micro-batch and --memory-cap require outputs that have a batch axis or are floats, but '"
                       << (name ? name.getValue() : StringRef()) << "' is " << result.value.getType();
      wholes.push_back(*whole);
    }
    // A loop's carried values come before its stacks.
    for (auto [result, whole] : llvm::zip_equal(entry.results, wholes))
      if (!whole) {
        types.push_back(result.value.getType());
        initial.push_back(write.zeros(typeOf(result.value)));
      }
    for (auto [result, whole] : llvm::zip_equal(entry.results, wholes))
      if (whole) {
        Ints shape(shapeOf(result.value));
        shape.insert(shape.begin(), parts);
        types.push_back(typeOf(result.value).clone(shape));
      }
    return success();
  }

  /// Replaces each batched argument by one row of its parts inside the loop's body.
  void splitInputs(Block &body) {
    for (auto &[argument, whole] : batched) {
      BlockArgument row = body.addArgument(argument.getType(), write.getLoc());
      argument.replaceAllUsesWith(row);
      for (EntryFunction::Result &result : entry.results)
        if (result.value == argument)
          result.value = row;
      argument.setType(whole.type);
      Ints shape(whole.type.getShape());
      shape[whole.axis] /= parts;
      shape.insert(shape.begin() + whole.axis, parts);
      rows.push_back(write.moveAxis(write.reshape(argument, shape), whole.axis, 0));
    }
    func::FuncOp function = entry.getFunction();
    function.setFunctionType(builder.getFunctionType(entry.getBody().getArgumentTypes(), function.getResultTypes()));
  }

  //===--------------------------------------------------------------------===//
  // 2. The loop
  //===--------------------------------------------------------------------===//

  void fillBody(nn::ForOp loop) {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = &loop.getBody().front();
    body->getOperations().splice(body->end(), entry.getBody().getOperations(), std::next(loop->getIterator()),
                                 entry.getEnd()->getIterator());
    builder.setInsertionPointToEnd(body);
    SmallVector<Value> carried, stacked;
    auto before = loop.getCarriedArguments();
    for (auto [result, whole] : llvm::zip_equal(entry.results, wholes))
      if (whole)
        stacked.push_back(result.value);
      else
        carried.push_back(write.add(before[carried.size()], result.value));
    nn::YieldOp::create(builder, loop.getLoc(), carried, stacked);
  }

  void giveResults(nn::ForOp loop) {
    auto finals = loop.getFinals().begin();
    auto stacks = loop.getStacks().begin();
    for (auto [result, whole] : llvm::zip_equal(entry.results, wholes))
      if (whole)
        result.value = write.reshape(write.moveAxis(*stacks++, 0, whole->axis), whole->type.getShape());
      else
        result.value = write.mul(*finals++, 1.0 / double(parts));
  }

  EntryFunction entry;
  OpBuilder builder;
  Writer write;
  const Types &inputs, &outputs;
  int64_t parts = 0;
  SmallVector<std::pair<BlockArgument, Whole>> batched;
  SmallVector<std::optional<Whole>> wholes; ///< Types of the results for the whole batch.
  SmallVector<Value> initial, rows;
  SmallVector<Type> types; ///< Types of the loop's results.
};

struct SplitBatch : impl::SplitBatchPassBase<SplitBatch> {
  using SplitBatchPassBase::SplitBatchPassBase;

  void runOnOperation() override {
    auto whole = getOperation().lookupSymbol<func::FuncOp>(wholeEntry);
    if (!whole)
      return;
    Types inputs, outputs;
    for (unsigned i = 0; i < whole.getNumArguments(); ++i)
      if (auto name = whole.getArgAttrOfType<StringAttr>(i, nn::nameAttr))
        inputs[name.getValue()] = cast<RankedTensorType>(whole.getArgument(i).getType());
    for (unsigned i = 0; i < whole.getNumResults(); ++i)
      if (auto name = whole.getResultAttrOfType<StringAttr>(i, nn::nameAttr))
        outputs[name.getValue()] = cast<RankedTensorType>(whole.getResultTypes()[i]);
    whole.erase();
    for (StringRef name : {trainEntry, evaluateEntry})
      if (auto function = getOperation().lookupSymbol<func::FuncOp>(name);
          function && failed(BatchSplitter(function, inputs, outputs).run()))
        return signalPassFailure();
  }
};

} // namespace

} // namespace nacre::train
