import { setTimeout as delay } from 'node:timers/promises'
import { AUTHORIZATION_USED_TOPIC, TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { groupBy } from './group-by.ts'
import type { Stage } from '../stage/stage.ts'

/** Money that an authorization moved, as the chain tells it. */
export interface ChainPayment {
  /** Payer and nonce, lower-case: the authorization that was used. */
  readonly payer: string
  readonly nonce: string
  readonly to: string
  readonly valueAtomic: bigint
  readonly transaction: string
  readonly blockNumber: bigint
}

/** What the chain has seen of the agent's money. */
export interface ChainRecord {
  /** By payer and nonce, see {@link authorizationKey}. */
  readonly payments: ReadonlyMap<string, ChainPayment>
  /** What cannot be: an authorization used twice, money to the agent without one. */
  readonly oddities: readonly string[]
}

interface Log {
  readonly topics: readonly string[]
  readonly data: string
  readonly transactionHash: string
  readonly blockNumber: string
  readonly logIndex: string
}

/** Names an authorization, of an order or of the chain. */
export function authorizationKey({ payer, nonce }: Pick<ChainPayment, 'payer' | 'nonce'>): string {
  return `${payer}:${nonce}`
}

/** The payments of each group of orders: a group is named by an authorization or by a payer. */
export function groupPayments({
  payments,
}: ChainRecord): (group: string) => readonly (readonly [key: string, payment: ChainPayment])[] {
  const byPayer = groupBy(payments, ([, { payer }]) => payer)
  return group => {
    const payment = payments.get(group)
    return payment === undefined ? (byPayer.get(group) ?? []) : [[group, payment]]
  }
}

/** Reads every use of an authorization and every transfer to the agent, from a block on. */
export async function readChain(
  { chain, wallet }: Pick<Stage, 'chain' | 'wallet'>,
  fromBlock = 0n,
): Promise<ChainRecord> {
  const logs = (await callAnvil(chain.rpcUrl, 'eth_getLogs', [
    {
      address: chain.usdc,
      fromBlock: `0x${fromBlock.toString(16)}`,
      toBlock: 'latest',
      topics: [[AUTHORIZATION_USED_TOPIC, TRANSFER_TOPIC]],
    },
  ])) as readonly Log[]
  const payments = new Map<string, ChainPayment>()
  const oddities: string[] = []
  const authorized = new Set<Log>()
  for (const [index, used] of logs.entries()) {
    if (used.topics[0] !== AUTHORIZATION_USED_TOPIC) continue
    // The token emits the transfer right after the flag.
    const transfer = logs[index + 1]
    if (transfer?.topics[0] !== TRANSFER_TOPIC || transfer.transactionHash !== used.transactionHash) {
      oddities.push(`an authorization was used without a transfer in ${used.transactionHash}`)
      continue
    }
    authorized.add(transfer)
    const payment = toPayment(used, transfer)
    const key = authorizationKey(payment)
    if (payments.has(key)) oddities.push(`the authorization ${key} was used twice`)
    payments.set(key, payment)
  }
  for (const log of logs) {
    if (
      log.topics[0] === TRANSFER_TOPIC &&
      addressOf(log.topics[2]) === wallet.toLowerCase() &&
      !authorized.has(log)
    )
      oddities.push(`money came to the agent without an authorization in ${log.transactionHash}`)
  }
  return { payments, oddities }
}

function toPayment(used: Log, transfer: Log): ChainPayment {
  return {
    payer: addressOf(used.topics[1]),
    nonce: (used.topics[2] ?? '').toLowerCase(),
    to: addressOf(transfer.topics[2]),
    valueAtomic: BigInt(transfer.data),
    transaction: transfer.transactionHash.toLowerCase(),
    blockNumber: BigInt(transfer.blockNumber),
  }
}

function addressOf(topic = ''): string {
  return `0x${topic.slice(-40).toLowerCase()}`
}

/** Sees money move while a storm is going on. */
export interface ChainWatch {
  /** When a payment was first seen in a block, Unix milliseconds, by authorization: it was there at the latest then. */
  readonly seenMs: ReadonlyMap<string, number>
  /** Reads the chain a last time. */
  stop(): Promise<void>
}

const READ_EVERY_MS = 100

/** Begins to watch; what was there before counts as seen now. */
export function watchChain(stage: Pick<Stage, 'chain' | 'wallet'>): ChainWatch {
  const seenMs = new Map<string, number>()
  let fromBlock = 0n
  const stopping = new AbortController()
  const read = async (): Promise<void> => {
    const { payments } = await readChain(stage, fromBlock)
    const nowMs = Date.now()
    for (const [key, { blockNumber }] of payments) {
      if (!seenMs.has(key)) seenMs.set(key, nowMs)
      // The newest block again: it is whole, but which was the newest is not known from here.
      if (blockNumber > fromBlock) fromBlock = blockNumber
    }
  }
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await read().catch(() => undefined)
      await delay(READ_EVERY_MS)
    }
  })()
  return {
    seenMs,
    async stop() {
      stopping.abort()
      await watching
      await read()
    },
  }
}
