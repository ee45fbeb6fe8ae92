import { cpuRatio } from '@farebox/protocol/src/test-setup/cpu-ratio'
import { describe, expect, test } from 'vitest'
import { checkFlow } from '../check/check-flow.ts'
import type { Flow } from '../document/flow.ts'
import { buildGraph, type Graph } from '../graph/graph.ts'
import { flowOf, jobStep, QR, SUMMARY, SUMMARY_AND_QR } from '../test-setup/sample-flows.ts'
import { applyEvent } from './apply-event.ts'
import { nextWake } from './next-wake.ts'
import { sumPayments } from './payments.ts'
import type { RunEffect, RunEvent } from './run-event.ts'
import type { Run } from './run-state.ts'
import { startRun } from './start-run.ts'
import { statusOf } from './run-status.ts'

const NOW = 1_000
const AGENT = '0xa9e0'

/** A run, and all actions that it has requested so far. */
function begin(flow: Flow, input: { readonly [name: string]: string } = { article: 'Long.' }, limit = '1') {
  const graph: Graph = buildGraph(flow)
  const started = startRun(graph, input, { max_total: limit, now: NOW })
  if (!started.ok) throw new Error(started.reason)
  let run: Run = started.run
  const effects: RunEffect[] = [...started.effects]
  return {
    graph,
    effects,
    get run() {
      return run
    },
    tell(event: RunEvent, now = NOW): string | undefined {
      const result = applyEvent(graph, run, event, now)
      if (!result.ok) return result.reason
      run = result.run
      effects.push(...result.effects)
      return undefined
    },
    status: () => statusOf(graph, run),
  }
}

function pay(key: string, amount: string, job_id = `job-${key}`, valid_before = NOW + 900): RunEvent {
  return { event: 'paid-in', key, payment: { job_id, amount, pay_to: AGENT, valid_before } }
}

const quoted = (key: string, price: string): RunEvent => ({
  event: 'quoted',
  key,
  quote: { price, pay_to: AGENT },
})

const summary = { summary: 'Short.', words: 1, links: ['https://one.example'] }

describe('a run of two agents', () => {
  test('requests a payment, a quote, and orders; each output feeds the next; paid amounts are recorded', () => {
    const it = begin(SUMMARY_AND_QR)
    expect(it.status()).toEqual({
      status: 'waiting',
      waiting: [{ for: 'payment', key: 'summary', because: { kind: 'none' } }],
      output: {},
    })
    it.tell(pay('summary', '0.01'))
    it.tell(pay('qr', '0.005'))
    expect(sumPayments(it.run)).toEqual({ paid: '0', exposed: '0', ready: '0.015' })
    it.tell(quoted('summary', '0.010'))
    expect(sumPayments(it.run)).toEqual({ paid: '0', exposed: '0.01', ready: '0.005' })
    it.tell({ event: 'completed', key: 'summary', job_id: 'job-summary', output: summary })
    it.tell(quoted('qr', '0.005'))
    it.tell({ event: 'completed', key: 'qr', job_id: 'job-qr', output: { svg: '<svg/>' } })
    expect(it.status()).toEqual({
      status: 'completed',
      waiting: [],
      output: { summary: 'Short.', code: '<svg/>' },
    })
    expect(sumPayments(it.run)).toEqual({ paid: '0.015', exposed: '0', ready: '0' })
    expect(it.effects).toEqual([
      { effect: 'quote', key: 'summary' },
      {
        effect: 'send',
        key: 'summary',
        job_id: 'job-summary',
        attempt: 1,
        input: { text: 'Long.', sentences: 3 },
      },
      { effect: 'wipe', job_id: 'job-summary' },
      { effect: 'quote', key: 'qr' },
      { effect: 'send', key: 'qr', job_id: 'job-qr', attempt: 1, input: { content: 'https://one.example' } },
      { effect: 'wipe', job_id: 'job-qr' },
    ])
  })

  test('a payment that is sent again changes nothing, whatever the state of its job; another one is refused', () => {
    const it = begin(SUMMARY_AND_QR)
    const steps = [
      () => it.tell(pay('summary', '0.01')),
      () => it.tell(quoted('summary', '0.01')),
      () => it.tell({ event: 'completed', key: 'summary', job_id: 'job-summary', output: summary }),
    ]
    for (const step of steps) {
      step()
      const before = it.run
      expect(it.tell(pay('summary', '0.01'))).toBeUndefined()
      expect(it.run).toEqual(before)
    }
    expect(it.tell(pay('summary', '0.01', 'job-second'))).toMatch(/^summary: is done/)
  })

  test('a price that rose between signing and sending must be confirmed again, and the signature is deleted', () => {
    const it = begin(SUMMARY_AND_QR)
    it.tell(pay('summary', '0.01'))
    it.tell(quoted('summary', '0.02'))
    expect(it.effects.at(-1)).toEqual({ effect: 'wipe', job_id: 'job-summary' })
    expect(it.status().waiting).toEqual([
      { for: 'payment', key: 'summary', because: { kind: 'changed', price: '0.02', pay_to: AGENT } },
    ])
  })

  test('a payment that expires unsent is deleted, and its job requests another', () => {
    const it = begin(SUMMARY_AND_QR)
    it.tell(pay('summary', '0.01', 'job-summary', NOW + 100))
    it.tell(pay('qr', '0.005', 'job-qr', NOW + 200))
    expect(nextWake(it.run)).toBe(NOW + 100)
    it.tell({ event: 'woken' }, NOW + 99)
    expect(it.effects).toEqual([{ effect: 'quote', key: 'summary' }])
    it.tell({ event: 'woken' }, NOW + 100)
    expect(it.effects.at(-1)).toEqual({ effect: 'wipe', job_id: 'job-summary' })
    expect(it.status().waiting).toEqual([{ for: 'payment', key: 'summary', because: { kind: 'too-late' } }])
    expect(sumPayments(it.run)).toEqual({ paid: '0', exposed: '0', ready: '0.005' })
    // The answer to the quote for the old payment sends nothing.
    it.tell(quoted('summary', '0.01'), NOW + 100)
    expect(nextWake(it.run)).toBe(NOW + 200)
    it.tell({ event: 'woken' }, NOW + 200)
    expect(it.effects.slice(-1)).toEqual([{ effect: 'wipe', job_id: 'job-qr' }])
    expect([nextWake(it.run), it.effects.some(({ effect }) => effect === 'send')]).toEqual([undefined, false])
    // A step whose payment expired before it started reports that when it starts.
    it.tell(pay('summary', '0.01', 'job-again', NOW + 900), NOW + 200)
    it.tell(quoted('summary', '0.01'), NOW + 200)
    it.tell({ event: 'completed', key: 'summary', job_id: 'job-again', output: summary }, NOW + 210)
    expect(it.status().waiting).toEqual([{ for: 'payment', key: 'qr', because: { kind: 'too-late' } }])
  })

  test('a sent payment is not deleted when it expires: it may be charged until the chain shows otherwise', () => {
    const it = begin(SUMMARY_AND_QR)
    it.tell(pay('summary', '0.01', 'job-summary', NOW + 100))
    it.tell(quoted('summary', '0.01'))
    it.tell({ event: 'woken' }, NOW + 10_000)
    expect(it.effects.some(({ effect }) => effect === 'wipe')).toBe(false)
    expect(sumPayments(it.run).exposed).toBe('0.01')
  })

  test('a failed step is retried with the same payment while it is valid; a second one is refused until it is void', () => {
    const it = begin(SUMMARY_AND_QR)
    it.tell(pay('summary', '0.01'))
    it.tell(quoted('summary', '0.01'))
    it.tell({
      event: 'failed',
      key: 'summary',
      job_id: 'job-summary',
      attempt: 1,
      error_type: 'internal',
      error: 'broke',
    })
    expect(it.status().waiting).toEqual([{ for: 'retry', key: 'summary', until: NOW + 900 }])
    expect(it.tell(pay('summary', '0.01', 'job-second'))).toBe(
      'summary: its payment may still be charged; a second one can be taken when the chain shows it cannot',
    )
    it.tell({ event: 'retried', key: 'summary' })
    expect(it.effects.at(-1)).toMatchObject({ effect: 'send', job_id: 'job-summary', attempt: 2 })
    it.tell({
      event: 'failed',
      key: 'summary',
      job_id: 'job-summary',
      attempt: 2,
      error_type: 'internal',
      error: 'broke',
    })
    expect(it.tell({ event: 'retried', key: 'summary' }, NOW + 890)).toMatch(
      /too little is left of its payment/,
    )
    it.tell({ event: 'dead', key: 'summary', job_id: 'job-summary' }, NOW + 901)
    expect(it.tell(pay('summary', '0.01', 'job-second', NOW + 2_000), NOW + 901)).toBe(undefined)
    expect(it.status().status).toBe('running')
    expect(sumPayments(it.run)).toEqual({ paid: '0', exposed: '0', ready: '0.01' })
  })

  test('a payee that changed between signing and sending gets nothing', () => {
    const it = begin(SUMMARY_AND_QR)
    it.tell(pay('summary', '0.01'))
    it.tell({ event: 'quoted', key: 'summary', quote: { price: '0.01', pay_to: '0xother' } })
    expect(it.effects.at(-1)).toEqual({ effect: 'wipe', job_id: 'job-summary' })
    expect(it.effects.some(({ effect }) => effect === 'send')).toBe(false)
  })

  test('the failure of an earlier attempt, received late, does not affect the current one', () => {
    const it = begin(SUMMARY_AND_QR)
    const failed = {
      event: 'failed',
      key: 'summary',
      job_id: 'job-summary',
      attempt: 1,
      error_type: 'internal',
      error: 'broke',
    } as const
    it.tell(pay('summary', '0.01'))
    it.tell(quoted('summary', '0.01'))
    it.tell(failed)
    it.tell({ event: 'retried', key: 'summary' })
    it.tell(failed)
    expect(it.status().waiting).toEqual([{ for: 'agent', key: 'summary' }])
    it.tell({ ...failed, attempt: 2 })
    expect(it.status().waiting).toMatchObject([{ for: 'retry', key: 'summary' }])
  })

  test.each(['dead', 'charged'] as const)(
    'that an earlier payment is %s, reported twice, does not affect the newest',
    event => {
      const it = begin(SUMMARY_AND_QR)
      const failed = {
        event: 'failed',
        key: 'summary',
        attempt: 1,
        error_type: 'internal',
        error: 'broke',
      } as const
      it.tell(pay('summary', '0.01'))
      it.tell(quoted('summary', '0.01'))
      it.tell({ ...failed, job_id: 'job-summary' })
      it.tell({ event, key: 'summary', job_id: 'job-summary' }, NOW + 901)
      it.tell(pay('summary', '0.01', 'job-second', NOW + 2_000), NOW + 901)
      it.tell(quoted('summary', '0.01'), NOW + 901)
      const { run, effects } = it
      const before = effects.length
      it.tell({ event, key: 'summary', job_id: 'job-summary' }, NOW + 902)
      expect([it.run, it.effects.length]).toEqual([run, before])
      expect(sumPayments(it.run).exposed).toBe('0.01')
    },
  )

  test('an order that is refused before it is sent costs nothing; events of an earlier attempt change nothing', () => {
    const it = begin(SUMMARY_AND_QR)
    it.tell(pay('summary', '0.01'))
    it.tell(quoted('summary', '0.01'))
    const unsent: RunEvent = {
      event: 'unsent',
      key: 'summary',
      job_id: 'job-summary',
      attempt: 1,
      error: 'busy',
    }
    it.tell({ ...unsent, attempt: 0 })
    expect(it.status().status).toBe('running')
    it.tell(unsent)
    expect(it.effects.at(-1)).toEqual({ effect: 'wipe', job_id: 'job-summary' })
    expect(sumPayments(it.run)).toEqual({ paid: '0', exposed: '0', ready: '0' })
    expect(it.status().waiting).toEqual([{ for: 'retry', key: 'summary' }])
    it.tell(pay('summary', '0.01', 'job-second'))
    it.tell(quoted('summary', '0.01'))
    expect(it.effects.at(-1)).toMatchObject({ effect: 'send', job_id: 'job-second', attempt: 1 })
  })

  test('charged without a delivery: it is counted, and the run reports that another payment would be the second', () => {
    const it = begin(SUMMARY_AND_QR, undefined, '0.02')
    it.tell(pay('summary', '0.01'))
    it.tell(quoted('summary', '0.01'))
    it.tell({
      event: 'failed',
      key: 'summary',
      job_id: 'job-summary',
      attempt: 1,
      error_type: 'internal',
      error: 'broke',
    })
    it.tell({ event: 'charged', key: 'summary', job_id: 'job-summary' })
    it.tell({ event: 'retried', key: 'summary' })
    expect(it.status().waiting).toEqual([{ for: 'payment', key: 'summary', because: { kind: 'charged' } }])
    expect(it.tell(pay('summary', '0.01', 'job-again'))).toBe(undefined)
    expect(it.tell(pay('qr', '0.005'))).toBe('qr: with this payment the run could cost more than 0.02 USDC')
    expect(sumPayments(it.run)).toEqual({ paid: '0.01', exposed: '0', ready: '0.01' })
  })

  test('a limit that is too low for a price that rose can be raised, and is never lowered', () => {
    const it = begin(SUMMARY_AND_QR, undefined, '0.015')
    it.tell(pay('summary', '0.01'))
    it.tell(pay('qr', '0.005'))
    it.tell(quoted('summary', '0.012'))
    expect(it.tell(pay('summary', '0.012', 'job-again'))).toBe(
      'summary: with this payment the run could cost more than 0.015 USDC',
    )
    expect(it.tell({ event: 'raised', max_total: 'much' })).toMatch(/^max_total: /)
    it.tell({ event: 'raised', max_total: '0.017' })
    it.tell({ event: 'raised', max_total: '0.001' })
    expect(it.run.max_total).toBe('0.017')
    expect(it.tell(pay('summary', '0.012', 'job-again'))).toBe(undefined)
    it.tell({ event: 'cancelled' })
    expect(it.tell({ event: 'raised', max_total: '1' })).toBe('the run is cancelled')
  })

  test('cancelled with one of two payments unsent: that one is deleted, the other job ends normally', () => {
    const it = begin(SUMMARY_AND_QR)
    it.tell(pay('summary', '0.01'))
    it.tell(pay('qr', '0.005'))
    it.tell(quoted('summary', '0.01'))
    it.tell({ event: 'cancelled' })
    expect(it.effects.at(-1)).toEqual({ effect: 'wipe', job_id: 'job-qr' })
    it.tell({ event: 'completed', key: 'summary', job_id: 'job-summary', output: summary })
    expect(it.status()).toMatchObject({ status: 'cancelled', output: { summary: 'Short.' } })
    expect(it.run.steps['qr'], 'nothing begins after it').toBeUndefined()
    expect(it.tell(pay('qr', '0.005', 'job-other'))).toBe('qr: the run is cancelled')
    expect(it.effects.filter(({ effect }) => effect === 'send')).toHaveLength(1)
  })

  test('cancelled during a price request: the answer is ignored, and the run waits for nothing', () => {
    const it = begin(SUMMARY_AND_QR)
    it.tell(pay('summary', '0.01'))
    it.tell({ event: 'cancelled' })
    expect(it.status().waiting).toEqual([{ for: 'payment', key: 'summary', because: { kind: 'none' } }])
    it.tell(quoted('summary', '0.01'))
    expect(it.effects.map(({ effect }) => effect)).toEqual(['quote', 'wipe'])
  })

  test('the same payment twice counts once; after it was deleted, another is requested', () => {
    const it = begin(SUMMARY_AND_QR)
    it.tell(pay('qr', '0.005'))
    expect(it.tell(pay('qr', '0.005'))).toBeUndefined()
    it.tell({ event: 'woken' }, NOW + 900)
    expect(it.tell(pay('qr', '0.005'))).toBe('qr: this payment was deleted: sign a new one')
    expect(it.effects.filter(({ effect }) => effect === 'quote')).toHaveLength(0)
  })

  test('paused: nothing new is ordered until it is resumed', () => {
    const it = begin(SUMMARY_AND_QR)
    it.tell({ event: 'paused' })
    it.tell(pay('summary', '0.01'))
    expect(it.effects).toEqual([])
    it.tell({ event: 'resumed' })
    expect(it.effects).toEqual([{ effect: 'quote', key: 'summary' }])
  })
})

describe('steps without a price', () => {
  const text = { type: 'string' } as const

  test('an approval waits for a person, and the declined branch is skipped unpaid', () => {
    const flow = flowOf(
      { article: { ...text, required: true } },
      { ask: { kind: 'approval', question: 'Publish?' }, qr: QR, no: { kind: 'template', text: 'Not {a}' } },
      [
        'input.article > ask.value',
        'ask.approved > qr.content',
        'ask.declined > no.a',
        'qr.svg > output.svg',
        'no.text > output.no',
      ],
    )
    const it = begin(flow)
    it.tell(pay('qr', '0.005'))
    expect(it.status().waiting).toEqual([{ for: 'person', step: 'ask' }])
    it.tell({ event: 'answered', step: 'ask', approved: false })
    expect(it.status()).toEqual({ status: 'completed', waiting: [], output: { no: 'Not Long.' } })
    expect(it.effects).toEqual([{ effect: 'wipe', job_id: 'job-qr' }])
    expect(it.tell({ event: 'answered', step: 'ask', approved: true })).toBe(
      'ask: does not wait for an answer',
    )
  })

  test('the first of two inputs is waited for even if the second is available: every run passes on the same value', () => {
    const flow = flowOf(
      { article: text },
      { later: { kind: 'wait', seconds: 60 }, either: { kind: 'first', count: 2 } },
      [
        'input.article > later.value',
        'later.value > either.1',
        'input.article > either.2',
        'either.value > output.x',
      ],
    )
    const it = begin(flow)
    expect(it.run.steps['either']).toBeUndefined()
    it.tell({ event: 'woken' }, NOW + 60)
    expect(it.status()).toMatchObject({ status: 'completed', output: { x: 'Long.' } })
  })

  test('a wait ends at its time, not earlier', () => {
    const flow = flowOf({ article: text }, { later: { kind: 'wait', seconds: 60 } }, [
      'input.article > later.value',
      'later.value > output.value',
    ])
    const it = begin(flow)
    expect(it.effects).toEqual([{ effect: 'wake', at: NOW + 60 }])
    expect(nextWake(it.run)).toBe(NOW + 60)
    it.tell({ event: 'woken' }, NOW + 59)
    expect(it.status().waiting).toEqual([{ for: 'time', step: 'later', until: NOW + 60 }])
    it.tell({ event: 'woken' }, NOW + 60)
    expect(it.status()).toEqual({ status: 'completed', waiting: [], output: { value: 'Long.' } })
  })

  test('an input that is refused before it is sent costs nothing and has a reason', () => {
    const flow = flowOf(
      { article: text },
      { qr: { ...QR, constants: {} }, long: { kind: 'template', text: '{a}{a}' } },
      ['input.article > long.a', 'long.text > qr.content', 'qr.svg > output.svg'],
    )
    const it = begin(flow, { article: 'x'.repeat(300) })
    expect(it.run.steps['qr']).toEqual({
      state: 'failed',
      reason: 'content: must be at most 500 characters, got 600',
    })
    expect(it.status().status).toBe('failed')
  })

  test('one job for each item of a list, in its order', () => {
    const flow = flowOf(
      { article: text },
      {
        lines: { kind: 'split', separator: ',', most: 3 },
        each: { ...SUMMARY, map: { port: 'text', most: 3 } },
      },
      ['input.article > lines.text', 'lines.list > each.text', 'each.summary > output.all'],
    )
    const it = begin(flow, { article: 'a,b' })
    // Signed for the maximum of the list: the payment is deleted, and nothing waits for it.
    expect(it.tell(pay('each#2', '0.01'))).toBeUndefined()
    expect(it.effects).toContainEqual({ effect: 'wipe', job_id: 'job-each#2' })
    expect(it.run.payments['each#2']).toBeUndefined()
    it.tell(pay('each#0', '0.01'))
    expect(it.tell(pay('each#2', '0.01', 'job-each#0'))).toBe(
      'each#2: the payment is bound to a job that this run has already',
    )
    expect(it.effects).not.toContainEqual({ effect: 'wipe', job_id: 'job-each#0' })
    for (const key of ['each#1', 'each#0']) {
      it.tell(pay(key, '0.01'))
      it.tell(quoted(key, '0.01'))
      it.tell({ event: 'completed', key, job_id: `job-${key}`, output: { ...summary, summary: key } })
    }
    expect(it.status()).toMatchObject({ status: 'completed', output: { all: ['each#0', 'each#1'] } })
  })
})

test('an input of the run is checked before anything starts', () => {
  const graph = buildGraph(SUMMARY_AND_QR)
  expect(startRun(graph, {}, { max_total: '1', now: NOW })).toEqual({
    ok: false,
    reason: 'article: is required',
  })
})

test('the check and a step of a run take time proportional to its jobs', () => {
  const flowOfJobs = (length: number): Flow => {
    const steps = Object.fromEntries(
      Array.from({ length }, (_, index) => [
        `s${index}`,
        jobStep({ a: { type: 'string', required: true } }, { x: { type: 'string' } }),
      ]),
    )
    const wires = Array.from({ length: length - 1 }, (_, index) => `s${index}.x > s${index + 1}.a`)
    return flowOf({ article: { type: 'string', required: true } }, steps, [
      'input.article > s0.a',
      ...wires,
      `s${length - 1}.x > output.x`,
    ])
  }
  const wake = (length: number) => {
    const it = begin(flowOfJobs(length))
    it.tell(pay('s0', '0.002'))
    return often(() => it.tell({ event: 'woken' }))
  }
  expect(cpuRatio(wake(200), wake(50), 10)).toBeLessThan(10)
  const check = (length: number) => often(() => checkFlow(flowOfJobs(length)))
  expect(cpuRatio(check(200), check(50), 10)).toBeLessThan(10)
})

const often = (work: () => unknown) => (): void => {
  for (let time = 0; time < 10; time += 1) work()
}
