import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import {
  OWNER,
  permissionOf,
  permissionStage,
  SHOP,
  SPENDER,
  type PermissionStage,
} from '@farebox/local/src/testing/permission-stage'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { decodeHeader } from '@farebox/payments/x402/payment-header'
import type { PaymentRequired } from '@farebox/payments/x402/requirement'
import { until } from '@farebox/protocol/src/test-setup/until'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ValidationError } from '@farebox/protocol/errors/service-errors'
import { EnvironmentError } from '../environment/environment-error.ts'
import { redactorOf } from '../environment/environment-redactor.ts'
import type { Variables } from '../environment/read-environment.ts'
import {
  createSpendingAgent,
  spendingVariables,
  type SpendingAgent,
  type Work,
} from './test-setup/spending-agent.ts'
import { createSkippingClock } from './test-setup/skipping-clock.ts'
import { startNodeBetween, type NodeBetween } from './test-setup/node-between.ts'

let chain: LocalChain
let stage: PermissionStage
let untouched: string
let node: NodeBetween
const open: SpendingAgent[] = []

beforeAll(async () => {
  chain = await startChain()
  stage = permissionStage(chain)
  node = await startNodeBetween(chain.rpcUrl)
  await fund(chain, OWNER, { usdcAtomic: 100_000_000n })
  await stage.approve(OWNER, 50_000_000n)
  // 1.00 USDC per transaction, 5.00 USDC in total.
  await stage.set(permissionOf())
})
beforeEach(async () => {
  untouched = await stage.snapshot()
})
afterEach(async () => {
  node.decide = () => 'pass'
  await callAnvil(chain.rpcUrl, 'evm_setAutomine', [true])
  await Promise.all(open.splice(0).map(({ agent }) => agent.close()))
  await stage.restore(untouched)
})
afterAll(async () => {
  await node.close()
  await chain.stop()
})

const pays: Work = async (context, amount) => {
  const { transaction, resumed } = await context.spend({ token: 'USDC', amount, to: SHOP })
  return `${resumed ? 'resumed ' : ''}${transaction}`
}

async function agentThat(
  work: Work | URL,
  changes: Variables = {},
  clock: Clock = systemClock,
): Promise<SpendingAgent> {
  const variables = { ...spendingVariables(node.url), ...changes }
  const made = await createSpendingAgent({ work, variables, clock })
  open.push(made)
  return made
}

/** Waits until another transaction was sent, and the node has a pending one. */
async function isWaiting(before: number): Promise<void> {
  await until(async () => {
    const [latest, pending] = await Promise.all(
      ['latest', 'pending'].map(block =>
        callAnvil(chain.rpcUrl, 'eth_getTransactionCount', [SPENDER, block]),
      ),
    )
    return sends() > before && latest !== pending
  })
}

const sends = (): number => node.methods.filter(method => method === 'eth_sendRawTransaction').length

describe('ctx.spend', () => {
  test('moves the amount from the payer to the recipient once, and returns the transaction', async () => {
    const buyer = await agentThat(pays)
    const { status, text } = await buyer.run({ amount: '0.25' })
    expect(status).toBe(200)
    expect(text).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
    expect(buyer.gate.counts().charged).toBe(1)
    expect(buyer.logs()).toContain(`transaction=${text}`)
  })

  test('makes each of several spends of a job', async () => {
    const buyer = await agentThat(async ({ spend }) => {
      const order = { token: 'USDC', amount: '0.1', to: SHOP }
      const both = await Promise.all([spend(order), spend(order)])
      return both.map(({ transaction }) => transaction).join(' ')
    })
    const [first, second] = (await buyer.run()).text.split(' ')
    expect(first).not.toBe(second)
    expect(await stage.balanceOf(SHOP)).toBe(200_000n)
  })

  test('makes a dozen concurrent spends without a warning of Node', async () => {
    const warnings: string[] = []
    const listen = ({ message }: Error): void => void warnings.push(message)
    process.on('warning', listen)
    await callAnvil(chain.rpcUrl, 'evm_setAutomine', [false])
    const before = sends()
    const buyer = await agentThat(async ({ spend }) => {
      const order = { token: 'USDC', amount: '0.1', to: SHOP }
      return String((await Promise.all(Array.from({ length: 12 }, () => spend(order)))).length)
    })
    const ended = buyer.run()
    await until(() => sends() >= before + 12)
    await callAnvil(chain.rpcUrl, 'evm_setAutomine', [true])
    await callAnvil(chain.rpcUrl, 'evm_mine', [])
    expect(await ended).toMatchObject({ status: 200, text: '12' })
    process.off('warning', listen)
    expect(warnings).toEqual([])
  })

  test('PERM-07 rejects more than is available with a validation error, and the job is not charged', async () => {
    const buyer = await agentThat(pays)
    expect(await buyer.run({ amount: '1.5' })).toEqual({
      status: 400,
      text: '',
      error: 'allowance: must be at least 1.5 USDC, is 1 USDC',
    })
    expect(await stage.balanceOf(SHOP)).toBe(0n)
    expect(buyer.gate.counts().charged).toBe(0)
  })

  test('PERM-01 refuses more than the declared max_per_transaction, whatever the payer permits', async () => {
    await stage.set(permissionOf({ limit: 5_000_000n }))
    const { status, error } = await (await agentThat(pays)).run({ amount: '2.000001' })
    expect(status).toBe(400)
    expect(error).toBe('amount: must be at most 2 USDC, the declared max_per_transaction')
    expect(await stage.balanceOf(SHOP)).toBe(0n)
  })

  test.each(['0', '-1', '1e3', '0.0000001', '1,5', ''])('PERM-01 refuses the amount %j', async amount => {
    const { status, error } = await (await agentThat(pays)).run({ amount })
    expect(status).toBe(400)
    expect(error).toMatch(/^amount: /)
  })

  test('refuses a recipient that is not an address', async () => {
    const buyer = await agentThat(async ({ spend }) => {
      await spend({ token: 'USDC', amount: '0.1', to: '0x0000000000000000000000000000000000000000' })
      return ''
    })
    expect((await buyer.run()).error).toBe('to: must not be the zero address')
  })

  test('PERM-06 is refused for a capability without the permission, without a request to the chain', async () => {
    const before = node.methods.length
    const buyer = await agentThat(async ({ spend }) => {
      await spend({ token: 'USDC', amount: '0.1', to: SHOP })
      return ''
    })
    const { status, error } = await buyer.run({ capability: 'look' })
    expect(status).toBe(500)
    expect(error).toContain('"look" does not declare EXECUTE_TRANSACTIONS')
    expect(buyer.gate.counts().charged).toBe(0)
    expect(node.methods.length).toBe(before)
  })

  test('PERM-05 refuses a token that the capability does not declare', async () => {
    const buyer = await agentThat(async ({ spend }) => {
      await spend({ token: chain.usdc, amount: '0.1', to: SHOP })
      return ''
    })
    const { status, error } = await buyer.run()
    expect(status).toBe(500)
    expect(error).toContain('the capability declares "USDC" alone')
  })

  test('PERM-03 rejects with a validation error when the permission was revoked after it was read', async () => {
    const buyer = await agentThat(async (context, amount) => {
      expect(await context.allowance()).toBe('1')
      await stage.revoke(permissionOf())
      return await pays(context, amount)
    })
    expect(await buyer.run()).toMatchObject({
      status: 400,
      error: 'allowance: must be at least 0.25 USDC, is 0 USDC',
    })
    expect(await stage.balanceOf(SHOP)).toBe(0n)
    expect(buyer.gate.counts().charged).toBe(0)
  })

  test('PERM-03 PERM-07 is reverted when the permission is revoked during the transaction: a validation error', async () => {
    node.decide = async (method): Promise<'pass'> => {
      if (method === 'eth_sendRawTransaction') await stage.revoke(permissionOf())
      return 'pass'
    }
    const buyer = await agentThat(pays)
    const { status, error } = await buyer.run()
    expect(status).toBe(400)
    expect(error).toMatch(
      /^allowance: does not cover 0\.25 USDC to .* \(transaction 0x\w+, which moved nothing\)$/,
    )
    expect(await stage.balanceOf(SHOP)).toBe(0n)
    expect(buyer.gate.counts().charged).toBe(0)
  })

  test('PERM-03 is reverted when the limit is lowered during the transaction: a validation error', async () => {
    node.decide = async (method): Promise<'pass'> => {
      if (method === 'eth_sendRawTransaction') await stage.set(permissionOf({ limit: 200_000n }))
      return 'pass'
    }
    const { status, error } = await (await agentThat(pays)).run()
    expect(status).toBe(400)
    expect(error).toMatch(
      /^allowance: does not cover 0\.25 USDC to .* \(transaction 0x\w+, which moved nothing\)$/,
    )
    expect(await stage.balanceOf(SHOP)).toBe(0n)
  })

  test('PERM-07 counts pending amounts as spent, so that they cannot be spent again', async () => {
    await stage.set(permissionOf({ limit: 250_000n, cap: 250_000n }))
    await callAnvil(chain.rpcUrl, 'evm_setAutomine', [false])
    const before = sends()
    const first = (await agentThat(pays)).run()
    await isWaiting(before)
    expect(await stage.available(permissionOf()), 'as of the newest block').toBe(250_000n)
    expect(await (await agentThat(({ allowance }) => allowance())).run()).toMatchObject({ text: '0' })
    expect(await (await agentThat(pays)).run()).toMatchObject({
      status: 400,
      error: 'allowance: must be at least 0.25 USDC, is 0 USDC',
    })
    await callAnvil(chain.rpcUrl, 'evm_mine', [])
    expect((await first).status).toBe(200)
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
  })

  test('rejects a recipient that the permission does not list, with that reason', async () => {
    await stage.set(permissionOf({ recipients: [TEST_KEYS.stranger.address] }))
    const { status, error } = await (await agentThat(pays)).run()
    expect(status).toBe(400)
    expect(error).toContain('the recipient is not one that the permission names')
  })

  test('PERM-02 moves no more than the cap in concurrent jobs', async () => {
    const buyer = await agentThat(pays)
    const ended = await Promise.all(Array.from({ length: 8 }, () => buyer.run({ amount: '1' })))
    expect(ended.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 200, 200, 200, 200, 400, 400, 400,
    ])
    expect(await stage.balanceOf(SHOP)).toBe(5_000_000n)
    expect(buyer.gate.counts().charged).toBe(5)
  })

  test('fails as the agent’s fault without gas: not charged, and the log names the account', async () => {
    await callAnvil(chain.rpcUrl, 'anvil_setBalance', [TEST_KEYS.agent.address, '0x0'])
    const buyer = await agentThat(pays)
    const { status, error } = await buyer.run()
    expect(status).toBe(500)
    expect(error).toBe('the agent cannot pay the gas of a spend: nothing was moved')
    expect(buyer.logs().toLowerCase()).toContain(TEST_KEYS.agent.address.toLowerCase())
    expect(buyer.gate.counts().charged).toBe(0)
  })

  test('never shows the key in a log or an answer', async () => {
    const buyer = await agentThat(async ({ log }) => {
      log(`the key is ${TEST_KEYS.agent.privateKey}`)
      throw new Error(TEST_KEYS.agent.privateKey)
    })
    const answer = await buyer.run()
    expect(JSON.stringify(answer)).not.toContain(TEST_KEYS.agent.privateKey.slice(2))
    expect(redactorOf(spendingVariables(node.url))(buyer.logs())).not.toContain(
      TEST_KEYS.agent.privateKey.slice(2),
    )
  })
})

describe('a job that is run again', () => {
  test('gets the transaction of its first run, and moves nothing more', async () => {
    const jobId = randomUUID()
    const first = await (await agentThat(pays)).run({ jobId })
    // Another agent, which knows nothing of the first.
    const again = await (await agentThat(pays)).run({ jobId: jobId.toUpperCase() })
    expect(again).toMatchObject({ status: 200, text: `resumed ${first.text}` })
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
  })

  test('gets it even after the payer revoked the permission', async () => {
    const jobId = randomUUID()
    const first = await (await agentThat(pays)).run({ jobId })
    await stage.revoke(permissionOf())
    expect((await (await agentThat(pays)).run({ jobId })).text).toBe(`resumed ${first.text}`)
  })

  test('does not claim that nothing was moved when the node cannot find the transaction', async () => {
    const jobId = randomUUID()
    const first = await (await agentThat(pays)).run({ jobId })
    node.decide = method => (method === 'eth_getLogs' ? 'lose' : 'pass')
    const { status, error } = await (await agentThat(pays)).run({ jobId })
    expect(status).toBe(500)
    expect(error).toContain('an earlier attempt at this job made this spend')
    node.decide = () => 'pass'
    expect((await (await agentThat(pays)).run({ jobId })).text).toBe(`resumed ${first.text}`)
  })

  test('cannot make a different spend in its place', async () => {
    const jobId = randomUUID()
    const first = await (await agentThat(pays)).run({ jobId })
    const { status, error } = await (await agentThat(pays)).run({ jobId, amount: '0.5' })
    expect(status).toBe(500)
    expect(error).toContain(`0.25 USDC to ${SHOP.toLowerCase()} in transaction ${first.text}`)
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
  })

  test('in three replicas concurrently makes one spend, and all return its transaction', async () => {
    // After the spend nothing is available, which a replica must not report as a refusal.
    await stage.set(permissionOf({ limit: 250_000n, cap: 250_000n }))
    const jobId = randomUUID()
    const replicas = [await agentThat(pays), await agentThat(pays), await agentThat(pays)]
    const ended = await Promise.all(replicas.map(replica => replica.run({ jobId })))
    expect(ended.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(ended.map(({ text }) => text.replace('resumed ', ''))).size).toBe(1)
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
  })

  test('finds a spend that a replica makes between two reads, although nothing is left', async () => {
    await stage.set(permissionOf({ limit: 250_000n, cap: 250_000n }))
    const jobId = randomUUID()
    const other = await agentThat(pays, { SERVICE_RPC_URL: chain.rpcUrl })
    const one = await agentThat(pays)
    let calls = 0
    let first = ''
    node.decide = async (method): Promise<'pass'> => {
      if (method === 'eth_call') calls += 1
      // The first two calls read the ref, the third one the available amount.
      if (method === 'eth_call' && calls === 3) first = (await other.run({ jobId })).text
      return 'pass'
    }
    expect(await one.run({ jobId })).toMatchObject({ status: 200, text: `resumed ${first}` })
    expect(first).toMatch(/^0x/)
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
  })

  test('next to other jobs in replicas with one key makes each spend', async () => {
    const replicas = [await agentThat(pays), await agentThat(pays), await agentThat(pays)]
    const ended = await Promise.all(replicas.map(replica => replica.run()))
    expect(ended.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await stage.balanceOf(SHOP)).toBe(750_000n)
  })

  test('after kill -9 during a pending transaction gets that transaction', async () => {
    await stage.set(permissionOf({ limit: 250_000n, cap: 250_000n }))
    await callAnvil(chain.rpcUrl, 'evm_setAutomine', [false])
    const jobId = randomUUID()
    const before = sends()
    const killed = fork(new URL('./spend-and-die.child.ts', import.meta.url), [node.url, jobId], {
      execArgv: ['--conditions=@farebox/source', '--import', 'tsx'],
      stdio: 'inherit',
    })
    const gone = once(killed, 'exit')
    await isWaiting(before)
    killed.kill('SIGKILL')
    await gone
    const left = sends()
    const again = (await agentThat(pays)).run({ jobId })
    await sleep(1_000)
    await callAnvil(chain.rpcUrl, 'evm_mine', [])
    expect(await again).toMatchObject({ status: 200, text: expect.stringMatching(/^resumed 0x/) as string })
    expect(sends()).toBe(left)
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
  })
})

describe('a failing node', () => {
  test('that loses the answer to the transaction: the spend is found in its block', async () => {
    node.decide = method => (method === 'eth_sendRawTransaction' ? 'lose-answer' : 'pass')
    const { status, text } = await (await agentThat(pays)).run()
    expect(status).toBe(200)
    expect(text).toMatch(/^0x/)
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
  })

  test('that loses the transaction: it is sent again', async () => {
    let lost = false
    node.decide = method => {
      if (method !== 'eth_sendRawTransaction' || lost) return 'pass'
      lost = true
      return 'lose'
    }
    expect((await (await agentThat(pays)).run()).status).toBe(200)
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
  })

  test('before anything is sent: the job fails, nothing is moved or charged', async () => {
    node.decide = () => 'lose'
    const buyer = await agentThat(pays)
    const { status, error } = await buyer.run()
    expect(status).toBe(500)
    expect(error).toContain('the chain cannot be asked what is permitted, so this attempt moved nothing')
    expect(buyer.gate.counts().charged).toBe(0)
    expect(await stage.balanceOf(SHOP)).toBe(0n)
  })

  test.each([
    ['waits for it', pays],
    [
      'swallows what it is told',
      ({ spend }, amount) => spend({ token: 'USDC', amount, to: SHOP }).then(String, () => 'never mind'),
    ] satisfies [string, Work],
    [
      'does not wait for it',
      ({ spend }, amount) => {
        void spend({ token: 'USDC', amount, to: SHOP }).catch(() => undefined)
        return 'done'
      },
    ] satisfies [string, Work],
  ] as const)(
    'that is gone after it got the transaction: a handler that %s is late, not charged, and resumes',
    async (_, work: Work) => {
      const jobId = randomUUID()
      let isGone = false
      node.decide = method => {
        if (isGone) return 'lose'
        isGone = method === 'eth_sendRawTransaction'
        return isGone ? 'lose-answer' : 'pass'
      }
      const clock = createSkippingClock()
      const buyer = await agentThat(work, {}, clock)
      const ended = buyer.run({ jobId })
      await until(() => isGone)
      // The node must have been asked about the transaction that it has.
      const asked = node.methods.length
      await until(() => node.methods.length > asked)
      clock.skip(280_000)
      const { status, error } = await ended
      expect(status).toBe(408)
      const [, transaction] =
        /may have moved 0\.25 USDC to 0x\w{40} in transaction (0x\w{64})/.exec(error) ?? []
      expect(transaction, error).toBeDefined()
      expect(buyer.gate.counts().charged).toBe(0)
      node.decide = () => 'pass'
      expect((await (await agentThat(pays)).run({ jobId })).text).toBe(`resumed ${transaction}`)
      expect(await stage.balanceOf(SHOP)).toBe(250_000n)
    },
  )

  test('for another chain is not used to spend', async () => {
    const buyer = await agentThat(pays, { SERVICE_NETWORK: 'eip155:84532' })
    node.decide = () => 'pass'
    const other = await startChain({ chainId: 31337 })
    const wrong = await agentThat(pays, { SERVICE_RPC_URL: other.rpcUrl })
    expect((await wrong.run()).status).toBe(500)
    expect(wrong.logs()).toContain('SERVICE_RPC_URL is a node of chain 31337, SERVICE_NETWORK is 84532')
    await other.stop()
    expect((await buyer.run()).status).toBe(200)
  })
})

describe('a deadline', () => {
  test('after a mined spend is reported with its transaction, and the retry resumes', async () => {
    const jobId = randomUUID()
    const clock = createSkippingClock()
    const work: Work = async (context, amount) => {
      const paid = await pays(context, amount)
      clock.skip(280_000)
      return paid
    }
    const late = await agentThat(work, {}, clock)
    const { status, error } = await late.run({ jobId })
    expect(status).toBe(408)
    const [, transaction] = /the job moved 0\.25 USDC to 0x\w{40} in transaction (0x\w{64})/.exec(error) ?? []
    expect(transaction, error).toBeDefined()
    expect(late.gate.counts().charged).toBe(0)
    expect((await (await agentThat(pays)).run({ jobId })).text).toBe(`resumed ${transaction}`)
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
  })

  test('is one of many failures: each names the spends of the job', async () => {
    const buyer = await agentThat(async (context, amount) => {
      await pays(context, amount)
      await context.spend({ token: 'USDC', amount: '1.1', to: SHOP })
      return ''
    })
    const { status, error } = await buyer.run()
    expect(status).toBe(400)
    expect(error).toMatch(/^allowance: must be at least 1\.1 USDC, is 1 USDC; the job moved 0\.25 USDC to 0x/)
    expect(buyer.gate.counts().charged).toBe(0)
  })

  test.each<[string, Work, string]>([
    ['throws by accident', () => Promise.reject(new TypeError('no such shelf')), 'no such shelf'],
    ['returns a wrong output', () => 7 as never, 'output refused: text'],
  ])(
    'is one of many failures: a handler that %s after its spend names it, with the reason only in the log',
    async (_, fails, logged) => {
      const buyer = await agentThat(async (context, amount) => {
        await pays(context, amount)
        return await fails(context, amount)
      })
      const { status, error } = await buyer.run()
      expect(status).toBe(500)
      expect(error).toMatch(/^Internal error; the job moved 0\.25 USDC to 0x\w{40} in transaction 0x\w{64}/)
      expect(buyer.logs()).toContain(logged)
      expect(error).not.toContain(logged)
      expect(buyer.gate.counts().charged).toBe(0)
    },
  )

  test('does not cut off a spend that a handler does not await: it ends before its job', async () => {
    const buyer = await agentThat(({ spend }, amount) => {
      void spend({ token: 'USDC', amount, to: SHOP })
      return 'done'
    })
    expect((await buyer.run()).status).toBe(200)
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
  })
})

describe('ctx.allowance', () => {
  test('is the least of the permitted amount, the remaining amount, and the declared maximum', async () => {
    const buyer = await agentThat(({ allowance }) => allowance())
    const allowed = async (): Promise<string> => (await buyer.run()).text
    expect(await allowed()).toBe('1')
    await stage.set(permissionOf({ limit: 4_000_000n }))
    expect(await allowed()).toBe('2')
    await stage.set(permissionOf({ limit: 10_000n }))
    expect(await allowed()).toBe('0.01')
    await stage.approve(OWNER, 1n)
    expect(await allowed()).toBe('0.000001')
    await stage.revoke(permissionOf())
    expect(await allowed()).toBe('0')
  })
})

describe('a handler that compares ctx.allowance with its amount before it spends', () => {
  const compares: Work = async (context, amount) => {
    const allowance = await context.allowance()
    if (Number(allowance) < Number(amount))
      throw new ValidationError('allowance', `must be at least ${amount} USDC, is ${allowance} USDC`)
    return await pays(context, amount)
  }

  test('refuses more, with the error of the interface', async () => {
    const { status, error } = await (await agentThat(compares)).run({ amount: '1.5' })
    expect(status).toBe(400)
    expect(error).toBe('allowance: must be at least 1.5 USDC, is 1 USDC')
  })

  test('has the same result when the job is run again, although its spend used everything that was left', async () => {
    await stage.set(permissionOf({ limit: 250_000n, cap: 250_000n }))
    const jobId = randomUUID()
    const first = await (await agentThat(compares)).run({ jobId })
    const again = await (await agentThat(compares)).run({ jobId })
    expect(again).toMatchObject({ status: 200, text: `resumed ${first.text}` })
    expect((await (await agentThat(compares)).run()).error).toBe(
      'allowance: must be at least 0.25 USDC, is 0 USDC',
    )
  })

  test('waits for the pending spend of an earlier attempt', async () => {
    await stage.set(permissionOf({ limit: 250_000n, cap: 250_000n }))
    await callAnvil(chain.rpcUrl, 'evm_setAutomine', [false])
    const jobId = randomUUID()
    const before = sends()
    const first = (await agentThat(pays)).run({ jobId })
    await isWaiting(before)
    const again = (await agentThat(compares)).run({ jobId })
    await sleep(1_000)
    await callAnvil(chain.rpcUrl, 'evm_mine', [])
    expect(await again).toMatchObject({ status: 200, text: `resumed ${(await first).text}` })
  })
})

describe('handlers in separate processes', () => {
  beforeAll(() => {
    vi.stubEnv('SPENDER_PRIVATE_KEY', TEST_KEYS.agent.privateKey)
  })
  afterAll(() => void vi.unstubAllEnvs())

  const work = new URL('./spending-handlers.child.ts', import.meta.url)

  test('spend through the agent, which alone has the key', async () => {
    const buyer = await agentThat(work)
    const { status, text, error } = await buyer.run({ amount: '0.25' })
    expect(error).toBe('')
    expect(status).toBe(200)
    const { transaction, allowance, key } = JSON.parse(text) as Record<string, unknown>
    expect(transaction).toMatch(/^0x[0-9a-f]{64}$/)
    expect(allowance).toBe('1')
    expect(key).toBe('none')
    expect(await stage.balanceOf(SHOP)).toBe(250_000n)
  })

  test('get the same errors', async () => {
    const buyer = await agentThat(work)
    expect(await buyer.run({ amount: '1.5' })).toMatchObject({
      status: 400,
      error: 'allowance: must be at least 1.5 USDC, is 1 USDC',
    })
    const { status, error } = await buyer.run({ capability: 'look' })
    expect(status).toBe(500)
    expect(error).toContain('"look" does not declare EXECUTE_TRANSACTIONS')
    expect(buyer.gate.counts().charged).toBe(0)
  })
})

describe('an agent that spends does not start', () => {
  const refused = async (changes: Variables): Promise<string> => {
    const failed: unknown = await agentThat(pays, changes).then(
      () => 'it started',
      (error: unknown) => error,
    )
    expect(failed).toBeInstanceOf(EnvironmentError)
    return String(failed)
  }

  test('with the key of the wallet that it is paid to', async () => {
    expect(await refused({ AGENT_WALLET_ADDRESS: TEST_KEYS.agent.address })).toContain(
      'SPENDER_PRIVATE_KEY is the key of AGENT_WALLET_ADDRESS',
    )
    const dev = { AGENT_WALLET_ADDRESS: TEST_KEYS.agent.address.toLowerCase(), SERVICE_DEV_MODE: 'true' }
    expect(await refused(dev)).toContain('SPENDER_PRIVATE_KEY is the key of AGENT_WALLET_ADDRESS')
  })

  test('without its id in the registry, and without a node', async () => {
    expect(await refused({ AGENT_ID: undefined, SERVICE_RPC_URL: undefined })).toMatch(
      /AGENT_ID is not set.*\n.*SERVICE_RPC_URL is not set/,
    )
  })

  test.each([TEST_KEYS.agent.privateKey.slice(2), `${TEST_KEYS.agent.privateKey}0`, `0x${'0'.repeat(64)}`])(
    'with an invalid key, of which nothing is shown',
    async key => {
      const message = await refused({ SPENDER_PRIVATE_KEY: key })
      expect(message).toMatch(/SPENDER_PRIVATE_KEY (?:must be a private key|is no key)/)
      expect(message).not.toContain(key)
    },
  )

  test.each(['0', '-1', '07', '1.5', 'seven'])('with the id %j', async id => {
    expect(await refused({ AGENT_ID: id })).toContain('AGENT_ID must be the number')
  })
})

describe('the spender', () => {
  const ask = async ({ agent }: SpendingAgent, capability: string): Promise<unknown> => {
    const body = JSON.stringify({ task: { capability } })
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://agent.test/execute', { method: 'POST', headers, body })
    const header = (await agent.fetch(request)).headers.get('payment-required') ?? ''
    return (decodeHeader(header) as PaymentRequired).extensions
  }

  test('D45 is named in the 402 of a capability that spends, and of no other', async () => {
    const buyer = await agentThat(pays)
    expect(await ask(buyer, 'buy')).toEqual({
      'farebox-spend': [
        {
          agent_id: '7',
          network: 'eip155:84532',
          contract: SPEND_PERMISSIONS_ADDRESS,
          spender: TEST_KEYS.agent.address.toLowerCase(),
        },
      ],
    })
    expect(await ask(buyer, 'look')).toBeUndefined()
  })

  test('is not named by an agent without a spending key', async () => {
    const without = await agentThat(pays, { SPENDER_PRIVATE_KEY: undefined })
    expect(await ask(without, 'buy')).toBeUndefined()
  })

  test('D45 has no separate route', async () => {
    const { agent } = await agentThat(pays)
    expect((await agent.fetch(new Request('http://agent.test/spender'))).status).toBe(404)
  })
})

describe('an agent that cannot spend', () => {
  test('without a key reports that at the start, and to handlers that spend', async () => {
    const buyer = await agentThat(pays, { SPENDER_PRIVATE_KEY: undefined, AGENT_ID: undefined })
    expect(buyer.logs()).toContain('SPENDER_PRIVATE_KEY is not set: every spend of buy is refused')
    expect(await buyer.run()).toMatchObject({
      status: 500,
      error: 'cannot spend: SPENDER_PRIVATE_KEY is not set',
    })
  })

  test('in dev mode reports what is missing', async () => {
    const buyer = await agentThat(pays, {
      SERVICE_DEV_MODE: 'true',
      SPENDER_PRIVATE_KEY: undefined,
      SERVICE_RPC_URL: undefined,
      AGENT_ID: undefined,
    })
    const { status, error } = await buyer.run()
    expect(status).toBe(500)
    expect(error).toContain('in dev mode nobody pays, so that there is nobody whose tokens could be moved')
  })
})
