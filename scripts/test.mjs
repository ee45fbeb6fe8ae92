// npm test: sets up like npm start, then runs every test. `npm test -- packages/client` runs a part.

import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createSteps } from './steps.mjs'
import { build, installPackages, requireNode, root, tellFailure } from './prepare.mjs'

const steps = createSteps()

try {
  requireNode()
  await steps.step('packages', installPackages, fresh => ({ text: fresh ? 'installed' : 'up to date' }))
  await steps.step('built', build)
  await tellOfMissing('Redis', 6379, 'REDIS_URL')
  await tellOfMissing('PostgreSQL', 5432, 'DATABASE_URL')
  process.exitCode = await vitest(process.argv.slice(2))
} catch (error) {
  tellFailure(error)
}

/** Tests that need a service say so and skip; here it is said once, where everybody looks. */
async function tellOfMissing(name, port, variable) {
  if (process.env[variable] !== undefined || (await listens(port))) return
  steps.line(`  · ${name} is not running on 127.0.0.1:${port}: its own tests are skipped`)
}

function listens(port) {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

function vitest(words) {
  return new Promise((resolve, reject) => {
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    const child = spawn(process.execPath, [program, 'run', ...words], { cwd: root, stdio: 'inherit' })
    child.on('error', reject)
    child.on('close', code => resolve(code ?? 1))
  })
}
