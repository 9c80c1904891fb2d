# Unpacks ARCHIVE, the package of KIND, into the empty folder BUILD, builds its examples for the emulator with the stand-ins in
# boards, and runs each of PROGRAMS: what it prints must match EXPECTED_<program>.
file(REMOVE_RECURSE ${BUILD})
file(ARCHIVE_EXTRACT INPUT ${ARCHIVE} DESTINATION ${BUILD}/unpacked)
set(package ${BUILD}/unpacked/tamis)
set(stubs ${CMAKE_CURRENT_LIST_DIR}/boards)

if(KIND STREQUAL "esp-idf")
  set(source ${package}/examples/train_iris)
  set(ENV{IDF_PATH} ${stubs}/esp-idf)
elseif(KIND STREQUAL "zephyr")
  set(source ${package}/samples/train_iris)
  set(more -DZephyr_DIR=${stubs}/zephyr -DZEPHYR_EXTRA_MODULES=${package})
else()
  set(source ${stubs})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${source} -B ${BUILD}/built -DCMAKE_BUILD_TYPE=MinSizeRel
                        -DCMAKE_TOOLCHAIN_FILE=${TAMIS_SOURCE}/toolchains/cortex-m/cortex-m.cmake -DTAMIS_CORE=m4f
                        -DTAMIS_SOURCE=${TAMIS_SOURCE} -DPACKAGE=${package} -DKIND=${KIND} ${more}
                OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE result)
if(result EQUAL 0)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD}/built
                  OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE result)
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${text}")
endif()

foreach(program IN LISTS PROGRAMS)
  execute_process(COMMAND ${EMULATOR} ${BUILD}/built/${program}.elf INPUT_FILE ${CMAKE_CURRENT_LIST_FILE} TIMEOUT 600
                  OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE result)
  message("${program}:\n${text}")
  if(NOT result EQUAL 0 OR NOT text MATCHES "${EXPECTED_${program}}")
    message(FATAL_ERROR "${program} ended with ${result}, and what it printed does not match '${EXPECTED_${program}}'.")
  endif()
endforeach()
