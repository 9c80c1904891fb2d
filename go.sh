P=/work/main
CF="-std=c++20 -O2 -DNDEBUG -ffp-contract=off -fno-exceptions -fno-rtti -mbulk-memory -fno-vectorize -fno-slp-vectorize -mllvm -inline-threshold=5 -mllvm -hoist-common-insts -mllvm -sink-common-insts -I$P/lib/include -I$P/lib/c"
S=f32; X="-Wl,--export=__heap_base"; for n in version status_name status_sentence refusal; do X+=" -Wl,--export=tamis_$n"; done
for n in default_problem training_bytes fast_bytes start step stop report_of model_of blob_bytes blob_write blob_coefficient_bytes blob_read export_c; do X+=" -Wl,--export=tamis_${n}_$S"; done
LF="-Oz --no-entry -sSTANDALONE_WASM -sMALLOC=none -sFILESYSTEM=0 -sALLOW_MEMORY_GROWTH=0 -sINITIAL_MEMORY=64MB -sTOTAL_STACK=64KB -sBINARYEN_EXTRA_PASSES=--converge"
em++ $CF -DTAMIS_ONLY_F32 -DTAMIS_DENSE_ONLY $1 -msimd128 -fno-unroll-loops -c $P/lib/c/tamis.cpp -o $2.o && em++ $LF $X $2.o -o $2.wasm && ls -l $2.wasm && gzip -9 -k -c $2.wasm | wc -c; brotli -c $2.wasm 2>/dev/null | wc -c
