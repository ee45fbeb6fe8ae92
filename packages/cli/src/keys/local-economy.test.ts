import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findNetwork } from '@farebox/payments/networks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nameNetwork } from '../chain/name-network.ts'
import { findLocalEconomy, type LocalEconomy } from './local-economy.ts'

const PAYER = { address: `0x${'ab'.repeat(20)}`, privateKey: `0x${'11'.repeat(32)}` }

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-local-'))
  await mkdir(join(folder, '.farebox'))
  path = join(folder, '.farebox', 'local.json')
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function found(network: string, more: object = {}): Promise<LocalEconomy | undefined> {
  const chain = { network, rpcUrl: 'http://127.0.0.1:8545' }
  await writeFile(path, JSON.stringify({ chain, payer: PAYER, ...more }))
  return await findLocalEconomy(folder)
}

test.each(['eip155:84532', 'eip155:31337'])('an economy on %s is one', async network => {
  expect(await found(network)).toMatchObject({ network, path })
})

test('a file that speaks of a real chain is none, and that chain is never called local', async () => {
  const base = findNetwork('eip155:8453')
  if (base === undefined) throw new Error('no Base')
  expect(await found(base.id)).toBeUndefined()
  const claimed = { path, network: base.id, rpcUrl: 'http://127.0.0.1:8545', payer: PAYER }
  expect(nameNetwork(base, claimed)).toBe('Base (eip155:8453)')
})

test('a file of more than a megabyte is none', async () => {
  expect(await found('eip155:84532', { more: 'x'.repeat(1_048_576) })).toBeUndefined()
})

test.skipIf(process.platform === 'win32')('a pipe is none, and nobody waits for it', async () => {
  await promisify(execFile)('mkfifo', [path])
  expect(await findLocalEconomy(folder)).toBeUndefined()
})

test('its platform is told where the file names one, and only one of this machine', async () => {
  expect(await found('eip155:84532', { platform: { url: 'http://127.0.0.1:4000' } })).toMatchObject({
    platformUrl: 'http://127.0.0.1:4000',
  })
  for (const platform of [undefined, null, {}, { url: 4_000 }, { url: 'https://platform.example' }]) {
    expect(await found('eip155:84532', { platform })).not.toHaveProperty('platformUrl')
  }
})
