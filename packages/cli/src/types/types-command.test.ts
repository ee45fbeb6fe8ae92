import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { createTestWorld, type TestWorld } from '../testing/test-world.ts'

const CONFIG = {
  service_version: '1.0',
  name: 'Shout',
  description: 'Says it louder.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 5,
  capabilities: {
    shout: {
      description: 'The text in capitals.',
      pricing: { model: 'per_job', amount: '0.001', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true } },
      output_schema: { text: { type: 'string' } },
    },
  },
}

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-types-'))
  await write('agent.json', JSON.stringify(CONFIG, null, 2))
})
afterEach(() => rm(folder, { recursive: true }))

async function write(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text)
}

const read = async (name: string): Promise<string> => await readFile(join(folder, name), 'utf8')

async function types(...words: string[]): Promise<TestWorld & { readonly code: number }> {
  const stage = createTestWorld({ folder })
  return { ...stage, code: await runCli(['types', ...words], stage.world) }
}

test('writes agent.d.ts beside agent.json, and only when it has changed', async () => {
  const first = await types()
  expect([first.code, first.out()]).toEqual([0, '✓ agent.d.ts written\n'])
  expect(await read('agent.d.ts')).toContain('export type ShoutInput = {')
  expect(await readdir(folder)).toEqual(['agent.d.ts', 'agent.json'])

  const again = await types()
  expect([again.code, again.out()]).toEqual([0, '✓ agent.d.ts is up to date\n'])

  await write('agent.json', JSON.stringify(CONFIG).replaceAll('shout', 'yell'))
  expect((await types()).out()).toBe('✓ agent.d.ts written\n')
  expect(await read('agent.d.ts')).toContain('export type YellInput = {')
})

test('--check writes nothing and reports through its exit code', async () => {
  const missing = await types('--check')
  expect(missing.code).toBe(1)
  expect(missing.err()).toBe('✗ agent.d.ts does not match the declaration\n  farebox types writes it again\n')
  expect(await readdir(folder)).toEqual(['agent.json'])
  await types()
  expect((await types('--check')).code).toBe(0)
  // With line ends of other systems, as version control writes them.
  await write('agent.d.ts', (await read('agent.d.ts')).replaceAll('\n', '\r\n'))
  expect((await types('--check')).code).toBe(0)
  await write('agent.d.ts', (await read('agent.d.ts')).replace('text: string', 'text: number'))
  expect((await types('--check')).code).toBe(1)
})

test('--config and --out name other files', async () => {
  await write('other.json', JSON.stringify(CONFIG))
  expect((await types('--config', 'other.json')).out()).toBe('✓ other.d.ts written\n')
  expect((await types('--out', 'shout-types.ts')).out()).toBe('✓ shout-types.ts written\n')
  expect((await types('--out', 'agent.json')).code).toBe(2)
  expect((await types('--out', 'missing/agent.d.ts')).err()).toMatch(
    /✗ .*agent\.d\.ts cannot be written \(ENOENT\)\n {2}name another file with --out\n/,
  )
})

test('never overwrites a file that a person wrote', async () => {
  await write('agent.d.ts', 'export type Mine = 1\n')
  const refused = await types()
  expect(refused.code).toBe(1)
  expect(refused.err()).toMatch(/✗ .*agent\.d\.ts was not written by farebox types\n {2}move it away/)
  expect(await read('agent.d.ts')).toBe('export type Mine = 1\n')
  await write('agent.d.ts', '\n')
  expect((await types()).code).toBe(0)
})

test('warns of an agent.ts, which the compiler reads instead of agent.d.ts', async () => {
  await write('agent.ts', 'export {}')
  const warned = await types()
  expect(warned.code).toBe(0)
  expect(warned.err()).toBe(
    '! the compiler reads agent.ts instead of agent.d.ts\n  rename agent.ts, or name another file with --out\n',
  )
})

test('--json prints one document, also for a negative result', async () => {
  const file = join(folder, 'agent.d.ts')
  expect(JSON.parse((await types('--json', '--check')).out())).toEqual({ ok: false, file, outcome: 'stale' })
  expect(JSON.parse((await types('--json')).out())).toEqual({ ok: true, file, outcome: 'written' })
  expect(JSON.parse((await types('--json')).out())).toEqual({ ok: true, file, outcome: 'fresh' })
  await write('agent.json', JSON.stringify({ ...CONFIG, wallet: 'mine' }))
  const refused = await types('--json')
  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.out())).toMatchObject({
    ok: false,
    problems: [{ file: 'agent.json', path: 'wallet' }],
  })
})

test('reports a problem in a declaration by the path that the person typed', async () => {
  await write('agent.json', '{')
  const refused = await types()
  expect(refused.code).toBe(1)
  expect(refused.err()).toMatch(/^✗ agent\.json[ :]/)
  expect(refused.err()).not.toContain(folder)
  expect((await types('--config', 'nowhere.json')).err()).toContain('nowhere.json')
})

test('concurrent runs leave one complete file', async () => {
  await Promise.all(Array.from({ length: 10 }, () => types()))
  expect(await readdir(folder)).toEqual(['agent.d.ts', 'agent.json'])
  expect((await types('--check')).code).toBe(0)
})

test('the help shows how handlers.ts uses it', async () => {
  const { out, code } = await types('--help')
  expect(code).toBe(0)
  expect(out()).toContain("import type { Handlers } from './agent.d.ts'")
})
