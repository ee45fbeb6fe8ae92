// Before every test file that starts programs: they are builds, so they do not inherit Node's options of this process, by
// which it finds the packages' sources.

process.execArgv = []
