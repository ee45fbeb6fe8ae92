import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import { word } from '@farebox/payments/src/chain/rpc-words'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { parseTransaction, serializeTransaction } from 'viem/utils'
import { readBatch, readSettle, readTokenCall } from './calls.ts'
import { readSpend } from './spends.ts'
import type { ChainTransaction } from './virtual-chain.ts'

/** Reads a signed transaction as a node does: who sent it is recovered from its signature. */
export function readRawTransaction(crypto: EvmCrypto, raw: string): ChainTransaction {
  const { r, s, yParity, ...unsigned } = parseTransaction(`0x02${raw.slice(4)}`)
  const { to, data, nonce, maxFeePerGas } = unsigned
  if (typeof to !== 'string' || typeof data !== 'string' || r === undefined || s === undefined)
    throw new Error('a transaction that is not one of a relayer')
  const digest = crypto.keccak256(fromHex(serializeTransaction(unsigned)))
  const signature = fromHex(`0x${word(r)}${word(s)}${yParity === 1 ? '1c' : '1b'}`)
  const call = { to: to.toLowerCase(), data }
  const sender = crypto.recoverAddress(digest, signature) ?? 'nobody'
  const spend = readSpend(call, sender, words => toHex(crypto.keccak256(fromHex(`0x${words}`))))
  const calls =
    spend === undefined
      ? (readBatch(call) ?? readSettle(call) ?? [call]).flatMap(one => readTokenCall(one.data) ?? [])
      : [spend]
  return {
    hash: toHex(crypto.keccak256(fromHex(raw))),
    sender,
    nonce: nonce ?? 0,
    calls,
    maxFeePerGas: maxFeePerGas ?? 0n,
  }
}
