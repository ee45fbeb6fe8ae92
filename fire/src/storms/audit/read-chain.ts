import { AUTHORIZATION_USED_TOPIC, TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import type { StormOrder } from '../event-log.ts'
import type { StormStage } from '../stage/storm-stage.ts'

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

/** The same of an order. */
export function orderKey({ authorization }: StormOrder): string {
  return authorizationKey({ payer: authorization.from, nonce: authorization.nonce })
}

/** Reads every use of an authorization and every transfer to the agent, from a block on. */
export async function readChain(
  { chain, wallet }: Pick<StormStage, 'chain' | 'wallet'>,
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
