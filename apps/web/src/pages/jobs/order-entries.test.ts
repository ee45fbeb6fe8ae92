import type { RunsAnswer } from '@farebox/platform-api/flows/runs'
import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import { expect, test } from 'vitest'
import type { KeptRun } from '../../kept/kept-run.ts'
import { mergeEntries, type RunEntry } from './order-entries.ts'
import { KINDS, sumJobs } from './sum-jobs.ts'

const RUN: KeptRun = {
  run_id: 'run-1',
  flow: { flow_version: 1, name: 'Article card', inputs: {}, outputs: [], steps: {}, wires: [] },
  input: {},
  max_total: '0.017',
  unsent: [],
  is_started: true,
  payer: '0x1',
  wallet: 'Test wallet',
  created_at: 1_000,
  seen: {
    status: 'waiting',
    needs: 'retry',
    paid: '0.012',
    exposed: '0.005',
    done: 2,
    steps: 3,
    changed_at: 1_010,
    ended_at: null,
  },
}

const OWN: RunsAnswer['runs'][number] = {
  run_id: 'run-1',
  flow_id: null,
  name: 'Article card',
  status: 'completed',
  paid: '0.017',
  max_total: '0.017',
  created_at: 1_000,
  changed_at: 1_020,
}

const JOB: PayerJobs['jobs'][number] = {
  job_id: 'job-1',
  run_id: 'run-1',
  agent_id: 1,
  agent_name: 'Summary',
  capability: 'summarize',
  status: 'completed',
  charged: true,
  amount: '0.01',
  created_at: 1_001,
  finished_at: 1_002,
  elapsed_ms: 900,
  error_type: null,
  error: null,
  payment: { status: 'paid', transaction: '0x2', usable_until: 2_000 },
}

const NOBODY = { jobs: [], runs: [] }

function runOf(list: ReturnType<typeof mergeEntries>): RunEntry {
  const run = list.find(one => one.kind === 'run')
  if (run?.kind !== 'run') throw new Error('no run is listed')
  return run
}

test('lists a run of this browser with its steps and the reason why it waits', () => {
  const run = runOf(mergeEntries([], [RUN], NOBODY))
  expect(run).toMatchObject({ outcome: 'stopped', paid: '0.012', steps: { done: 2, all: 3 } })
})

test('lists the platform’s state of a run if it is newer than the state last seen here', () => {
  expect(runOf(mergeEntries([], [RUN], { jobs: [], runs: [OWN] }))).toMatchObject({
    outcome: 'paid',
    paid: '0.017',
    steps: { done: 2, all: 3 },
  })
  const older = { ...OWN, status: 'running' as const, changed_at: 1_005 }
  expect(runOf(mergeEntries([], [RUN], { jobs: [], runs: [older] })).outcome).toBe('stopped')
})

test('shows an unconfirmed run as sending, and a refused run as not started', () => {
  const { seen: _, ...unseen } = RUN
  const sending = { ...unseen, is_started: false }
  expect(runOf(mergeEntries([], [sending], NOBODY)).outcome).toBe('sending')
  const refused = { ...sending, refusal: { type: 'validation', sentence: 'article: is required' } }
  expect(runOf(mergeEntries([], [refused], NOBODY)).outcome).toBe('refused')
})

test('lists the jobs of a run within the run, and counts them once', () => {
  const listed = mergeEntries([], [RUN], { jobs: [JOB, { ...JOB, job_id: 'job-2', run_id: null }], runs: [] })
  expect(listed.map(({ kind }) => kind)).toEqual(['job', 'run'])
  const { paid, open, ordered } = sumJobs(listed)
  expect(ordered).toBe(2)
  expect(paid).toEqual({ count: 2, amount: '0.022' })
  expect(open).toEqual({ count: 1, amount: '0.005' })
  expect(listed.filter(KINDS.free)).toEqual([])
})

test('a run that ended half-way is paid for the delivered steps, and not charged for the others', () => {
  const half: KeptRun = {
    ...RUN,
    ...(RUN.seen !== undefined && { seen: { ...RUN.seen, status: 'failed', needs: null, paid: '0.01' } }),
  }
  const { paid, free, open } = sumJobs(mergeEntries([], [half], NOBODY))
  expect([paid, free]).toEqual([
    { count: 1, amount: '0.01' },
    { count: 1, amount: '0.007' },
  ])
  expect(open.count).toBe(0)
})

test('runs of one flow are distinguished by the beginning of their input', () => {
  const article = `The moon\n pulls the sea ${'and the sea follows '.repeat(9)}`
  const about = runOf(mergeEntries([], [{ ...RUN, input: { most: 3, article } }], NOBODY)).about
  expect(about).toBe('The moon pulls the sea and the sea follows and …')
  expect(runOf(mergeEntries([], [RUN], NOBODY)).about).toBe(undefined)
})
