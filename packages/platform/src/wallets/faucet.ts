import { encodeMint } from '@farebox/contracts/internal/calls/token-calls'
import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import {
  countTransactions,
  readCoinBalance as readNative,
} from '@farebox/payments/internal/transaction/read-account'
import { sendUntilMined } from '@farebox/payments/internal/transaction/send-until-mined'
import {
  signTransaction,
  type UnsignedTransaction,
} from '@farebox/payments/internal/transaction/sign-transaction'
import type { Clock } from '@farebox/protocol/time/clock'
import { readBalance } from '../jobs/quote/read-balance.ts'
import type { PlatformParts } from '../platform-parts.ts'

/** Gives test money to addresses. */
export interface Faucet {
  /**
   * Gives an address test USDC when it has less than 100, and some of the chain's native coin when it has almost none;
   * resolves when the address has them. Requests are handled one after the other, so that two concurrent ones for an
   * address give only once.
   *
   * @param address - lower case
   * @throws {Error} when the node does not respond, or the chain does not accept a transaction
   */
  give(address: string): Promise<void>
}

const ENOUGH_ATOMIC = 100_000_000n
const GIVEN_ATOMIC = 1_000_000_000n
/** Enough for stakes and their gas. */
const ENOUGH_WEI = 10n ** 16n
const GIVEN_WEI = 10n ** 17n

const FEES = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1n, gasLimit: 150_000n }
const MINED_WITHIN_MS = 15_000
/** A local chain creates a block for each transaction. */
const LOOK_EVERY_MS = 25
/** Others may use the account too: a transaction that lost its nonce to another one is signed again. */
const MOST_TRIES = 5

/** A transaction that the faucet's account sends. */
type Gift = Pick<UnsignedTransaction, 'to' | 'valueWei' | 'callData'>

/**
 * Creates the faucet.
 *
 * @param key - the key of the account that gives: `0x` and 32 bytes in hex
 */
export function createFaucet(
  { rpc, network, crypto, clock }: Pick<PlatformParts, 'rpc' | 'network' | 'crypto' | 'clock'>,
  key: string,
): Faucet {
  const keyBytes = fromHex(key)
  const from = crypto.addressOf(keyBytes)
  let last: Promise<unknown> = Promise.resolve()

  async function giveNow(address: string): Promise<void> {
    if ((await readBalance(rpc, network, address)) < ENOUGH_ATOMIC) {
      const callData = encodeMint(address, GIVEN_ATOMIC)
      await send({ to: network.asset.address, valueWei: 0n, callData })
    }
    if ((await readNative(rpc, address)) < ENOUGH_WEI)
      await send({ to: address, valueWei: GIVEN_WEI, callData: '0x' })
  }

  async function send(gift: Gift): Promise<void> {
    for (let tried = 1; tried <= MOST_TRIES; tried += 1) {
      const nonce = await countTransactions(rpc, from, 'pending')
      const transaction = { ...gift, ...FEES, chainId: network.chainId, nonce }
      const signed = signTransaction(crypto, digest => crypto.sign(digest, keyBytes), transaction)
      const followed = await sendUntilMined(
        rpc,
        { ...signed, from, nonce },
        { clock: lookingOften(clock), timeoutMs: MINED_WITHIN_MS, signal: new AbortController().signal },
      )
      if (followed.outcome === 'open') throw new Error(`no block holds ${signed.hash}, which the faucet sent`)
      if (followed.outcome === 'dead') continue
      if (followed.receipt.succeeded) return
      throw new Error(`${signed.hash}, which the faucet sent, was reverted`)
    }
    throw new Error(`the faucet's transaction lost its nonce ${MOST_TRIES} times`)
  }

  return {
    give(address) {
      const given = last.then(() => giveNow(address))
      last = given.catch(() => undefined)
      return given
    },
  }
}

function lookingOften(clock: Clock): Clock {
  return {
    nowMs: () => clock.nowMs(),
    after: (ms, callback) => clock.after(Math.min(ms, LOOK_EVERY_MS), callback),
  }
}
