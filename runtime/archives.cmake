# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What:  for each target triple <t>, ${CMAKE_BINARY_DIR}/runtime/<t>/libnacre_runtime.a and
#        stubs/lib{c,m,dl,pthread}.so; and libnacre_inspect.a, for what opens models and is not a model.
# Why:   models are linked against stubs even on their own kind of machine: no libc of the target is needed, references
#        bind to the oldest version of a symbol, and the lists below are all that a model may take from libc.
# How:   clang without any libc's headers; llvm-ifs turns lists of names into libraries that hold nothing else.
#        NACRE_RUNTIME_TRIPLES and the target nacre-runtime-archives are for codegen/package.

set(NACRE_LLVM_PREFIX /usr/lib/llvm-22 CACHE PATH "Prefix of LLVM 22")
foreach(tool clang++ llvm-ar llvm-ifs)
  string(MAKE_C_IDENTIFIER "NACRE_${tool}" variable)
  find_program(${variable} ${tool} PATHS ${NACRE_LLVM_PREFIX}/bin NO_DEFAULT_PATH REQUIRED)
endforeach()

set(NACRE_RUNTIME_TRIPLES x86_64-linux-gnu aarch64-linux-gnu aarch64-linux-android24 x86_64-linux-android24)

cmake_path(GET CMAKE_CURRENT_SOURCE_DIR PARENT_PATH include_root)
# Khronos's headers need no libc, but lie in a folder with headers of one: what clang sees is a folder with theirs
# alone.
set(vulkan_headers ${CMAKE_BINARY_DIR}/runtime/vulkan-headers)
file(MAKE_DIRECTORY ${vulkan_headers})
foreach(folder vulkan vk_video)
  if(EXISTS ${NACRE_VULKAN_HEADERS}/${folder})
    file(CREATE_LINK ${NACRE_VULKAN_HEADERS}/${folder} ${vulkan_headers}/${folder} SYMBOLIC)
  endif()
endforeach()
# No unwind tables: nothing unwinds through kernels. No stack protector, TLS, guards or atomics' helpers: each would be
# a symbol that glibc and bionic name differently. Loops are not to become calls of what the lists below lack.
# As small as can be, but for what every launch of a run passes through. With this bound of inlining both come out
# smallest: most functions have one caller or two.
set(fast_sources src/gpu_vulkan/engine_run.cpp src/gpu_vulkan/state_run.cpp src/launch.cpp src/thread_pool.cpp src/weights/weights_file.cpp)
set(flags -std=c++17 -Wall -Wextra -Werror -fPIC -fvisibility=hidden -fno-exceptions -fno-rtti -nostdinc++ -nostdlibinc
    -ffunction-sections -fdata-sections -fno-unwind-tables -fno-asynchronous-unwind-tables -fno-stack-protector
    -fno-threadsafe-statics -fno-builtin-strlen -fno-builtin-bcmp -I${include_root}
    -isystem ${vulkan_headers})

# What the runtime takes, and what LLVM makes of copies and fills in kernels.
set(libc_symbols clock_gettime free getauxval memcpy memmove memset posix_memalign)
set(libpthread_symbols pthread_create pthread_join)
set(libdl_symbols dlclose dlopen dlsym)
# What kernels call for elementwise operators that have no vector polynomial, in float and double.
set(libm_symbols)
foreach(function acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor fma fmax fmin fmod
        log log10 log1p log2 nearbyint pow remainder rint round sin sincos sinh sqrt tan tanh tgamma trunc)
  list(APPEND libm_symbols ${function} ${function}f)
endforeach()

# nacre_add_stub(output soname architecture symbol...)
function(nacre_add_stub output soname architecture)
  list(TRANSFORM ARGN REPLACE "(.+)" "  - { Name: \\1, Type: Func }\n" OUTPUT_VARIABLE symbols)
  string(CONCAT text "--- !ifs-v1\nIfsVersion: 3.0\n"
         "Target: { ObjectFormat: ELF, Arch: ${architecture}, Endianness: little, BitWidth: 64 }\n"
         "SoName: ${soname}\nSymbols:\n" ${symbols} "...\n")
  string(REGEX REPLACE "\\.so$" ".ifs" source ${output})
  file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
  add_custom_command(OUTPUT ${output} DEPENDS ${source} VERBATIM
                     COMMAND ${NACRE_llvm_ifs} --input-format=IFS --output-elf=${output} ${source})
endfunction()

set(products)
foreach(triple ${NACRE_RUNTIME_TRIPLES})
  set(folder ${CMAKE_BINARY_DIR}/runtime/${triple})
  file(MAKE_DIRECTORY ${folder}/stubs)

  set(target_flags --target=${triple} ${flags})
  set(architecture x86_64)
  if(triple MATCHES "^aarch64")
    list(APPEND target_flags -mno-outline-atomics)
    set(architecture AArch64)
  endif()

  set(objects)
  foreach(source ${NACRE_RUNTIME_SOURCES})
    cmake_path(GET source STEM name)
    set(object ${folder}/${name}.o)
    set(optimization -Oz)
    if(source IN_LIST fast_sources)
      set(optimization -Os)
    endif()
    set(inlining -mllvm -inline-threshold=30)
    # Large functions with few callers each: inlined less, and without frame pointers, they come out smaller.
    if(source MATCHES "^src/(state/|platform_files)")
      set(inlining -mllvm -inline-threshold=10 -fomit-frame-pointer)
    elseif(source MATCHES "^src/gpu_vulkan/")
      set(inlining -mllvm -inline-threshold=20 -fomit-frame-pointer)
    endif()
    add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d VERBATIM
                       COMMAND ${NACRE_clang__} ${target_flags} ${optimization} ${inlining} -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${source}
                               -o ${object})
    list(APPEND objects ${object})
  endforeach()
  set(archive ${folder}/libnacre_runtime.a)
  add_custom_command(OUTPUT ${archive} DEPENDS ${objects} VERBATIM
                     COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
                     COMMAND ${NACRE_llvm_ar} rcs ${archive} ${objects})
  list(APPEND products ${archive})

  set(objects ${folder}/reason.o ${folder}/text.o)
  foreach(source ${NACRE_INSPECT_SOURCES})
    cmake_path(GET source STEM name)
    set(object ${folder}/${name}.o)
    add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d VERBATIM
                       COMMAND ${NACRE_clang__} ${target_flags} -Os -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object})
    list(APPEND objects ${object})
  endforeach()
  set(archive ${folder}/libnacre_inspect.a)
  add_custom_command(OUTPUT ${archive} DEPENDS ${objects} VERBATIM
                     COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
                     COMMAND ${NACRE_llvm_ar} rcs ${archive} ${objects})
  list(APPEND products ${archive})

  if(triple MATCHES "android")
    nacre_add_stub(${folder}/stubs/libc.so libc.so ${architecture} ${libc_symbols} ${libpthread_symbols})
    nacre_add_stub(${folder}/stubs/libm.so libm.so ${architecture} ${libm_symbols})
    nacre_add_stub(${folder}/stubs/libdl.so libdl.so ${architecture} ${libdl_symbols})
  else()
    nacre_add_stub(${folder}/stubs/libc.so libc.so.6 ${architecture} ${libc_symbols})
    nacre_add_stub(${folder}/stubs/libm.so libm.so.6 ${architecture} ${libm_symbols})
    nacre_add_stub(${folder}/stubs/libdl.so libdl.so.2 ${architecture} ${libdl_symbols})
    nacre_add_stub(${folder}/stubs/libpthread.so libpthread.so.0 ${architecture} ${libpthread_symbols})
    list(APPEND products ${folder}/stubs/libpthread.so)
  endif()
  list(APPEND products ${folder}/stubs/libc.so ${folder}/stubs/libm.so ${folder}/stubs/libdl.so)
endforeach()
add_custom_target(nacre-runtime-archives DEPENDS ${products})
