import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@farebox/protocol/time/clock'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openJobStore } from '../jobs/open-job-store.ts'
import { startHired, type HiredAgent } from './test-setup/hired-agent.ts'
import { createHiringAgent, HIRING_ADDRESS } from './test-setup/hiring-agent.ts'

const REDIS = 'redis://127.0.0.1:6379/0'
const PREFIX = `farebox-test-${randomUUID()}`

let scratch: string
let child: HiredAgent
const started: ChildProcess[] = []
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'farebox-hires-'))
  child = await startHired({
    funded: [HIRING_ADDRESS],
    // Long enough for the agent to be killed during the job.
    work: async text => {
      await new Promise(resolve => setTimeout(resolve, 600))
      return `${text}!`
    },
  })
})
afterAll(async () => {
  // A process that was not killed as expected.
  for (const one of started) one.kill('SIGKILL')
  await child.close()
  await rm(scratch, { recursive: true, force: true })
})

const stores: { readonly [name: string]: string } = {
  lmdb: '',
  ...((await answers()) && { redis: `${REDIS}?prefix=${PREFIX}` }),
}
if (!('redis' in stores))
  console.log('killed-hires: no Redis at 127.0.0.1:6379, so hires in it are not killed here')
else
  afterAll(async () => {
    const admin = new Redis(REDIS)
    const keys = await admin.keys(`${PREFIX}:*`)
    if (keys.length > 0) await admin.del(keys)
    await admin.quit()
  })

describe.each(Object.keys(stores))('a hiring agent with its jobs in %s', name => {
  // The tests run concurrently, because each waits ten seconds until the lease of the killed process has ended.
  test.concurrent.each([
    ['after the price counts', 'reserved', 0],
    ['after the order is kept', 'ordered', 0],
    ['after the order is sent', 'sent', 1],
    ['after the answer, before it is kept', 'answered', 1],
  ])('killed %s, sends the same order from the next replica, charged once', async (_, window, sent) => {
    const setting = name === 'lmdb' ? `lmdb:${join(scratch, window)}` : (stores[name] ?? '')
    const jobId = randomUUID()
    const before = (): readonly string[] => child.paid.filter(isOf(text)).map(({ payment = '' }) => payment)
    const text = `${name} ${window}`
    const killed = fork(
      new URL('./hire-and-die.child.ts', import.meta.url),
      [setting, child.url, jobId, window, text],
      { execArgv: ['--conditions=@farebox/source', '--import', 'tsx'], stdio: 'inherit' },
    )
    started.push(killed)
    const [, signal] = (await once(killed, 'exit')) as [number | null, string | null]
    expect(signal).toBe('SIGKILL')
    expect(before()).toHaveLength(sent)

    const opened = await openJobStore(setting, systemClock)
    const next = await createHiringAgent({
      jobStore: opened,
      async work({ hire, budget }, given) {
        const { output } = await hire(child.url, 'part', { text: given })
        return `${JSON.stringify(output)} ${(await budget()).job}`
      },
    })
    const ended = await next.run({ jobId, text })
    expect(ended).toMatchObject({ status: 200, text: `{"text":"${text}!"} 0.004` })
    expect(new Set(before()).size).toBe(1)
    expect(new Set(child.paid.filter(isOf(text)).map(({ body }) => body)).size).toBe(1)
    await next.agent.close()
    await opened.close()
  })
})

test('every child job of the previous tests was charged once', () => {
  expect(child.gate.counts().charged).toBe(4 * Object.keys(stores).length)
})

function isOf(text: string): (seen: { readonly body: string }) => boolean {
  return ({ body }) => body.includes(JSON.stringify(text))
}

async function answers(): Promise<boolean> {
  const probe = new Redis(REDIS, { lazyConnect: true, retryStrategy: () => null })
  probe.on('error', () => undefined)
  const isThere = await probe.connect().then(
    () => true,
    () => false,
  )
  probe.disconnect()
  return isThere
}
