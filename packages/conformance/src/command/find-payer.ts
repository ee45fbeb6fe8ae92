import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import type { Payer } from '../agent/check/context.ts'
import { isThisMachine } from '@farebox/protocol/internal/connection/this-machine'
import { CannotRun, type ConformanceWorld } from './command-world.ts'
import { findTestEconomy } from './local-economy.ts'
import { readNamedFile } from './read-files.ts'
import type { AgentWords } from './read-words.ts'

/** The default maximum price of one job when test money pays: 1 USDC. */
const MOST_TEST_MONEY_ATOMIC = 1_000_000n

/** The payer, and the chain on which it pays. */
export interface CommandPayer extends Payer {
  /** `eip155:<chain id>` of the local economy whose test money pays; `undefined` when it pays with its own money. */
  readonly localNetwork?: string
}

/**
 * Finds the payer for jobs; `undefined` when nothing is to be paid. Real money requires both a key and `--max-price`. Test
 * money requires only its folder, and pays only on its own chain.
 *
 * Throws `CannotRun` when a key is missing or invalid; the message never shows the key.
 */
export async function findPayer(
  world: ConformanceWorld,
  words: AgentWords,
): Promise<CommandPayer | undefined> {
  const { maxPriceAtomic, maxJobs, keyFile, network } = words
  const local = keyFile === undefined ? await findTestEconomy(world, words.local) : undefined
  if (local !== undefined) {
    const signer = await signerOf(local.payerKey, 'the local economy')
    const { network: localNetwork } = local
    if (network !== undefined && network !== localNetwork)
      throw new CannotRun(
        `the local economy pays on ${localNetwork} alone`,
        'leave --network or FAREBOX_LOCAL out',
      )
    const maxPrice = maxPriceAtomic ?? MOST_TEST_MONEY_ATOMIC
    return { signer, maxPrice, maxJobs, network: localNetwork, localNetwork }
  }
  if (maxPriceAtomic === undefined) {
    if (keyFile === undefined) return undefined
    throw new CannotRun('--key-file says who pays, but not how much', 'add --max-price 0.01, in USDC')
  }
  const key =
    keyFile === undefined
      ? world.variables['FAREBOX_PRIVATE_KEY']
      : await readNamedFile(world, '--key-file', keyFile)
  if (key === undefined || key === '')
    throw new CannotRun(
      '--max-price agrees to pay, but nobody does',
      'add --key-file <file> or --local <folder>',
    )
  refusePlainHttp(words.url)
  const source = keyFile === undefined ? 'FAREBOX_PRIVATE_KEY' : '--key-file'
  const signer = await signerOf(key, source)
  return { signer, maxPrice: maxPriceAtomic, maxJobs, ...(network !== undefined && { network }) }
}

/** On plain HTTP, an attacker on the network could replace the wallet in /about and in the 402 response. */
function refusePlainHttp(url: string): void {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || isThisMachine(hostname)) return
  throw new CannotRun(
    'nothing is paid over plain http, but on this machine',
    'put the https address of the agent',
  )
}

async function signerOf(key: string, source: string): Promise<Payer['signer']> {
  const crypto = await loadEvmCrypto()
  try {
    if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new Error('of another form')
    crypto.addressOf(fromHex(key))
  } catch {
    // The cause is omitted, because it could contain the key.
    throw new CannotRun(`${source} holds no private key: 0x and 64 hex digits`)
  }
  return privateKeySigner(crypto, key)
}
