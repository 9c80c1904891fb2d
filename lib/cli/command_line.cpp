#include <iostream>

#include "commands.hpp"
#include "data.hpp"
#include "errors.hpp"
#include "tamis/version.hpp"

namespace tamis::cli {

int run_command(int argc, const char* const* argv) {
  CLI::App app{
      "Sparse multiclass classifiers, trained in a fixed piece of memory and certified.\n"
      "Objective: (1/sum w_i) sum_i w_i loss(W'x_i + b, y_i) + lambda * penalty(W); intercepts b are free.\n"
      "With --eta instead of --lambda: penalty(W) subject to (1/sum w_i) sum_i w_i loss(W'x_i + b, y_i) <= eta.",
      "tamis"};
  app.set_version_flag("--version", tamis::version);
  app.require_subcommand(1);
  declare_train(app);
  declare_path(app);
  declare_cv(app);
  declare_stability(app);
  declare_update(app);
  declare_interactions(app);
  declare_kernels(app);
  declare_predict(app);
  declare_export(app);
  declare_size(app);
  declare_solvers(app);

  const auto fail = [](const char* sentence, int code) {
    std::cerr << "tamis: " << sentence << '\n';
    return code;
  };
  if (argc > 1 && argv[1][0] != '-') {
    std::string names;
    bool known = false;
    for (const auto* command : app.get_subcommands({})) {
      known |= command->get_name() == argv[1];
      names += (names.empty() ? "" : ", ") + command->get_name();
    }
    if (!known)
      return fail(("'" + std::string(argv[1]) + "' is not one of the subcommands " + names).c_str(), exit_arguments);
  }
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    return fail(error.what(), exit_arguments);
  } catch (const ArgumentError& error) {
    return fail(error.what(), exit_arguments);
  } catch (const DataError& error) {
    return fail(error.what(), exit_data);
  } catch (const MemoryError& error) {
    return fail(error.what(), exit_memory);
  } catch (const std::bad_alloc&) {
    return fail("the machine has not enough memory for these data", exit_memory);
  } catch (const std::exception& error) {
    return fail(error.what(), exit_data);
  }
}

}  // namespace tamis::cli
