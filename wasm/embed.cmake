# Writes a WebAssembly module as a JavaScript one: cmake -DMODULE=… -DOUTPUT=… -P embed.cmake
execute_process(COMMAND base64 -w0 ${MODULE} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
get_filename_component(name ${MODULE} NAME)
file(WRITE ${OUTPUT} "// ${name} in base64.\nexport default '${text}';\n")
