// Before each test of the first lane: a test that starts a program is reported as a mistake in scripts/test-lanes.mjs.

import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

for (const name of ['spawn', 'fork', 'exec', 'execFile', 'spawnSync', 'execSync', 'execFileSync']) {
  childProcess[name] = () => {
    throw new Error(
      `this test starts a program (${name}), and the first lane of npm test has none: name its file in STARTS_PROGRAMS of scripts/test-lanes.mjs`,
    )
  }
}
syncBuiltinESMExports()
