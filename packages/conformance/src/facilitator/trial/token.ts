import { randomBytes } from 'node:crypto'
import { createAuthorizationHasher, type Authorization } from '@farebox/payments/authorization/eip-3009'
import { fromHex, toHex } from '@farebox/payments/internal/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import { encodeCall } from './abi.ts'
import { STRANGER } from './local-accounts.ts'

/** The token of a local chain, as payers, its issuer and other accounts use it. */
export interface Token {
  mint(account: string, amountAtomic: bigint, token?: string): Promise<void>
  pause(): Promise<void>
  unpause(): Promise<void>
  blacklist(account: string): Promise<void>
  unBlacklist(account: string): Promise<void>
  /** `cancelAuthorization`, signed by the payer. */
  cancel(payerKey: string, nonce: string): Promise<void>
  /** Submits an authorization from an unrelated account; returns the transaction's hash. */
  submit(authorization: Authorization, signature: string): Promise<string>
  /** The payer transfers its whole balance to another account. */
  drain(payerKey: string): Promise<void>
  /** The payer uses a nonce for another transfer: one unit to an unrelated account. */
  spendNonce(payerKey: string, nonce: string): Promise<void>
  setCode(account: string, code: string): Promise<void>
  codeOf(account: string): Promise<string>
}

/** The selectors of the token's calls. */
export const SELECTORS = {
  mint: '0x40c10f19',
  pause: '0x8456cb59',
  unpause: '0x3f4ba83a',
  blacklist: '0xf9f92be4',
  unBlacklist: '0x1a895266',
  balanceOf: '0x70a08231',
  cancelAuthorization: '0xb7b72899',
  transferWithAuthorization: '0xcf092995',
} as const

/** Opens the token. All transactions come from the stranger account of the local chain, which no other part uses. */
export function openToken(rpc: JsonRpc, network: Network, crypto: EvmCrypto): Token {
  const hasher = createAuthorizationHasher(crypto, network)
  const send = async (data: string, to: string = network.asset.address): Promise<string> => {
    const transaction = { from: STRANGER.address, to, data, gas: '0x493e0' }
    const receipt = (await rpc.call('eth_sendTransactionSync', [transaction])) as {
      transactionHash: string
      status: string
    }
    if (receipt.status !== '0x1') throw new Error(`the token reverted ${data.slice(0, 10)}`)
    return receipt.transactionHash.toLowerCase()
  }
  const sign = (digest: Uint8Array, key: string): string => toHex(crypto.sign(digest, fromHex(key)))
  const submit: Token['submit'] = async (authorization, signature) => {
    const { from, to, value, validAfter, validBefore, nonce } = authorization
    const values = [from, to, value, validAfter, validBefore, nonce, { bytes: signature }]
    return await send(encodeCall(SELECTORS.transferWithAuthorization, ...values))
  }
  const give = async (payerKey: string, value: bigint, nonce: string): Promise<void> => {
    const authorization = {
      from: crypto.addressOf(fromHex(payerKey)),
      to: STRANGER.address.toLowerCase(),
      value: value.toString(),
      validAfter: '0',
      validBefore: '99999999999',
      nonce,
    }
    await submit(authorization, sign(hasher.hashTransfer(authorization), payerKey))
  }
  return {
    submit,
    mint: async (account, amountAtomic, token) =>
      void (await send(encodeCall(SELECTORS.mint, account, amountAtomic), token)),
    pause: async () => void (await send(SELECTORS.pause)),
    unpause: async () => void (await send(SELECTORS.unpause)),
    blacklist: async account => void (await send(encodeCall(SELECTORS.blacklist, account))),
    unBlacklist: async account => void (await send(encodeCall(SELECTORS.unBlacklist, account))),
    async cancel(payerKey, nonce) {
      const authorizer = crypto.addressOf(fromHex(payerKey))
      const signature = sign(hasher.hashCancel(authorizer, nonce), payerKey)
      await send(encodeCall(SELECTORS.cancelAuthorization, authorizer, nonce, { bytes: signature }))
    },
    async drain(payerKey) {
      const data = encodeCall(SELECTORS.balanceOf, crypto.addressOf(fromHex(payerKey)))
      const balance = BigInt(
        String(await rpc.call('eth_call', [{ to: network.asset.address, data }, 'latest'])),
      )
      await give(payerKey, balance, `0x${randomBytes(32).toString('hex')}`)
    },
    spendNonce: (payerKey, nonce) => give(payerKey, 1n, nonce),
    setCode: async (account, code) => void (await rpc.call('anvil_setCode', [account, code])),
    codeOf: async account => String(await rpc.call('eth_getCode', [account, 'latest'])),
  }
}
