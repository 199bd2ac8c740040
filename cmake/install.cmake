# What `cmake --install` puts where: headers, libraries, the program, and what CMake and pkg-config find them by.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

foreach(kind static shared)
    install(TARGETS cadre_${kind} FILE_SET public DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()

# A library with code of ours in it needs what we need; one that is linked already does not.
set(CADRE_STATIC_LINKS ${others})
list(REMOVE_ITEM CADRE_STATIC_LINKS Boost::headers)  # compiled into it, and in no public header
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cadreConfig.cmake.in ${PROJECT_BINARY_DIR}/cadreConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cadre PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cadreConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cadreConfig.cmake ${PROJECT_BINARY_DIR}/cadreConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/re2.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cadre)
configure_file(${PROJECT_SOURCE_DIR}/cmake/cadre.pc.in ${PROJECT_BINARY_DIR}/cadre.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cadre.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The manual page is what the program prints.
install(CODE "execute_process(COMMAND $<TARGET_FILE:cadre> help --man OUTPUT_FILE \"${PROJECT_BINARY_DIR}/cadre.1\" COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${PROJECT_BINARY_DIR}/cadre.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
