# Builds PROGRAMS (see device/CMakeLists.txt) for the core in the empty folder BUILD and runs them. Of each of KINDS it prints
# bytes of flash (code and constants) and instructions a prediction, without those of nothing_<kind>. exported_<kind> has to have at
# most FLASH bytes, at most 1.3 times the instructions of by_hand_<kind>, and as many samples right; and tested_<kind>, the same
# with its self-test, has to pass that.
file(REMOVE_RECURSE ${BUILD})
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR}/device -B ${BUILD}
                        -DCMAKE_TOOLCHAIN_FILE=${TAMIS_SOURCE}/toolchains/cortex-m/cortex-m.cmake -DTAMIS_CORE=m4f
                        -DCMAKE_C_COMPILER=arm-none-eabi-gcc -DTAMIS_SOURCE=${TAMIS_SOURCE} -DSAMPLES=${SAMPLES}
                        "-DPROGRAMS=${PROGRAMS}" -DOPTIMISATION=${OPTIMISATION}
                OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE result)
if(result EQUAL 0)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE result)
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${text}")
endif()

# run(name): name_flash, name_instructions (in tenths) and name_right.
function(run name)
  execute_process(COMMAND ${EMULATOR} ${BUILD}/${name}.elf INPUT_FILE ${CMAKE_CURRENT_LIST_FILE} TIMEOUT 120
                  OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE result)
  if(NOT result EQUAL 0 OR NOT text MATCHES "self-test 0\nright ([0-9]+) of ([0-9]+)\ninstructions a prediction ([0-9]+)\\.([0-9])\n")
    message(FATAL_ERROR "${name} ended with ${result}:\n${text}")
  endif()
  set(${name}_right "${CMAKE_MATCH_1} of ${CMAKE_MATCH_2}" PARENT_SCOPE)
  set(${name}_instructions ${CMAKE_MATCH_3}${CMAKE_MATCH_4} PARENT_SCOPE)
  execute_process(COMMAND arm-none-eabi-size ${BUILD}/${name}.elf OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "\n *([0-9]+)[ \t]+([0-9]+)" text "${text}")
  math(EXPR flash "${CMAKE_MATCH_1} + ${CMAKE_MATCH_2}")
  set(${name}_flash ${flash} PARENT_SCOPE)
endfunction()

foreach(kind IN LISTS KINDS)
  run(nothing_${kind})
  foreach(name exported_${kind} by_hand_${kind})
    run(${name})
    math(EXPR ${name}_instructions "${${name}_instructions} - ${nothing_${kind}_instructions}")
    math(EXPR whole "${${name}_instructions} / 10")
    math(EXPR tenth "${${name}_instructions} % 10")
    math(EXPR ${name}_flash "${${name}_flash} - ${nothing_${kind}_flash}")
    message("${name}: ${${name}_flash} bytes of code and constants, ${whole}.${tenth} instructions a prediction, ${${name}_right} right")
  endforeach()
  run(tested_${kind})
  if(exported_${kind}_flash GREATER FLASH)
    message(FATAL_ERROR "more than ${FLASH} bytes")
  endif()
  math(EXPR most "${by_hand_${kind}_instructions} * 13 / 10")
  if(exported_${kind}_instructions GREATER most)
    message(FATAL_ERROR "more than 1.3 times the instructions of loops by hand")
  endif()
  if(NOT exported_${kind}_right STREQUAL by_hand_${kind}_right)
    message(FATAL_ERROR "other predictions than by hand")
  endif()
endforeach()
