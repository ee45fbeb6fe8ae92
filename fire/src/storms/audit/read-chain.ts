import { setTimeout as delay } from 'node:timers/promises'
import { AUTHORIZATION_USED_TOPIC, TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { authorizationKey, type StormOrder } from '../event-log.ts'

/** Money that an authorization moved, as the chain tells it; addresses are lower-case. */
export interface ChainPayment {
  /** See `authorizationKey`. */
  readonly key: string
  readonly payer: string
  readonly to: string
  readonly valueAtomic: bigint
  readonly transaction: string
  readonly blockNumber: bigint
}

/** What the chain has seen of the agent's money. */
export interface ChainRecord {
  readonly payments: readonly ChainPayment[]
  /** What cannot be: an authorization used twice, money to the agent without one. */
  readonly oddities: readonly string[]
}

interface Log {
  readonly topics: readonly string[]
  readonly data: string
  readonly transactionHash: string
  readonly blockNumber: string
}

/** The payments for the group of an order, which is named by an authorization or by a payer. */
export function paymentsFor(
  { group }: Pick<StormOrder, 'group'>,
  { payments }: ChainRecord,
): readonly ChainPayment[] {
  return payments.filter(({ key, payer }) => key === group || payer === group)
}

/** Reads every use of an authorization and every transfer to the agent, from a block on. */
export async function readChain(chain: LocalChain, fromBlock = 0n): Promise<ChainRecord> {
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
  for (const [index, log] of logs.entries()) {
    const { transactionHash, topics } = log
    // The token emits the transfer right after the flag.
    const [used, transfer] =
      topics[0] === AUTHORIZATION_USED_TOPIC ? [log, logs[index + 1]] : [logs[index - 1], log]
    const isPair =
      used?.topics[0] === AUTHORIZATION_USED_TOPIC &&
      transfer?.topics[0] === TRANSFER_TOPIC &&
      used.transactionHash === transfer.transactionHash
    if (log === transfer) {
      if (!isPair && addressOf(topics[2]) === TEST_KEYS.agent.address.toLowerCase())
        oddities.push(`money came to the agent without an authorization in ${transactionHash}`)
    } else if (isPair) {
      const payment = toPayment(used, transfer)
      if (payments.has(payment.key)) oddities.push(`the authorization ${payment.key} was used twice`)
      payments.set(payment.key, payment)
    } else oddities.push(`an authorization was used without a transfer in ${transactionHash}`)
  }
  return { payments: [...payments.values()], oddities }
}

function toPayment(used: Log, transfer: Log): ChainPayment {
  const payer = addressOf(used.topics[1])
  return {
    key: authorizationKey(payer, (used.topics[2] ?? '').toLowerCase()),
    payer,
    to: addressOf(transfer.topics[2]),
    valueAtomic: BigInt(transfer.data),
    transaction: transfer.transactionHash.toLowerCase(),
    blockNumber: BigInt(transfer.blockNumber),
  }
}

function addressOf(topic = ''): string {
  return `0x${topic.slice(-40).toLowerCase()}`
}

/** Sees money move while something is played. */
export interface ChainWatch {
  /** When a payment was first seen in a block, Unix milliseconds, by authorization: it was there at the latest then. */
  readonly seenMs: ReadonlyMap<string, number>
  stop(): Promise<void>
}

const READ_EVERY_MS = 100

/** Begins to watch. */
export function watchChain(chain: LocalChain): ChainWatch {
  const seenMs = new Map<string, number>()
  let fromBlock = 0n
  const stopping = new AbortController()
  const read = async (): Promise<void> => {
    const { payments } = await readChain(chain, fromBlock)
    const nowMs = Date.now()
    for (const { key, blockNumber } of payments) {
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
    },
  }
}
