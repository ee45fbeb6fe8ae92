import type { Mutant } from './mutant.ts'

/** Breaks of what agents, facilitators and clients have in common: proofs, bindings, and answers that did not come. */
export const PROOF_MUTANTS: readonly Mutant[] = [
  {
    name: 'timeout-is-failure',
    breaks: 'a settlement without an answer is unknown: here it failed',
    edits: [
      {
        in: 'payments/createFacilitatorClient',
        find: "return { kind: 'unknown', cause: causeOf(error, hide) }",
        replace:
          "return { kind: 'failed', reason: 'timeout', message: causeOf(error, hide), transaction: '' }",
      },
    ],
  },
  {
    name: 'flag-is-proof',
    breaks: 'a used nonce proves nothing: here it proves a payment',
    edits: [
      {
        in: 'payments/findSettlement',
        find: 'return await findUse(rpc, network, authorization, head)',
        replace: "return { kind: 'settled', transaction: `0x${'0'.repeat(64)}`, blockNumber: head.number }",
      },
    ],
  },
  {
    name: 'success-is-proof',
    breaks: 'a receipt must show the transfer: here that it succeeded is enough',
    edits: [
      {
        in: 'payments/receiptProvesPayment',
        find: 'if (!receipt.succeeded) return false',
        replace: 'return receipt.succeeded',
      },
    ],
  },
  {
    name: 'nonce-not-checked',
    breaks: 'a bound payment is good for its job alone: here for any',
    edits: [
      {
        in: 'payments/refuseNonce',
        find: 'if (!isBoundNonce(nonce)) return undefined',
        replace: 'if (nonce !== salt) return undefined',
      },
    ],
  },
  {
    name: 'client-timeout-is-free',
    breaks: 'a paid call without an answer is unresolved: here our client says that nobody was reached',
    edits: [
      {
        in: 'client/ask',
        find: "return { outcome: { kind: 'unavailable', reason }, cause }",
        replace:
          "if (reason !== 'never') throw cause\n    return { outcome: { kind: 'unavailable', reason }, cause }",
      },
    ],
  },
]
