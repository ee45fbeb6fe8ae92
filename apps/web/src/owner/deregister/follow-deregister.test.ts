import { expect, test } from 'vitest'
import type { Ask } from '../../site/ask.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import { followDeregister } from './follow-deregister.ts'
import { atOnce } from '../../test-setup/at-once.ts'

/** Follows a transaction of agent 2, with these listing statuses as the successive answers of the platform. */
async function follow(standings: readonly (string | undefined)[], wallet?: Partial<Wallet>) {
  const left = [...standings]
  const paths: string[] = []
  const pauses: number[] = []
  const ask = (async (path: string) => {
    paths.push(path)
    const standing = left.shift()
    if (standing === undefined) throw new Error('no answer')
    return { agents: [{ agent_id: 2, standing }] }
  }) as unknown as Ask
  const sent = {
    agentId: 2,
    owner: '0xaa',
    transaction: `0x${'ab'.repeat(32)}`,
    chainId: 84_532,
    ask,
    wallet: wallet as Wallet | undefined,
    clock: atOnce(ms => pauses.push(ms)),
  }
  return { outcome: await followDeregister(sent, new AbortController().signal), paths, pauses }
}

function walletWith(answers: { readonly [method: string]: unknown }): Partial<Wallet> {
  const known: { readonly [method: string]: unknown } = {
    eth_chainId: '0x14a34',
    eth_getTransactionByHash: { nonce: '0x5' },
    eth_getTransactionCount: '0x5',
    ...answers,
  }
  return { readChain: async method => known[method] }
}

test('a deregistration is done once the platform has seen it, even after several failed requests', async () => {
  const { outcome, paths, pauses } = await follow(['listed', undefined, 'deregistered'])
  expect(outcome).toEqual({ kind: 'done' })
  expect(new Set(paths)).toEqual(new Set(['/v1/me/agents?cursor=1']))
  expect(pauses).toEqual([3_000, 3_000, 3_000])
})

test('a transaction that the contract rejected leaves the agent registered', async () => {
  const { outcome } = await follow(['listed'], walletWith({ eth_getTransactionReceipt: { status: '0x0' } }))
  expect(outcome).toEqual({
    kind: 'failed',
    problem: 'The contract rejected the transaction. The agent is still registered, and only gas was spent.',
  })
})

test('a transaction that was replaced by another one leaves the agent registered', async () => {
  const { outcome } = await follow(['listed'], walletWith({ eth_getTransactionCount: '0x6' }))
  expect(outcome).toMatchObject({ kind: 'failed', problem: expect.stringContaining('replaced this one') })
})

test('following ends without an outcome after a hundred checks, which take five minutes', async () => {
  const { outcome, pauses } = await follow(
    Array.from({ length: 100 }, () => 'listed'),
    walletWith({}),
  )
  expect([outcome, pauses.length]).toEqual([undefined, 100])
})

test('following ends when the page is left', async () => {
  const left = AbortSignal.abort(new Error('the page was left'))
  const sent = {
    agentId: 2,
    owner: '0xaa',
    transaction: '0xab',
    chainId: 84_532,
    ask: (async () => ({ agents: [] })) as unknown as Ask,
    wallet: undefined,
    clock: atOnce(),
  }
  await expect(followDeregister(sent, left)).rejects.toThrow('the page was left')
})
