// Before every test file that starts programs: they are builds, so they must not inherit this process's Node options,
// which resolve packages to sources.

process.execArgv = []
