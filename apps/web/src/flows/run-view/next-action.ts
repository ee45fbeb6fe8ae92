import type { Flow, JobStep } from '@farebox/flows/document/flow'
import type { RunJob, RunProgress } from '@farebox/platform-api/flows/runs'
import { secondsNeeded } from '@farebox/flows/internal/run/seconds-needed'
import { fromAtomic, toAtomic } from '../../format/amount.ts'

/** An action that continues a run. */
export interface NextAction {
  /** The jobs for which a new payment is signed. */
  readonly sign: readonly ToSign[]
  /** The jobs that are sent again with their existing payments. */
  readonly retry: readonly { readonly key: string; readonly amount: string }[]
  /** The sum of all of them in decimal USDC. */
  readonly total: string
  /** Unix seconds from which a job can be signed for again, because its previous payment has then expired. */
  readonly signableAt: number | undefined
}

/** A job for which a payment is requested. */
export interface ToSign {
  readonly key: string
  readonly name: string
  readonly agentId: number
  readonly capability: string
  /** The displayed price in decimal USDC. */
  readonly price: string
  /** The price signed before, if the current price differs from it. */
  readonly was: string | undefined
  readonly because: 'none' | 'changed' | 'too-late' | 'dead' | 'charged'
}

/**
 * The actions that continue a run. A job that was charged without a result is included only by itself, so that paying for it
 * again is never one of several things that a press does.
 *
 * @param prices the prices that agents have requested meanwhile, by job key
 * @param now Unix seconds
 */
export function nextAction(
  flow: Flow,
  run: RunProgress,
  prices: ReadonlyMap<string, string>,
  now: number,
): NextAction {
  const sign: ToSign[] = []
  const retry: { key: string; amount: string }[] = []
  const waits: number[] = []
  for (const { step: id, state, jobs } of run.steps) {
    // A step is not paid for before its turn, or after it has failed without being sent.
    if (state !== 'ordering') continue
    const step = Object.hasOwn(flow.steps, id) ? flow.steps[id] : undefined
    if (step?.kind !== 'job') continue
    for (const job of jobs) {
      const { payment } = job
      if (job.state === 'unpaid' && payment?.state !== 'ready') sign.push(toSign(step, job, prices))
      if (job.state !== 'failed') continue
      if (payment?.state !== 'sent') sign.push(toSign(step, job, prices))
      else if (payment.valid_before >= now + secondsNeeded(step))
        retry.push({ key: job.key, amount: payment.amount })
      else waits.push(job.job?.usable_until ?? payment.valid_before)
    }
  }
  const fresh = sign.filter(({ because }) => because !== 'charged')
  const chosen = fresh.length > 0 || retry.length > 0 ? fresh : sign.slice(0, 1)
  return {
    sign: chosen,
    retry,
    total: sumOf([...chosen.map(({ price }) => price), ...retry.map(({ amount }) => amount)]),
    signableAt: waits.length === 0 ? undefined : Math.min(...waits),
  }
}

/** The action for a single job. */
export function actionForJob(
  flow: Flow,
  run: RunProgress,
  key: string,
  prices: ReadonlyMap<string, string>,
  now: number,
): NextAction {
  const steps = run.steps.map(step => ({ ...step, jobs: step.jobs.filter(job => job.key === key) }))
  return nextAction(flow, { ...run, steps }, prices, now)
}

/** The label of the button, without the unit: "Pay 0.005 and resume". Undefined when there is no action. */
export function labelAction({ sign, retry, total }: NextAction): string | undefined {
  const count = sign.length + retry.length
  const [first] = sign
  if (count === 0) return undefined
  if (count === 1 && first?.was !== undefined) return `${first.was} → ${first.price}, sign again`
  if (count === 1 && first?.because === 'charged') return `Pay ${first.price} again`
  if (count === 1) return first?.because === 'none' ? `Pay ${total} and continue` : `Pay ${total} and resume`
  const isList = [...sign, ...retry].some(({ key }) => key.includes('#'))
  return `Pay ${count} ${isList ? 'jobs' : 'steps'}, ${total}`
}

/** The explanation below the button. */
export function explainAction({ sign, retry }: NextAction): string {
  const [first] = sign
  if (first === undefined)
    return retry.length === 1
      ? 'The same signed payment will be sent again. It can be used only once, whatever happens.'
      : 'The same signed payments will be sent again. Each can be used only once, whatever happens.'
  if (first.because === 'charged')
    return 'The earlier payment went through, but the agent did not return anything usable. If you pay again, you will pay twice for this step.'
  const reasons = new Set(sign.map(({ because }) => because))
  const words = [
    ...(reasons.has('changed') ? ['Signatures for a different price are deleted without being used.'] : []),
    ...(reasons.has('dead') ? ['The earlier signature can never be used to charge you.'] : []),
    ...(reasons.has('too-late') ? ['Signatures that expired too soon are deleted without being used.'] : []),
    ...(retry.length > 0
      ? ['Failed steps will be sent again with the payments you already signed. Each can be used only once.']
      : []),
  ]
  return words.length > 0
    ? words.join(' ')
    : 'Each payment is valid only for its own step. If a step is not delivered, you are not charged for it.'
}

function toSign(
  step: JobStep,
  { key, because, payment, state }: RunJob,
  prices: ReadonlyMap<string, string>,
): ToSign {
  const asked = because?.kind === 'changed' ? because.price : undefined
  const before = payment?.amount ?? step.pinned.price
  const price = prices.get(key) ?? asked ?? before
  const isOther = toAtomic(price) !== toAtomic(before)
  return {
    key,
    name: step.label ?? step.pinned.agent_name,
    agentId: step.agent_id,
    capability: step.capability,
    price,
    was: isOther ? before : undefined,
    because: state === 'failed' ? becauseOf(payment) : (because?.kind ?? 'none'),
  }
}

function becauseOf(payment: RunJob['payment']): ToSign['because'] {
  if (payment?.state === 'paid') return 'charged'
  return payment?.state === 'dead' ? 'dead' : 'none'
}

function sumOf(amounts: readonly string[]): string {
  return fromAtomic(amounts.reduce((sum, amount) => sum + (toAtomic(amount) ?? 0n), 0n))
}
