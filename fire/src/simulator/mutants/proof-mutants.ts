import type { Mutant } from './mutant.ts'

const payments = 'packages/payments/src'
const client = 'packages/client/src'

/** Breaks of what agents, facilitators and clients have in common: proofs, bindings, and answers that did not come. */
export const PROOF_MUTANTS: readonly Mutant[] = [
  {
    name: 'timeout-is-failure',
    breaks: 'a settlement without an answer is unknown: here it failed',
    edits: [
      {
        file: `${payments}/facilitator-client.ts`,
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
        file: `${payments}/find-settlement.ts`,
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
        file: `${payments}/chain-proof.ts`,
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
        file: `${payments}/nonce-binding.ts`,
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
        file: `${client}/repeat-until-answered.ts`,
        find: "return { outcome: { kind: 'unavailable', reason }, cause }",
        replace:
          "if (reason !== 'never') throw cause\n    return { outcome: { kind: 'unavailable', reason }, cause }",
      },
    ],
  },
]
