# Runs PROGRAM (a command line) and each of REFERENCES: all must end well and print the same, lines of measurements aside.
# STACK: most bytes of stack that PROGRAM may report.
function(run output)
  string(REPLACE ";" " " command "${ARGN}")
  # The emulator prints what the board says on its error stream.
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE result
                  INPUT_FILE ${CMAKE_CURRENT_LIST_FILE})
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${text}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

run(printed ${PROGRAM})
message("${printed}")
if(STACK AND printed MATCHES "stack bytes ([0-9]+)" AND CMAKE_MATCH_1 GREATER STACK)
  message(FATAL_ERROR "${CMAKE_MATCH_1} bytes of stack are more than ${STACK}")
endif()
string(REGEX REPLACE "measured:[^\n]*\n" "" printed "${printed}")
if(printed STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} printed nothing")
endif()
foreach(reference IN LISTS REFERENCES)
  run(expected ${reference})
  string(REGEX REPLACE "measured:[^\n]*\n" "" expected "${expected}")
  if(NOT printed STREQUAL expected)
    message(FATAL_ERROR "${reference} differs:\n${expected}")
  endif()
endforeach()
