import { encodeValues } from '../../trial/abi.ts'
import type { PaymentDraft } from '../../trial/draft.ts'
import { PAYEE, STRANGER } from '../../trial/local-accounts.ts'
import { paymentCase, type PaymentCase } from '../../trial/payment-case.ts'
import { numbered, type UnnumberedCase } from '../../trial/rule-case.ts'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const ERC6492_MAGIC = '6492'.repeat(16)
/** Returns ERC-1271's magic value for every call: PUSH4 1626ba7e, 224, SHL, to memory 0, return 32 bytes. */
const SAYS_YES = '0x631626ba7e60e01b5f5260205ff3'
/** Returns 32 zero bytes for every call. */
const SAYS_NO = '0x60205ff3'
/** An endless loop: JUMPDEST PUSH0 JUMP. */
const BURNS_GAS = '0x5b5f56'
/** The prefix of an EIP-7702 delegation to a contract. */
const DELEGATED = '0xef0100'
const DELEGATE = '0x00000000000000000000000000000000000fa4e1'

function parts(signature: string): { readonly r: bigint; readonly s: bigint; readonly v: string } {
  return {
    r: BigInt(`0x${signature.slice(2, 66)}`),
    s: BigInt(`0x${signature.slice(66, 130)}`),
    v: signature.slice(130),
  }
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

function signatureCase(
  sent: string,
  change: (signature: string) => string,
  expected: PaymentCase['expected'] = 'refused',
  promise: PaymentCase['expected'] = 'refused',
): UnnumberedCase {
  return paymentCase({
    sent,
    expected,
    promise,
    change: ({ body: { paymentPayload } }) => {
      paymentPayload.payload.signature = change(paymentPayload.payload.signature)
    },
  })
}

function flipped(byte: number): UnnumberedCase {
  return signatureCase(`byte ${byte} of the signature flipped`, signature => {
    const at = 2 + byte * 2
    const value = Number.parseInt(signature.slice(at, at + 2), 16) ^ 0x01
    return signature.slice(0, at) + value.toString(16).padStart(2, '0') + signature.slice(at + 2)
  })
}

function withV(v: number, expected: PaymentCase['expected'] = 'refused'): UnnumberedCase {
  return signatureCase(
    `v = ${v}`,
    signature => signature.slice(0, 130) + v.toString(16).padStart(2, '0'),
    expected,
  )
}

/** A case in which the payer's account gets code, which is removed afterwards. */
function contractCase(
  sent: string,
  code: string,
  options: {
    readonly delegate?: string
    readonly signature?: (signature: string) => string
    readonly expected?: PaymentCase['expected']
  } = {},
): UnnumberedCase {
  const { delegate, signature = (own: string) => own, expected = 'truthful' } = options
  return paymentCase({
    sent,
    expected,
    promise: expected === 'refused' ? 'refused' : 'truthful',
    change: async ({ body, payer }, { token }) => {
      if (delegate !== undefined) await token.setCode(DELEGATE, delegate)
      await token.setCode(payer, code)
      const { payload } = body.paymentPayload
      payload.signature = signature(payload.signature)
    },
    undo: async ({ payer }, { token }) => await token.setCode(payer, '0x'),
  })
}

/** An ERC-6492 signature: a factory, its calldata and a signature, followed by the magic value. */
function wrapped(signature: string): string {
  const inner = encodeValues([STRANGER.address, { bytes: '0xdeadbeef' }, { bytes: signature }])
  return inner + ERC6492_MAGIC
}

const highS = (signature: string): string => {
  const { r, s, v } = parts(signature)
  return `0x${word(r)}${word(ORDER - s)}${v === '1b' ? '1c' : '1b'}`
}

const compact = (signature: string): string => {
  const { r, s, v } = parts(signature)
  return `0x${word(r)}${word(v === '1c' ? s | (1n << 255n) : s)}`
}

const by = (sent: string, change: (draft: PaymentDraft) => void): UnnumberedCase =>
  paymentCase({ sent, expected: 'refused', change })

/** SR2: signatures that are not the payer's, do not have the token's form, or cannot be verified by the curve alone. */
export const authenticityCases = numbered('SR2', [
  ...[0, 15, 31, 32, 48, 63].map(flipped),
  by('signed by somebody else', draft => draft.sign({}, { key: STRANGER.privateKey })),
  by('signed by the payee', draft => draft.sign({}, { key: PAYEE.privateKey })),
  by('a signature of another authorization of the same payer', draft => {
    draft.sign({ nonce: `0x${'77'.repeat(32)}` })
    draft.body.paymentPayload.payload.authorization = draft.signed
  }),
  by('from the zero address, with a signature that recovers to nobody', draft => {
    const { payload } = draft.body.paymentPayload
    payload.authorization = { ...draft.signed, from: `0x${'00'.repeat(20)}` }
    payload.signature = `0x${'00'.repeat(64)}1b`
  }),
  signatureCase('s on the upper half of the curve', highS, 'truthful'),
  withV(0, 'truthful'),
  withV(1, 'truthful'),
  ...[2, 26, 29, 35, 255].map(v => withV(v)),
  signatureCase(
    'v swapped: 27 for 28',
    signature => signature.slice(0, 130) + (signature.endsWith('1b') ? '1c' : '1b'),
  ),
  signatureCase('r = 0', signature => `0x${'00'.repeat(32)}${signature.slice(66)}`),
  signatureCase('s = 0', signature => `${signature.slice(0, 66)}${'00'.repeat(32)}${signature.slice(130)}`),
  signatureCase('r = the order of the curve', signature => `0x${word(ORDER)}${signature.slice(66)}`),
  signatureCase('all bytes ff', () => `0x${'ff'.repeat(65)}`),
  signatureCase('64 bytes, the compact form (EIP-2098)', compact, 'truthful'),
  signatureCase('64 bytes, the last one missing', signature => signature.slice(0, -2)),
  signatureCase('66 bytes', signature => `${signature}00`, 'truthful'),
  signatureCase('empty: 0x', () => '0x'),
  signatureCase('without its 0x', signature => signature.slice(2), 'truthful'),
  signatureCase('an odd number of digits', signature => signature.slice(0, -1)),
  signatureCase('in capitals', signature => `0x${signature.slice(2).toUpperCase()}`, 'truthful', 'truthful'),
  signatureCase('wrapped by ERC-6492 around an ordinary signature', wrapped, 'truthful'),
  signatureCase('wrapped by ERC-6492 around nothing', () => wrapped('0x')),
  contractCase('from a contract that says yes to any signature (ERC-1271), 65 bytes of noise', SAYS_YES, {
    signature: () => `0x${'11'.repeat(64)}1b`,
  }),
  contractCase('from a contract that says no (ERC-1271), 65 good bytes', SAYS_NO, { expected: 'refused' }),
  contractCase('from a contract that says no (ERC-1271), 130 bytes', SAYS_NO, {
    signature: own => own + own.slice(2),
    expected: 'refused',
  }),
  contractCase(
    'from an account delegated to a contract without ERC-1271 (EIP-7702)',
    DELEGATED + DELEGATE.slice(2),
    {
      delegate: SAYS_NO,
      expected: 'refused',
    },
  ),
  contractCase(
    'from an account delegated to a contract that says yes (EIP-7702)',
    DELEGATED + DELEGATE.slice(2),
    {
      delegate: SAYS_YES,
    },
  ),
  contractCase('from a contract that burns all gas when asked', BURNS_GAS, { expected: 'refused' }),
])
