# Run by the target `wheel`: BUILD is installed into STAGE/root and packed, the wheel lies in STAGE.
set(root ${STAGE}/root)
set(name popinjay_kernel-${VERSION})
set(data ${root}/${name}.data/data)
file(REMOVE_RECURSE ${root})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${data} --strip
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE compiled LIST_DIRECTORIES true ${data}/*)
list(FILTER compiled INCLUDE REGEX "/__pycache__$") # pip compiles by itself
file(REMOVE_RECURSE ${compiled})
# `import popinjay` where the recorder does not put it into the path.
file(COPY ${CMAKE_CURRENT_LIST_DIR}/popinjay_kernel.pth DESTINATION ${root})
file(COPY ${STAGE}/METADATA ${STAGE}/WHEEL DESTINATION ${root}/${name}.dist-info)
execute_process(COMMAND python3 -m wheel pack --dest-dir ${STAGE} ${root}
                COMMAND_ERROR_IS_FATAL ANY)
