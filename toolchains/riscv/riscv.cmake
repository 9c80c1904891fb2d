# CMake toolchain for RISC-V boards: riscv64-unknown-elf-g++ and picolibc. TAMIS_CORE is what the processor has: rv32imafc,
# with a single-precision unit, or others that the compiler knows, such as rv32imc (no floating-point unit: ESP32-C3). That
# compiler comes without the C++ library. Its headers are borrowed from the one for Cortex-M, of the same version: those
# the library includes know nothing of the processor, and nothing of them is linked. TAMIS_CXX_HEADERS names their folder.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TAMIS_CXX_HEADERS TAMIS_CORE)

if(NOT TAMIS_CXX_HEADERS)
  file(GLOB found /usr/include/newlib/c++/*/span)
  if(NOT found)
    message(FATAL_ERROR "no C++ headers in /usr/include/newlib: install libstdc++-arm-none-eabi-newlib, or name their \
folder with -DTAMIS_CXX_HEADERS=…")
  endif()
  list(GET found -1 found)
  get_filename_component(found ${found} DIRECTORY)
  set(TAMIS_CXX_HEADERS ${found} CACHE PATH "The folder with the C++ headers")
endif()

set(TAMIS_CORE rv32imafc CACHE STRING "The instructions, as -march has them")
if(TAMIS_CORE MATCHES "^rv32ima?f")
  set(core "-march=${TAMIS_CORE} -mabi=ilp32f")
else()
  set(core "-march=${TAMIS_CORE} -misa-spec=2.2 -mabi=ilp32")  # as of that specification, csrr and csrw are in I
endif()

# As for Cortex-M: one section per function and table; without errno, a square root is one instruction.
get_filename_component(firmware ${CMAKE_CURRENT_LIST_DIR}/../firmware ABSOLUTE)
set(CMAKE_CXX_FLAGS_INIT "-I${firmware} ${core} --specs=picolibc.specs -nostdinc++ \
-isystem ${TAMIS_CXX_HEADERS} -isystem ${TAMIS_CXX_HEADERS}/arm-none-eabi -ffunction-sections -fdata-sections \
-fno-math-errno -Wno-psabi -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-unwind-tables \
-fno-asynchronous-unwind-tables")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostartfiles -nodefaultlibs -L${firmware} -Wl,--gc-sections")
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "-lc -lgcc")
