/* What is measured of a predictor: each is a source file with these functions. */
#ifdef __cplusplus
extern "C" {
#endif

/* Takes a sample of all features, outside of the count. */
void prepare(const float *sample);
/* The class of that sample. */
int predict(void);
/* 0 when all is well. */
int self_test(void);

#ifdef __cplusplus
}
#endif
