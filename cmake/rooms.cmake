# cadre_room(NAME [LINKS libraries…] [TEST_LINKS libraries…])
#   makes the static library NAME from the .cpp files of the current folder, and the test program NAME_test from its
#   *_test.cpp files. Files are found, not listed: a new file is part of its room by lying in it.
#   Which room may link which is not said here: scripts/check reads the includes and the shelves in src/CMakeLists.txt.
function(cadre_room name)
    cmake_parse_arguments(ARG "" "" "LINKS;TEST_LINKS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.hpp)
    set(tests ${sources})
    list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")

    add_library(${name} STATIC ${sources})
    target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers})
    target_compile_features(${name} PUBLIC cxx_std_20)
    target_link_libraries(${name} PUBLIC ${ARG_LINKS})
    target_precompile_headers(${name} REUSE_FROM precompiled)
    set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)

    if(tests AND PROJECT_IS_TOP_LEVEL)
        cadre_test(${name}_test SOURCES ${tests} LINKS ${name} ${ARG_TEST_LINKS})
    endif()
endfunction()

# cadre_test(NAME SOURCES files… LINKS libraries…): a doctest program that keeps a ledger of its cases (tests/support)
function(cadre_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_LINKS} test_support)
    target_precompile_headers(${name} REUSE_FROM precompiled)
    add_test(NAME ${name} COMMAND ${name})
endfunction()

# cadre_fuzz(NAME LINKS libraries…): libFuzzer target from NAME_fuzz.cpp, with its corpus in corpus/NAME
function(cadre_fuzz name)
    cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
    if(NOT CADRE_FUZZ)
        return()
    endif()
    add_executable(${name}_fuzz ${name}_fuzz.cpp)
    target_link_libraries(${name}_fuzz PRIVATE ${ARG_LINKS})
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
endfunction()
