import type { RunJob } from '@farebox/platform-api/flows/runs'
import type { SignName } from '../../signs/sign.tsx'

/** The state of a job in words, with a tone and a sign for exceptional states. */
export interface JobWords {
  readonly words: string
  readonly tone: 'plain' | 'paid' | 'refused' | 'warn'
  readonly sign?: SignName
  /** Unix seconds; the signed payment can be used until then. */
  readonly until?: number
}

/** Describes the state of a job of a run. */
export function jobWords(job: RunJob): JobWords {
  switch (job.state) {
    case 'unpaid':
      return unpaidWords(job)
    case 'quoting':
      return { words: 'Getting the price', tone: 'plain' }
    case 'sent':
      return job.job?.status === 'pending' || job.job?.status === 'completed'
        ? { words: 'Delivered, payment being settled', tone: 'plain', sign: 'clock' }
        : { words: job.attempt > 1 ? `Running, attempt ${job.attempt}` : 'Running', tone: 'plain' }
    case 'done':
      return job.payment?.state === 'paid'
        ? { words: 'Paid', tone: 'paid', sign: 'check' }
        : { words: 'Delivered', tone: 'plain', sign: 'check' }
    case 'failed':
      return failedWords(job)
  }
}

function unpaidWords({ because, payment }: RunJob): JobWords {
  if (payment?.state === 'ready') return { words: 'Signed and waiting for its turn', tone: 'plain' }
  switch (because?.kind) {
    case 'changed':
      return { words: `The price is now ${because.price} USDC`, tone: 'warn', sign: 'warn' }
    case 'too-late':
      return { words: 'The signature expired too soon and was not used', tone: 'warn', sign: 'clock' }
    case 'dead':
      return { words: 'Not charged, waiting for a new signature', tone: 'plain' }
    case 'charged':
      return { words: 'Charged, not delivered', tone: 'refused', sign: 'warn' }
    case 'none':
    case undefined:
      return { words: 'Waiting for your payment', tone: 'plain' }
  }
}

function failedWords({ payment, job, attempt }: RunJob): JobWords {
  if (payment?.state === 'paid' || job?.charged_without_delivery === true)
    return { words: 'Charged, not delivered', tone: 'refused', sign: 'warn' }
  if (attempt === 0) return { words: 'Not sent, not charged', tone: 'refused', sign: 'cross' }
  // An agent that refused has not charged; an agent that has not answered still may.
  const isSilent = payment?.state === 'sent' && job?.status !== 'failed'
  if (isSilent)
    return {
      words: 'No response in time, and you may still be charged',
      tone: 'warn',
      sign: 'clock',
      until: job?.usable_until ?? payment.valid_before,
    }
  return { words: 'Not delivered, not charged', tone: 'refused', sign: 'cross' }
}

/** Whether the job is known to have been charged without a usable result. */
export function isChargedForNothing(job: RunJob): boolean {
  return (
    job.because?.kind === 'charged' ||
    (job.state === 'failed' && (job.payment?.state === 'paid' || job.job?.charged_without_delivery === true))
  )
}
