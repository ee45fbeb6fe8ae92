import { fromHex, toHex } from '@farebox/payments/internal/crypto/bytes'

const WORD = 32

/** An answer that is one text; undefined where it is none. */
export function readText(answer: string): string | undefined {
  if (!/^0x(?:[0-9a-f]{64}){2,}$/i.test(answer)) return undefined
  const bytes = fromHex(answer)
  const length = Number(BigInt(toHex(bytes.subarray(WORD, 2 * WORD))))
  return 2 * WORD + length <= bytes.length
    ? new TextDecoder().decode(bytes.subarray(2 * WORD, 2 * WORD + length))
    : undefined
}
