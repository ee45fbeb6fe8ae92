import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { createPublicClient, http, parseEther } from 'viem'
import type { Hash } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endProcess } from '../processes/end-process.ts'
import { readPidFile, writePidFile } from '../processes/pid-file.ts'
import { readProcess } from 'farebox/src/command-line'
import { launch } from '../testing/launch.ts'
import { balanceOf, call, register } from '../testing/registry-calls.ts'
import { callAnvil } from './anvil-rpc.ts'
import { fund } from './faucet.ts'
import { startChain } from './start-chain.ts'
import type { LocalChain } from './start-chain.ts'
import { TEST_KEYS } from './test-keys.ts'
import { usdcBalance } from './top-up.ts'

const payer = TEST_KEYS.payer.address
let folder: string
let started: LocalChain[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-chain-'))
  started = []
})
afterEach(async () => {
  await Promise.all(started.map(async chain => await chain.stop()))
  await rm(folder, { recursive: true })
})

describe('a chain that is stopped and started again', () => {
  test('keeps balances, block numbers, transactions, receipts and logs', async () => {
    const first = await start({ folder })
    await fund(first, payer, { usdcAtomic: 5_000_000n, wei: parseEther('3') })
    await fund(first, payer, { usdcAtomic: 1n })
    const before = await describeHistory(first)
    await first.stop()

    const second = await start({ folder })
    expect(await describeHistory(second)).toEqual(before)
    expect(before.usdc).toBe(5_000_001n)
    expect(before.wei).toBe(parseEther('3'))
    expect(before.logs).toHaveLength(2)
    expect(before.receipts.map(receipt => receipt.status)).toEqual(['success', 'success'])
  })

  test('D36 keeps registered agents and their stakes', async () => {
    const first = await start({ folder })
    expect(await register(first, payer, 'https://agent.example')).toBe(1n)
    await first.stop()
    const second = await start({ folder })
    expect(await balanceOf(second, second.agentRegistry)).toBe(STAKE_WEI)
    await call(second, payer, 'deregister', [1n])
    expect(await register(second, payer, 'https://agent.example')).toBe(2n)
  })

  test('funds many addresses at the same moment', async () => {
    const chain = await start({ folder })
    const funded = Array.from(
      { length: 150 },
      (_, index) => `0x${(index + 1).toString(16).padStart(40, 'a')}`,
    )
    await Promise.all(funded.map(address => fund(chain, address, { usdcAtomic: 7n })))
    const balances = await Promise.all(funded.map(address => usdcBalance(chain, address)))
    expect(new Set(balances)).toEqual(new Set([7n]))
  })

  test('continues from there with the current time', async () => {
    const first = await start({ folder })
    await fund(first, payer, { usdcAtomic: 1n })
    await first.stop()
    const second = await start({ folder })
    const startedSeconds = Math.floor(Date.now() / 1_000)
    await fund(second, payer, { usdcAtomic: 1n })
    const block = await read(second).getBlock()
    expect(block.number).toBe(2n)
    // A chain may be a second or two ahead of the machine, never behind.
    expect(Number(block.timestamp)).toBeGreaterThanOrEqual(startedSeconds - 1)
    expect(Number(block.timestamp)).toBeLessThan(Date.now() / 1_000 + 5)
  })

  test('is a different chain when the chain id differs in the same folder', async () => {
    const first = await start({ folder })
    await fund(first, payer, { usdcAtomic: 1n })
    await first.stop()
    const other = await start({ folder, chainId: 31337 })
    expect(await read(other).getChainId()).toBe(31337)
    expect(await read(other).getBlockNumber()).toBe(0n)
  })

  test('stop leaves only the saved chain behind', async () => {
    const chain = await start({ folder })
    await chain.stop()
    expect(await readdir(folder)).toEqual(['chain-84532.json'])
    expect(await readProcess(chain.pid)).toBeUndefined()
  })

  test('is not affected by a second stop of an earlier instance', async () => {
    const first = await start({ folder })
    await first.stop()
    const second = await start({ folder })
    await first.stop()
    expect((await readPidFile(join(folder, 'anvil.pid')))?.pid).toBe(second.pid)
    await expect(start({ folder })).rejects.toThrow('is in use')
  })
})

describe('a launcher that dies by kill -9', () => {
  test('ends anvil as well, and the next start has everything up to the last block', async () => {
    const launcher = await launchChain()
    const pid = launcher.ready.pid
    await fund(launcher.ready, payer, { usdcAtomic: 42n })
    const before = await describeHistory(launcher.ready)
    process.kill(launcher.pid, 'SIGKILL')
    await launcher.exited
    await ended(pid)

    const chain = await start({ folder })
    expect(await describeHistory(chain)).toEqual(before)
    expect(before.usdc).toBe(42n)
  })

  test('leaves anvil running when its watchdog dies too, and the next start ends anvil and has its last block', async () => {
    const launcher = await launchChain()
    const pid = launcher.ready.pid
    await endProcess(await readWatchdog(pid), 'SIGKILL', 1_000)
    process.kill(launcher.pid, 'SIGKILL')
    await launcher.exited
    await fund(launcher.ready, payer, { usdcAtomic: 43n })
    expect(await readProcess(pid)).toBeDefined()

    const log: string[] = []
    const chain = await start({ folder, onLog: line => log.push(line) })
    expect(log).toEqual([`ending anvil, process ${pid}, which an earlier run left behind`])
    expect(await readProcess(pid)).toBeUndefined()
    expect((await describeHistory(chain)).usdc).toBe(43n)
  })

  test('loses only what came after the last save when anvil is killed while dumping', async () => {
    const first = await start({ folder })
    await fund(first, payer, { usdcAtomic: 9n })
    await first.stop()
    await writeFile(join(folder, 'chain-84532.exit.json'), '{"block":{"number":"0x')
    const second = await start({ folder })
    expect((await describeHistory(second)).usdc).toBe(9n)
  })
})

test('anvil killed by kill -9 loses at most what came in the seconds after the last save', async () => {
  const first = await start({ folder })
  await fund(first, payer, { usdcAtomic: 11n })
  const readSavedBlock = async () => await readFile(join(folder, 'chain-84532.json'), 'utf8')
  await expect.poll(readSavedBlock).toContain('"best_block_number":1,')
  await fund(first, payer, { usdcAtomic: 1n })
  process.kill(first.pid, 'SIGKILL')
  await first.exited
  await first.stop()
  expect((await describeHistory(await start({ folder }))).usdc).toBe(11n)
})

describe('refused starts', () => {
  test('a port in use, naming the process and the next step', async () => {
    const first = await start({})
    const port = Number(new URL(first.rpcUrl).port)
    await expect(start({ port })).rejects.toThrow(
      new RegExp(`^Port ${port} is taken by process ${first.pid} \\(.*anvil.*\\): end it, or start the ch`),
    )
  })

  test('a folder that another launcher, or this one, uses', async () => {
    await start({ folder })
    await expect(start({ folder })).rejects.toThrow(
      `The chain folder ${folder} is in use by process ${process.pid}`,
    )
  })

  test('a cancelled start, which leaves no process and no claim', async () => {
    const signal = AbortSignal.abort(new Error('given up'))
    await expect(start({ folder, signal })).rejects.toThrow('given up')
    expect(await readdir(folder)).toEqual([])
  })
})

test('an unrelated process with the pid of an old anvil is not signalled', async () => {
  const stranger = spawn('sleep', ['60'])
  const pid = stranger.pid ?? 0
  try {
    await writePidFile(join(folder, 'anvil.pid'), pid)
    await start({ folder })
    expect(await readProcess(pid)).toBeDefined()
    expect((await readPidFile(join(folder, 'anvil.pid')))?.pid).not.toBe(pid)
  } finally {
    stranger.kill('SIGKILL')
  }
})

test('with a block time, blocks are made at intervals', async () => {
  const chain = await start({ blockTimeSeconds: 1 })
  await fund(chain, payer, { usdcAtomic: 1n })
  expect(await read(chain).getBlockNumber()).toBeGreaterThan(0n)
})

test('a browser page cannot read the chain’s responses', async () => {
  expect(await allowedOrigin(await start({}))).toBeNull()
})

test('the test keys match their addresses and are funded by anvil', async () => {
  const chain = await start({})
  for (const { address, privateKey } of Object.values(TEST_KEYS)) {
    expect(privateKeyToAddress(privateKey)).toBe(address)
    expect(await read(chain).getBalance({ address })).toBe(parseEther('10000'))
  }
})

test('fund refuses an invalid address or amount, and reports a refusal of the token', async () => {
  const chain = await start({})
  await expect(fund(chain, '0x12', { wei: 1n })).rejects.toThrow(
    'address: must be 0x and 40 hex digits, got 0x12',
  )
  await expect(fund(chain, payer, { usdcAtomic: -1n })).rejects.toThrow(
    'usdcAtomic: must be 0 to 2^256 - 1, got -1',
  )
  const pause = { from: payer, to: chain.usdc, data: '0x8456cb59' }
  await callAnvil(chain.rpcUrl, 'eth_sendTransactionSync', [pause])
  await expect(fund(chain, payer, { usdcAtomic: 1n })).rejects.toThrow('Pausable: paused')
})

async function start(options: Parameters<typeof startChain>[0]): Promise<LocalChain> {
  const chain = await startChain(options)
  started.push(chain)
  return chain
}

function read(chain: Pick<LocalChain, 'rpcUrl'>) {
  return createPublicClient({ transport: http(chain.rpcUrl) })
}

async function describeHistory(chain: Pick<LocalChain, 'rpcUrl' | 'usdc'>) {
  const client = read(chain)
  const transfers = { address: chain.usdc, abi: localUsdcAbi, eventName: 'Transfer', fromBlock: 0n } as const
  const logs = await client.getContractEvents(transfers)
  const hashes = logs.map((log): Hash => log.transactionHash)
  return {
    block: (await client.getBlock()).hash,
    usdc: await client.readContract({
      address: chain.usdc,
      abi: localUsdcAbi,
      functionName: 'balanceOf',
      args: [payer],
    }),
    wei: await client.getBalance({ address: payer }),
    logs,
    transactions: await Promise.all(hashes.map(async hash => await client.getTransaction({ hash }))),
    receipts: await Promise.all(hashes.map(async hash => await client.getTransactionReceipt({ hash }))),
  }
}

/** A launcher in a separate process that starts the chain of `folder` and then only waits. */
async function launchChain() {
  const launcher = await launch(`
    import { startChain } from '@farebox/local/chain/start-chain'
    const { rpcUrl, usdc, pid } = await startChain({ folder: ${JSON.stringify(folder)} })
    console.log(JSON.stringify({ rpcUrl, usdc, pid }))
    await new Promise(() => setInterval(() => undefined, 60_000))
  `)
  // The output of the lines above.
  return { ...launcher, ready: launcher.ready as Pick<LocalChain, 'rpcUrl' | 'usdc' | 'pid'> }
}

/** Finds the shell that waits for the launcher's end and then ends this anvil. */
async function readWatchdog(anvilPid: number) {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(pids.map(async pid => await readProcess(pid)))
  const watchdog = found.find(one => one?.commandLine.endsWith(`end-with-us ${anvilPid} KILL`) === true)
  if (watchdog === undefined) throw new Error(`anvil ${anvilPid} has no watchdog`)
  return watchdog
}

async function ended(pid: number): Promise<void> {
  await expect.poll(async () => await readProcess(pid)).toBeUndefined()
}

async function allowedOrigin(chain: LocalChain): Promise<string | null> {
  const headers = { origin: 'http://127.0.0.1:3000', 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const response = await fetch(chain.rpcUrl, { method: 'POST', headers, body })
  return response.headers.get('access-control-allow-origin')
}
