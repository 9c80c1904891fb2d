# The examples of the pages: each follows a line `<!-- snippet: NAME -->`.
set(TAMIS_PAGES README.md lib/c/README.md lib/docs/cpp.md lib/docs/extending.md lib/docs/streams.md lib/docs/boards.md
    lib/docs/interactions.md lib/docs/kernels.md)

# tamis_snippet(name language file): writes one example into a file.
function(tamis_snippet name language file)
  set(opening "<!-- snippet: ${name} -->\n```${language}\n")
  string(LENGTH "${opening}" length)
  foreach(page IN LISTS TAMIS_PAGES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${page})
    file(READ ${PROJECT_SOURCE_DIR}/${page} text)
    string(FIND "${text}" "${opening}" start)
    if(NOT start EQUAL -1)
      math(EXPR start "${start} + ${length}")
      string(SUBSTRING "${text}" ${start} -1 rest)
      string(FIND "${rest}" "```" end)
      string(SUBSTRING "${rest}" 0 ${end} code)
      file(CONFIGURE OUTPUT ${file} CONTENT "@code@" @ONLY)
      return()
    endif()
  endforeach()
  list(JOIN TAMIS_PAGES ", " all)
  message(FATAL_ERROR "No page has the snippet ${name} in ${language}, which a test compiles: it is in none of ${all}.")
endfunction()
