import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execute } from '@farebox/client/execute'
import { startEconomy, type Economy } from '@farebox/local/economy'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { usdcBalance } from '@farebox/local/src/chain/top-up'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCli, type CliRun } from './stage/run-cli.ts'

// The example agent that moves its payers' tokens, from the first refusal to the revocation, with the commands of its
// README. Each test continues from the previous one.

const EXAMPLE = fileURLToPath(new URL('../examples/pay-invoices/', import.meta.url))
const SUPPLIER = TEST_KEYS.thirdAgent.address
const REFUSED = 'allowance: must be at least 0.25 USDC, is 0 USDC'

let folder: string
let readme: string
let ports: { readonly agent: number; readonly platform: number }
let economy: Economy

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-invoices-'))
  // PostgreSQL started by root runs as another user, who must be able to read its files.
  await chmod(folder, 0o711)
  readme = await readFile(join(EXAMPLE, 'README.md'), 'utf8')
  ports = { agent: await findFreePort(), platform: await findFreePort() }
  economy = await start()
})
afterAll(async () => {
  await economy.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(): Promise<Economy> {
  const agent = {
    config: join(EXAMPLE, 'agent.json'),
    wallet: TEST_KEYS.fourthAgent.address,
    port: ports.agent,
    spenderPrivateKey: TEST_KEYS.spender.privateKey,
  }
  return await startEconomy({
    folder,
    chainPort: 0,
    facilitatorPort: 0,
    platformPort: ports.platform,
    agents: [agent],
  })
}

/** Runs a command of the README with this agent. */
async function runShown(name: string, ...more: readonly string[]): Promise<CliRun> {
  const [, line] = new RegExp(`<!-- try: ${name} -->\\n\`{3}sh\\nnpx farebox (.*)\\n`).exec(readme) ?? []
  if (line === undefined) throw new Error(`the README has no command ${name}`)
  const words = line.replace('http://localhost:3004', url()).split(' ')
  return await startCli([...words, ...more], {
    folder,
    environment: { FAREBOX_HOME: join(folder, 'home'), FAREBOX_LOCAL: folder },
  }).ended
}

function url(): string {
  return `http://localhost:${ports.agent}`
}

/** The payer's loss and the supplier's gain during an action, in atomic units. */
async function moved(work: () => Promise<unknown>): Promise<{ readonly paid: bigint; readonly got: bigint }> {
  const read = async (): Promise<readonly [bigint, bigint]> => [
    await usdcBalance(economy.chain, TEST_KEYS.payer.address),
    await usdcBalance(economy.chain, SUPPLIER),
  ]
  const before = await read()
  await work()
  const after = await read()
  return { paid: before[0] - after[0], got: after[1] - before[1] }
}

async function payInvoice(amount: string, jobId: string = randomUUID()) {
  const crypto = await loadEvmCrypto()
  const signer = privateKeySigner(crypto, TEST_KEYS.payer.privateKey)
  const input = { invoice_number: '2026-0118', recipient: SUPPLIER, amount, due_date: '2020-01-31' }
  return (await execute(url(), 'pay_invoice', input, { signer, jobId, crypto })).output
}

test('a payment without a permission is refused as the README says, and neither moved nor charged', async () => {
  expect(readme).toContain(`\n${REFUSED}\n`)
  const what = await moved(async () => {
    const { code, err } = await runShown('refused')
    expect(code).not.toBe(0)
    expect(err).toContain(REFUSED)
  })
  expect(what).toEqual({ paid: 0n, got: 0n })
})

test('once it is permitted, the same call pays the invoice and names the transaction', async () => {
  expect(await runShown('allow', '--yes')).toMatchObject({ code: 0 })
  const what = await moved(async () => {
    const { code, out } = await runShown('refused')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      invoice_number: '2026-0117',
      amount: '0.25',
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
      was_paid_before: false,
    })
  })
  expect(what).toEqual({ paid: 260_000n, got: 250_000n })
})

test.each([
  ['1.000001', 'allowance: must be at least 1.000001 USDC, is 1 USDC'],
  ['7', 'allowance: must be at least 7 USDC, is 1 USDC'],
  ['0', 'amount: '],
])('an invoice of %s USDC is refused, not moved and not charged', async (amount, why) => {
  const what = await moved(async () => {
    await expect(payInvoice(amount)).rejects.toThrow(why)
  })
  expect(what).toEqual({ paid: 0n, got: 0n })
})

test('a job that runs again after its record was lost gets its transaction, although its permission has ended', async () => {
  const jobId = randomUUID()
  const first = await payInvoice('1', jobId)
  expect(first).toMatchObject({ was_paid_before: false, was_overdue: true })
  expect(await runShown('revoke', '--yes')).toMatchObject({ code: 0 })
  await economy.stop()
  await rm(join(folder, 'agents', 'pay-invoices'), { recursive: true })
  economy = await start()
  const what = await moved(async () => {
    expect(await payInvoice('1', jobId)).toMatchObject({
      transaction: first['transaction'],
      was_paid_before: true,
    })
  })
  expect(what.got).toBe(0n)
})

test('PERM-03 after the revocation no job pays anything', async () => {
  const what = await moved(async () => {
    await expect(payInvoice('0.25')).rejects.toThrow(REFUSED)
  })
  expect(what).toEqual({ paid: 0n, got: 0n })
})
