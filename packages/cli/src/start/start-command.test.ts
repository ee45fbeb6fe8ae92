import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { createTestWorld } from '../testing/test-world.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-start-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('start is the runtime’s command: it reads the given environment, and refuses as the runtime does', async () => {
  await writeFile(join(folder, '.env'), 'PORT=x\n')
  const { world, out, err } = createTestWorld({ folder })
  const before = process.env['PORT']
  expect(await runCli(['start', '--handlers', 'none.mjs'], world)).toBe(1)
  if (before === undefined) delete process.env['PORT']
  expect(out()).toBe('')
  expect(err()).toMatch(
    /^✗ cannot start: 3 variables are missing or wrong\n {2}SERVICE_DEV_MODE +is not set\n/,
  )
  expect(err()).toMatch(/^ {2}PORT +must be a port number from 0 to 65535, got "x"$/m)
})

test('arguments reach the runtime unchanged, and an unknown one leads to exit code 2', async () => {
  const { world, err } = createTestWorld({ folder })
  expect(await runCli(['start', '--conf', 'x'], world)).toBe(2)
  expect(err()).toMatch(/^✗ farebox start: --conf is not an option, did you mean --config\?\n/)
})

test('validate is the runtime’s command, with its answer in JSON', async () => {
  await writeFile(join(folder, 'agent.json'), '{}')
  const { world, out } = createTestWorld({ folder })
  expect(await runCli(['validate', '--json', 'agent.json'], world)).toBe(1)
  expect(JSON.parse(out())).toMatchObject({
    ok: false,
    problems: expect.arrayContaining([expect.objectContaining({ path: 'name', reason: 'is required' })]),
  })
})

test.each([[['start', '--help']], [['help', 'start']]])('%j prints the runtime’s help', async words => {
  const { world, out } = createTestWorld({ folder })
  expect(await runCli(words, world)).toBe(0)
  expect(out()).toMatch(
    /^Usage: farebox start \[options\]\n\nServe[^]*\nOptions:\n[^]*AGENT_WALLET_ADDRESS[^]*\nExample\n {2}.+\n$/s,
  )
})
