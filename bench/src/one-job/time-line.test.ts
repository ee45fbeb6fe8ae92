import { describe, expect, test } from 'vitest'
import { coveredMs, divideJob, middleParts, type SeenJob } from './time-line.ts'

const call = (path: string, beginMs: number, endMs: number) => ({
  asked: `POST ${path} HTTP/1.1\r\nhost: …`,
  beginMs,
  endMs,
})

describe('the time of a job', () => {
  test('is divided among agent, facilitator, chain and database without a rest', () => {
    const parts = divideJob({
      beginMs: 100,
      endMs: 120,
      calls: [call('/verify', 103, 107), call('/settle', 109, 118)],
      chain: [call('/', 104, 105), call('/', 110, 113)],
      database: [call('', 104.5, 106), call('', 114, 116)],
    })
    expect(parts.map(({ name, ms }) => [name, ms])).toEqual([
      ['agent: reads and claims', 3],
      ['/verify: chain', 1],
      ['/verify: PostgreSQL', 1],
      ['/verify: facilitator', 2],
      ['agent: runs and saves', 2],
      ['/settle: chain', 3],
      ['/settle: PostgreSQL', 2],
      ['/settle: facilitator', 4],
      ['agent: records, answers', 2],
    ])
  })

  test('has no /verify where the agent leaves it to /settle', () => {
    const parts = divideJob({
      beginMs: 0,
      endMs: 10,
      calls: [call('/settle', 4, 9)],
      chain: [],
      database: [],
    })
    expect(parts.filter(({ ms }) => ms > 0).map(({ ms }) => ms)).toEqual([4, 5, 1])
  })

  test('cannot be divided where nothing was settled', () => {
    const job = { beginMs: 0, endMs: 10, calls: [call('/verify', 1, 2)], chain: [], database: [] }
    expect(() => divideJob(job)).toThrow('/settle was not asked')
  })
})

test('time that several cover at once is counted once, and only within the span', () => {
  const others = [
    { beginMs: 6, endMs: 20 },
    { beginMs: -5, endMs: 2 },
    { beginMs: 1, endMs: 3 },
    { beginMs: 7, endMs: 8 },
  ]
  expect(coveredMs({ beginMs: 0, endMs: 10 }, others)).toBe(3 + 4)
})

test('the parts of the jobs in the middle leave out the fastest and the slowest', () => {
  const job = (endMs: number): SeenJob => ({
    beginMs: 0,
    endMs,
    calls: [call('/settle', 1, 2)],
    chain: [],
    database: [],
  })
  const parts = middleParts([job(3), job(900), job(4), job(5), job(2)])
  expect(parts.at(-1)).toEqual({ who: 'agent', name: 'agent: records, answers', ms: 2 })
})
