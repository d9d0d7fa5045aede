# The CMake package of llm_datadist_status/status_info.hpp. The toolkit's own include directory is the user's to add.
if(NOT TARGET llm_datadist_status::status_info)
  # Everything is found from this file's own place, so that the package can be moved.
  get_filename_component(_llm_datadist_status_include "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
  add_library(llm_datadist_status::status_info INTERFACE IMPORTED)
  set_target_properties(
    llm_datadist_status::status_info PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_llm_datadist_status_include}"
                                                INTERFACE_COMPILE_FEATURES cxx_std_11)
  unset(_llm_datadist_status_include)
endif()
