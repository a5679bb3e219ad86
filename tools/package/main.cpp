// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-package makes an Android library or a Maven repository from a compiled model's libraries.

#include "dialects/OutputFile.h"
#include "tools/CommandLine.h"
#include "tools/OutOfMemory.h"
#include "tools/package/Aar.h"
#include "tools/package/Maven.h"

#include "llvm/Support/InitLLVM.h"

using namespace llvm;
using namespace nacre;

static cl::OptionCategory category("nacre-package options");
static cl::list<std::string> libraries(cl::Positional, cl::desc("<library>..."), cl::cat(category));
static cl::opt<std::string> output("o", cl::value_desc("file.aar"), cl::cat(category),
                                   cl::desc("AAR to write (default: <model>.aar, or none with --maven)"));
static cl::opt<std::string>
    className("class", cl::value_desc("package.Class"), cl::cat(category),
              cl::desc("Java class with the model's inputs and outputs (default: dev.nacre.model.<Model>)"));
static cl::opt<std::string> maven("maven", cl::value_desc("folder"), cl::cat(category),
                                  cl::desc("Maven repository to write to: AAR, POM, sources and documentation"));
static cl::opt<std::string>
    coordinatesText("coordinates", cl::value_desc("group:artifact:version"), cl::cat(category),
                    cl::desc("Coordinates in the repository (default: dev.nacre.model:<model>:1.0)"));
static cl::opt<std::string> runtime("runtime", cl::value_desc("nacre-runtime.aar"), cl::cat(category),
                                    cl::desc("Also write the runtime to the repository, on which the model depends"));
static cl::opt<std::string> weights("weights", cl::init("assets"), cl::value_desc("assets|none"), cl::cat(category),
                                    cl::desc("Where weights files of --weights-in=file go (default: assets)"));
constexpr StringLiteral kClosing = R"(
EXAMPLES
  nacre-compile mobilenet.onnx -o libmobilenet.so \
    --target=android-arm64,android-x86_64
  nacre-package android-*/libmobilenet.so -o mobilenet.aar
      an app with this AAR and nacre-runtime.aar calls
      new dev.nacre.model.Mobilenet()
  nacre-package android-*/libmobilenet.so --maven=maven \
    --runtime=/usr/share/nacre/nacre-runtime.aar
      a Gradle build with the repository `maven` names
      dev.nacre.model:mobilenet:1.0
  nacre-package --maven=maven --runtime=/usr/share/nacre/nacre-runtime.aar
      a repository with only the runtime, dev.nacre:nacre-runtime

EXIT STATUS
  0  all files are written
  1  the libraries cannot be packaged, or a file cannot be written; the message
     says which one and why
  2  the command line is wrong
  4  memory ran out
)";

static Expected<std::unique_ptr<MemoryBuffer>> readFile(const std::string &path) {
  auto bytes = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!bytes)
    return createStringError("'" + path + "' cannot be read: " + bytes.getError().message());
  return std::move(*bytes);
}

static tools::Coordinates runtimeCoordinates() { return {"dev.nacre", "nacre-runtime", NACRE_VERSION}; }

/// Returns the paths of the runtime's AAR and of the archives next to it, as the build makes them.
static std::vector<std::string> runtimeFiles() {
  std::vector<std::string> files;
  StringRef stem = runtime;
  if (stem.consume_back(".aar"))
    for (const char *suffix : {".aar", "-sources.jar", "-javadoc.jar"})
      files.push_back(stem.str() + suffix);
  return files;
}

static Error writeRuntime() {
  if (!StringRef(runtime).ends_with(".aar"))
    return createStringError("--runtime must be nacre-runtime.aar, but is '" + runtime + "'");
  std::vector<std::unique_ptr<MemoryBuffer>> files;
  for (const std::string &path : runtimeFiles()) {
    auto file = readFile(path);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
  }
  tools::MavenArtifact artifact;
  artifact.coordinates = runtimeCoordinates();
  artifact.name = "Nacre runtime";
  artifact.description = "Java classes that run models compiled by Nacre";
  artifact.isRuntime = true;
  artifact.aar = files[0]->getBuffer();
  artifact.sources = files[1]->getBuffer();
  artifact.javadoc = files[2]->getBuffer();
  return tools::writeToRepository(maven, artifact);
}

static Error writeRepository(const tools::AndroidLibrary &library, const tools::Coordinates &coordinates,
                             const std::string &model) {
  if (!runtime.empty())
    if (Error error = writeRuntime())
      return error;
  tools::MavenArtifact artifact;
  artifact.coordinates = coordinates;
  artifact.name = model;
  artifact.description = "A model compiled by Nacre " NACRE_VERSION;
  artifact.dependency = runtimeCoordinates();
  artifact.aar = library.aar;
  artifact.sources = library.sources;
  artifact.javadoc = library.javadoc;
  return tools::writeToRepository(maven, artifact);
}

/// Adds the files named on the command line, and the runtime's other files.
static void addFiles(NamedFiles &files) {
  for (const std::string &path : libraries)
    files.addInput("a library", path);
  for (const std::string &path : runtimeFiles())
    files.addInput("--runtime", path);
  files.addOutput("-o", output);
  files.addFolder("--maven", maven);
  if (!runtime.empty())
    for (const std::string &path : tools::repositoryFiles(maven, runtimeCoordinates()))
      files.addOutput("--maven for the runtime", path);
}

/// Adds the files next to a model's library, and the files whose names follow from the model's name or coordinates.
static void addModelFiles(NamedFiles &files, ArrayRef<tools::ModelFile> models, const tools::Coordinates &coordinates,
                          const std::string &path) {
  for (const tools::ModelFile &model : models) {
    files.addInput("the header of a library", tools::besideLibrary(model, ".h", /*keepsPrefix=*/false));
    if (model.weightsLayout != 0)
      files.addInput("the weights of a library", tools::besideLibrary(model, ".weights", /*keepsPrefix=*/true));
  }
  if (output.empty())
    files.addOutput("the AAR", path);
  if (!maven.empty())
    for (const std::string &each : tools::repositoryFiles(maven, coordinates))
      files.addOutput("--maven", each);
}

static Error checkFiles(const NamedFiles &files) {
  const std::string problem = files.findProblem();
  return problem.empty() ? Error::success() : createStringError(problem);
}

static Error package(NamedFiles &files) {
  if (libraries.empty())
    return writeRuntime();
  std::vector<tools::ModelFile> models;
  for (const std::string &path : libraries) {
    Expected<tools::ModelFile> model = tools::readModelFile(path);
    if (!model)
      return model.takeError();
    models.push_back(std::move(*model));
  }
  const std::string &name = models.front().name;
  auto coordinates = tools::parseCoordinates(coordinatesText.empty() ? "dev.nacre.model:" + name + ":1.0"
                                                                     : coordinatesText.getValue());
  if (!coordinates)
    return coordinates.takeError();
  const std::string path = !output.empty() ? output.getValue() : maven.empty() ? fileNameOf(name, ".aar") : "";
  addModelFiles(files, models, *coordinates, path);
  if (Error error = checkFiles(files))
    return error;
  Expected<tools::AndroidLibrary> library =
      tools::writeAndroidLibrary(models, {className, coordinates->version, weights == "assets"});
  if (!library)
    return library.takeError();
  for (const std::string &note : library->notes)
    errs() << "nacre-package: note: " << note << "\n";
  if (!maven.empty())
    if (Error error = writeRepository(*library, *coordinates, name))
      return error;
  if (path.empty())
    return Error::success();
  const std::string problem = writeFile(path, library->aar);
  return problem.empty() ? Error::success() : createStringError("cannot write '" + path + "': " + problem);
}

static Error parse(int argc, char **argv, NamedFiles &files) {
  const tools::Help help{
      "Packages a compiled model as an Android library (AAR).",
      "nacre-package [options] <library>...",
      &category,
      {{"Android library", {"o", "class", "weights"}}, {"Maven repository", {"maven", "coordinates", "runtime"}}},
      kClosing.str()};
  if (Error error = tools::parseOptions(argc, argv, help, &files))
    return error;
  for (const cl::opt<std::string> *option : {&coordinatesText, &runtime})
    if (maven.empty() && option->getNumOccurrences() > 0)
      return createStringError("--" + option->ArgStr + " requires --maven");
  if (libraries.empty()) { // without libraries, only the runtime is packaged
    if (runtime.empty())
      return createStringError("<library>... must be given; see --help");
    for (const cl::opt<std::string> *option : {&output, &className, &coordinatesText, &weights})
      if (option->getNumOccurrences() > 0)
        return createStringError("-" + Twine(option->ArgStr.size() > 1 ? "-" : "") + option->ArgStr +
                                 " requires <library>...");
  }
  if (weights != "assets" && weights != "none")
    return createStringError("--weights must be assets or none, but is '" + weights + "'");
  if (!coordinatesText.empty())
    if (Error error = tools::parseCoordinates(coordinatesText).takeError())
      return error;
  addFiles(files);
  return checkFiles(files);
}

int main(int argc, char **argv) {
  tools::watchStandardStreams(/*status=*/1);
  InitLLVM init(argc, argv);
  tools::handleOutOfMemory();
  cl::HideUnrelatedOptions(category);
  tools::setVersion("nacre-package");
  NamedFiles files;
  if (Error error = parse(argc, argv, files)) {
    errs() << "nacre-package: " << toString(std::move(error)) << "\n";
    return 2;
  }
  if (Error error = package(files)) {
    errs() << "nacre-package: " << toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
