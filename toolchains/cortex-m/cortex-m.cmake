# CMake toolchain for Cortex-M boards: arm-none-eabi-g++ and newlib. TAMIS_CORE chooses the core: m55, m7, m4f, m3
# or m0plus. A program takes start.cpp and links with -Tmemory.ld of this folder, and with proofs.ld of ../firmware if it likes.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TAMIS_CORE)

set(TAMIS_CORE m4f CACHE STRING "The core: m55, m7 or m4f (single-precision unit), m3 or m0plus (no floating-point unit)")
if(TAMIS_CORE STREQUAL "m55")
  set(core "-mcpu=cortex-m55+nomve -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16")
elseif(TAMIS_CORE STREQUAL "m7")
  set(core "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16")
elseif(TAMIS_CORE STREQUAL "m4f")
  set(core "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16")
elseif(TAMIS_CORE STREQUAL "m3")
  set(core "-mcpu=cortex-m3 -mthumb -mfloat-abi=soft")
elseif(TAMIS_CORE STREQUAL "m0plus")
  set(core "-mcpu=cortex-m0plus -mthumb -mfloat-abi=soft")
else()
  message(FATAL_ERROR "TAMIS_CORE is m55, m7, m4f, m3 or m0plus, not '${TAMIS_CORE}'")
endif()

# One section per function and table, so that the linker keeps only what is used. Without errno, a square root is one
# instruction where the core has it. -Wno-psabi: one compiler makes everything, its notes on other versions do not matter.
get_filename_component(firmware ${CMAKE_CURRENT_LIST_DIR}/../firmware ABSOLUTE)
set(CMAKE_CXX_FLAGS_INIT "${core} -I${firmware} -ffunction-sections -fdata-sections -fno-math-errno -Wno-psabi -fno-exceptions \
-fno-rtti -fno-threadsafe-statics -fno-unwind-tables -fno-asynchronous-unwind-tables")
set(CMAKE_EXE_LINKER_FLAGS_INIT "--specs=nano.specs --specs=nosys.specs -nostartfiles -L${firmware} -Wl,--gc-sections")
