// read_file, write_file, list_files: the task's files, and no others.
#pragma once

#include <memory>

namespace cadre::tools {

class Tool;

std::shared_ptr<Tool> read_file_tool();
std::shared_ptr<Tool> write_file_tool();
std::shared_ptr<Tool> list_files_tool();

}  // namespace cadre::tools
