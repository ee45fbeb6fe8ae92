import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { word } from '@farebox/payments/src/chain/rpc-words'

/** A simulated node: every address has this balance of USDC, and no authorization was used. */
export function payersWith(balanceAtomic: bigint): JsonRpc {
  return {
    async call(method, [request]) {
      if (method !== 'eth_call') throw new Error(`${method}: this test has no chain`)
      const { data = '' } = request as { readonly data?: string }
      return `0x${word(data.startsWith('0x70a08231') ? `0x${balanceAtomic.toString(16)}` : '0x0')}`
    },
    close: () => Promise.resolve(),
  }
}
