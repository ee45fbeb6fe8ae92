import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readProcess } from 'farebox/src/command-line'
import { startEconomy, type Economy } from './economy.ts'
import { readLocalFile } from './local-file.ts'
import { findPostmaster } from './postgres/postmaster.ts'
import { launch } from './testing/launch.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-economy-'))
  // PostgreSQL started by root runs as another user, who must be able to read its files.
  await chmod(folder, 0o711)
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

async function start(): Promise<Economy> {
  return await startEconomy({ folder, agents: [], chainPort: 0, facilitatorPort: 0 })
}

test('without agents the economy is a chain, a facilitator and a payer, as recorded in local.json', async () => {
  const economy = await start()
  expect(await (await fetch(`${economy.facilitator.url}/health`)).json()).toBeDefined()
  expect(await readLocalFile(folder)).toMatchObject({
    chain: { rpcUrl: economy.rpcUrl, network: 'eip155:84532' },
    facilitator: { url: economy.facilitator.url },
    agents: [],
    payer: { address: economy.payer.address },
  })
  let broken: string | undefined
  void economy.broken.then(name => {
    broken = name
  })
  await economy.stop()
  await economy.chain.exited
  expect(broken).toBeUndefined()
})

test('a database that ends by itself breaks the economy, and the message names its log', async () => {
  const economy = await startEconomy({ folder, agents: [], chainPort: 0, facilitatorPort: 0 })
  try {
    const postmaster = await findPostmaster(await realpath(join(folder, 'postgres', 'cluster', 'data')))
    process.kill(postmaster?.process.pid ?? Number.NaN, 'SIGKILL')
    expect(await economy.broken).toMatch(
      /^PostgreSQL ended unexpectedly: it was ended by SIGKILL.*\n[^]*its whole log: \S+postgres\.log$/,
    )
  } finally {
    await economy.stop()
  }
})

test('with a platform, its faucet gives test money', async () => {
  const economy = await startEconomy({
    folder,
    agents: [],
    chainPort: 0,
    facilitatorPort: 0,
    platformPort: 0,
  })
  try {
    const response = await fetch(`${economy.platform?.url}/v1/local/faucet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address: `0xab${'0'.repeat(38)}` }),
    })
    expect(await response.json()).toEqual({ usdc: '1000', native_wei: '100000000000000000' })
  } finally {
    await economy.stop()
  }
})

test('a second economy in the folder is refused and does not affect the first', async () => {
  const economy = await start()
  await expect(start()).rejects.toMatchObject({ name: 'FolderInUseError', pid: process.pid })
  expect((await fetch(`${economy.facilitator.url}/ready`)).status).toBe(200)
  await economy.stop()
})

test('kill -9 of its launcher ends chain, facilitator and database, and the next start continues', async () => {
  const options = JSON.stringify({ folder, agents: [], chainPort: 0, facilitatorPort: 0 })
  const launcher = await launch(`
    import { startEconomy } from '@farebox/local/economy'
    const { chain, facilitator } = await startEconomy(${options})
    console.log(JSON.stringify({ chain: chain.pid, facilitator: facilitator.pid }))
    setInterval(() => {}, 1000)`)
  const { chain, facilitator } = launcher.ready as { chain: number; facilitator: number }
  process.kill(launcher.pid, 'SIGKILL')
  const [line = ''] = (
    await readFile(join(folder, 'postgres', 'cluster', 'data', 'postmaster.pid'), 'utf8')
  ).split('\n')
  for (const pid of [chain, facilitator, Number(line)])
    await expect.poll(() => readProcess(pid)).toBeUndefined()
  const economy = await start()
  expect((await fetch(`${economy.facilitator.url}/ready`)).status).toBe(200)
  await economy.stop()
})
