# A copy of the headers with one more loss and one more penalty, each a file and a row:
# cmake -DHEADERS=lib/include/tamis -DTO=include/tamis -P add_rows.cmake
cmake_minimum_required(VERSION 3.25)
get_filename_component(parent ${TO} DIRECTORY)
file(REMOVE_RECURSE ${TO})
file(COPY ${HEADERS} DESTINATION ${parent})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/least_squares_of_signs.hpp DESTINATION ${TO}/loss)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/sum_of_squares.hpp DESTINATION ${TO}/penalty)

file(READ ${TO}/catalogue.hpp text)
# add_row(LIST FILE ROW): includes the file, and ends the list with ROW, whose number follows that of the last.
function(add_row list file row)
  string(FIND "${text}" "#define ${list}(ROW)" from)
  string(SUBSTRING "${text}" ${from} -1 rest)
  string(FIND "${rest}" "\n\n" length)
  string(SUBSTRING "${rest}" 0 ${length} rows)
  string(REGEX MATCHALL "ROW\\([0-9]+," all "${rows}")
  list(LENGTH all number)
  string(REPLACE "${rows}" "${rows} \\\n  ROW(${number}, ${row})" text "${text}")
  string(REPLACE "#include \"concepts.hpp\"\n" "#include \"concepts.hpp\"\n#include \"${file}\"\n" text "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()
add_row(TAMIS_LOSSES loss/least_squares_of_signs.hpp
        "least_squares_of_signs, \"least-squares-of-signs\", LeastSquaresOfSigns, \"½ Σ_k (z_k ± μ)²\", \"half the squares of z_k +- margin\"")
add_row(TAMIS_PENALTIES penalty/sum_of_squares.hpp
        "sum_of_squares, \"sum-of-squares\", SumOfSquares, \"Σw²\", \"sum of squares\"")
file(WRITE ${TO}/catalogue.hpp "${text}")
