# The compiler, its flags and the tools around it. docs/decisions/0002-compiler.md says why clang.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    message(FATAL_ERROR
        "g++ ${CMAKE_CXX_COMPILER_VERSION} miscompiles coroutines: it destroys temporaries in co_await expressions twice. "
        "Use clang++-19 (apt-get install clang-19): cmake -DCMAKE_CXX_COMPILER=clang++-19 …, or cmake --preset dev in a checkout of Cadre")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 17)
    message(FATAL_ERROR
        "clang ${CMAKE_CXX_COMPILER_VERSION} is older than what Cadre's coroutines were proved on. "
        "Use clang++-19 (apt-get install clang-19): cmake -DCMAKE_CXX_COMPILER=clang++-19 …, or cmake --preset dev in a checkout of Cadre")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
                    -Wextra-semi -fno-omit-frame-pointer -fdiagnostics-color=always)
if(PROJECT_IS_TOP_LEVEL)
    add_compile_options(-Werror)  # not for who builds us with a compiler that we have not seen
endif()
# The rooms are compiled once, for libcadre.a and libcadre.so; of the latter only what says CADRE_API can be seen. Not by CMake's
# properties: programs would get -fPIE, and the precompiled header would not fit them.
add_compile_options(-fPIC -fvisibility=hidden -fvisibility-inlines-hidden)
add_compile_definitions(BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION BOOST_JSON_NO_LIB)

set(CADRE_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
option(CADRE_FUZZ "Build the libFuzzer targets" OFF)
option(CADRE_MUTANTS "Deliberate faults that the simulator can switch on (base/mutant.hpp)" OFF)
if(NOT DEFINED CADRE_UNITY AND NOT PROJECT_IS_TOP_LEVEL)
    set(CADRE_UNITY 10)  # whoever embeds us builds us once
endif()
set(CADRE_UNITY 0 CACHE STRING "Files that are compiled as one; 0: each alone, for work on them")
if(CADRE_SANITIZE)
    # -O1: sanitized code at -O0 is three times slower to run than it is to compile
    add_compile_options(-O1 -fsanitize=${CADRE_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${CADRE_SANITIZE})
endif()
if(CADRE_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(CADRE_MUTANTS)
    add_compile_definitions(CADRE_MUTANTS)
endif()

find_program(MOLD mold)
if(MOLD AND PROJECT_IS_TOP_LEVEL)
    add_link_options(-fuse-ld=mold)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # What one clone compiled serves every other: paths are made relative, and the folder is kept out of the debug
    # information. tests/checks/compiler_cache_test.py shows it.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_ctime,include_file_mtime ${CCACHE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        add_compile_options(-fdebug-compilation-dir=.)
    endif()
endif()
# for scripts that compile something themselves: compile_commands.json does not name it
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/compiler_launcher CONTENT "${CMAKE_CXX_COMPILER_LAUNCHER}" @ONLY)
