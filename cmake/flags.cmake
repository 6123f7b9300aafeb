# SPDX-License-Identifier: MIT
# Flags that every target of ours shares, as an interface library.
add_library(heddle-flags INTERFACE)
target_compile_options(heddle-flags INTERFACE
  -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual
  -Wwrite-strings -Wvla -Wconversion -Wno-sign-conversion -Werror
  -fno-math-errno -fno-trapping-math -ffp-contract=fast)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # clang's version of it fires on NAN and INFINITY, which are floats by the C standard.
  target_compile_options(heddle-flags INTERFACE -Wdouble-promotion)
else()
  # A loop that clang does not vectorise is slower, not wrong.
  target_compile_options(heddle-flags INTERFACE -Wno-pass-failed)
endif()

# -march only where this machine can run what it allows: on another architecture the flag does not
# compile, on an older processor the program below returns 1 or dies.
if(HEDDLE_ARCH)
  include(CheckCSourceRuns)
  string(MAKE_C_IDENTIFIER "HEDDLE_RUNS_${HEDDLE_ARCH}" arch_runs)
  set(CMAKE_REQUIRED_FLAGS "-march=${HEDDLE_ARCH}")
  set(CMAKE_REQUIRED_QUIET ON)
  check_c_source_runs([[
    int main(void) {
        int missing = 0;
    #if defined(__AVX__)
        missing |= !__builtin_cpu_supports("avx");
    #endif
    #if defined(__AVX2__)
        missing |= !__builtin_cpu_supports("avx2");
    #endif
    #if defined(__FMA__)
        missing |= !__builtin_cpu_supports("fma");
    #endif
    #if defined(__BMI2__)
        missing |= !__builtin_cpu_supports("bmi2");
    #endif
    #if defined(__AVX512F__)
        missing |= !__builtin_cpu_supports("avx512f");
    #endif
    #if defined(__AVX512VL__)
        missing |= !__builtin_cpu_supports("avx512vl");
    #endif
        return missing;
    }]] ${arch_runs})
  unset(CMAKE_REQUIRED_FLAGS)
  unset(CMAKE_REQUIRED_QUIET)
  if(${arch_runs})
    target_compile_options(heddle-flags INTERFACE -march=${HEDDLE_ARCH})
  endif()
endif()

if(HEDDLE_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS C)
  target_link_libraries(heddle-flags INTERFACE OpenMP::OpenMP_C)
else()
  # num_threads(...) is the only place where some functions use their number of threads.
  target_compile_options(heddle-flags INTERFACE
    -fopenmp-simd -Wno-unknown-pragmas -Wno-unused-parameter)
endif()
if(HEDDLE_ASSERTS)
  target_compile_definitions(heddle-flags INTERFACE HED_ENABLE_ASSERTS)
endif()

set(sanitizers "")
if(HEDDLE_SANITIZE OR HEDDLE_FUZZ)
  list(APPEND sanitizers address undefined)
endif()
if(HEDDLE_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "HEDDLE_FUZZ needs clang, got ${CMAKE_C_COMPILER_ID}: set CMAKE_C_COMPILER")
  endif()
  list(APPEND sanitizers fuzzer-no-link)
endif()
if(sanitizers)
  list(JOIN sanitizers "," sanitizers)
  target_compile_options(heddle-flags INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(heddle-flags INTERFACE -fsanitize=${sanitizers})
endif()
