import type { MutantTable } from './agent-mutants.ts'

/** Faults of facilitators and clients, and of code that agents share with them. */
export const PAYMENT_MUTANTS: MutantTable = {
  // The facilitator: its ledger, its transactions, and its reports of them.
  'no-binding': {
    breaks: 'the facilitator keeps the first job of a payment: here it takes any',
    edits: [
      {
        in: 'facilitator/hold',
        find: 'if (row.binding !== request.binding || !sameTerms(row, payment))',
        replace: 'if (!sameTerms(row, payment))',
      },
      {
        in: 'facilitator/capture',
        find: 'if (row.binding !== binding || row.owner !== owner || !sameTerms(row, payment))',
        replace: 'if (row.owner !== owner || !sameTerms(row, payment))',
      },
    ],
  },
  'second-nonce': {
    breaks: 'a stuck transaction is replaced under its own nonce: here under the next',
    in: 'facilitator/raiseFees',
    find: 'parts.relayer.sign(call, transaction.nonce, fees)',
    replace: 'parts.relayer.sign(call, transaction.nonce + 1, fees)',
  },
  'release-after-capture': {
    breaks: 'only a hold can be given back: here a charge under way too',
    isRare: true,
    in: 'facilitator/createMemoryPayments',
    find: "one => one.holdId === holdId && one.owner === owner && ['held', 'expired'].includes(one.state),",
    replace: 'one => one.holdId === holdId && one.owner === owner,',
  },
  'charge-after-release': {
    breaks: 'what was given back is not charged: here it is',
    isRare: true,
    in: 'facilitator/capture',
    find: `    case 'held':
    case 'expired': {`,
    replace: `    case 'held':
    case 'released' as never:
    case 'expired': {`,
  },
  'pending-is-settled': {
    breaks: 'the facilitator says settled when it is proven: here when it is sent',
    in: 'facilitator/awaitSettlement',
    find: "if (end?.kind === 'failed') return failed(engine, request, end)",
    replace: `if (end?.kind === 'failed') return failed(engine, request, end)
  if (transaction !== '') return settled(engine, request, transaction)`,
  },
  'carried-is-settled': {
    breaks: 'only what a receipt proves is reported as settled: here all that its transaction carried',
    in: 'facilitator/close',
    find: 'parts.onProven([...paid].map(key =>',
    replace: 'parts.onProven(transaction.payments.map(({ key }) =>',
  },
  'no-reconciler': {
    breaks: 'the ledger follows the chain: here it does not',
    in: 'facilitator/startReconciler',
    find: 'await reconcile(parts, passes)',
    replace: 'await Promise.resolve(passes)',
  },

  // Proofs, bindings, and missing answers.
  'timeout-is-failure': {
    breaks: 'a settlement without an answer is unknown: here it failed',
    in: 'payments/createFacilitatorClient',
    find: "return { kind: 'unknown', cause: causeOf(error, hide) }",
    replace: "return { kind: 'failed', reason: 'timeout', message: causeOf(error, hide), transaction: '' }",
  },
  'flag-is-proof': {
    breaks: 'a used nonce proves nothing: here it proves a payment',
    in: 'payments/findSettlement',
    find: 'return await findUse(rpc, network, authorization, head)',
    replace: "return { kind: 'settled', transaction: `0x${'0'.repeat(64)}`, blockNumber: head.number }",
  },
  'success-is-proof': {
    breaks: 'a receipt must show the transfer: here that it succeeded is enough',
    in: 'payments/receiptProvesPayment',
    find: 'if (!receipt.succeeded) return false',
    replace: 'return receipt.succeeded',
  },
  'nonce-not-checked': {
    breaks: 'a bound payment is good for its job alone: here for any',
    in: 'payments/refuseNonce',
    find: 'if (!isBoundNonce(nonce)) return undefined',
    replace: 'if (nonce !== salt) return undefined',
  },
  'client-timeout-is-free': {
    breaks: 'a paid call without an answer is unresolved: here our client says that nobody was reached',
    in: 'client/ask',
    find: "return { outcome: { kind: 'unavailable', reason }, cause }",
    replace: `if (reason !== 'never') throw cause
    return { outcome: { kind: 'unavailable', reason }, cause }`,
  },

  // Repeated checks, after a time or after a reorganisation. Each of these is an earlier version of our own code;
  // before there were targeted faults it took hundreds of thousands of histories to find it. The repeated check after a
  // slow hold is not among them: no caller here asks in the necessary order, and a test of the facilitator detects it.
  'spent-at-the-head': {
    breaks: 'a cancelled payment is refused when its block is buried: here at the head',
    isRare: true,
    in: 'payments/classifyUse',
    find: 'const isFinal = headSeconds > spentSeconds + network.finalitySeconds',
    replace: 'const isFinal = headSeconds + spentSeconds > 0',
  },
  'failure-told-late': {
    breaks: 'who hears late that a job was let go looks again: here it tells what was true then',
    isRare: true,
    in: 'farebox/releaseJob',
    find: "if (word !== 'ours' || !isStale(service.clock, askedMs)) return word",
    replace: "if (word !== 'ours' || isStale !== undefined || askedMs < 0) return word",
  },
  'reported-and-never-written': {
    breaks: 'a success that was told is written down afterwards: here it is not',
    in: 'farebox/seeThrough',
    find: "if (known?.state === 'settled') onSettled(known)",
    replace: `if (known?.state === 'settled') {
        onSettled(known)
        return known
      }`,
  },

  // Reports that are not trusted: those of nodes (decision 31), and of a ledger that lost its last rows.
  'receipt-without-state': {
    breaks: 'a receipt counts when events and state agree with it: here by itself',
    edits: [
      {
        in: 'facilitator/verifyChainReceipt',
        find: `if (proven.some(({ key }) => !shown.has(key)))
    return doubted('it shows a transfer, the events of its block do not')`,
        replace: '',
      },
      {
        in: 'facilitator/verifyChainReceipt',
        find: "if (proven.some(({ key }) => !used.has(key))) return doubted('it shows a transfer, the state does not')",
        replace: '',
      },
    ],
  },
  'block-time-without-bound': {
    breaks: 'a block far ahead of our clock is no time to judge by: here it is',
    isRare: true,
    in: 'payments/plausibleBlockTime',
    find: 'if (blockSeconds <= nowSeconds + MAX_BLOCK_AHEAD_SECONDS) return blockSeconds',
    replace: 'if (nowSeconds > 0) return blockSeconds',
  },
  'forgotten-is-refused': {
    breaks: 'what a ledger lost is looked for on the chain: here it is refused as never charged',
    isRare: true,
    in: 'facilitator/answerForgotten',
    find: "if (charge.kind === 'recovered') return settled(engine, request, charge.transaction)",
    replace: "if (charge.kind === 'recovered') return undefined",
  },
}
