import { BAD_GATEWAY, faultsOf, HTML, reset, says, served, type Act, type Fault, type Row } from './fault.ts'

const NETWORK = 'eip155:84532'
/** A transaction that is none. */
const NONE = `0x${'7b'.repeat(32)}`

function settled(transaction: string, rest: object = {}): Act {
  return says(200, JSON.stringify({ success: true, transaction, network: NETWORK, ...rest }))
}

function failed(errorReason: string): Act {
  return says(200, JSON.stringify({ success: false, errorReason, transaction: '', network: NETWORK }))
}

const rows: readonly Row[] = [
  ['says settled, names a transaction that is none, sends nothing', settled(NONE)],
  ['says settled without a transaction, sends nothing', settled('')],
  ['settles, and names a transaction that is none', served(settled(NONE))],
  [
    'settles, and names another payer and network',
    served(settled(NONE, { payer: `0x${'99'.repeat(20)}`, network: 'eip155:1' })),
  ],
  ['settles, and says that the balance was too small', served(failed('insufficient_funds'))],
  ['settles, and says that the nonce was used', served(failed('invalid_exact_evm_nonce_already_used'))],
  ['settles, and says that the transaction failed', served(failed('invalid_exact_evm_transaction_failed'))],
  ['settles, and says that the signature is bad', served(failed('invalid_exact_evm_signature'))],
  [
    'sends nothing, and says that the balance was too small',
    failed('insufficient_funds'),
    { ends: 'either' },
  ],
  ['settles, then 502', served(says(502, BAD_GATEWAY, HTML))],
  ['settles, then reset', served(reset)],
  ['says valid of everything', says(200, '{"isValid":true}'), { on: '/verify' }],
]

/** A facilitator that does not do what it says, with our hold extension (D9) and without; its agents ask the chain. */
export const lies: readonly Fault[] = [
  ...faultsOf({ at: 'liar', on: '/settle' }, rows),
  ...faultsOf({ at: 'holder', on: '/settle' }, rows),
]
