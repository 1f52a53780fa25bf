# Compiles with this system's compiler for the C library under $PJ_SYSROOT (share/package/archive/sysroot).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
set(CMAKE_C_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR env)
set(CMAKE_SYSROOT $ENV{PJ_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(libraries ${CMAKE_SYSROOT}/usr/lib/x86_64-linux-gnu)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
# The compiler looks into this system's folders before the sysroot's: start code, libgcc, libstdc++
# and the C library of the old system are named before them.
set(old ${CMAKE_SYSROOT}/usr/lib/gcc/x86_64-linux-gnu/10)
set(first "-B${old} -B${libraries} -L${old} -L${libraries} -L${CMAKE_SYSROOT}/lib/x86_64-linux-gnu")
# Headers of C++, too, are those of the library that is linked.
set(headers ${CMAKE_SYSROOT}/usr/include)
set(CMAKE_CXX_FLAGS_INIT "-nostdinc++ -isystem ${headers}/c++/10 -isystem ${headers}/x86_64-linux-gnu/c++/10")
# Libraries beside the modules come before those of the system, for what they need themselves as well.
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT
      "${first} -Wl,--as-needed,--disable-new-dtags,--exclude-libs,ALL -static-libgcc")
endforeach()
