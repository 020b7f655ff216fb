# lattice_library(NAME  SOURCES a.cc b.cc  TESTS a_test.cc  DEPS other libs  PRIVATE_DEPS third parties)
#
# Makes the static library lattice_NAME of one folder, and, when it has tests, the executable
# NAME_test, registered with ctest. Sources are listed by name.
function(lattice_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;TESTS;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(lattice_${name} STATIC ${arg_SOURCES})
  target_include_directories(lattice_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(lattice_${name} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
  lattice_use_pch(lattice_${name})
  if(arg_TESTS AND NOT LATTICE_FUZZ)
    add_executable(${name}_test ${arg_TESTS})
    target_link_libraries(${name}_test PRIVATE lattice_${name} lattice_doctest_main)
    lattice_use_pch(${name}_test)
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
endfunction()

# One precompiled header (std and base/result.h) for the whole program.
function(lattice_use_pch target)
  target_precompile_headers(${target} REUSE_FROM lattice_pch)
endfunction()

add_library(lattice_pch STATIC ${PROJECT_SOURCE_DIR}/cmake/pch.cc)
target_include_directories(lattice_pch PUBLIC ${PROJECT_SOURCE_DIR}/src)
target_precompile_headers(lattice_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)

if(NOT LATTICE_FUZZ)
  add_library(lattice_doctest_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/doctest_main.cc)
  target_include_directories(lattice_doctest_main PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  lattice_use_pch(lattice_doctest_main)
endif()
