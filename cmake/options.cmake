# Compiler and linker options that every target shares. They must be the same everywhere, because
# all targets reuse one precompiled header.
option(LATTICE_FUZZ "Build the libFuzzer targets (needs clang)" OFF)
set(LATTICE_SANITIZE "" CACHE STRING "Comma-separated sanitizers, empty for none")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# Warnings are errors in every build that tests; the optimised one shows them only, because gcc 12 warns
# falsely there (docs/decisions/2026-12-01-warnings-when-optimised.md).
add_compile_options(-Wall -Wextra -Wpedantic $<$<NOT:$<CONFIG:Release>>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc 12 reports these two inside its own coroutine frames and std::string when it inlines.
  add_compile_options(-Wno-maybe-uninitialized -Wno-restrict -fpch-preprocess)
endif()
add_link_options(-fuse-ld=lld)

# -O0: with the sanitizers, optimising costs two to three times the compile time.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1 -fno-omit-frame-pointer")
# At -O2 gcc 12 warns of writes inside std::string and std::vector that cannot happen (its own inlining).
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  string(APPEND CMAKE_CXX_FLAGS_RELEASE " -Wno-stringop-overflow -Wno-array-bounds")
endif()

if(LATTICE_SANITIZE)
  add_compile_options(-fsanitize=${LATTICE_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LATTICE_SANITIZE})
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)
pkg_check_modules(OPENSSL REQUIRED IMPORTED_TARGET openssl)
pkg_check_modules(SQLITE3 REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(FMT REQUIRED IMPORTED_TARGET fmt)
