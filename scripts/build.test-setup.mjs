// Before any test: programs and pages under test are builds, so the build is brought up to date. Test files share a
// folder, which is removed after the last of them.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildToRun } from './prepare.mjs'

export async function setup() {
  await buildToRun()
  const folder = await mkdtemp(join(tmpdir(), 'farebox-tests-'))
  process.env['FAREBOX_TEST_FOLDER'] = folder
  return () => rm(folder, { recursive: true, force: true })
}
