// C headers of models of any numbers: their text, whole and cut. What they compute is for export_batch.cpp, as a
// compiler for each input would be too slow.
#include "exports.hpp"

using namespace tamis::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const Exported e = exported(bytes, "model");
  for (const auto label : e.classes) expect(label < (e.outputs == 1 ? 2 : e.outputs), "predictions are classes");
  return 0;
}
