// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked view of one graph of a TensorFlow Lite model, whose tables are verified.
//
// In a checked graph, every index is valid, and constants have as many bytes as their shapes need. Each tensor has its
// own name and is computed once, before it is read. FlatBuffers' verifier only checks that tables are inside the file.
// Tables may share the objects that they refer to, so a small file can describe a huge graph. Therefore, the size of
// the file limits the number of tensors and of operands.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_CHECKEDGRAPH_H
#define NACRE_COMPILER_IMPORT_TFLITE_CHECKEDGRAPH_H

#include "compiler/import/tflite/Schema.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/StringSaver.h"

namespace nacre::importer::tflite_format {

struct CheckedTensor {
  const schema::Tensor *table;
  llvm::ArrayRef<char> bytes; ///< elements of a constant
  llvm::StringRef name;       ///< unique in the graph; empty if the tensor is not used
  enum State : uint8_t {
    Unknown, ///< tensor that is not a constant and has no value yet
    Constant,
    Variable, ///< tensor that keeps its value between runs
    Input,
    Handle,   ///< reference to a variable, without a value
    ItsShape, ///< input that is a shape, although the model contains the shape
    Computed
  } state = Unknown;

  /// Returns the shape in the file, whose sizes are checked.
  llvm::SmallVector<int64_t> getShape() const { return llvm::to_vector_of<int64_t>(toArray(table->shape())); }
  /// Returns the shape with -1 for sizes that the user of the model chooses.
  llvm::SmallVector<int64_t> getOpenShape() const;
};

/// Key of a variable that has a handle: the name of a container, which is usually "", and the variable's name in it.
using VariableKey = std::pair<llvm::StringRef, llvm::StringRef>;

/// A value that is kept between runs: a variable tensor, or a variable with a handle. After each assignment, the value
/// has a new name, which later operators read.
struct KeptVariable {
  size_t tensor;               ///< the variable tensor; for a handle, the tensor that the first operator reads from the
                               ///< variable or assigns to it
  llvm::StringRef name;        ///< unique among the variables of all graphs, except those with the same key
  llvm::StringRef first, last; ///< names of the value before the first operator and after the last one
  VariableKey key;             ///< empty without a handle

  bool hasHandle() const { return !key.second.empty(); }
  bool isAssigned() const { return first != last; }
};

/// An input or an output.
struct GraphPort {
  llvm::StringRef name, source; ///< the name for users of the model, and the name for operators
  size_t tensor;
};

class CheckedGraph {
public:
  /// The role of a graph in the model.
  struct Role {
    const schema::SignatureDef *signature = nullptr; ///< signature that names the inputs and outputs; may be null
    bool isBody = false;                             ///< true for a branch or loop, which gets all its inputs from the
                                                     ///< operator
    bool runsOnce = false;                           ///< true for a graph that initializes variables, which needs no
                                                     ///< outputs
    std::string suffix = {};                         ///< suffix for the names of its variables
  };

  /// Checks a graph of the model whose file is `file`. Errors are emitted at the value they concern, inside of `loc`.
  static mlir::FailureOr<std::unique_ptr<CheckedGraph>> read(const schema::Model &model, const schema::SubGraph &graph,
                                                             const Role &role, llvm::StringRef file,
                                                             mlir::Location loc);

  const CheckedTensor &getTensor(size_t index) const { return tensors[index]; }
  llvm::ArrayRef<const schema::Operator *> getOperators() const { return operators; }
  llvm::ArrayRef<KeptVariable> getVariables() const { return variables; }
  /// Returns the graphs that must run once, before the operators.
  llvm::ArrayRef<int32_t> getInitializers() const { return initializers; }
  /// Returns the names of an operator's operands; an omitted operand has the name "".
  llvm::SmallVector<llvm::StringRef> getOperands(size_t op) const {
    llvm::SmallVector<llvm::StringRef> result;
    for (auto [place, tensor] : llvm::enumerate(toArray(operators[op]->inputs()))) {
      auto variable = reads.find({op, place});
      result.push_back(variable != reads.end() ? variable->second : tensor < 0 ? "" : tensors[tensor].name);
    }
    return result;
  }
  /// Returns the names of an operator's results, followed by the new values of variables that it assigns.
  llvm::SmallVector<llvm::StringRef> getResults(size_t op) const {
    llvm::SmallVector<llvm::StringRef> result;
    for (int32_t tensor : toArray(operators[op]->outputs()))
      result.push_back(tensors[tensor].name);
    llvm::append_range(result, assigned.lookup(op));
    return result;
  }
  llvm::ArrayRef<GraphPort> getInputs() const { return inputs; }
  llvm::ArrayRef<GraphPort> getOutputs() const { return outputs; }
  /// True if the model does not fix all sizes of its inputs.
  bool isOpen() const { return hasOpenInputs; }
  /// Returns the key of the variable that the operator reads or assigns by a handle.
  VariableKey getKey(size_t op) const { return variables[named.find(op)->second].key; }
  /// Returns the variable with a handle that has a value with the name `name`; null if there is no such variable.
  const KeptVariable *findVariable(llvm::StringRef name) const {
    auto found = valueNames.find(name);
    return found == valueNames.end() ? nullptr : &variables[found->second];
  }
  /// Returns the tensor with the name `name`, or null.
  const CheckedTensor *find(llvm::StringRef name) const {
    auto found = names.find(name);
    return found == names.end() ? nullptr : &tensors[found->second];
  }
  /// Returns the index of one of the graph's tensors.
  size_t numberOf(const CheckedTensor &tensor) const { return &tensor - tensors.data(); }

private:
  friend class GraphReader;

  std::vector<CheckedTensor> tensors;
  llvm::SmallVector<const schema::Operator *, 0> operators;
  llvm::SmallVector<GraphPort> inputs, outputs;
  llvm::SmallVector<KeptVariable> variables;
  llvm::SmallVector<int32_t> initializers;
  llvm::DenseMap<std::pair<size_t, size_t>, llvm::StringRef> reads;    ///< names of the variables' values that are
                                                                       ///< operands, by operator and operand
  llvm::DenseMap<size_t, llvm::SmallVector<llvm::StringRef>> assigned; ///< new values of variables, by operator
  llvm::DenseMap<size_t, size_t> named;                                ///< indices of variables with handles, by the
                                                                       ///< operator that reads or assigns them
  llvm::DenseMap<llvm::StringRef, size_t> valueNames;                  ///< indices of variables with handles, by the
                                                                       ///< names of their values
  llvm::DenseMap<llvm::StringRef, size_t> names;
  llvm::BumpPtrAllocator allocator; ///< memory of names that are not in the file
  bool hasOpenInputs = false;
};

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_CHECKEDGRAPH_H
