import type { Edit } from '../../edits/edit.ts'

/** Mutants by their names, each with its one edit or with several. */
export type MutantTable = {
  readonly [name: string]: { readonly breaks: string; readonly isRare?: boolean } & (
    | Edit
    | { readonly edits: readonly Edit[] }
  )
}

/** Breaks of an agent. */
export const AGENT_MUTANTS: MutantTable = {
  // How it holds jobs and payments, and how it checks whether they were charged.
  'no-payment-claim': {
    breaks: 'a payment is claimed for one job: here for any number',
    in: 'farebox/claimPayment',
    find: 'if (kept !== undefined && kept.jobKey !== wish.jobKey) return undefined',
    replace: '',
  },
  'settle-before-persist': {
    breaks: 'a response is saved before its payment is charged: here it is written when all is over',
    in: 'farebox/createHolding',
    find: 'const held = await renewNow(keeper, holding, next)',
    // The lease seems to last, because otherwise a waiter would wait forever.
    replace: `holding.leaseEndsMs = clock.nowMs() + LEASE_MS
            const held = await Promise.resolve(true)`,
  },
  'claim-without-lease': {
    breaks: 'a job has one holder at a time: here whoever comes takes it',
    in: 'farebox/claimRow',
    find: 'if (row !== undefined && (row.sealed || isHeld(row, nowMs))) return undefined',
    replace: 'if (row !== undefined && row.sealed) return undefined',
  },
  'no-fence': {
    breaks: 'only the holder of a job writes it: here anybody who held it once',
    in: 'farebox/writeNow',
    find: 'if (row?.fence !== holder.fence) return false',
    replace: 'if (row === undefined) return false',
  },
  'no-recovery': {
    breaks: 'what a crash left is taken up: here it is left',
    in: 'farebox/takeUpUnresolved',
    find: 'for (const jobKey of own.slice(0, MAX_PER_ROUND)) {',
    replace: 'for (const jobKey of own.slice(0, 0)) {',
  },
  'refusal-is-always-final': {
    breaks: 'after a try whose end is not known a refusal says nothing: here it is final',
    in: 'farebox/settle',
    find: 'isFirst ? reported : doubted(reported)',
    replace: 'reported',
  },
  'lost-record-is-refusal': {
    breaks: 'what was charged is delivered although its record was lost: here it is refused',
    in: 'farebox/checkPastCharge',
    find: "if (outcome.kind === 'none') return outcome",
    replace: "if (outcome.kind !== 'pending') return { kind: 'none' }",
  },

  // Its pipeline's answers, and their order.
  'answer-before-settle': {
    breaks: 'the output waits for the proof: here it does not',
    edits: [
      {
        in: 'farebox/settlePayment',
        find: `settlements.resume(saved.held),
  )`,
        replace: `first,
  )`,
      },
      {
        in: 'farebox/settlePayment',
        find: 'const known = await withinWait(',
        replace: `const { response } = saved.held.job as { response: string }
  const first = settlements.resume(saved.held)
  if (first) return answerSettled({ version: 1, state: 'settled', payer: '', response, paymentResponse: '' })
  const known = await withinWait(`,
      },
    ],
  },
  'any-payer-repeats': {
    breaks: 'a response is its payer’s: here whoever pays anything gets it',
    in: 'farebox/findRepeat',
    find: "if (job.payer !== (payment?.payer ?? ''))",
    replace: 'if (order === undefined)',
  },
  'unknown-is-402': {
    breaks: 'while money may move the answer is 503: here 402',
    in: 'farebox/settlePayment',
    find: 'if (known === undefined) return answerPending(saved.jobId)',
    replace:
      'if (known === undefined) return { ...answerPending(saved.jobId), status: 402, body: \'{"status":"failed","error_type":"internal","error":"mutant","service_version":"1.0"}\' }',
  },
  'doubt-is-failure': {
    breaks: 'what a failing store leaves in doubt is answered 503: here as the failure it may not be',
    in: 'farebox/serveInDoubt',
    find: 'if (payment === undefined) throw error.cause',
    replace: 'if (order !== undefined) throw error.cause',
  },
  'refuses-without-looking': {
    breaks: 'a refusal is sent when the job has been looked up: here at once, also of what was paid',
    in: 'farebox/serveOnce',
    find: "if (found.kind === 'answered') return found",
    replace: `if (terms.kind === 'refused') throw terms.refusal
  if (found.kind === 'answered') return found`,
  },
  'forgets-soon': {
    breaks: 'a paid response is kept for ten minutes: here for ten seconds',
    in: 'farebox/recordSettlement',
    find: 'keepMs: RESPONSE_KEPT_SECONDS * 1_000,',
    replace: 'keepMs: 10_000,',
  },
  'joiner-is-told-408': {
    breaks: 'who repeats with the same deadline waits for the end: here 408',
    isRare: true,
    in: 'farebox/joinableMs',
    find: 'if (ownMs >= job.deadlineMs) return Math.max(ownMs, job.deadlineMs + RUN_OVER_MS) - nowMs',
    replace: '',
  },
  'runs-beside-overrun': {
    breaks: 'no run begins while an earlier one still runs: here it does',
    in: 'farebox/releaseJob',
    find: "if (failure instanceof StillRunning && job.state === 'running') {",
    replace: "if (failure instanceof StillRunning && job.state === ('never' as string)) {",
  },

  // Its spends: how many, and what is reported. The contract keeps spends within their terms.
  'new-ref-each-run': {
    breaks: 'a spend of a job has the same ref each time it is run: here another one',
    in: 'farebox/refOf',
    find: 'return ((BigInt(toHex(hash)) >> 8n) << 8n) | BigInt(index)',
    replace: `const counted = globalThis as { refs?: number }
  counted.refs = ((counted.refs ?? 0) + 1) % 100
  return ((BigInt(toHex(hash)) >> 8n) << 8n) | BigInt(index + 2 * counted.refs)`,
  },
  'sent-is-spent': {
    breaks: 'a spend is done when it is in a block: here when it was sent',
    in: 'farebox/spendOnce',
    find: 'const followed = await follow(tools, planned, sent)',
    replace: `if (attempt >= 0) return { transaction: sent.hash, resumed: false }
      const followed = await follow(tools, planned, sent)`,
  },
  'failure-hides-spends': {
    breaks: 'a failed job names what it moved: here it does not',
    in: 'farebox/describeMovements',
    find: 'if (movements.size === 0) return undefined',
    replace: 'if (movements.size >= 0) return undefined',
  },
}
