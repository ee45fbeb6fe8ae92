import type { Breach } from '../breach.ts'

const EVENTS = { file: 'flows/apply-event.test.ts' }
const SIMULATION = { file: 'flows/simulation.test.ts', only: 'with agents that lie' }

/** F1 to F4: what holds for runs of flows, in whatever order things happen. */
export const RUNS_OF_FLOWS: readonly Breach[] = [
  {
    name: 'second-payment-beside-the-first',
    promises: ['F1'],
    breaks: 'a job takes a second payment while the first may still be charged',
    edits: [
      {
        in: 'flows/payIn',
        find: "if (known?.state === 'sent')",
        replace: "if (known?.state === 'sent' && job === undefined)",
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'dead-by-the-clock',
    promises: ['F1'],
    breaks: 'a payment counts as dead when its time is over, whatever the chain shows',
    edits: [
      {
        in: 'flows/payIn',
        find: "if (known?.state === 'sent')",
        replace: "if (known?.state === 'sent' && known.valid_before > now)",
      },
    ],
    tests: [SIMULATION],
  },
  {
    name: 'retry-under-another-job',
    promises: ['F1'],
    breaks: 'a failed step is tried again as another job, for which its payment was not signed',
    edits: [
      {
        in: 'flows/retried',
        find: "{ effect: 'send', key, job_id: payment.job_id, attempt, input: job.input }",
        replace: "{ effect: 'send', key, job_id: `${payment.job_id}-2`, attempt, input: job.input }",
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'payment-of-another-job-taken',
    promises: ['F1'],
    breaks: 'a payment for one job of a run is taken for another as well',
    edits: [
      {
        in: 'flows/payIn',
        find: 'if (isKnown && known?.job_id !== payment.job_id)',
        replace: 'if (isKnown && known?.job_id === undefined && step.map === undefined)',
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'news-of-another-job-heeded',
    promises: ['F1'],
    breaks: 'what the chain shows of an earlier payment is taken for the newest',
    edits: [
      {
        in: 'flows/settle',
        find: "if (payment?.job_id !== jobId || payment.state !== 'sent')",
        replace: "if (payment?.state !== 'sent')",
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'stale-failure-applied',
    promises: ['F1'],
    breaks: 'the failure of an earlier attempt ends the one that is under way',
    edits: [{ in: 'flows/failed', find: 'if (of !== attempt) return go(graph, run, now)', replace: '' }],
    tests: [EVENTS],
  },
  {
    name: 'sent-before-quoted',
    promises: ['F2'],
    breaks: 'an order leaves without its agent being asked for the price',
    edits: [
      {
        in: 'flows/nextOfJob',
        find: "effects.push({ effect: 'quote', key })",
        replace: `const jobId = paymentOf(run, key)?.job_id ?? ''
  effects.push({ effect: 'send', key, job_id: jobId, attempt: 1, input: job.input })`,
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'price-change-ignored',
    promises: ['F2'],
    breaks: 'an order leaves though its agent asks for another price than was signed',
    edits: [{ in: 'flows/quoted', find: 'isSameAmount(quote.price, payment.amount) && ', replace: '' }],
    tests: [EVENTS],
  },
  {
    name: 'payee-change-ignored',
    promises: ['F2'],
    breaks: 'an order leaves though its agent asks for payment to another wallet than was signed',
    edits: [{ in: 'flows/quoted', find: ' && quote.pay_to === payment.pay_to', replace: '' }],
    tests: [EVENTS],
  },
  {
    name: 'limit-not-held',
    promises: ['F2'],
    breaks: 'payments are taken beyond what the run may come to',
    edits: [
      {
        in: 'flows/staysWithin',
        find: 'return paid + exposed + ready - given + atomic(amount) <= atomic(run.max_total)',
        replace: 'return paid + exposed + ready - given <= atomic(run.max_total)',
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'limit-lowered',
    promises: ['F2'],
    breaks: 'the limit of a run is lowered below what was signed under it',
    edits: [{ in: 'flows/raised', find: 'before.ok && read.atomic > before.atomic', replace: 'before.ok' }],
    tests: [EVENTS],
  },
  {
    name: 'exposed-not-counted',
    promises: ['F2'],
    breaks: 'what was sent and may be charged is not on the books',
    edits: [
      {
        in: 'flows/addUp',
        find: "if (state === 'sent') sums.exposed",
        replace: "if (state === 'dead') sums.exposed",
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'sent-too-late',
    promises: ['F2'],
    breaks: 'an order leaves with a payment that ends before its agent can be done',
    edits: [
      {
        in: 'flows/quoted',
        find: 'payment.valid_before >= now + secondsNeeded(place.step)',
        replace: 'payment.valid_before >= now',
      },
    ],
    tests: [SIMULATION],
  },
  {
    name: 'started-before-its-inputs',
    promises: ['F3'],
    breaks: 'a step that joins several others begins when one of them has come',
    edits: [{ in: 'flows/collect', find: "if (found.is === 'open') isOpen = true", replace: '' }],
    tests: [SIMULATION, EVENTS],
  },
  {
    name: 'first-takes-what-comes-first',
    promises: ['F3'],
    breaks: 'which of two inputs is handed on depends on which agent is quicker',
    edits: [
      {
        in: 'flows/startFirst',
        find: "if (found?.is === 'open') return undefined",
        replace: "if (found?.is === 'open') continue",
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'way-not-taken-runs',
    promises: ['F3'],
    breaks: 'what stands behind the way that a branch did not take is run and paid for',
    edits: [
      {
        in: 'flows/readSource',
        find: "known.closed.includes(port) ? { is: 'out' } : valueOf(known.outputs, port)",
        replace: 'valueOf(known.outputs, port)',
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'ordered-while-paused',
    promises: ['F3'],
    breaks: 'a run that was paused orders',
    edits: [{ in: 'flows/nextOfJob', find: "|| run.control !== 'running' ", replace: '' }],
    tests: [EVENTS],
  },
  {
    name: 'input-sent-unchecked',
    promises: ['F3'],
    breaks: 'an input that its agent will refuse is sent with its payment',
    edits: [
      {
        in: 'flows/startJobs',
        find: 'const checked = check(input)',
        replace: `const found = check(input)
    const checked = found.ok ? found : { ok: true as const, value: input }`,
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'wipe-forgotten-at-cancel',
    promises: ['F4'],
    breaks: 'signatures of a run that was cancelled are kept',
    edits: [
      {
        in: 'flows/control',
        find: "effects.push({ effect: 'wipe', job_id: payment.job_id })",
        replace: '',
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'wipe-forgotten-where-left-out',
    promises: ['F4'],
    breaks: 'the signature for a step that is left out is kept',
    edits: [
      {
        in: 'flows/wipeUnneeded',
        find: "effects.push({ effect: 'wipe', job_id: payment.job_id })",
        replace: '',
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'wipe-forgotten-at-a-new-price',
    promises: ['F4'],
    breaks: 'the signature for the price before is kept beside the new one',
    edits: [
      {
        in: 'flows/quoted',
        find: "[{ effect: 'wipe', job_id: payment.job_id }]",
        replace: '[]',
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'wipe-forgotten-once-charged',
    promises: ['F4'],
    breaks: 'a signature that was charged is kept',
    edits: [
      {
        in: 'flows/completed',
        find: "go(graph, ended, now, [{ effect: 'wipe', job_id: jobId }])",
        replace: 'go(graph, ended, now)',
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'expired-payment-kept',
    promises: ['F4'],
    breaks: 'a signature that ran out unsent is kept, and its job waits with it',
    edits: [
      {
        in: 'flows/wipeExpired',
        find: "if (payment?.state !== 'ready' || payment.valid_before > now) continue",
        replace: 'if (now >= 0) continue',
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'live-payment-wiped',
    promises: ['F4'],
    breaks: 'a payment brought for a step that is left out deletes that of another step',
    edits: [
      {
        in: 'flows/payIn',
        find: 'if (isKnown && known?.job_id !== payment.job_id)',
        replace:
          "if (isKnown && known?.job_id !== payment.job_id && state?.state !== 'skipped' && (state === undefined || job !== undefined))",
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'begins-after-cancelling',
    promises: ['F3'],
    breaks: 'steps of a cancelled run still begin',
    edits: [
      {
        in: 'flows/advance',
        find: "if (run.control === 'cancelled' && before?.state !== 'ordering') continue",
        replace: "if (run.control === 'cancelled' && before?.state === 'sleeping') continue",
      },
    ],
    tests: [EVENTS],
  },
  {
    name: 'values-without-end',
    promises: ['F3'],
    breaks: 'what begins behind an approval or a wait makes a run as large as it likes',
    edits: [
      {
        in: 'flows/advance',
        find: 'if (size > room) return TOO_LARGE_STATE',
        replace: 'if (size > room && room < -1e9) return TOO_LARGE_STATE',
      },
    ],
    tests: [{ file: 'flows/hostile-run.test.ts' }],
  },
]
