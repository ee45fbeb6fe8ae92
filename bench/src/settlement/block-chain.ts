import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { callAnvil, callAnvilForText } from '@farebox/local/src/chain/anvil-rpc'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Stage } from '../stage/stage.ts'

/** A chain that makes blocks at intervals, as public ones do. */
export interface BlockChain extends LocalChain {
  readonly blockSeconds: number
}

/** A key created for one run, and its address. */
export interface Wallet {
  /** 32 bytes of `0x` hex. */
  readonly privateKey: string
  /** Lower-case `0x` hex. */
  readonly address: string
}

/** A block of Base. */
const BLOCK_GAS = 400_000_000
/** More than any run spends. */
const PAYER_USDC_ATOMIC = 1_000_000_000_000n
const RELAYER_WEI = 10_000n * 10n ** 18n
const LOOK_EVERY_MS = 10

/** Creates new keys. */
export function createWallets(crypto: Pick<EvmCrypto, 'addressOf'>, count: number): readonly Wallet[] {
  return Array.from({ length: count }, () => {
    const key = randomBytes(32)
    return { privateKey: `0x${key.toString('hex')}`, address: crypto.addressOf(key).toLowerCase() }
  })
}

/**
 * Starts a chain, gives USDC to payers and payees and ether to relayers while a block is made for each transaction at
 * once, and from then on makes a block every `blockSeconds`. Payees already hold USDC, because the gas of a first
 * balance would distort the cost of a payment.
 */
export async function startBlockChain(
  stage: Stage,
  options: {
    readonly blockSeconds: number
    readonly payers: readonly Wallet[]
    readonly payees: readonly string[]
    readonly relayers: readonly Wallet[]
  },
): Promise<BlockChain> {
  const { blockSeconds, payers, payees, relayers } = options
  const chain = await startChain()
  stage.onStrike(chain.stop)
  for (const { address } of payers) await fund(chain, address, { usdcAtomic: PAYER_USDC_ATOMIC })
  for (const address of payees) await fund(chain, address, { usdcAtomic: 1n })
  for (const { address } of relayers) await fund(chain, address, { wei: RELAYER_WEI })
  await callAnvil(chain.rpcUrl, 'evm_setBlockGasLimit', [`0x${BLOCK_GAS.toString(16)}`])
  await callAnvil(chain.rpcUrl, 'evm_setIntervalMining', [blockSeconds])
  return { ...chain, blockSeconds }
}

/** The number of the newest block. */
export async function readHeight({ rpcUrl }: Pick<LocalChain, 'rpcUrl'>): Promise<number> {
  return Number(await callAnvilForText(rpcUrl, 'eth_blockNumber', []))
}

/**
 * Waits for the next block, and then for a part of the time until the one after it: loads that begin at the same moment
 * between two blocks can be compared.
 */
export async function awaitMomentOfBlock(chain: BlockChain, part: number): Promise<void> {
  const before = await readHeight(chain)
  const giveUpMs = performance.now() + 3_000 * chain.blockSeconds
  while ((await readHeight(chain)) === before) {
    if (performance.now() > giveUpMs) throw new Error(`no block after ${3 * chain.blockSeconds} s`)
    await delay(LOOK_EVERY_MS)
  }
  await delay(part * chain.blockSeconds * 1_000)
}
