// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes an output of a model in double precision, or the gradients of its sum by the rules of the train
//        phase.
// Why:   a graph may have gradient operators of its own. Tests compare them with those that Nacre derives from the
//        forward operators.
// How:   imports the model up to that output, appends the backward pass, and interprets it without compiling it. An
//        input `at_7` has its elements at position 7 of a file of float32; its gradient is written to the same
//        position. e2e-own-gradient <model> <output> value|gradients <file of float32> <file of float64 to write>

#include "compiler/evaluate/Interpreter.h"
#include "compiler/import/Import.h"
#include "compiler/train/Passes.h"
#include "compiler/train/rules/ReverseWalk.h"
#include "dialects/TensorTypes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace nacre;

/// Makes the function return the gradients of its arguments instead of the output.
static LogicalResult differentiate(func::FuncOp function) {
  Block &body = function.front();
  Operation *end = body.getTerminator();
  Value y = end->getOperand(0);
  train::ActiveValues active;
  for (BlockArgument argument : body.getArguments())
    active.insert(argument);
  active.follow(body);
  OpBuilder builder(end);
  llvm::SetVector<Operation *> cuts;
  train::ReverseWalk walk(builder, active, cuts);
  train::Writer write(builder, function.getLoc());
  walk.give(y, write.broadcast(write.number(y, 1), shapeOf(y)));
  if (failed(walk.run(body)))
    return failure();
  end->setOperands(llvm::map_to_vector(body.getArguments(), [&](Value x) { return walk.lookupOrZeros(x); }));
  function.setResAttrsAttr(nullptr);
  function.setFunctionType(builder.getFunctionType(body.getArgumentTypes(), end->getOperandTypes()));
  return verify(function);
}

static int fail(const Twine &message) {
  llvm::errs() << "e2e-own-gradient: " << message << "\n";
  return 1;
}

static void put(const evaluate::Tensor &tensor, double *place) {
  for (int64_t i = 0; i < tensor.size(); ++i)
    place[i] = tensor.number(i);
}

int main(int count, char **words) {
  if (count != 6)
    return fail("usage: e2e-own-gradient <model> <output> value|gradients <elements> <result>");
  const bool wantsGradients = StringRef(words[3]) == "gradients";
  MLIRContext context;
  importer::ImportOptions options;
  options.outputs = {words[2]};
  OwningOpRef<ModuleOp> module = importer::importModel(words[1], options, &context);
  if (!module)
    return fail("the model is not imported");
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  PassManager passes(&context, func::FuncOp::getOperationName());
  train::buildGradients(passes);
  if (failed(passes.run(function)))
    return fail("the gradient operators are not expanded");
  if (wantsGradients && failed(differentiate(function)))
    return fail("the model has no gradients");
  auto elements = llvm::MemoryBuffer::getFile(words[4], /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!elements)
    return fail("the elements are not read");
  const ArrayRef<char> bytes((*elements)->getBufferStart(), (*elements)->getBufferSize());
  SmallVector<evaluate::Tensor> arguments;
  SmallVector<size_t> places;
  for (BlockArgument argument : function.getArguments()) {
    StringRef name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "nn.name").getValue();
    auto type = cast<RankedTensorType>(argument.getType());
    const size_t size = size_t(type.getNumElements()) * sizeof(float);
    size_t place = 0;
    if (!name.consume_front("at_") || name.getAsInteger(10, place) || place * sizeof(float) + size > bytes.size())
      return fail("an input must be at_<position>, with elements in the file");
    places.push_back(place);
    arguments.push_back(evaluate::fromBytes(type, bytes.slice(place * sizeof(float), size)));
  }
  FailureOr<SmallVector<evaluate::Tensor>> results = evaluate::evaluate(function, arguments, {});
  if (failed(results))
    return fail("the model is not evaluated");
  std::vector<double> written(wantsGradients ? bytes.size() / sizeof(float) : size_t(results->front().size()));
  if (wantsGradients)
    for (auto [result, place] : llvm::zip_equal(*results, places))
      put(result, written.data() + place);
  else
    put(results->front(), written.data());
  std::error_code error;
  llvm::raw_fd_ostream file(words[5], error);
  if (error)
    return fail("the result is not written");
  file.write(reinterpret_cast<const char *>(written.data()), written.size() * sizeof(double));
  return 0;
}
