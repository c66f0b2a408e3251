# A room is a library that sees its own headers and those of the rooms it links, and no others: its include path is a folder
# of links to exactly the folders or headers named. A wrong include direction does not compile.
#   conv_room(NAME [INTERFACE] SHOWS path... [FOLDERS folder...] [SOURCES file...] [LINKS target...] [PRIVATE_LINKS target...]
#             [PRECOMPILE header...])
# FOLDERS: every .cpp in them belongs to the room.
# PRECOMPILE: headers that all files of a large room include, in place of the common ones. They are parsed once; whoever
# uses them still includes them.
function(conv_room name)
  cmake_parse_arguments(room "INTERFACE" "" "SHOWS;FOLDERS;SOURCES;LINKS;PRIVATE_LINKS;PRECOMPILE" ${ARGN})
  set(root "${CMAKE_BINARY_DIR}/rooms/${name}")
  # a header that has left the room would else stay to be seen in this build folder, and be missing in a new one
  file(REMOVE_RECURSE "${root}")
  foreach(path ${room_SHOWS})
    get_filename_component(parent "${root}/${path}" DIRECTORY)
    file(MAKE_DIRECTORY "${parent}")
    file(CREATE_LINK "${CMAKE_SOURCE_DIR}/${path}" "${root}/${path}" SYMBOLIC)
  endforeach()
  if(room_INTERFACE)
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE "${root}")
    target_link_libraries(${name} INTERFACE ${room_LINKS})
    return()
  endif()
  foreach(folder ${room_FOLDERS})
    file(GLOB files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
    list(APPEND room_SOURCES ${files})
  endforeach()
  add_library(${name} STATIC ${room_SOURCES})
  target_include_directories(${name} PUBLIC "${root}")
  target_link_libraries(${name} PUBLIC ${room_LINKS} PRIVATE ${room_PRIVATE_LINKS})
  if(room_PRECOMPILE)
    target_precompile_headers(${name} PRIVATE ${room_PRECOMPILE})
  elseif(TARGET conv_precompiled)
    target_precompile_headers(${name} REUSE_FROM conv_precompiled)
  endif()
  conv_warnings(${name})
endfunction()

# GCC 12 warns of uninitialised strings in aggregates with default members where there are none, and of reads beyond a
# string inside its own library; clang warns of loops of the kernels that it does not unroll for the host.
function(conv_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wno-missing-field-initializers
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-stringop-overread>"
    $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed> -Werror)
endfunction()
