# Configures, builds and runs the consumer in SOURCE, in the empty folder BUILD, with ARGUMENTS; it must print VERSION. With
# REFUSAL the configuration must fail instead, and say so in words that match it.
file(REMOVE_RECURSE ${BUILD})
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${BUILD} ${ARGUMENTS}
                OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE result)
if(REFUSAL)
  if(result EQUAL 0 OR NOT text MATCHES "${REFUSAL}")
    message(FATAL_ERROR "The configuration should have been refused with '${REFUSAL}', but:\n${text}")
  endif()
  return()
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${text}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD}
                OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${text}")
endif()
find_program(CONSUMER NAMES consumer program PATHS ${BUILD} NO_DEFAULT_PATH REQUIRED)
execute_process(COMMAND ${CONSUMER} OUTPUT_VARIABLE text RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT text STREQUAL "tamis ${VERSION}\n")
  message(FATAL_ERROR "The consumer ended with ${result} and printed '${text}', not 'tamis ${VERSION}'.")
endif()
