import { expect, test } from 'vitest'
import { warningsOf } from './checked-agent.ts'

const agent = { declaration: undefined, terms: undefined, clockAheadSeconds: 0 }
const of = (url: string, mode: 'dev' | 'paid' | 'locked'): readonly string[] =>
  warningsOf({ ...agent, url, mode }).map(({ warning }) => warning)

test('a public agent in dev mode gets a warning: it works for free', () => {
  expect(of('https://agent.example', 'dev')).toEqual([
    'this agent is in dev mode at a public address: it works for everybody, for nothing',
  ])
  expect(of('https://agent.example', 'paid')).toEqual([])
})

test('an agent that accepts no payment, or has no https, gets a warning', () => {
  expect(of('https://agent.example', 'locked')).toEqual([
    'every payment is answered 401: FACILITATOR_SECRET is missing, or refused',
  ])
  expect(of('http://10.0.0.7:3000', 'paid')).toEqual(['callers and the platform take https alone'])
})

test('an agent on this machine gets no such warning', () => {
  for (const mode of ['dev', 'locked', 'paid'] as const) expect(of('http://localhost:3000', mode)).toEqual([])
})

test.each([
  [300, 'behind'],
  [-300, 'ahead of'],
])(
  'a clock that differs by %i s is reported for every agent, without saying which clock is wrong',
  (ahead, side) => {
    const [first] = warningsOf({
      ...agent,
      url: 'http://localhost:3000',
      mode: 'dev',
      clockAheadSeconds: ahead,
    })
    expect(first?.warning).toBe(
      `the agent's clock is 300 s ${side} this machine's, by the Date of its answers`,
    )
    expect(first?.next).toMatch(/compare both with a time server/)
  },
)
