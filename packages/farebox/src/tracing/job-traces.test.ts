import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { createJobTraces } from './job-traces.ts'
import { traceLog } from './traced-log.ts'

const JOB = '3f2c9f2e-3a3e-4d58-9d0a-4dd5c1c1b0aa'
const ONE = 'a1'.repeat(16)
const OTHER = 'b2'.repeat(16)

function stageLog() {
  const lines: string[] = []
  const jobs = createJobTraces()
  const options = { write: (text: string) => lines.push(text.trimEnd()), nowMs: () => 0 }
  const log = traceLog(createLog({ format: 'text', ...options }), jobs)
  return {
    jobs,
    lineOf(write: () => void): string {
      write()
      log.flush()
      return lines.pop() ?? ''
    },
    log,
  }
}

test('D27 the lines of a job in flight begin with the interface’s words, and end with its trace and its payment', () => {
  const { jobs, lineOf, log } = stageLog()
  const traced = { trace: ONE, key: undefined as string | undefined }
  jobs.enter(JOB, traced)
  expect(lineOf(() => log.job('execute', JOB, { capability: 'count' }))).toBe(
    `execute job=${JOB} capability=count trace=${ONE}`,
  )
  traced.key = '84532:0x1:0x2:0x3'
  const end = `trace=${ONE} key=84532:0x1:0x2:0x3`
  expect(lineOf(() => log.job('input valid', JOB))).toBe(`input valid job=${JOB} ${end}`)
  expect(lineOf(() => log.job('output valid', JOB, { ms: 3 }))).toBe(`output valid ms=3 job=${JOB} ${end}`)
  expect(lineOf(() => log.job('handler error: no', JOB, { at: 'x.ts:1:2' }))).toBe(
    `handler error: no job=${JOB} at=x.ts:1:2 ${end}`,
  )
  expect(lineOf(() => log.warn('odd', { cause: 'x', job: JOB }))).toBe(
    `warning: odd cause=x job=${JOB} ${end}`,
  )
  expect(lineOf(() => log.note('odd', { job: JOB }))).toBe(`odd job=${JOB} ${end}`)
})

test('lines about no job, or about a job that is not in flight, are unchanged', () => {
  const { jobs, lineOf, log } = stageLog()
  const leave = jobs.enter(JOB, { trace: ONE, key: 'its-key' })
  expect(lineOf(() => log.note('started'))).toBe('started')
  expect(lineOf(() => log.job('stray', 'another'))).toBe('stray job=another')
  leave()
  expect(lineOf(() => log.job('stray', JOB))).toBe(`stray job=${JOB}`)
})

test('a later request for the same job changes the trace of its lines only when the first is over', () => {
  const { jobs } = stageLog()
  const first = jobs.enter(JOB, { trace: ONE, key: 'one' })
  const second = jobs.enter(JOB, { trace: OTHER, key: 'other' })
  expect(jobs.fieldsOf(JOB)).toEqual({ trace: ONE, key: 'one' })
  first()
  expect(jobs.fieldsOf(JOB)).toEqual({ trace: OTHER, key: 'other' })
  second()
  expect(jobs.fieldsOf(JOB)).toBeUndefined()
})

test('the request that claimed a job gives its lines their trace, whichever came first', () => {
  const { jobs } = stageLog()
  const claiming = { trace: OTHER, key: 'other' }
  const first = jobs.enter(JOB, { trace: ONE, key: 'one' })
  const second = jobs.enter(JOB, claiming)
  jobs.lead(JOB, claiming)
  const release = jobs.keep(JOB)
  expect(jobs.fieldsOf(JOB)).toEqual({ trace: OTHER, key: 'other' })
  second()
  expect(jobs.fieldsOf(JOB)).toEqual({ trace: OTHER, key: 'other' })
  release()
  expect(jobs.fieldsOf(JOB)).toEqual({ trace: ONE, key: 'one' })
  first()
  expect(jobs.fieldsOf(JOB)).toBeUndefined()
})

test('a line with a trace of its own keeps it', () => {
  const { jobs, lineOf, log } = stageLog()
  jobs.enter(JOB, { trace: ONE, key: 'one' })
  expect(lineOf(() => log.job('refused', JOB, { trace: OTHER }))).toBe(`refused job=${JOB} trace=${OTHER}`)
})

test('a job that is kept stays in the list when its request is over, and a job is removed once', () => {
  const { jobs } = stageLog()
  const leave = jobs.enter(JOB, { trace: ONE, key: undefined })
  const release = jobs.keep(JOB)
  leave()
  expect(jobs.fieldsOf(JOB)).toEqual({ trace: ONE })
  release()
  release()
  expect(jobs.fieldsOf(JOB)).toBeUndefined()
  jobs.keep(JOB)()
  expect(jobs.fieldsOf(JOB)).toBeUndefined()
})

test('the list is bounded: further jobs are logged without a trace', () => {
  const { jobs } = stageLog()
  const leaves = Array.from({ length: 50_001 }, (_, index) =>
    jobs.enter(String(index), { trace: ONE, key: undefined }),
  )
  expect(jobs.fieldsOf('49999')).toBeDefined()
  expect(jobs.fieldsOf('50000')).toBeUndefined()
  for (const leave of leaves) leave()
  jobs.enter('50001', { trace: ONE, key: undefined })
  expect(jobs.fieldsOf('50001')).toBeDefined()
})
