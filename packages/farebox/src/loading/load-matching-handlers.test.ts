import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadMatchingHandlers } from './load-matching-handlers.ts'

const CAPABILITY = {
  description: 'Does it.',
  pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
  input_schema: {},
  output_schema: {},
} as const
const DECLARATION: Declaration = {
  service_version: '1.0',
  name: 'Two',
  description: 'Two things.',
  wallet: '0x00000000000000000000000000000000000fa4e0',
  max_deadline_seconds: 5,
  capabilities: { count: CAPABILITY, 'sum up': CAPABILITY },
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-matching-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function load(text: string): Promise<unknown> {
  await writeFile(join(folder, 'handlers.mjs'), text)
  return await loadMatchingHandlers(DECLARATION, 'handlers.mjs', folder)
}

test('matching handlers are loaded', async () => {
  expect(await load(`export default { count: () => ({}), 'sum up': () => ({}) }`)).toHaveProperty('count')
})

test.each([
  ['as a property', `export default {\n  cuont: () => ({}),\n  'sum up': () => ({}),\n}`, ':2:3'],
  ['as a method', `export default {\n  'sum up'() {}, cuont() {} }`, ':2:18'],
  ['by its own name', `const cuont = () => ({})\nexport default { 'sum up': cuont, cuont }`, ''],
])('a mistyped handler, written %s, is reported with the intended name', async (_, text, place) => {
  await expect(load(text)).rejects.toThrow(
    `handlers.mjs${place}  handlers: no function for the declared count; is cuont meant to be count?`,
  )
})
