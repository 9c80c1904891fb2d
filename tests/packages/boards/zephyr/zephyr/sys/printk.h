#pragma once
#ifdef __cplusplus
extern "C"
#endif
void printk(const char* format, ...);
