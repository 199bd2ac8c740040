# cadre::re2, for us and for who uses an installed Cadre. Debian's re2 has no CMake package; and not by pkg-config: its -pthread does
# not go with the precompiled header.
if(NOT TARGET cadre::re2)
    find_path(RE2_INCLUDE re2/re2.h)
    find_library(RE2_LIBRARY re2)
    if(NOT RE2_INCLUDE OR NOT RE2_LIBRARY)
        message(FATAL_ERROR "Cadre needs the library re2 (apt-get install libre2-dev)")
    endif()
    add_library(cadre::re2 UNKNOWN IMPORTED GLOBAL)
    set_target_properties(cadre::re2 PROPERTIES IMPORTED_LOCATION ${RE2_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${RE2_INCLUDE})
endif()
