# Run by the target `debian`: STAGE/popinjay_VERSION.orig.tar.gz, .debian.tar.xz and .dsc.
set(tree ${STAGE}/popinjay-${VERSION})
set(original ${STAGE}/popinjay_${VERSION}.orig.tar.gz)
file(REMOVE_RECURSE ${tree})
execute_process(COMMAND git -C ${SOURCE} archive --prefix=popinjay-${VERSION}/ -o ${original} HEAD
                COMMAND_ERROR_IS_FATAL ANY)
file(ARCHIVE_EXTRACT INPUT ${original} DESTINATION ${STAGE})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/ DESTINATION ${tree}/debian
     PATTERN "*.in" EXCLUDE PATTERN "*.cmake" EXCLUDE)
file(COPY ${STAGE}/changelog ${STAGE}/control DESTINATION ${tree}/debian)
execute_process(COMMAND dpkg-source -b popinjay-${VERSION} WORKING_DIRECTORY ${STAGE}
                COMMAND_ERROR_IS_FATAL ANY)
