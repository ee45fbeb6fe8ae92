import { choose } from './choose.ts'
import { otherNetwork } from './payment-draft.ts'
import { payloadOf, type PaymentScene, type PaymentSpoil } from './payment-spoil.ts'

/** The order of secp256k1: SEC 2, 2.4.1. */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** What can be wrong with a signature. */
export function signatureSpoils(): { readonly [name: string]: PaymentSpoil } {
  const signed = (change: (signature: string, scene: PaymentScene) => unknown): PaymentSpoil => ({
    check: 'payer',
    envelope(envelope, scene) {
      const payload = payloadOf(envelope)
      payload['signature'] = change(String(payload['signature']), scene)
    },
  })
  return {
    'signature of the wrong kind': signed((_, { pick }) =>
      choose(pick, [null, 7, '', 'x', '0x', {}, `0x${'0'.repeat(130)}`]),
    ),
    'signature short': signed(signature => signature.slice(0, 130)),
    'signature long': signed(signature => `${signature}00`),
    'signature v wrong': signed(
      (signature, { pick }) => signature.slice(0, 130) + choose(pick, ['00', '01', '1a', '1d', 'ff']),
    ),
    'signature v flipped': signed(signature =>
      // One that is wrong already must not be made right.
      /1[bc]$/.test(signature) ? signature.slice(0, -1) + (signature.endsWith('b') ? 'c' : 'b') : signature,
    ),
    'signature s high': signed(signature => {
      if (signature.length !== 132) return signature
      const s = N - BigInt(`0x${signature.slice(66, 130)}`)
      const v = signature.endsWith('1b') ? '1c' : '1b'
      return signature.slice(0, 66) + s.toString(16).padStart(64, '0') + v
    }),
    'signature bit flipped': signed((signature, { pick }) => {
      if (signature.length !== 132) return ''
      const at = 2 + (pick % 128)
      const digit = (Number.parseInt(signature[at] ?? '0', 16) ^ 1).toString(16)
      return signature.slice(0, at) + digit + signature.slice(at + 1)
    }),
    "signature another's": { check: 'payer', draft: draft => void (draft.signer = (draft.signer + 1) % 3) },
    'signature for another chain': { check: 'payer', draft: draft => void (draft.network = otherNetwork()) },
  }
}
