import { setTimeout as delay } from 'node:timers/promises'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createPublicClient, http, parseAbi } from 'viem'
import { authorizationKey, type StormOrder } from '../event-log.ts'

/** A transfer by an authorization, as the chain shows it; addresses are lower-case. */
export interface ChainPayment {
  /** See `authorizationKey`. */
  readonly key: string
  readonly payer: string
  readonly to: string
  readonly valueAtomic: bigint
  readonly transaction: string
  readonly blockNumber: bigint
}

/** The agent's money on the chain. */
export interface ChainRecord {
  readonly payments: readonly ChainPayment[]
  /** Impossible events: an authorization used twice, money to the agent without one. */
  readonly oddities: readonly string[]
}

const EVENTS = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

/** An answer may have at most 10 MB, which is about 8,000 payments. */
const PAGE_BLOCKS = 200n

/** The payments for the group of an order, which is named after an authorization or a payer. */
export function paymentsFor(
  { group }: Pick<StormOrder, 'group'>,
  { payments }: Pick<ChainRecord, 'payments'>,
): readonly ChainPayment[] {
  return payments.filter(({ key, payer }) => key === group || payer === group)
}

/** Reads every use of an authorization and every transfer to the agent, from a block on. */
export async function readChain({ rpcUrl, usdc }: LocalChain, fromBlock = 0n): Promise<ChainRecord> {
  const node = createPublicClient({ transport: http(rpcUrl) })
  // The chain is ours: its token is a real contract, and its events have the expected form.
  const wanted = { address: usdc, events: EVENTS, strict: true } as const
  const latest = await node.getBlockNumber({ cacheTime: 0 })
  const readPage = async (first: bigint) => {
    const last = first + PAGE_BLOCKS - 1n
    return await node.getLogs({ ...wanted, fromBlock: first, toBlock: last < latest ? last : latest })
  }
  const pages: Awaited<ReturnType<typeof readPage>>[] = []
  for (let first = fromBlock; first <= latest; first += PAGE_BLOCKS) pages.push(await readPage(first))
  const logs = pages.flat()
  const payments = new Map<string, ChainPayment>()
  const oddities: string[] = []
  for (const [index, used] of logs.entries()) {
    const { transactionHash: transaction, blockNumber } = used
    // The token emits the transfer right after the flag.
    const [last, next] = [logs[index - 1], logs[index + 1]]
    if (used.eventName === 'Transfer') {
      const isPaired = last?.eventName === 'AuthorizationUsed' && last.transactionHash === transaction
      if (!isPaired && used.args.to.toLowerCase() === TEST_KEYS.agent.address.toLowerCase())
        oddities.push(`money came to the agent without an authorization in ${transaction}`)
    } else if (next?.eventName === 'Transfer' && next.transactionHash === transaction) {
      const payer = used.args.authorizer.toLowerCase()
      const key = authorizationKey(payer, used.args.nonce)
      if (payments.has(key)) oddities.push(`the authorization ${key} was used twice`)
      const { to, value: valueAtomic } = next.args
      payments.set(key, { key, payer, to: to.toLowerCase(), valueAtomic, transaction, blockNumber })
    } else oddities.push(`an authorization was used without a transfer in ${transaction}`)
  }
  return { payments: [...payments.values()], oddities }
}

const READ_EVERY_MS = 100

/**
 * Observes transfers until it is stopped. `seenMs` is the time at which a payment was first seen in a block, in Unix
 * milliseconds, by authorization: an upper bound.
 */
export function watchChain(chain: LocalChain) {
  const seenMs = new Map<string, number>()
  const stopping = new AbortController()
  const watch = async (): Promise<void> => {
    for (let fromBlock = 0n; !stopping.signal.aborted; await delay(READ_EVERY_MS)) {
      const { payments } = await readChain(chain, fromBlock).catch(() => ({ payments: [] }))
      const nowMs = Date.now()
      for (const { key, blockNumber } of payments) {
        if (!seenMs.has(key)) seenMs.set(key, nowMs)
        // The newest block again: it is complete, but it may no longer be the newest.
        if (blockNumber > fromBlock) fromBlock = blockNumber
      }
    }
  }
  const watching = watch()
  return {
    seenMs,
    async stop(): Promise<void> {
      stopping.abort()
      await watching
    },
  }
}
