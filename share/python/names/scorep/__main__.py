"""python3 -m scorep [options] script.py [arguments]"""

import sys

from popinjay import scorep_command

if __name__ == "__main__":
    scorep_command.main(sys.argv[1:])
