import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { loadLocal } from './load-local.ts'

test('finds the package where it is installed', async () => {
  expect(await loadLocal('.')).toHaveProperty('startEconomy')
})

test('names the package to install if it is missing', async () => {
  // The same files in a folder that has no @farebox/local above it.
  const folder = await mkdtemp(join(tmpdir(), 'farebox-no-local-'))
  try {
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    for (const file of ['dev/paid/load-local.ts', 'command-error.ts', 'init/vendor/vendor-folder.ts']) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await cp(new URL(`../../${file}`, import.meta.url), join(folder, file))
    }
    const ask = `import { loadLocal } from './dev/paid/load-local.ts'
      loadLocal(process.cwd()).catch(({ name, message, next }) => console.log(JSON.stringify({ name, message, next })))`
    await writeFile(join(folder, 'ask.mjs'), ask)
    const words = ['--import', import.meta.resolve('tsx'), join(folder, 'ask.mjs')]
    const refusal = async (): Promise<unknown> =>
      JSON.parse((await promisify(execFile)(process.execPath, words, { cwd: folder })).stdout)
    expect(await refusal()).toEqual({
      name: 'CommandError',
      message: 'farebox dev --paid needs @farebox/local, which is not installed here',
      next: 'npm install --save-dev @farebox/local',
    })
    await mkdir(join(folder, 'vendor', 'local'), { recursive: true })
    expect(await refusal()).toMatchObject({ next: 'npm install --save-dev ./vendor/local/*.tgz' })
  } finally {
    await rm(folder, { recursive: true })
  }
})
