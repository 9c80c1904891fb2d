#include <cstdio>
#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "errors.hpp"
#include "model_file.hpp"

namespace tamis::cli {

namespace {

struct PredictArguments {
  std::string model;
  std::string data;
  DataArguments reading;
  bool scores = false;
};

void run(const PredictArguments& a) {
  const StoredModel model = read_model(a.model);
  const Table table = read_samples(a.data, a.reading.read_options(model.scale), model.coefficients.features);
  const auto z =
      model.precision == "float" ? scores<float>(table, model.coefficients) : scores<double>(table, model.coefficients);
  const std::size_t classes = model.classes.size();
  const auto labels = decide(z, classes);
  std::string out;
  if (a.scores) {
    out += "label";
    for (const auto& name : model.classes) out += "," + name;
    out += '\n';
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out += model.classes[labels[i]];
    for (std::size_t k = 0; a.scores && k < classes; ++k) {
      char text[40];
      std::snprintf(text, sizeof text, model.precision == "float" ? ",%.9g" : ",%.17g", z[i * classes + k]);
      out += text;
    }
    out += '\n';
  }
  std::cout << out;
}

}  // namespace

void declare_predict(CLI::App& app) {
  auto a = std::make_shared<PredictArguments>();
  CLI::App& predict = *app.add_subcommand("predict", "print the predicted label of each sample");
  predict.add_option("MODEL", a->model, "a model written by train")->required();
  predict.add_option("DATA", a->data, "samples, with or without labels")->required();
  a->reading.declare(predict);
  predict.add_flag("--scores", a->scores, "print CSV: the label and the score of every class");
  predict.callback([a] { run(*a); });
}

}  // namespace tamis::cli
