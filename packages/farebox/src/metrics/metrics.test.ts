import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createProject, DEV, listening, waitJob } from '../commands/run-farebox.test-setup.ts'
import { stageAgent, type Stage } from '../execute/paid-stage.test-setup.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { after } from '../execute/staged-request.test-setup.ts'
import { readProcess } from '../read-process.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

describe('GET /metrics of an agent', () => {
  test('counts jobs by capability and outcome, and reports unknown settlements', async () => {
    const stage = await stageAgent({
      variables: { SERVICE_METRICS_PORT: '0' },
    })
    stops.push(() => stage.agent.close())
    await stage.agent.listen({ port: 0, host: '127.0.0.1' })
    const url = metricsUrl(stage)

    await stage.post({ payment: null })
    const jobId = randomUUID()
    const payment = await stage.sign({ jobId })
    expect((await stage.post({ jobId, payment })).status).toBe(200)
    await stage.post({ jobId, payment })
    await stage.post({ capability: 'cheap', input: { text: 1.5, '__proto__"} 1': 1 }, jobId: 'x\n1' })
    stage.work = () => {
      throw new Error('broken')
    }
    const failing = randomUUID()
    await stage.post({ jobId: failing, payment: await stage.sign({ jobId: failing }) })

    const text = await (await fetch(url)).text()
    expect(text).toMatch(
      /^farebox_agent_jobs_total\{capability="",outcome="asked_to_pay",error_type=""\} 1$/m,
    )
    expect(text).toMatch(
      /^farebox_agent_jobs_total\{capability="work",outcome="repeated",error_type=""\} 1$/m,
    )
    expect(text).toMatch(
      /^farebox_agent_jobs_total\{capability="",outcome="refused",error_type="validation"\} 1$/m,
    )
    expect(text).toMatch(
      /^farebox_agent_jobs_total\{capability="work",outcome="failed",error_type="internal"\} 1$/m,
    )
    for (const step of ['look_up', 'claim', 'verify', 'handler', 'save', 'settle', 'whole'])
      expect(text).toMatch(new RegExp(`^farebox_agent_step_seconds_count\\{step="${step}"\\} [1-9]`, 'm'))
    expect(text).toMatch(/^farebox_agent_facilitator_seconds_count\{call="settle",outcome="settled"\} 1$/m)
    expect(text).toMatch(/^farebox_agent_settlement_seconds_count\{outcome="settled"\} 1$/m)
    expect(text).toMatch(/^farebox_agent_settlements_unknown 0$/m)
    expect(text).toMatch(/^farebox_agent_store_seconds_count\{operation="claim"\} 2$/m)
    expect(text).toMatch(/^farebox_agent_nodejs_eventloop_lag_p99_seconds /m)
  })

  test('D32 /ready answers 503 from the stop on, while jobs are taken for SERVICE_DRAIN_SECONDS more', async () => {
    const clock = createFakeClock()
    const variables = { SERVICE_METRICS_PORT: '0', SERVICE_DRAIN_SECONDS: '5' }
    const stage = await stageAgent({ variables, clock })
    const port = await stage.agent.listen({ port: 0, host: '127.0.0.1' })
    const ready = metricsUrl(stage).replace(/metrics$/, 'ready')
    expect((await fetch(ready)).status).toBe(200)
    const ask = async (): Promise<Response> =>
      await fetch(`http://127.0.0.1:${port}/execute`, { method: 'POST' })
    expect((await ask()).headers.get('connection')).toBe('keep-alive')

    const closing = stage.agent.close()
    expect((await fetch(ready)).status).toBe(503)
    await clock.advance(4_900)
    const late = await ask()
    expect([late.status, late.headers.get('connection')]).toEqual([402, 'close'])
    await clock.advance(100)
    expect((await stage.post()).status).toBe(503)
    await clock.advance(25_000)
    await closing
  })

  test('D8 counts a settlement with an unknown outcome until it is known', async () => {
    const stage = await stageAgent({ variables: { SERVICE_METRICS_PORT: '0' }, settleWaitMs: 100 })
    stops.push(() => stage.agent.close())
    await stage.agent.listen({ port: 0, host: '127.0.0.1' })
    stage.gate.settles.push({ kind: 'unknown', cause: 'scripted' }, { kind: 'unknown', cause: 'scripted' })
    const jobId = randomUUID()
    const payment = await stage.sign({ jobId })
    expect((await after(stage.clock, 100, stage.post({ jobId, payment }))).status).toBe(503)
    const read = async (): Promise<string> => await (await fetch(metricsUrl(stage))).text()
    expect(await read()).toMatch(/^farebox_agent_settlements_unknown 1$/m)
    expect(await read()).toMatch(/^farebox_agent_settlements_unknown_oldest_seconds 0\.\d*[1-9]/m)
    expect(await read()).toMatch(
      /^farebox_agent_jobs_total\{capability="work",outcome="pending",error_type=""\} 1$/m,
    )
    await stage.clock.advance(10_000)
    expect((await stage.post({ jobId, payment })).status).toBe(200)
    await expect.poll(read).toMatch(/^farebox_agent_settlements_unknown 0$/m)
    expect(await read()).toMatch(/^farebox_agent_settlements_open 0$/m)
  })

  test('D31 is served on a separate port, with no other routes', async () => {
    const stage = await stageAgent({ variables: { SERVICE_METRICS_PORT: '0' } })
    stops.push(() => stage.agent.close())
    const port = await stage.agent.listen({ port: 0, host: '127.0.0.1' })
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404)
    const url = metricsUrl(stage)
    for (const path of ['/', '/about', '/health', '/metrics?', '/metrics/'])
      expect((await fetch(new URL(path, url))).status).toBe(path === '/metrics?' ? 200 : 404)
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
  })

  test('an agent whose metrics port is in use does not start, and the error names the variable', async () => {
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    stops.push(() => new Promise(resolve => taken.close(resolve)))
    const { port } = taken.address() as AddressInfo
    const project = await createProject()
    stops.push(() => project.remove())
    for (const workers of ['1', '2']) {
      const running = project.farebox(['start', '--port', '0', '--workers', workers], {
        ...DEV,
        SERVICE_STORE: 'lmdb:jobs',
        SERVICE_METRICS_PORT: String(port),
      })
      const { code, stderr } = await running.ended
      expect(code).toBe(1)
      expect(stderr).toContain(`SERVICE_METRICS_PORT cannot be listened on: 127.0.0.1:${port} is taken`)
    }
  })
})

test('one scrape covers all workers, including those that have ended', async () => {
  const project = await createProject()
  stops.push(() => project.remove())
  const running = project.farebox(['start', '--port', '0', '--host', '127.0.0.1', '--workers', '3'], {
    ...DEV,
    SERVICE_STORE: 'lmdb:jobs',
    SERVICE_METRICS_PORT: '0',
  })
  const url = await listening(running)
  const metrics = /metrics are served.* url=(\S+)/.exec(running.output())?.[1] ?? ''
  const count = async (): Promise<{ readonly free: number; readonly workers: number }> => {
    const text = await (await fetch(metrics)).text()
    const free = /^farebox_agent_jobs_total\{.*outcome="free".*\} (\d+)$/m.exec(text)?.[1]
    return { free: Number(free ?? 0), workers: Number(/^farebox_agent_workers (\d+)$/m.exec(text)?.[1]) }
  }
  const pids: number[] = []
  for (let job = 0; job < 6; job += 1) {
    const { output } = (await (await waitJob(url, 1)).json()) as { readonly output: { readonly pid: number } }
    pids.push(output.pid)
  }
  expect(await count()).toEqual({ free: 6, workers: 3 })
  process.kill(pids[0] ?? 0, 'SIGKILL')
  await expect.poll(async () => await readProcess(pids[0] ?? 0)).toBeUndefined()
  await expect.poll(count).toEqual({ free: 6, workers: 3 })
  await waitJob(url, 1)
  expect((await count()).free).toBe(7)
})

/** The URL from the log, because the system chose the port. */
function metricsUrl(stage: Stage): string {
  return /url=(\S+)/.exec(stage.logs().find(line => line.startsWith('metrics are served')) ?? '')?.[1] ?? ''
}
