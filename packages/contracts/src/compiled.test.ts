import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { localUsdcBytecode, localUsdcDeployedBytecode } from './local-usdc.ts'

const compileScript = fileURLToPath(new URL('../scripts/compile.mjs', import.meta.url))

test('the committed modules are what sol/ compiles to', { timeout: 120_000 }, () => {
  const run = spawnSync(process.execPath, [compileScript, '--check'], { encoding: 'utf8' })
  expect(run.stderr).toBe('')
  expect(run.status).toBe(0)
})

test('the creation code of LocalUSDC carries its deployed code unchanged: no immutable is filled in', () => {
  expect(localUsdcBytecode).toContain(localUsdcDeployedBytecode.slice(2))
})
