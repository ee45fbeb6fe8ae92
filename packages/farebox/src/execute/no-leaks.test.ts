import { getActiveResourcesInfo } from 'node:process'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { expect, test } from 'vitest'
import { createAgent } from '../agent/create-agent.ts'
import type { Job } from '../jobs/job.ts'
import { createMemoryStore } from '../jobs/memory-store.ts'
import { createLog } from '../log.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { stageDeclaration, WALLET } from './staged-payment.test-setup.ts'
import { readAnswer } from './staged-request.test-setup.ts'

test('DDL-11 ten thousand jobs leave no timer and no listener, and the memory store deletes them', async () => {
  const fake = createFakeClock()
  const timers = { open: 0 }
  // Real timers, counted by the test, with the fake clock's time, so that the store's time can be advanced.
  const clock: Clock = {
    nowMs: fake.nowMs,
    after(delayMs, callback) {
      timers.open += 1
      let waits = true
      const done = (): void => {
        if (waits) timers.open -= 1
        waits = false
      }
      const cancel = systemClock.after(delayMs, () => {
        done()
        callback()
      })
      return () => {
        done()
        cancel()
      }
    },
  }
  const store = createMemoryStore(clock)
  const signals: AbortSignal[] = []
  const agent = await createAgent({
    declaration: stageDeclaration,
    handlers: {
      work: ({ text }, { signal }) => {
        if (signals.length < 100) signals.push(signal)
        return { text }
      },
      cheap: ({ text }) => ({ text }),
    },
    variables: { SERVICE_DEV_MODE: 'true', AGENT_WALLET_ADDRESS: WALLET },
    ports: {
      clock,
      log: createLog({ format: 'text', write: () => undefined, nowMs: clock.nowMs }),
      jobStore: { store, name: 'memory:', shared: false, close: () => Promise.resolve() },
    },
  })
  const before = countTimers()
  const deadline = clock.nowMs() / 1_000 + 30
  const jobIds: string[] = []
  const run = async (): Promise<void> => {
    const jobId = crypto.randomUUID()
    jobIds.push(jobId)
    const body = JSON.stringify({
      service_version: '1.0',
      job_id: jobId,
      task: { input: { text: 'hi' } },
      deadline,
    })
    const response = await agent.fetch(
      new Request('http://a/execute', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      }),
    )
    if (response.status !== 200) throw new Error((await readAnswer(response)).text)
  }
  for (let batch = 0; batch < 100; batch += 1) await Promise.all(Array.from({ length: 100 }, run))

  // One timer for the leases, which ends when no job is held.
  expect(timers.open).toBeLessThanOrEqual(1)
  expect(countTimers() - before).toBeLessThanOrEqual(1)
  expect(signals.filter(signal => signal.aborted)).toEqual([])
  await agent.close()
  expect(timers.open).toBe(0)

  const keyOf = (jobId = ''): string => `dev ${WALLET}  Stage/${jobId}`
  expect((await store.read(keyOf(jobIds[0])))?.job.state).toBe('settled')
  await fake.advance(601_000)
  const job: Job = { version: 1, state: 'running', payer: '', deadlineMs: 0, overran: false }
  await store.claim({ jobKey: 'sweeps', fence: 'f', leaseMs: 1, keepMs: 1, job })
  for (const jobId of jobIds) expect(await store.read(keyOf(jobId))).toBeUndefined()
})

function countTimers(): number {
  return getActiveResourcesInfo().filter(resource => resource === 'Timeout').length
}
