# The workloads for every target: suite/NAME/bench_native (times, by Google Benchmark) and suite/NAME/bench_run (results
# alone). A target is a compiler, the instructions that it may use, and float or double. Built on demand.
set(suite ${CMAKE_CURRENT_BINARY_DIR}/suite)
set(workload_sources workloads.cpp workloads_floors.cpp workloads_kernels.cpp workloads_hinge.cpp workloads_smooth.cpp
                     workloads_splitting.cpp)
set(workload_headers workloads.hpp work.hpp work_linear.hpp work_solve.hpp)
list(TRANSFORM workload_headers PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
file(GLOB_RECURSE library_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/include/*.hpp)
get_target_property(benchmark_headers benchmark::benchmark INTERFACE_INCLUDE_DIRECTORIES)
find_package(Threads REQUIRED)

# What a Release build has; the same bits everywhere need every product and sum rounded on its own.
set(suite_flags -std=c++20 -O3 -DNDEBUG -ffp-contract=off)
set(suite_plain -fno-exceptions -fno-rtti)

# bench_target(NAME COMPILER FLAG…): appends to suite_targets, and its programs to suite_programs.
function(bench_target name compiler)
  set(folder ${suite}/${name})
  file(MAKE_DIRECTORY ${folder})
  set(compiler_name clang++)
  if(name MATCHES "^gcc")
    set(compiler_name g++)
  endif()
  string(JOIN " " shown ${suite_flags} ${ARGN})
  set(objects)
  foreach(source ${workload_sources} run.cpp native.cpp)
    set(object ${folder}/${source}.o)
    set(extra)
    if(source STREQUAL "native.cpp")
      set(extra "-DTAMIS_BENCH_TARGET=\"${name}\"" "-DTAMIS_BENCH_COMPILER=\"${compiler_name} \" __VERSION__"
                "-DTAMIS_BENCH_FLAGS=\"${shown}\"")
    endif()
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${compiler} ${suite_flags} ${ARGN} ${extra}
              -I${PROJECT_SOURCE_DIR}/lib/include -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${workload_headers} ${library_headers}
      COMMENT "Compiling ${source} for ${name}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(own ${objects})
  list(FILTER own EXCLUDE REGEX "native.cpp.o$")
  add_custom_command(OUTPUT ${folder}/bench_run COMMAND ${compiler} ${own} -o ${folder}/bench_run DEPENDS ${own} VERBATIM)
  set(own ${objects})
  list(FILTER own EXCLUDE REGEX "run.cpp.o$")
  add_custom_command(
    OUTPUT ${folder}/bench_native
    COMMAND ${compiler} ${own} $<TARGET_FILE:benchmark::benchmark> -lpthread -o ${folder}/bench_native
    DEPENDS ${own} VERBATIM)
  add_custom_target(bench_target_${name} DEPENDS ${folder}/bench_run ${folder}/bench_native)
  set(suite_targets ${suite_targets} ${name} PARENT_SCOPE)
endfunction()

# The compilers: that of the project first.
set(suite_targets)
set(suite_absent)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(first gcc)
  find_program(TAMIS_OTHER_CXX clang++)
  set(second clang)
else()
  set(first clang)
  find_program(TAMIS_OTHER_CXX g++)
  set(second gcc)
endif()
set(scalar_gcc -DTAMIS_PROFILE=scalar -fno-tree-vectorize)
set(scalar_clang -DTAMIS_PROFILE=scalar -fno-vectorize -fno-slp-vectorize)
foreach(family ${first} ${second})
  if(family STREQUAL "${first}")
    set(compiler ${CMAKE_CXX_COMPILER})
  else()
    set(compiler ${TAMIS_OTHER_CXX})
  endif()
  if(NOT compiler)
    set(suite_absent "--absent=${family}: the second compiler is missing (bash toolchains/setup.sh tests)")
    continue()
  endif()
  bench_target(${family}-scalar ${compiler} ${scalar_${family}})
  bench_target(${family}-native ${compiler})  # as users build it: AVX2 where the processor has it
  bench_target(${family}-native-double ${compiler} -DTAMIS_BENCH_DOUBLE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    bench_target(${family}-sse ${compiler} -msse4.2 -DTAMIS_PROFILE=narrow)
    bench_target(${family}-sse-double ${compiler} -msse4.2 -DTAMIS_PROFILE=narrow -DTAMIS_BENCH_DOUBLE)
    bench_target(${family}-avx2 ${compiler} -march=x86-64-v3)
    bench_target(${family}-avx512 ${compiler} -march=x86-64-v4)
  endif()
endforeach()
set(quick_targets ${first}-scalar ${first}-native)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND quick_targets ${first}-sse)
endif()
