# The workloads as modules bench-base.wasm and bench-simd.wasm, compiled as the package is, and the same in double,
# bench-base-double.wasm and bench-simd-double.wasm (on demand).
foreach(variable compile_flags link_flags base simd)
  get_directory_property(wasm_${variable} DIRECTORY ${PROJECT_SOURCE_DIR}/wasm DEFINITION ${variable})
endforeach()
set(exports)
foreach(name count name kind flops bytes span updates run checksum)
  list(APPEND exports -Wl,--export=tamis_bench_${name})
endforeach()

function(bench_module kind flags)
  set(objects)
  foreach(source ${workload_sources})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${source}-${kind}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${TAMIS_EMXX} ${wasm_compile_flags} ${flags} ${ARGN} -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${workload_headers} ${library_headers}
              ${PROJECT_SOURCE_DIR}/wasm/CMakeLists.txt
      COMMENT "Compiling ${source} for bench-${kind}.wasm" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(module ${CMAKE_CURRENT_BINARY_DIR}/bench-${kind}.wasm)
  add_custom_command(
    OUTPUT ${module}
    COMMAND ${TAMIS_EMXX} ${wasm_link_flags} -sINITIAL_MEMORY=112MB ${exports} ${objects} -o ${module}
    DEPENDS ${objects}
    COMMENT "Building bench-${kind}.wasm" VERBATIM)
  set(modules ${modules} ${module} PARENT_SCOPE)
endfunction()

bench_module(base "${wasm_base}")
bench_module(simd "${wasm_simd}")
set(quick_modules ${modules})
bench_module(base-double "${wasm_base}" -DTAMIS_BENCH_DOUBLE)
bench_module(simd-double "${wasm_simd}" -DTAMIS_BENCH_DOUBLE)
add_custom_target(bench_wasm ALL DEPENDS ${quick_modules})
add_custom_target(bench_wasm_double DEPENDS ${modules})
