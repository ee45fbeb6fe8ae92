import type { LocalChain } from '@farebox/local/chain/start-chain'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'

/** A payment as the chain has it: an `AuthorizationUsed` and the `Transfer` right behind it. */
export interface ChainPayment {
  readonly nonce: string
  readonly valueAtomic: bigint
  readonly transaction: string
  readonly block: number
}

/** What a range of blocks holds. */
export interface BlocksUsed {
  readonly gas: number
  readonly transactions: number
}

/** `AuthorizationUsed(address,bytes32)` (EIP-3009) and `Transfer(address,address,uint256)` (ERC-20). */
const AUTHORIZATION_USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** A few thousand payments' events in one answer. */
const BLOCKS_ASKED = 4

interface Log {
  readonly topics: readonly string[]
  readonly data: string
  readonly transactionHash: string
  readonly blockNumber: string
}

/** Every payment in these blocks, both ends included, in their order. Throws where an event has no transfer behind it. */
export async function readChainPayments(
  chain: Pick<LocalChain, 'rpcUrl' | 'usdc'>,
  from: number,
  to: number,
): Promise<readonly ChainPayment[]> {
  const payments: ChainPayment[] = []
  for (let first = from; first <= to; first += BLOCKS_ASKED) {
    const last = Math.min(to, first + BLOCKS_ASKED - 1)
    const range = { fromBlock: hex(first), toBlock: hex(last), address: chain.usdc }
    const filter = { ...range, topics: [[AUTHORIZATION_USED, TRANSFER]] }
    const logs = (await callAnvil(chain.rpcUrl, 'eth_getLogs', [filter])) as readonly Log[]
    for (const [index, log] of logs.entries()) {
      if (log.topics[0] === AUTHORIZATION_USED) payments.push(readPayment(log, logs[index + 1]))
    }
  }
  return payments
}

function readPayment(used: Log, transfer: Log | undefined): ChainPayment {
  const [, payer, nonce = ''] = used.topics
  const belongs =
    transfer?.topics[0] === TRANSFER &&
    transfer.transactionHash === used.transactionHash &&
    transfer.topics[1] === payer
  if (!belongs)
    throw new Error(`${used.transactionHash} uses the authorization ${nonce} and transfers nothing`)
  return {
    nonce: nonce.toLowerCase(),
    valueAtomic: BigInt(transfer.data),
    transaction: used.transactionHash.toLowerCase(),
    block: Number(used.blockNumber),
  }
}

/** Gas and transactions of these blocks, both ends included. */
export async function readBlocksUsed(
  { rpcUrl }: Pick<LocalChain, 'rpcUrl'>,
  from: number,
  to: number,
): Promise<BlocksUsed> {
  let [gas, transactions] = [0, 0]
  for (let block = from; block <= to; block += 1) {
    const header = (await callAnvil(rpcUrl, 'eth_getBlockByNumber', [hex(block), false])) as {
      readonly gasUsed: string
      readonly transactions: readonly string[]
    }
    gas += Number(header.gasUsed)
    transactions += header.transactions.length
  }
  return { gas, transactions }
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
