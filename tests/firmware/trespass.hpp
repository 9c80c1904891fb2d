#pragma once
/// One thing that firmware must not do, chosen by a macro: shows that the link refuses it. Nothing by default.

#if defined(TRESPASS_HEAP)
#include <new>
inline int* volatile kept;
inline void trespass() { kept = new int(1); }
#elif defined(TRESPASS_DOUBLE)
inline volatile float input = 1.5f;
inline void trespass() { input = static_cast<float>(static_cast<double>(input) * 1.1); }
#elif defined(TRESPASS_THROW)
inline volatile bool unlikely = false;
inline void trespass() {
  if (unlikely) throw 1;
}
#elif defined(TRESPASS_PRINTF)
#include <cstdio>
inline volatile int number = 1;
inline void trespass() { std::printf("%d\n", number); }
#else
inline void trespass() {}
#endif
