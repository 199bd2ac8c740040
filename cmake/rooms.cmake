# cadre_room(NAME [LINKS libraries…] [TEST_LINKS libraries…] [ALONE files…])
#   makes the static library NAME from the .cpp files of the current folder, and the test program NAME_test from its
#   *_test.cpp files. Files are found, not listed: a new file is part of its room by lying in it. ALONE: files that use the
#   same names as another for the same things, so that they cannot be compiled as one with it.
#   Which room may link which is not said here: scripts/check reads the includes and the shelves in src/CMakeLists.txt.
function(cadre_room name)
    cmake_parse_arguments(ARG "" "" "LINKS;TEST_LINKS;ALONE" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.hpp)
    set(tests ${sources})
    list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")

    list(TRANSFORM ARG_ALONE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    list(REMOVE_ITEM sources ${ARG_ALONE})
    cadre_batches(compiled ${name} ${sources})
    add_library(${name} STATIC ${compiled} ${ARG_ALONE})
    target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers})
    target_compile_features(${name} PUBLIC cxx_std_20)
    target_link_libraries(${name} PUBLIC ${ARG_LINKS})
    if(NOT CADRE_UNITY)
        cadre_precompiled(${name})
    endif()

    if(tests AND PROJECT_IS_TOP_LEVEL)
        cadre_test(${name}_test SOURCES ${tests} LINKS ${name} ${ARG_TEST_LINKS})
    endif()
endfunction()

# cadre_test(NAME SOURCES files… LINKS libraries…): a doctest program that keeps a ledger of its cases (tests/support)
function(cadre_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_LINKS} test_support)
    cadre_precompiled(${name})
    add_test(NAME ${name} COMMAND ${name})
endfunction()

# cadre_fuzz(NAME LINKS libraries…): a target from NAME_fuzz.cpp, with its corpus in corpus/NAME: with CADRE_FUZZ it searches, in other
#   sanitized builds it replays its corpus
function(cadre_fuzz name)
    cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
    if(NOT CADRE_SANITIZE)
        return()
    endif()
    add_executable(${name}_fuzz EXCLUDE_FROM_ALL ${name}_fuzz.cpp)
    target_link_libraries(${name}_fuzz PRIVATE ${ARG_LINKS})
    if(CADRE_FUZZ)
        target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    else()
        target_link_libraries(${name}_fuzz PRIVATE fuzz_replay)
        cadre_precompiled(${name}_fuzz)
    endif()
endfunction()

# cadre_batches(OUT NAME files…): sets OUT to the files, or, with CADRE_UNITY, to files that include CADRE_UNITY of them each.
#   CMake's own UNITY_BUILD includes by absolute path, so that no other clone could use what the compiler cache holds.
function(cadre_batches out name)
    if(NOT CADRE_UNITY)
        set(${out} ${ARGN} PARENT_SCOPE)
        return()
    endif()
    set(number 0)
    set(included 0)
    set(text "#include \"precompiled.hpp\"\n")
    set(batches "")
    foreach(file IN LISTS ARGN)
        cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src)
        string(APPEND text "#include \"${file}\"\n")
        math(EXPR included "${included} + 1")
        if(included EQUAL CADRE_UNITY)
            cadre_write_batch()
        endif()
    endforeach()
    if(included)
        cadre_write_batch()
    endif()
    set(${out} ${batches} PARENT_SCOPE)
endfunction()

macro(cadre_write_batch)
    set(batch ${CMAKE_CURRENT_BINARY_DIR}/${name}_${number}.cpp)
    file(CONFIGURE OUTPUT ${batch} CONTENT "${text}" @ONLY)
    list(APPEND batches ${batch})
    math(EXPR number "${number} + 1")
    set(included 0)
    set(text "#include \"precompiled.hpp\"\n")
endmacro()

# What is compiled with the precompiled header, and the header itself.
set(CADRE_PRECOMPILED_OPTIONS "SHELL:-Xclang -fno-pch-timestamp")
if(CMAKE_BUILD_TYPE STREQUAL "Release")
    list(APPEND CADRE_PRECOMPILED_OPTIONS -O0)  # tests, whose own code takes no time; suites that start the program have all of it at -O2
endif()

# cadre_precompiled(TARGET): its files begin with what src/precompiled.hpp includes. For what is compiled file by file: tests
#   always (their helpers' names clash), rooms where CADRE_UNITY is 0.
#   CMake's target_precompile_headers() hands the compiler absolute paths that ccache does not see.
function(cadre_precompiled target)
    if(NOT TARGET precompiled)
        return()
    endif()
    add_dependencies(${target} precompiled)
    target_compile_options(${target} PRIVATE "SHELL:-include-pch ${PROJECT_BINARY_DIR}/src/precompiled.pch" ${CADRE_PRECOMPILED_OPTIONS})
endfunction()
