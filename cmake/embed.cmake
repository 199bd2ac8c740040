# cadre_embed(ROOM FILE NAMESPACE SYMBOL): makes the text of FILE, of less than 64 KiB, a part of ROOM, as
#   extern const std::string_view SYMBOL;   in the namespace cadre::NAMESPACE
# A text that changes is embedded anew by the next build.
function(cadre_embed room file namespace symbol)
    set(EMBED_NAMESPACE ${namespace})
    set(EMBED_SYMBOL ${symbol})
    file(READ ${file} EMBED_TEXT)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/embed.cpp.in ${source} @ONLY)
    target_sources(cadre_${room} PRIVATE ${source})
endfunction()

# cadre_embed_program(ROOM PROGRAM NAMESPACE SYMBOL): makes what the target PROGRAM builds a part of ROOM, the same way.
function(cadre_embed_program room program namespace symbol)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
    add_custom_command(OUTPUT ${source}
        COMMAND ${CMAKE_COMMAND} -DIN=$<TARGET_FILE:${program}> -DOUT=${source} -DNAMESPACE=${namespace} -DSYMBOL=${symbol}
                -P ${PROJECT_SOURCE_DIR}/cmake/embed_program.cmake
        DEPENDS ${program} ${PROJECT_SOURCE_DIR}/cmake/embed_program.cmake VERBATIM)
    target_sources(cadre_${room} PRIVATE ${source})
endfunction()
