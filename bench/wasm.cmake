# The workloads as modules bench-base.wasm and bench-simd.wasm, compiled as the package is.
foreach(variable compile_flags link_flags base simd)
  get_directory_property(wasm_${variable} DIRECTORY ${PROJECT_SOURCE_DIR}/wasm DEFINITION ${variable})
endforeach()
set(exports)
foreach(name count name kind flops bytes run checksum)
  list(APPEND exports -Wl,--export=tamis_bench_${name})
endforeach()
file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/include/*.hpp ${PROJECT_SOURCE_DIR}/lib/c/*.h)

foreach(kind base simd)
  set(objects)
  foreach(source ${CMAKE_CURRENT_SOURCE_DIR}/workloads.cpp ${PROJECT_SOURCE_DIR}/lib/c/tamis.cpp)
    get_filename_component(name ${source} NAME_WE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}-${kind}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${TAMIS_EMXX} ${wasm_compile_flags} ${wasm_${kind}} -DTAMIS_ONLY_F32 -DTAMIS_DENSE_ONLY -c ${source} -o ${object}
      DEPENDS ${source} workloads.hpp ${headers} ${PROJECT_SOURCE_DIR}/wasm/CMakeLists.txt
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(module ${CMAKE_CURRENT_BINARY_DIR}/bench-${kind}.wasm)
  add_custom_command(
    OUTPUT ${module}
    COMMAND ${TAMIS_EMXX} ${wasm_link_flags} ${exports} ${objects} -o ${module}
    DEPENDS ${objects}
    COMMENT "Building bench-${kind}.wasm" VERBATIM)
  list(APPEND modules ${module})
endforeach()
add_custom_target(bench_wasm ALL DEPENDS ${modules})
