// The workloads without times, one line each: agreement and instruction counts.
// Run: bench_run TARGET            every workload; "target,name,kind,0,flops,bytes,checksum"
//      bench_run TARGET PREFIX…    those whose names begin with one of these
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "workloads.hpp"

/// One run with its data drawn beforehand: the function whose instructions are counted.
extern "C" [[gnu::noinline]] void tamis_bench_counted(std::uint32_t workload) {
  tamis_bench_run(workload, 1);
  asm volatile("" ::: "memory");
}

namespace {

bool wanted(const char* name, int count, char** prefixes) {
  for (int i = 0; i < count; ++i)
    if (std::strncmp(name, prefixes[i], std::strlen(prefixes[i])) == 0) return true;
  return count == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "Use: bench_run TARGET [PREFIX…]\n");
    return 2;
  }
  for (std::uint32_t i = 0; i < tamis_bench_count(); ++i) {
    if (!wanted(tamis_bench_name(i), argc - 2, argv + 2)) continue;
    tamis_bench_run(i, 0);
    tamis_bench_counted(i);
    std::printf("%s,%s,%s,0,%.0f,%.0f,%016" PRIx64 "\n", argv[1], tamis_bench_name(i), tamis_bench_kind(i),
                tamis_bench_flops(i), tamis_bench_bytes(i), tamis_bench_checksum(i));
    std::fflush(stdout);
  }
}
