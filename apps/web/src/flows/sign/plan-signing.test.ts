import type { Flow } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import type { RunQuote } from '@farebox/platform-api/flows/run-quote'
import { expect, test } from 'vitest'
import { isSamePlan, planSigning } from './plan-signing.ts'

const job = (agent: string, price: string) =>
  ({
    kind: 'job',
    agent_id: 1,
    capability: 'work',
    pinned: {
      agent_name: agent,
      hash: 'a'.repeat(64),
      price,
      max_deadline_seconds: 5,
      input_schema: { text: { type: 'string' } },
      output_schema: { text: { type: 'string' } },
    },
  }) as const

const FLOW: Flow = {
  flow_version: 1,
  name: 'A flow',
  inputs: {},
  outputs: [],
  steps: {
    first: job('First', '0.002'),
    second: { ...job('Second', '0.005'), label: 'Drawing' },
    ask: { kind: 'approval', question: 'Go on?' },
    third: job('Third', '0.01'),
    each: { ...job('Each', '0.003'), map: { port: 'text', most: 4 } },
  },
  wires: [
    { from: { step: 'second', port: 'text' }, to: { step: 'ask', port: 'value' } },
    { from: { step: 'ask', port: 'approved' }, to: { step: 'third', port: 'text' } },
  ],
}

type QuotedJob = RunQuote['jobs'][number]

function quoted(step: string, amount: string | null, more: Partial<QuotedJob> = {}): QuotedJob {
  const atomic = String(Math.round(Number(amount) * 1e6))
  return {
    key: step,
    step,
    sign: 'now',
    valid_for_seconds: 935,
    error: amount === null ? 'The agent did not answer.' : null,
    quote:
      amount === null
        ? null
        : {
            agent_id: 1,
            capability: 'work',
            amount,
            amount_atomic: atomic,
            pay_to: `0x${'1'.repeat(40)}`,
            network: 'eip155:84532',
            asset: `0x${'2'.repeat(40)}`,
            asset_domain: { name: 'USDC', version: '2' },
            payment_requirement: {
              scheme: 'exact',
              network: 'eip155:84532',
              asset: `0x${'2'.repeat(40)}`,
              amount: atomic,
              payTo: `0x${'1'.repeat(40)}`,
              maxTimeoutSeconds: 60,
              extra: { name: 'USDC', version: '2' },
            },
            max_timeout_seconds: 60,
            max_deadline_seconds: 5,
            price_changed: null,
            input_schema: {},
            endpoint: 'https://agent.example/execute',
          },
    ...more,
  }
}

const LATER = { sign: 'later' } as const
const plan = (...jobs: readonly QuotedJob[]) =>
  planSigning(buildGraph(FLOW), { jobs: [...jobs], total: '0' }, 1_000.5)

test('payments signed now are added up, and the total counts lists at their maximum', () => {
  const { now, later, atStart, atMost, problems, changes } = plan(
    quoted('first', '0.002'),
    quoted('second', '0.005'),
    quoted('third', '0.01', LATER),
    quoted('each', '0.003', { ...LATER, key: 'each#0' }),
    quoted('each', '0.003', { ...LATER, key: 'each#1' }),
  )
  expect(now.map(({ name, quote }) => [name, quote.amount])).toEqual([
    ['First', '0.002'],
    ['Drawing', '0.005'],
  ])
  expect(now.map(({ usableUntil }) => usableUntil)).toEqual([1_935, 1_935])
  expect(later.map(({ name, most, why }) => [name, most, why])).toEqual([
    ['Third', 1, 'signed after approval'],
    ['Each', 4, 'one for each item in “text”, signed when the list is ready'],
  ])
  expect([atStart, atMost]).toEqual(['0.007', '0.029'])
  expect([problems, changes]).toEqual([[], []])
})

test('a price that differs from the flow is a change, even if it is lower', () => {
  const { changes, atStart } = plan(quoted('first', '0.0020'), quoted('second', '0.004'))
  expect(changes).toEqual([{ key: 'second', name: 'Drawing', from: '0.005', to: '0.004' }])
  expect(atStart).toBe('0.006')
})

test('an agent without a price prevents a start only if it is paid at the start', () => {
  const { now, problems, later } = plan(quoted('first', null), quoted('third', null, LATER))
  expect(now).toEqual([])
  expect(problems).toEqual([{ name: 'First', sentence: 'The agent did not answer.' }])
  expect(later.map(({ price }) => price)).toEqual([undefined])
})

test('plans differ if another amount, wallet or endpoint is paid', () => {
  const one = plan(quoted('first', '0.002'))
  expect(isSamePlan(one, plan(quoted('first', '0.002')))).toBe(true)
  expect(isSamePlan(one, plan(quoted('first', '0.003')))).toBe(false)
  const { quote } = quoted('first', '0.002')
  if (quote === null) throw new Error('it has a quote')
  const other = { quote: { ...quote, pay_to: `0x${'3'.repeat(40)}` } }
  expect(isSamePlan(one, plan(quoted('first', '0.002', other)))).toBe(false)
})
