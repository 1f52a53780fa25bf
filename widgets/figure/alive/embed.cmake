# cmake -DFROM=x.js -DTO=x.c -DNAME=symbol -DHEADER=path -P embed.cmake: a script as a constant of C,
# without its comments and indentation.
file(READ ${FROM} text)
string(REGEX REPLACE "\n[ \t]+" "\n" text "${text}")
string(REGEX REPLACE "(^|\n)//[^\n]*" "" text "${text}")
string(REGEX REPLACE "\n\n+" "\n" text "${text}")
string(HEX "${text}" bytes)
string(REGEX REPLACE "(................................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${TO} "#include \"${HEADER}\"\n\nconst char ${NAME}[] = {\n${bytes}0};\n")
