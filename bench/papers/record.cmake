# paper_record(paper_a): a target paper_a_record, which keeps the results of this build folder in recorded/ of the paper's folder, and a
# test that what is kept there is of one piece. To be called in the paper's own folder.
function(paper_record paper)
  if(NOT TAMIS_NODE)
    return()
  endif()
  set(script ${PROJECT_SOURCE_DIR}/bench/papers/record.mjs)
  set(recorded ${CMAKE_CURRENT_SOURCE_DIR}/recorded)
  set(plots ${CMAKE_CURRENT_SOURCE_DIR}/plots.mjs)
  add_custom_target(${paper}_record
    COMMAND ${TAMIS_NODE} ${script} ${CMAKE_CURRENT_BINARY_DIR}/results ${recorded} ${plots} USES_TERMINAL VERBATIM)
  if(TAMIS_BUILD_TESTS AND EXISTS ${recorded})
    add_test(NAME bench.${paper}_recorded COMMAND ${TAMIS_NODE} ${script} --check ${recorded} ${plots})
    set_tests_properties(bench.${paper}_recorded PROPERTIES LABELS bench TIMEOUT 300)
  endif()
endfunction()
