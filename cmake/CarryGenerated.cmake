# Tables made from text at build time. `tools/gen/gen.py OUT` reads src/ops/builtins/*.builtins and writes headers (and
# sources) under OUT; `gen.py --list OUT` prints the files it would write, one a line. They are included as
# "ops/..." with ${CARRY_GENERATED_DIR} on the include path.
set(CARRY_GENERATED_DIR "${CMAKE_BINARY_DIR}/gen")
file(MAKE_DIRECTORY "${CARRY_GENERATED_DIR}")

function(carry_use_generated target)
  if(NOT EXISTS "${CMAKE_SOURCE_DIR}/tools/gen/gen.py")
    return()
  endif()
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS src/ops/*.builtins src/ops/*.def tools/gen/*.py)
  execute_process(COMMAND "${Python3_EXECUTABLE}" tools/gen/gen.py --list "${CARRY_GENERATED_DIR}"
                  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE listed RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "tools/gen/gen.py --list fails")
  endif()
  string(REGEX REPLACE "[\r\n]+" ";" outputs "${listed}")
  list(FILTER outputs INCLUDE REGEX "^/")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS tools/gen/gen.py)
  set(stamp "${CARRY_GENERATED_DIR}/gen.stamp")
  add_custom_command(OUTPUT "${stamp}" ${outputs}
                     COMMAND "${Python3_EXECUTABLE}" tools/gen/gen.py "${CARRY_GENERATED_DIR}"
                     COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
                     DEPENDS ${inputs} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" COMMENT "Tables of built-ins" VERBATIM)
  add_custom_target(carry_generated DEPENDS "${stamp}" ${outputs})
  add_dependencies(${target} carry_generated)
  list(FILTER outputs INCLUDE REGEX "\\.cpp$")
  target_sources(${target} PRIVATE ${outputs})
endfunction()
