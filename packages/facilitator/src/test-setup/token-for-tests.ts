import { LOCAL_USDC_ADDRESS } from '@farebox/contracts/addresses'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createAuthorizationHasher, type Authorization } from '@farebox/payments/authorization/eip-3009'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import { TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { encodeFunctionData, type Hex } from 'viem'
import { encodeTransfer } from '../chain/calldata.ts'
import { NETWORK } from './payments-for-tests.ts'

/** The token as accounts other than the facilitator's use it. */
export interface TokenForTests {
  /** Sends calldata to the token from an unrelated account and waits for the block. */
  send(data: string): Promise<{ readonly hash: string; readonly succeeded: boolean }>
  pause(): Promise<void>
  unpause(): Promise<void>
  blacklist(account: string): Promise<void>
  /** Transfers the payer's whole balance away. */
  drain(payerKey: string): Promise<void>
  /** `cancelAuthorization` with the payer's signature. */
  cancel(payerKey: string, nonce: string): Promise<void>
  /** Submits an authorization as an observer of the mempool could. */
  submitForeign(signed: {
    readonly authorization: Authorization
    readonly signature: string
  }): Promise<string>
  balanceOf(account: string): Promise<bigint>
  /** The number of transfers from this account on the chain. */
  countTransfers(from: string): Promise<number>
}

/** Opens the token of a test chain. */
export function openToken(rpc: JsonRpc, crypto: EvmCrypto): TokenForTests {
  const send: TokenForTests['send'] = async data => {
    const transaction = { from: TEST_KEYS.stranger.address, to: LOCAL_USDC_ADDRESS, data, gas: '0x30d40' }
    const receipt = (await rpc.call('eth_sendTransactionSync', [transaction])) as {
      transactionHash: string
      status: string
    }
    return { hash: receipt.transactionHash, succeeded: receipt.status === '0x1' }
  }
  const call = async (
    functionName: 'pause' | 'unpause' | 'blacklist',
    args: readonly [] | readonly [Hex] = [],
  ): Promise<void> => {
    const data = encodeFunctionData({ abi: localUsdcAbi, functionName, args })
    if (!(await send(data)).succeeded) throw new Error(`${functionName} was reverted`)
  }
  const signAndSend = async (
    payerKey: string,
    digest: Uint8Array,
    encode: (v: number, r: Hex, s: Hex) => Hex,
  ): Promise<void> => {
    const signature = crypto.sign(digest, fromHex(payerKey))
    const data = encode(
      signature[64] ?? 0,
      toHex(signature.subarray(0, 32)) as Hex,
      toHex(signature.subarray(32, 64)) as Hex,
    )
    if (!(await send(data)).succeeded) throw new Error('the token refused the payer')
  }
  const hasher = createAuthorizationHasher(crypto, NETWORK)
  const balanceOf: TokenForTests['balanceOf'] = async account => {
    const data = encodeFunctionData({ abi: localUsdcAbi, functionName: 'balanceOf', args: [account as Hex] })
    return BigInt(String(await rpc.call('eth_call', [{ to: LOCAL_USDC_ADDRESS, data }, 'latest'])))
  }
  return {
    send,
    balanceOf,
    pause: async () => await call('pause'),
    unpause: async () => await call('unpause'),
    blacklist: async account => await call('blacklist', [account as Hex]),
    async drain(payerKey) {
      const from = crypto.addressOf(fromHex(payerKey))
      const authorization: Authorization = {
        from,
        to: TEST_KEYS.stranger.address.toLowerCase(),
        value: (await balanceOf(from)).toString(),
        validAfter: '0',
        validBefore: '99999999999',
        nonce: toHex(crypto.keccak256(fromHex(payerKey))),
      }
      const signature = toHex(crypto.sign(hasher.hashTransfer(authorization), fromHex(payerKey)))
      if (!(await send(encodeTransfer(authorization, signature))).succeeded) throw new Error('not drained')
    },
    async cancel(payerKey, nonce) {
      const authorizer = crypto.addressOf(fromHex(payerKey)) as Hex
      await signAndSend(payerKey, hasher.hashCancel(authorizer, nonce), (v, r, s) =>
        encodeFunctionData({
          abi: localUsdcAbi,
          functionName: 'cancelAuthorization',
          args: [authorizer, nonce as Hex, v, r, s],
        }),
      )
    },
    async submitForeign({ authorization, signature }) {
      const { hash, succeeded } = await send(encodeTransfer(authorization, signature))
      if (!succeeded) throw new Error('the foreign transaction was reverted')
      return hash
    },
    async countTransfers(from) {
      const logs = await rpc.call('eth_getLogs', [
        {
          address: LOCAL_USDC_ADDRESS,
          fromBlock: '0x0',
          topics: [TRANSFER_TOPIC, `0x${from.slice(2).padStart(64, '0')}`],
        },
      ])
      return Array.isArray(logs) ? logs.length : 0
    },
  }
}
