# What the fuzz build adds to the options of all targets. It is built with clang.

# clang sees the deprecated calls inside the library's own std::stable_sort.
add_compile_options(-Wno-deprecated-declarations)
# A fuzzer lives from its number of runs.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer")
