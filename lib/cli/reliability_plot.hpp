#pragma once
/// How often predictions are right beside how probable they are, as the text of a standalone SVG picture.

#include <string>
#include <vector>

#include "tamis/certificate/reliability.hpp"

namespace tamis::cli {

struct ReliabilityPlot {
  std::string title;
  std::vector<ReliabilityBin<double>> bins;  // of equal width, from 0 to 1
  double calibration_error = 0;
};

/// A bar as high as the accuracy for each bin with samples, a line to where its mean confidence is, and below them the
/// share of the samples.
std::string reliability_diagram(const ReliabilityPlot& plot);

}  // namespace tamis::cli
