import type { Breach } from '../breach.ts'

/** P1, I1, I2 and I6: one payment, one job, one run. */
export const ONE_PAYMENT_ONE_JOB: readonly Breach[] = [
  {
    name: 'nonce-claim-removed',
    promises: ['P1', 'I1'],
    breaks: 'an agent takes one payment for any number of jobs',
    edits: [
      {
        in: 'farebox/claimPayment',
        find: 'if (kept !== undefined && kept.jobKey !== wish.jobKey) return undefined',
        replace: '',
      },
    ],
    tests: [{ file: 'farebox/memory-store.test.ts' }],
  },
  {
    name: 'ledger-binding-dropped',
    promises: ['P1', 'I1'],
    breaks: 'the facilitator holds and charges a payment for another job than its first',
    edits: [
      {
        in: 'facilitator/migrations/hold',
        find: `is distinct from (p_binding, p_pay_to, p_value, p_valid_after, p_valid_before) then`,
        replace: `is distinct from (found_row.binding, p_pay_to, p_value, p_valid_after, p_valid_before) then`,
      },
    ],
    tests: [{ file: 'facilitator/ledger.test.ts' }],
  },
  {
    name: 'bound-nonce-not-checked',
    promises: ['P1', 'I1'],
    breaks: 'a payment whose nonce names one job is taken for another',
    edits: [
      {
        in: 'payments/refuseNonce',
        find: "return bindNonce(crypto, binding, fromHex(salt)) === nonce ? undefined : 'the nonce is bound to another job'",
        replace: 'return undefined',
      },
    ],
    tests: [{ file: 'payments/nonce-binding.test.ts' }],
  },
  {
    name: 'settled-job-not-sealed',
    promises: ['I2', 'I6'],
    breaks: 'a job that is done and paid for can be claimed, run and charged once more',
    edits: [
      {
        in: 'farebox/claimRow',
        find: 'if (row !== undefined && (row.sealed || isHeld(row, nowMs))) return undefined',
        replace: 'if (row !== undefined && isHeld(row, nowMs)) return undefined',
      },
    ],
    tests: [{ file: 'farebox/memory-store.test.ts' }],
  },
  {
    name: 'verdict-asked-for-again',
    promises: ['I2', 'I5'],
    breaks: 'a payment that was refused is submitted once more while its record cannot be written',
    edits: [
      {
        in: 'farebox/createSettlements',
        find: 'known ??= await settleOnce(held)',
        replace: 'known = await settleOnce(held)',
      },
    ],
    tests: [{ file: 'farebox/settle-payment.test.ts' }],
  },
  {
    name: 'claim-without-lease',
    promises: ['I6', 'P1'],
    breaks: 'a job that somebody is doing is done by whoever comes',
    edits: [
      {
        in: 'farebox/claimRow',
        find: 'if (row !== undefined && (row.sealed || isHeld(row, nowMs))) return undefined',
        replace: 'if (row !== undefined && row.sealed) return undefined',
      },
    ],
    tests: [{ file: 'farebox/memory-store.test.ts' }],
  },
  {
    name: 'fence-ignored',
    promises: ['I6', 'I2'],
    breaks: 'who lost a job to another process still writes its record',
    edits: [
      {
        in: 'farebox/createMemoryStore',
        find: 'if (row?.fence !== holder.fence) return false',
        replace: 'if (row === undefined) return false',
      },
    ],
    tests: [{ file: 'farebox/memory-store.test.ts' }],
  },
  {
    name: 'runs-beside-an-overrun',
    promises: ['I6'],
    breaks: 'a retry runs beside a handler that outlived its deadline',
    edits: [
      {
        in: 'farebox/releaseJob',
        find: "instanceof StillRunning && job.state === 'running'",
        replace: "instanceof StillRunning && job.state === ('never' as string)",
      },
    ],
    tests: [{ file: 'farebox/find-repeat.test.ts' }],
  },
]
