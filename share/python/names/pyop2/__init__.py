"""The name of PyOP2, for programs that use its timers alone."""
