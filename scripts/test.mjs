// npm test: prepares like npm start, then runs the tests. `npm test -- packages/client` runs a part, `npm test --
// quick` the first lane: tests without chain, database and programs. Three long parts have a name and are not included:
// `npm test -- long`, whole programs installed, killed and under load; `npm test -- web`, the pages in a real browser;
// `npm test -- fire`, the batteries' small forms.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSteps } from './steps.mjs'
import { build, installPackages, requireNode, tellFailure } from './prepare.mjs'
import { runVitest } from './run-vitest.mjs'

const steps = createSteps()

try {
  requireNode()
  await steps.step('packages', installPackages, fresh => ({ text: fresh ? 'installed' : 'up to date' }))
  await steps.step('built', build)
  if (process.env['REDIS_URL'] === undefined && !(await listens(6379))) {
    // Those tests report it themselves; here it is printed once, in a visible place.
    steps.line('  · Redis is not running on 127.0.0.1:6379: its own tests are skipped')
  }
  const database = await openDatabase()
  try {
    process.exitCode = await runVitest(process.argv.slice(2), database.environment, steps.line)
  } finally {
    await database.stop()
  }
} catch (error) {
  tellFailure(error)
}

/** The machine's PostgreSQL if it runs, else our own, so that the platform's tests always run. */
async function openDatabase() {
  if (process.env['FAREBOX_TEST_DATABASE_URL'] !== undefined || (await listens(5432)))
    return { environment: {}, stop: async () => undefined }
  const folder = await mkdtemp(join(tmpdir(), 'farebox-test-postgres-'))
  // PostgreSQL started by root runs as another user, who must be able to read its files.
  await chmod(folder, 0o711)
  const { startPostgres } = await import('../packages/local/dist/postgres/start-postgres.js')
  const { connectionString, stop } = await steps.step(
    'postgres',
    () => startPostgres({ folder: join(folder, 'postgres') }),
    () => ({ text: 'our own: none runs on 127.0.0.1:5432' }),
  )
  return {
    environment: { FAREBOX_TEST_DATABASE_URL: connectionString },
    async stop() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function listens(port) {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
