import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createPorts, stageAgent, type Stage } from './paid-stage.test-setup.ts'
import { FAILED, UNKNOWN } from './scripted-gate.test-setup.ts'
import { after } from './staged-request.test-setup.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SENT = { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, tracestate: 'hostile=1' } }

function linesOf(stage: Stage, jobId: string): readonly string[] {
  return stage.logs().filter(line => line.includes(jobId))
}

test('every line of a paid job has the trace of its request and, from its payment on, the payment’s key', async () => {
  const stage = await stageAgent()
  const job = await stage.order()
  stage.work = ({ text }, { log }) => {
    log('at work')
    return { text }
  }
  expect((await stage.post({ ...job, ...SENT })).status).toBe(200)
  const lines = linesOf(stage, job.jobId)
  expect(lines.map(line => /^[a-z ]+(?= (?:job|ms)=)/.exec(line)?.[0])).toEqual([
    'execute',
    'payment verified',
    'input valid',
    'at work',
    'output valid',
    'completed',
  ])
  expect(lines[0]).toMatch(new RegExp(` trace=${TRACE}$`))
  const [key] = stage.gate.charged
  for (const line of lines.slice(1)) expect(line).toMatch(new RegExp(` trace=${TRACE} key=${key}$`))
  expect(lines.join()).not.toContain('hostile')
})

test.each([
  ['none', {}],
  ['one of another form', { headers: { traceparent: `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01` } }],
])('without a valid traceparent all lines of a job have one new trace: %s', async (_, sent) => {
  const stage = await stageAgent()
  const job = await stage.order()
  await stage.post({ ...job, ...sent })
  const traces = linesOf(stage, job.jobId).map(line => / trace=(\S+)/.exec(line)?.[1])
  expect(traces).toHaveLength(5)
  expect(new Set(traces).size).toBe(1)
  expect(traces[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(traces[0]).not.toBe(TRACE)
})

test('the lines of a failed job and of a refused one have its trace', async () => {
  const stage = await stageAgent()
  stage.work = () => {
    throw new Error('broken')
  }
  await stage.post(SENT)
  stage.gate.verifies.push({ kind: 'invalid', reason: 'insufficient_funds', message: 'too little' })
  await stage.post(SENT)
  stage.gate.verifies.push({ kind: 'unavailable', cause: 'no answer' })
  await stage.post(SENT)
  const lines = stage.logs().filter(line => / job=/.test(line))
  for (const line of lines) expect(line).toMatch(new RegExp(` trace=${TRACE}(?: key=84532:\\S+)?$`))
  expect(lines.join('\n')).toMatch(/handler error: broken[^]*refused[^]*returned no verdict/)
})

test('a handler that runs past its deadline still logs with the trace of its job', async () => {
  const stage = await stageAgent()
  const jobId = randomUUID()
  stage.work = async ({ text }, { log }) => {
    await new Promise<void>(resolve => void stage.clock.after(5_000, resolve))
    log('late')
    return { text }
  }
  const deadline = stage.clock.nowMs() / 1_000 + 2
  expect((await after(stage.clock, 2_000, stage.post({ jobId, deadline, ...SENT }))).status).toBe(408)
  await stage.clock.advance(5_000)
  expect(linesOf(stage, jobId).at(-1)).toMatch(new RegExp(`^late .* trace=${TRACE} key=`))
})

test('a repeat with another trace is found by it, and the lines of the run keep theirs', async () => {
  const stage = await stageAgent()
  const job = await stage.order()
  stage.takes(1_000)
  const first = stage.post({ ...job, ...SENT })
  const other = 'c3'.repeat(16)
  const again = stage.post({ ...job, headers: { traceparent: `00-${other}-00f067aa0ba902b7-01` } })
  await stage.clock.advance(1_000)
  expect((await first).status).toBe(200)
  expect((await again).status).toBe(200)
  const found = linesOf(stage, job.jobId)
  expect(found.filter(line => line.includes(other)).map(line => line.slice(0, 8))).toEqual(['execute '])
  expect(found.find(line => line.startsWith('completed'))).toContain(`trace=${TRACE}`)
})

test('a settlement that another process resumes has the trace of the request that ran the job', async () => {
  const { clock, store, gate } = createPorts()
  const first = await stageAgent({ clock, store, gate, settleWaitMs: 100 })
  const job = await first.order()
  gate.settles.push(UNKNOWN, UNKNOWN)
  expect((await after(clock, 150, first.post({ ...job, ...SENT }))).status).toBe(503)
  const stopped = first.agent.close()
  await clock.advance(2_000)
  await stopped
  gate.settles.splice(0, 2, UNKNOWN)
  const second = await stageAgent({ clock, store, gate })
  await clock.advance(5_000)
  const lines = linesOf(second, job.jobId)
  expect(lines.map(line => line.replace(/ (?:cause|job)=.*/, ''))).toEqual([
    'resuming a settlement that an earlier process left open',
    'warning: settlement outcome not known yet; asking again',
    'completed',
  ])
  for (const line of lines) expect(line).toMatch(new RegExp(` trace=${TRACE} key=84532:\\S+$`))
})

test('a job whose settlement failed, and a job in dev mode, have the trace as well', async () => {
  const stage = await stageAgent()
  stage.gate.settles.push(FAILED)
  expect((await stage.post(SENT)).status).toBe(402)
  expect(stage.logs().at(-1)).toMatch(new RegExp(`^refused .* trace=${TRACE} key=`))
  const dev = await stageAgent({ variables: { SERVICE_DEV_MODE: 'true' } })
  expect((await dev.post({ ...SENT, payment: null })).status).toBe(200)
  const lines = dev.logs().filter(line => / job=/.test(line))
  expect(lines).toHaveLength(4)
  for (const line of lines) expect(line).toMatch(new RegExp(` trace=${TRACE}$`))
})
