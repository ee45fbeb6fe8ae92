import { expect, test } from 'vitest'
import { createOwnOutageJudge, MIN_HOSTS, type Vote } from './own-outage-judge.ts'

function vote(host: number, passed: boolean, atMs = 0): Vote {
  const name = `agent-${host}.example`
  return {
    agentId: host,
    agent: { endpoint: `https://${name}`, calledFor: undefined, name },
    host: name,
    atMs,
    passed,
  }
}

function judge(
  votes: readonly Vote[],
  maxAgeMs = 600_000,
): ReturnType<ReturnType<typeof createOwnOutageJudge>['suspicion']> {
  const judging = createOwnOutageJudge(maxAgeMs)
  for (const one of votes) judging.observe(one)
  return judging.suspicion()
}

const hosts = (count: number, failed: number): readonly Vote[] =>
  Array.from({ length: count }, (_, host) => vote(host, host >= failed))

test('HLT-03 failures of more than three in ten of at least twenty hosts are suspicious', () => {
  expect(judge(hosts(20, 6))).toBeUndefined()
  expect(judge(hosts(20, 7))).toMatchObject({ failed: { length: 7 }, passed: { length: 13 } })
  expect(judge(hosts(MIN_HOSTS - 1, MIN_HOSTS - 1))).toBeUndefined()
  expect(judge(hosts(1_000, 300))).toBeUndefined()
  expect(judge(hosts(1_000, 301))).toBeDefined()
})

test('HLT-03 a thousand agents of one host count as one vote', () => {
  const oneHost = Array.from({ length: 1_000 }, (_, agentId) => ({ ...vote(0, false), agentId }))
  expect(judge([...oneHost, ...hosts(20, 0).slice(1)])).toBeUndefined()
})

test('HLT-03 votes far apart in time do not count together, unless there are no closer ones', () => {
  const spread = (stepMs: number): readonly Vote[] =>
    Array.from({ length: 40 }, (_, host) => vote(host, host >= 20, host * stepMs))
  // The newest twenty votes, which all passed, are within fifteen seconds, and only they count.
  expect(judge(spread(1_000))).toBeUndefined()
  expect(judge(spread(100))).toBeDefined()
  const slowly = Array.from({ length: 20 }, (_, host) => vote(host, host % 2 === 0, host * 20_000))
  expect(judge(slowly)).toBeDefined()
  expect(judge(slowly, 60_000)).toBeUndefined()
})

test('HLT-03 only the newest vote of a host counts', () => {
  expect(judge([...hosts(20, 20), ...hosts(20, 0)])).toBeUndefined()
  expect(judge([...hosts(20, 0), ...hosts(20, 7)])).toBeDefined()
})
