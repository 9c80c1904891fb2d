# The workloads as modules: bench-base.wasm and bench-simd.wasm, optimised as the native targets are; the same in double,
# bench-base-double.wasm and bench-simd-double.wasm; and compiled for size as the npm package is, bench-base-package.wasm and
# bench-simd-package.wasm. Others than the first two are built on demand.
foreach(variable compile_flags link_flags base simd small)
  get_directory_property(wasm_${variable} DIRECTORY ${PROJECT_SOURCE_DIR}/wasm DEFINITION ${variable})
endforeach()
set(exports)
foreach(name count name kind flops bytes span traffic run checksum)
  list(APPEND exports -Wl,--export=tamis_bench_${name})
endforeach()

# bench_module(KIND COMPILE_FLAGS LINK_FLAGS FLAG…): appends to modules.
function(bench_module kind compile link)
  set(objects)
  foreach(source ${workload_sources})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${source}-${kind}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${TAMIS_EMXX} ${compile} ${ARGN} -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${workload_headers} ${library_headers}
              ${PROJECT_SOURCE_DIR}/wasm/CMakeLists.txt
      COMMENT "Compiling ${source} for bench-${kind}.wasm" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(module ${CMAKE_CURRENT_BINARY_DIR}/bench-${kind}.wasm)
  add_custom_command(
    OUTPUT ${module}
    COMMAND ${TAMIS_EMXX} ${wasm_link_flags} ${link} -sINITIAL_MEMORY=112MB ${exports} ${objects} -o ${module}
    DEPENDS ${objects}
    COMMENT "Building bench-${kind}.wasm" VERBATIM)
  set(modules ${modules} ${module} PARENT_SCOPE)
endfunction()

set(fast ${suite_flags} ${suite_plain} -mbulk-memory -I${PROJECT_SOURCE_DIR}/lib/include)
# Without the limit wasm-opt makes one function of all that are called once, noinline or not, and V8 then keeps little in
# registers.
set(fast_link -O3 -sBINARYEN_EXTRA_PASSES=--converge,--one-caller-inline-max-function-size=100)
bench_module(base "${fast}" "${fast_link}" ${scalar_clang})
bench_module(simd "${fast}" "${fast_link}" -msimd128)
set(quick_modules ${modules})
bench_module(base-double "${fast}" "${fast_link}" ${scalar_clang} -DTAMIS_BENCH_DOUBLE)
bench_module(simd-double "${fast}" "${fast_link}" -msimd128 -DTAMIS_BENCH_DOUBLE)
bench_module(base-package "${wasm_compile_flags}" -Oz ${wasm_base})
bench_module(simd-package "${wasm_compile_flags}" -Oz ${wasm_simd} ${wasm_small})
add_custom_target(bench_wasm ALL DEPENDS ${quick_modules})
add_custom_target(bench_wasm_all DEPENDS ${modules})
