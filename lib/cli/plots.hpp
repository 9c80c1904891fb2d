#pragma once
/// Plots as the text of standalone SVG pictures; the same data gives the same text.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tamis::cli {

/// A dashed vertical line at a lambda.
struct Marker {
  double lambda;
  std::string label;
};

/// Models along lambdas in any order. Points whose lambda is not positive and finite are left out.
struct PathPlot {
  std::string title;
  std::vector<double> lambdas;
  std::vector<std::vector<double>> values;   // per lambda and feature: norm of its coefficients across the classes
  std::vector<std::string> feature_names{};  // one per feature, or none
  std::vector<Marker> markers{};
};

/// One line per feature that is not zero throughout; the largest of the last model are coloured and named.
std::string coefficient_path(const PathPlot& plot);

/// Held-out figures along lambdas in any order. Points without a finite mean or a positive lambda are left out.
struct CurvePlot {
  std::string title;
  std::string y_label;
  std::vector<double> lambdas;
  std::vector<double> means;              // per lambda
  std::vector<double> standard_errors{};  // per lambda, or none
  std::vector<std::size_t> kept{};        // features per lambda, or none
  std::optional<double> lambda_min{}, lambda_1se{};
};

/// The mean within a band of one standard error to either side.
std::string cross_validation_curve(const CurvePlot& plot);

struct ConfusionPlot {
  std::string title;
  std::vector<std::string> classes;
  std::vector<std::vector<std::size_t>> counts;  // rows: the true class, columns: the predicted one
};

/// Cells as dark as their share of the row; those of no sample are blank.
std::string confusion_matrix(const ConfusionPlot& plot);

struct MapsPlot {
  std::string title;
  std::vector<std::string> classes;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::vector<double>> weights;  // per class: rows × columns, row by row
};

/// Each class's weights as a picture, on one scale of colours around zero.
std::string weight_maps(const MapsPlot& plot);

}  // namespace tamis::cli
