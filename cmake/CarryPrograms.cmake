# The programs: `carry` (tools/carry) and `carry-ir` (tools/carry_ir: reads IR text, runs passes, prints; for tests).
function(carry_program name folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS tools/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}/tools/${folder}")
  target_link_libraries(${name} PRIVATE carry_core)
  target_compile_options(${name} PRIVATE "$<$<CONFIG:Release>:-Os>")  # as CMakeLists.txt says of src/driver
  find_package(fmt QUIET)
  if(TARGET fmt::fmt-header-only)
    target_link_libraries(${name} PRIVATE fmt::fmt-header-only)
  endif()
  carry_link_static(${name})
  carry_link_hot(${name})
  # What a linker wrote piece by piece lies in small pieces of the page cache, which cost a cold start a fifth more than a file
  # written in one go.
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM
                     COMMAND cp "$<TARGET_FILE:${name}>" "$<TARGET_FILE:${name}>.whole"
                     COMMAND "${CMAKE_COMMAND}" -E rename "$<TARGET_FILE:${name}>.whole" "$<TARGET_FILE:${name}>")
endfunction()

# carry_late_init(OUT ARCHIVE): a copy of an archive whose constructors of globals do not run at start; they become the table
# `carry_late_init`, which who needs the archive walks (tools/carry/disassemble.cpp). Gives the archive itself where that cannot be.
function(carry_late_init out archive)
  if(NOT archive MATCHES "\\.a$" OR NOT CMAKE_OBJCOPY)
    return()
  endif()
  get_filename_component(name "${archive}" NAME_WE)
  set(copy "${CMAKE_BINARY_DIR}/${name}-late.a")
  execute_process(COMMAND "${CMAKE_OBJCOPY}" --rename-section .init_array=carry_late_init "${archive}" "${copy}"
                  RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    target_compile_definitions(carry PRIVATE CARRY_LATE_INIT)
    set(${out} "${copy}" PARENT_SCOPE)
  endif()
endfunction()

carry_program(carry carry)
if(TARGET carry)
  # Disassembly and PNG files are the program's, not the library's.
  find_library(CARRY_SPIRV_TOOLS SPIRV-Tools REQUIRED)
  find_path(CARRY_PNG_INCLUDE png.h REQUIRED)
  find_library(CARRY_PNG NAMES libpng16.a png16 REQUIRED)  # archives first: the release program is static
  find_library(CARRY_ZLIB NAMES libz.a z REQUIRED)
  find_package(Threads REQUIRED)
  if(CARRY_STATIC AND NOT CARRY_SANITIZE AND NOT CARRY_COVERAGE)
    target_compile_definitions(carry PRIVATE CARRY_FAST_START)
    carry_late_init(CARRY_SPIRV_TOOLS "${CARRY_SPIRV_TOOLS}")
  endif()
  target_link_libraries(carry PRIVATE "${CARRY_SPIRV_TOOLS}" "${CARRY_PNG}" "${CARRY_ZLIB}" Threads::Threads)
  target_include_directories(carry SYSTEM PRIVATE "${CARRY_PNG_INCLUDE}")
endif()
carry_program(carry-ir carry_ir)
if(TARGET carry)
  install(TARGETS carry RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
endif()
