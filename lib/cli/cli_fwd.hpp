#pragma once
/// Names of the parser of options: <CLI/CLI.hpp> is long, and every file that includes it compiles all of it.

namespace CLI {
class App;
class Option;
}  // namespace CLI
