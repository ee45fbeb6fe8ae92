import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { findNetwork } from '@farebox/payments/networks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nameNetwork } from '../chain/name-network.ts'
import { findLocalEconomy, type LocalEconomy } from './local-economy.ts'

const PAYER = { address: `0x${'ab'.repeat(20)}`, privateKey: `0x${'11'.repeat(32)}` }

let folder: string
let path: string
let node: Server
let chainId: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-local-'))
  await mkdir(join(folder, '.farebox'))
  path = join(folder, '.farebox', 'local.json')
  node = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${chainId.toString(16)}` }))
  })
  await new Promise<void>(resolve => node.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  await stopNode()
  await rm(folder, { recursive: true, force: true })
})

async function stopNode(): Promise<void> {
  node.closeAllConnections()
  await new Promise(resolve => node.close(resolve))
}

async function write(network: string, more: object = {}, to = path): Promise<void> {
  const rpcUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  await writeFile(to, JSON.stringify({ chain: { network, rpcUrl }, payer: PAYER, ...more }))
}

async function found(network: string, more: object = {}): Promise<LocalEconomy | undefined> {
  chainId = Number(network.slice('eip155:'.length))
  await write(network, more)
  return await findLocalEconomy({ folder, variables: {} })
}

test.each(['eip155:84532', 'eip155:31337'])('an economy on %s is accepted', async network => {
  expect(await found(network)).toMatchObject({ network, path })
})

test('a file that names a real chain is ignored, and that chain is never called local', async () => {
  const base = findNetwork('eip155:8453')
  if (base === undefined) throw new Error('no Base')
  expect(await found(base.id)).toBeUndefined()
  const claimed = { path, network: base.id, rpcUrl: 'http://127.0.0.1:8545', payer: PAYER }
  expect(nameNetwork(base, claimed)).toBe('Base (eip155:8453)')
})

test('a file of more than a megabyte is ignored', async () => {
  expect(await found('eip155:84532', { more: 'x'.repeat(1_048_576) })).toBeUndefined()
})

test.skipIf(process.platform === 'win32')(
  'a pipe is ignored, and the command does not wait for it',
  async () => {
    await promisify(execFile)('mkfifo', [path])
    expect(await findLocalEconomy({ folder, variables: {} })).toBeUndefined()
  },
)

test('the platform in the file is used only when it is on this machine', async () => {
  expect(await found('eip155:84532', { platform: { url: 'http://127.0.0.1:4000' } })).toMatchObject({
    platformUrl: 'http://127.0.0.1:4000',
  })
  for (const platform of [undefined, null, {}, { url: 4_000 }, { url: 'https://platform.example' }]) {
    expect(await found('eip155:84532', { platform })).not.toHaveProperty('platformUrl')
  }
})

test('a file whose economy has ended is not used', async () => {
  expect(await found('eip155:84532')).toBeDefined()
  await stopNode()
  expect(await findLocalEconomy({ folder, variables: {} })).toBeUndefined()
})

test('a file is not used where another chain now answers on its port', async () => {
  await write('eip155:84532')
  chainId = 31_337
  expect(await findLocalEconomy({ folder, variables: {} })).toBeUndefined()
})

test('a running economy in a parent folder is preferred to an ended one in this folder', async () => {
  chainId = 84_532
  const below = join(folder, 'agent')
  await mkdir(join(below, '.farebox'), { recursive: true })
  await write('eip155:31337', {}, join(below, '.farebox', 'local.json'))
  await write('eip155:84532')
  expect(await findLocalEconomy({ folder: below, variables: {} })).toMatchObject({ path })
})

test('FAREBOX_LOCAL names the folder of the economy: if none runs there it is refused, whatever runs elsewhere', async () => {
  chainId = 84_532
  await write('eip155:84532')
  await mkdir(join(folder, 'other place'))
  const other = join(folder, 'other place', 'local.json')
  const variables = { FAREBOX_LOCAL: 'other place' }
  await expect(findLocalEconomy({ folder, variables })).rejects.toThrow(
    `FAREBOX_LOCAL names ${dirname(other)}, where no local economy runs`,
  )
  await write('eip155:84532', {}, other)
  expect(await findLocalEconomy({ folder, variables })).toMatchObject({ path: other })
})
