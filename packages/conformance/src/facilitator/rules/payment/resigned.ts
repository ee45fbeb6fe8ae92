import { STRANGER } from '../../trial/local-accounts.ts'
import type { PaymentCase } from '../../trial/payment-case.ts'

const OTHER = STRANGER.address.toLowerCase()
const ZERO = `0x${'00'.repeat(20)}`
/** The address of a second token with the same code: only its address distinguishes it. */
const TWIN = '0x00000000000000000000000000000000000fa4e0'

/** Payments signed for other terms than those requested. */
export const resignedCases: readonly PaymentCase[] = [
  {
    sent: 'signed to another wallet than is asked',
    expected: 'refused',
    change: draft => draft.sign({ to: OTHER }),
  },
  {
    sent: 'signed to the other wallet of the same owner',
    expected: 'refused',
    change: (draft, { subject }) => draft.sign({ to: subject.secondPayTo.toLowerCase() }),
  },
  { sent: 'signed to the zero address', expected: 'refused', change: draft => draft.sign({ to: ZERO }) },
  {
    sent: 'signed for one unit less than is asked',
    expected: 'refused',
    change: draft => draft.sign({ value: '9999' }),
  },
  {
    sent: 'signed for one unit more than is asked, and covered',
    expected: 'refused',
    balanceAtomic: 20_000n,
    change: draft => draft.sign({ value: '10001' }),
  },
  {
    sent: 'one unit less, signed and accepted; asked as it was',
    expected: 'refused',
    change: draft => {
      draft.sign({ value: '9999' })
      draft.body.paymentPayload.accepted.amount = '9999'
    },
  },
  {
    sent: 'another wallet, signed and accepted; asked as it was',
    expected: 'refused',
    change: draft => {
      draft.sign({ to: OTHER })
      draft.body.paymentPayload.accepted.payTo = OTHER
    },
  },
]

/** Other terms in both the JSON and the signature, so that the two agree. */
export const agreeingCases: readonly PaymentCase[] = [
  {
    sent: 'chain 8453 in the JSON and in the signature',
    expected: 'refused',
    change: draft => {
      draft.terms({ network: 'eip155:8453' })
      draft.sign({}, { chainId: 8453 })
    },
  },
  {
    sent: 'a token with the same code at another address, in the JSON and in the signature, and funded',
    expected: 'refused',
    change: async (draft, { token, network }) => {
      await token.setCode(TWIN, await token.codeOf(network.asset.address))
      await token.mint(draft.payer, 10_000n, TWIN)
      draft.terms({ asset: TWIN })
      draft.sign({}, { verifyingContract: TWIN })
    },
  },
  {
    sent: 'another EIP-712 name in extra and in the signature',
    expected: 'refused',
    change: draft => {
      draft.terms({ extra: { name: 'Not USDC', version: '2' } })
      draft.sign({}, { name: 'Not USDC' })
    },
  },
  {
    sent: 'another EIP-712 name in extra alone',
    expected: 'truthful',
    change: draft => draft.terms({ extra: { name: 'Not USDC', version: '2' } }),
  },
]
