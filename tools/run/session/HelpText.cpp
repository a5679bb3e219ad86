// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/run/session/Options.h"

namespace nacre::run {

const char *const kHelp = R"(OVERVIEW: Runs, compares, benchmarks, profiles and trains a compiled model.

USAGE: nacre-run [options] <libmodel.so>

OPTIONS:

Inputs and outputs:
Files are .npy or ONNX TensorProto (.pb), with the type and shape of the tensor,
or pictures and sounds (below).
In .npy files, 8-bit floats are uint8 codes, and 4-bit and 2-bit elements are a
list of their bytes. Inputs without a file are generated from the seed: floats
in [-1, 1), integers 0 or 1, bytes of any value. An element a agrees with the
expected element b if |a-b| <= rtol*|b| + atol*max|b|.

  --input=<name=file>   Read this input from a file; repeatable (default:
                        generated)
  --output=<folder>     Write outputs and state to <folder>/<name>.npy (a long
                        name ends in a hash); the folder must exist
  --expect=<name=file>  Compare this output with a file; repeatable
  --rtol=<X>            Tolerance relative to the element (default: 1e-3)
  --atol=<X>            Tolerance relative to the tensor's largest element
                        (default: 1e-4)
  --set=<name=number>   Set all elements of this input to a number; repeatable
  --seed=<N>            Seed of generated inputs; with --train, of the example
                        order (default: 0)

Pictures and sounds:
An --input may be a JPEG or PNG picture for an input of 1 or 3 channels, or a
WAV sound for an input with one long axis. A pixel's value in each channel is
(pixel * range / 255 - mean) / std. Colors become gray, and gray becomes colors,
as PIL converts them; alpha and EXIF orientation are ignored. Resizing equals
torchvision's for pictures of PIL. Samples are -1 to 1, the mean of the
channels; zeros follow a short sound, and a long one is cut. Quantized inputs
get the code that stands for the value, integers without a scale the pixel or
sample itself.

  --resize=<size>       Scale the shorter side to this size, or the picture to
                        320x240 (width x height) (default: as it is)
  --crop                Keep the center that the input has room for (default:
                        another size is an error)
  --mean=<X[,Y,Z]>      Mean to subtract, for all channels or for each (default:
                        0)
  --std=<X[,Y,Z]>       Standard deviation to divide by (default: 1)
  --range=<X>           Value of a white pixel before --mean and --std (default:
                        1, or 255 for integers without a scale)
  --layout=<nchw|nhwc>  Place of the channel axis (default: the axis of 1 or 3)
  --channels=<rgb|bgr|gray>
                        Order of the channels (default: rgb, or gray if there is
                        one)
  --rate=<N>            Fail unless the sounds have N samples per second
                        (default: any rate)
  --save-inputs=<folder>
                        Write inputs to <folder>/<name>.npy, also for other
                        programs; the folder must exist

Measurements:
The first run and a few warm-up runs are not counted. --benchmark prints the
fields model, min_ms, median_ms, p90_ms, runs, threads, peak_rss_mb,
arena_bytes, code_bytes, weight_bytes, device, submissions and pipelines.

  --benchmark           Print times and memory as a line of JSON
  --profile             Print the median time of each launch; --profile=<file>
                        also writes JSON for nacre-report
  --report=<file>       Report of nacre-compile (JSON); write a page next to it
                        that shows it with a profile
  --trace=<file>        Write the last run as a Chrome trace, for
                        chrome://tracing or ui.perfetto.dev
  --runs=<N>            Minimum number of runs; the exact number without
                        measurements (default: as --min-seconds requires)
  --min-seconds=<S>     Minimum duration in seconds (default: 1, or 0 with
                        --runs)
  --evict=<N>           Read N MiB before each run, so that caches are cold
                        (default: 0, at most 65536)

Phones:
A library compiled for Android runs on a phone that adb reaches. Everything that
the run needs is copied there and removed afterwards. Inputs are prepared and
outputs are compared and written here. adb is NACRE_ADB, or in the PATH or in
ANDROID_HOME/platform-tools. Options about state, training, traces, caches and
information cannot be combined with --device.

  --device=<adb[:serial]>
                        Run on this phone (default serial: the only phone)

Model and threads:

  --info                Print inputs, outputs and memory of the model; run
                        nothing; --info=<file> also writes JSON
  --threads=<N>         Number of threads, including the calling one (default:
                        the machine's big cores)
  --entry=<name>        Entry to run (default: of entries by shape, such as
                        main@16, the one that --input fits; or else the first)
  --max-iterations=<N>  Stop a run after more than N loop iterations (default:
                        0, no limit)

GPUs:
By default, a model compiled with --place uses a GPU if one works; otherwise it
runs on the CPU.

  --gpu                 Fail if no GPU works or the CPU takes over; emulated
                        GPUs count
  --list-devices        Describe the GPUs and exit
  --gpu-device=<N>      Use device N of --list-devices, counted from 0 (in C
                        from 1); implies --gpu
  --gpu-cut=<P>         Give the GPU P % of every launch it supports; implies
                        --gpu (0 to 100)
  --tune=<MS>           Spend MS milliseconds to find the fastest splits and
                        code; implies --gpu
  --cache=<folder>      Keep compiled GPU code, test and tuning results; the
                        folder must exist
  --gpu-self-test       Compare GPU with CPU code first; disable kernels that
                        differ; implies --gpu
  --gpu-sequential      Run GPU parts, then CPU parts, to measure or debug;
                        implies --gpu

State:

  --state=<name=file>   Read the initial value of this state; repeatable
                        (default: the model's)
  --save=<file>         Save the state after the runs; replaces the file
                        atomically
  --resume=<file>       Load the whole state from a .safetensors file of --save
  --weights=<file>      Load only weights and statistics from a .safetensors
                        file; some may be missing
  --weights-file=<file>
                        Weights of a model compiled with --weights-in=file
                        (default: lib<model>.weights next to the library)

Training:
Training requires a model compiled with --train. Files hold all examples along
axis 0. An epoch takes each example once, in random order, in batches of the
compiled size; it drops an incomplete last batch.

  --train               Train and print each epoch's loss and accuracy; requires
                        --input, --label, --set=learning_rate=<X>
  --label=<file>        Labels: class indices from 0, or numbers; <name=file> if
                        there are several
  --epochs=<N>          Number of epochs; 0 only tests (default: 1)
  --test-input=<name=file>
                        Test examples, evaluated before the first and after each
                        epoch; requires --test-label
  --test-label=<file>   Labels of the test examples; <name=file> if there are
                        several
  --schedule=<kind>     Learning rate: constant, step:every=<epochs>,factor=<X>
                        or cosine:least=<X>, each with warmup=<steps> (default:
                        constant)
  --log=<file>          Write a line of JSON for each epoch; with --resume,
                        append them
  --save-every=<N>      Also save after every N steps (default: only after each
                        epoch)
  --steps=<N>           Stop after N steps, even within an epoch; --resume
                        continues there
  --accumulate=<N>      Average the gradients of N batches; requires
                        nacre-compile --accumulate (default: 1)
  --order=<file>        Example order: i64 indices, one row per epoch or for all
  --batch-axis=<name:axis>
                        Example axis of an input, if it is not 0; repeatable

General:

  --help                Print this text
  --version             Print the version

EXAMPLES
  nacre-run libmodel.so --info
      print inputs, outputs and memory
  nacre-run libmodel.so
      run once on generated inputs and summarize the outputs
  nacre-run libmodel.so --input=image=cat.npy --output=answers
      run on a file and write answers/<output>.npy
  nacre-run libmodel.so --input=image=cat.jpg --resize=256 --crop \
    --mean=0.485,0.456,0.406 --std=0.229,0.224,0.225
      run on a picture, prepared as torchvision's classifiers expect it
  nacre-run libspotter.so --input=sound=yes.wav --rate=16000
      run on a recording with 16,000 samples per second
  nacre-run libmodel.so --input=image=cat.npy --expect=probs=cat.probs.npy
      compare with the results of another program
  nacre-run libmodel.so --benchmark --threads=1
      measure the time of a run
  nacre-run libmodel.so --profile --trace=trace.json
      measure the time of each launch, by the model's node names
  nacre-run libmodel.so --profile=profile.json
  nacre-report report.json --profile=profile.json
      show measured times next to the compiler's report in a browser
  nacre-run libphone.so --device=adb --benchmark
      measure on a phone a model compiled with --target=android-arm64
  nacre-run libphone.so --device=adb --report=phone.json
      write phone.html, the compiler's report with the phone's times
  nacre-run --list-devices
      list the GPUs and the features that they lack
  nacre-run libmodel.so --gpu --cache=/tmp --benchmark
      benchmark on the GPU a model compiled with --place
  nacre-run libcell.so --input=x=step2.npy --state=h=after1/h.npy \
    --output=after2
      run one step of a model compiled with --state, from the state of an
      earlier run
  nacre-run libcell.so --input=x=step3.npy --resume=cell.safetensors \
    --save=cell.safetensors
      run a step and keep the whole state in a file
  nacre-run liblenet.so --train --input=x=x.npy --label=y.npy --epochs=10 \
    --set=learning_rate=0.05 --save=lenet.safetensors
      train a model compiled with --train and save its weights after each epoch
  nacre-run liblenet.so --train --input=x=x.npy --label=y.npy --epochs=20 \
    --set=learning_rate=0.05 --resume=lenet.safetensors
      continue from a saved state, even within an epoch
  nacre-run liblenet.so --train --epochs=0 --test-input=x=x.npy \
    --test-label=y.npy --weights=lenet.safetensors
      measure loss and accuracy on test examples

EXIT STATUS
  0    done, and every expected output agrees
  1    an output differs
  2    the command line or a file is wrong, or an output cannot be written
  3    the model cannot run here, or a run exceeds --max-iterations
  4    memory ran out
  5    training diverged: a loss or a weight is infinite or NaN, or the loss
       grew a thousandfold; the state was not saved
  130  Ctrl-C or SIGTERM: the run was cancelled, or the training step finished;
       a second signal exits at once
)";

} // namespace nacre::run
