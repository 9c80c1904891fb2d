#include "commands.hpp"

int main(int argc, char** argv) { return tamis::cli::run_command(argc, argv); }
