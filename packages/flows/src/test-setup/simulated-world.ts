import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { JobStep } from '../document/flow.ts'
import { priceFlow } from '../check/price.ts'
import { buildGraph, type Graph } from '../graph/graph.ts'
import { applyEvent } from '../run/apply-event.ts'
import { nextWake } from '../run/next-wake.ts'
import { paymentOf } from '../run/payments.ts'
import type { RunEffect, RunEvent } from '../run/run-event.ts'
import { readJobKey, type Payment, type Run } from '../run/run-state.ts'
import { startRun } from '../run/start-run.ts'
import { statusOf } from '../run/run-status.ts'
import { randomFlow, type Random } from './random-flow.ts'

/** The true state of a payment, independent of the run's state. */
interface Authorization {
  readonly key: string
  readonly amount: bigint
  readonly valid_before: number
  sends: number
  wiped: boolean
  state: 'open' | 'charged' | 'dead'
  delivered: boolean
  input?: JsonObject
}

const LIMIT_FACTOR = 3n

/**
 * A run in a simulated world: agents that deliver, fail, lie, do not respond or change their price; a payer who signs too
 * early, too late, twice or the wrong amount; people who answer or do not; and events that arrive late, twice and in any
 * order. After every step the rules of `applyEvent` are checked.
 */
export class SimulatedWorld {
  readonly graph: Graph
  run: Run
  now = 1_000_000
  readonly problems: string[] = []
  readonly authorizations = new Map<string, Authorization>()
  private readonly news: RunEvent[] = []
  /** Events that arrive much later than the others. */
  private readonly late: RunEvent[] = []
  private readonly random: Random
  private readonly honest: boolean
  /** The last quote for each job, received or not. */
  private readonly quotes = new Map<string, { readonly price: string; readonly pay_to: string } | undefined>()
  private jobs = 0
  /** Number of payments that expired before they were sent. */
  expired = 0

  constructor(random: Random, honest: boolean) {
    this.random = random
    this.honest = honest
    const flow = randomFlow(random)
    this.graph = buildGraph(flow)
    const most = atomic(priceFlow(this.graph).at_most) * LIMIT_FACTOR
    const started = startRun(
      this.graph,
      { text: `t${random(100)}`, list: Array.from({ length: random(4) }, (_, index) => `i${index}`) },
      { max_total: formatUsdc(random(4) === 0 ? most / 4n : most), now: this.now },
    )
    if (!started.ok) throw new Error(started.reason)
    this.run = started.run
    this.carryOut(started.effects)
  }

  /** Performs one random action. */
  step(): void {
    const choice = this.random(20)
    if (choice < 8) this.hear()
    else if (choice < 12) this.pay()
    else if (choice < 14) this.retry()
    else if (choice < 16) this.answer()
    else if (choice < 18) this.pass(this.random(this.random(5) === 0 ? 900 : 60))
    else if (choice === 18) this.apply({ event: this.random(2) === 0 ? 'paused' : 'resumed' })
    else if (this.random(10) === 0) this.apply({ event: 'cancelled' })
    else if (this.random(4) === 0)
      this.apply({ event: 'raised', max_total: formatUsdc(atomic(this.run.max_total) + 5_000n) })
    else this.settleLate()
  }

  /** Performs everything that is requested, until nothing is left or the limit is reached. */
  finish(): void {
    this.apply({ event: 'resumed' })
    for (let round = 0; round < 200; round += 1) {
      while (this.news.length > 0) this.hear()
      const { status, waiting } = statusOf(this.graph, this.run)
      if (status === 'completed' || status === 'failed' || status === 'cancelled') break
      if (waiting.length === 0) {
        this.problems.push(`${status}, and waits for nothing`)
        return
      }
      for (const one of waiting) {
        if (one.for === 'payment') this.payFor(one.key, this.priceOf(one.key), true)
        if (one.for === 'person') this.apply({ event: 'answered', step: one.step, approved: true })
        if (one.for === 'retry') this.apply({ event: 'retried', key: one.key })
      }
      this.settleLate(true)
      this.pass(120)
    }
    while (this.news.length > 0) this.hear()
  }

  /** The sums charged for delivered jobs, and for others. */
  sums(): { readonly delivered: bigint; readonly undelivered: bigint } {
    let [delivered, undelivered] = [0n, 0n]
    for (const { state, amount, delivered: isDelivered } of this.authorizations.values()) {
      if (state !== 'charged') continue
      if (isDelivered) delivered += amount
      else undelivered += amount
    }
    return { delivered, undelivered }
  }

  /** The kinds of all completed steps, with details for some. */
  endedKinds(): readonly string[] {
    return Object.entries(this.graph.flow.steps).flatMap(([id, step]) => {
      const state = this.run.steps[id]
      if (state?.state === 'skipped') return ['skipped']
      if (state?.state !== 'done') return []
      const isMapped = step.kind === 'job' && step.map !== undefined
      const items = isMapped ? (this.run.payments[`${id}#0`] === undefined ? ['list'] : ['list', 'item']) : []
      const way = state.closed.includes('then') || state.closed.includes('approved') ? ['other-way'] : []
      return [step.kind, ...items, ...way, ...(step.after === undefined ? [] : ['after'])]
    })
  }

  apply(event: RunEvent): void {
    const before = this.run
    const result = applyEvent(this.graph, before, event, this.now)
    if (!result.ok) return
    const isStale = 'job_id' in event && paymentOf(before, event.key)?.job_id !== event.job_id
    if (isStale && JSON.stringify(withoutFlow(result.run)) !== JSON.stringify(withoutFlow(before)))
      this.problems.push(`${event.key}: heeds ${event.event} of an earlier job`)
    // A run is stored as JSON: one that is read again must continue as if it had stayed in memory.
    const kept = JSON.parse(JSON.stringify(withoutFlow(result.run))) as Omit<Run, 'flow'>
    this.run = { flow: result.run.flow, ...kept }
    this.carryOut(result.effects)
    this.checkSums()
    this.checkWiped()
    const again = applyEvent(this.graph, this.run, event, this.now)
    if (!again.ok) return
    const isOrder = event.event === 'retried'
    for (const effect of again.effects)
      if (effect.effect === 'send' && !isOrder) this.problems.push(`${event.event} twice sends twice`)
  }

  private carryOut(effects: readonly RunEffect[]): void {
    for (const effect of effects) {
      switch (effect.effect) {
        case 'quote':
          this.quote(effect.key)
          break
        case 'send':
          this.send(effect)
          break
        case 'wipe': {
          const known = this.authorizations.get(effect.job_id)
          if (known === undefined) this.problems.push(`wipes what was never signed: ${effect.job_id}`)
          else this.wipe(known)
          break
        }
        case 'wake':
          break
      }
    }
  }

  private wipe(authorization: Authorization): void {
    if (!authorization.wiped && authorization.sends === 0 && authorization.valid_before <= this.now)
      this.expired += 1
    authorization.wiped = true
  }

  private quote(key: string): void {
    if (this.run.control !== 'running')
      this.problems.push(`${key}: asks for a price while ${this.run.control}`)
    const luck = this.honest ? 9 : this.random(10)
    const quote =
      luck === 0
        ? undefined
        : { price: luck === 1 ? '0.5' : this.priceOf(key), pay_to: luck === 2 ? '0xother' : '0xagent' }
    this.quotes.set(key, quote)
    this.news.push({ event: 'quoted', key, quote })
  }

  private send(effect: Extract<RunEffect, { effect: 'send' }>): void {
    const { key, job_id: jobId, attempt, input } = effect
    const authorization = this.authorizations.get(jobId)
    if (authorization === undefined) return void this.problems.push(`${key}: sends what was never signed`)
    if (authorization.wiped) this.problems.push(`${key}: sends what was wiped`)
    if (this.run.control !== 'running') this.problems.push(`${key}: sends while ${this.run.control}`)
    const left = authorization.valid_before - this.now
    if (left < 60) this.problems.push(`${key}: sends a payment that is good for ${left} s more`)
    if (authorization.state === 'dead') this.problems.push(`${key}: sends a dead payment`)
    for (const [other, one] of this.authorizations)
      if (other !== jobId && one.key === key && one.sends > 0 && one.state === 'open')
        this.problems.push(`${key}: two payments may be charged`)
    this.checkSources(key)
    const quote = this.quotes.get(key)
    if (attempt === 1 && (quote?.pay_to !== '0xagent' || atomic(quote.price) !== authorization.amount))
      this.problems.push(`${key}: sends what is not asked for`)
    if (!this.honest && this.random(12) === 0) {
      // The platform itself refuses the order before it is sent.
      this.tell({ event: 'unsent', key, job_id: jobId, attempt, error: 'busy' })
      return
    }
    authorization.sends += 1
    if (authorization.input !== undefined && JSON.stringify(authorization.input) !== JSON.stringify(input))
      this.problems.push(`${key}: another input for the same job`)
    authorization.input = input
    if (attempt !== authorization.sends)
      this.problems.push(`${key}: attempt ${attempt} is the ${authorization.sends}.`)
    this.behave(jobId, authorization, attempt)
  }

  /** The agent's reaction to an order. */
  private behave(jobId: string, authorization: Authorization, attempt: number): void {
    const { key } = authorization
    const luck = this.honest ? this.random(6) : this.random(10)
    const failure = {
      event: 'failed',
      key,
      job_id: jobId,
      attempt,
      error_type: 'internal',
      error: 'broke',
    } as const
    if (luck <= 4) {
      this.charge(authorization)
      if (authorization.state === 'charged') {
        authorization.delivered = true
        this.tell({ event: 'completed', key, job_id: jobId, output: outputOf(jobId) })
      }
    } else if (luck <= 6) {
      this.tell(failure)
    } else if (luck === 7) {
      // The agent charges and delivers nothing.
      this.charge(authorization)
      this.tell(failure)
      if (authorization.state === 'charged') {
        this.tell({ event: 'charged', key, job_id: jobId })
        // Or it delivers after everyone has stopped waiting.
        if (this.random(2) === 0)
          this.late.push({ event: 'completed', key, job_id: jobId, output: outputOf(jobId) })
      }
    }
    // Otherwise it does not respond, and may still charge.
  }

  private charge(authorization: Authorization): void {
    if (authorization.state === 'open' && this.now < authorization.valid_before)
      authorization.state = 'charged'
  }

  /** Silent agents charge late, and payments expire. */
  private settleLate(all = false): void {
    const [late] = this.random(10) === 0 ? this.late.splice(0, 1) : []
    if (late !== undefined) this.tell(late)
    for (const [jobId, authorization] of this.authorizations) {
      const { key, sends, state } = authorization
      if (sends === 0 || state !== 'open' || (!all && this.random(3) > 0)) continue
      if (this.now >= authorization.valid_before) {
        authorization.state = 'dead'
        this.tell({ event: 'dead', key, job_id: jobId })
      } else if (!this.honest && this.random(4) === 0) {
        this.charge(authorization)
        this.tell({ event: 'charged', key, job_id: jobId })
      }
    }
  }

  /** Events may arrive twice. */
  private tell(event: RunEvent): void {
    this.news.push(event)
    if (this.random(4) === 0) this.news.push(event)
  }

  private hear(): void {
    const [event] = this.news.splice(this.random(this.news.length), 1)
    if (event !== undefined) this.apply(event)
  }

  private pay(): void {
    const jobs = Object.entries(this.graph.flow.steps).filter(([, step]) => step.kind === 'job')
    const [id, step] = jobs[this.random(jobs.length)] ?? []
    if (id === undefined || step?.kind !== 'job') return
    const key = step.map === undefined ? id : `${id}#${this.random(step.map.most)}`
    if (!this.honest && this.random(6) === 0) {
      this.payAgain(key)
      return
    }
    const isWrong = !this.honest && this.random(6) === 0
    this.payFor(key, isWrong ? '0.5' : this.priceOf(key), this.random(6) > 0)
  }

  private payFor(key: string, amount: string, isLong: boolean): void {
    this.jobs += 1
    const payment: Omit<Payment, 'state'> = {
      job_id: `job-${this.jobs}`,
      amount,
      pay_to: '0xagent',
      valid_before: this.now + (isLong ? 900 : 70),
    }
    this.authorizations.set(payment.job_id, {
      key,
      amount: atomic(amount),
      valid_before: payment.valid_before,
      sends: 0,
      wiped: false,
      state: 'open',
      delivered: false,
    })
    this.apply({ event: 'paid-in', key, payment })
  }

  /** Sends a payment for a job that it was not signed for. */
  private payAgain(key: string): void {
    const known = Object.values(this.run.payments).flat()
    const other = known[this.random(known.length)]
    if (other === undefined) return
    const { state: _, ...payment } = other
    this.apply({ event: 'paid-in', key, payment })
  }

  private retry(): void {
    const keys = Object.keys(this.run.payments)
    const key = keys[this.random(keys.length)]
    if (key !== undefined) this.apply({ event: 'retried', key })
  }

  private answer(): void {
    const asking = Object.entries(this.run.steps).filter(([, { state }]) => state === 'asking')
    const [step] = asking[this.random(asking.length)] ?? []
    if (step !== undefined) this.apply({ event: 'answered', step, approved: this.random(3) > 0 })
  }

  /** Advances the time. The driver wakes the run when it is due, and sometimes late. */
  private pass(seconds: number): void {
    this.now += seconds
    const at = nextWake(this.run)
    if (at === undefined || at > this.now) return
    this.apply({ event: 'woken' })
    const next = nextWake(this.run)
    if (next !== undefined && next <= this.now)
      this.problems.push(`wants to be woken at ${next}, in the past`)
  }

  private priceOf(key: string): string {
    const step = this.graph.flow.steps[readJobKey(key)?.step ?? ''] as JobStep
    return step.pinned.price
  }

  /** Checks that join steps never end before their inputs. */
  private checkSources(key: string): void {
    const id = readJobKey(key)?.step ?? ''
    for (const source of this.graph.sourcesOf(id)) {
      const state = this.run.steps[source]?.state
      if (state !== 'done' && state !== 'skipped')
        this.problems.push(`${key}: before ${source}, which is ${state}`)
    }
  }

  /** Checks that signatures are stored exactly as long as they may be sent. */
  private checkWiped(): void {
    for (const { job_id: jobId, state } of Object.values(this.run.payments).flat()) {
      const isKept = state === 'ready' || state === 'sent'
      if (this.authorizations.get(jobId)?.wiped === isKept)
        this.problems.push(`${jobId}: is ${state}, and ${isKept ? 'was wiped' : 'is kept'}`)
    }
  }

  /** Checks the most that the run may still cost, by the chain and not by the run's own state. */
  private checkSums(): void {
    let sum = 0n
    for (const { state, amount, sends } of this.authorizations.values())
      if (state === 'charged' || (state === 'open' && sends > 0)) sum += amount
    for (const { state, amount } of Object.values(this.run.payments).flat())
      if (state === 'ready') sum += atomic(amount)
    if (sum > atomic(this.run.max_total)) this.problems.push(`may come to ${sum}, over ${this.run.max_total}`)
  }
}

function withoutFlow({ flow: _, ...kept }: Run): Omit<Run, 'flow'> {
  return kept
}

function outputOf(jobId: string): JsonObject {
  const number = Number(jobId.slice(4))
  return { x: `x${number}-${number % 10}`, ...(number % 3 > 0 && { y: `y${number}` }) }
}

function atomic(amount: string): bigint {
  const read = readUsdc(amount)
  if (!read.ok) throw new TypeError(read.reason)
  return read.atomic
}
