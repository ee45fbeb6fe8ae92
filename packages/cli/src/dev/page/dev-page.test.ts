import { createServer, type AddressInfo, type Server } from 'node:net'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterEach, expect, test } from 'vitest'
import { COUNTER } from '../../testing/served-agent.ts'
import type { Serving } from '../messages/messages.ts'
import { startDevPage, type DevPage } from './dev-page.ts'

const stopping: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop()
})

async function start(options: Partial<Parameters<typeof startDevPage>[0]> = {}): Promise<DevPage> {
  const page = await startDevPage({ clock: systemClock, agentPort: 3000, paid: () => undefined, ...options })
  stopping.push(() => page.stop())
  return page
}

/** Occupies a port. */
async function occupy(port: number): Promise<number> {
  const other: Server = createServer()
  await new Promise<void>((resolve, reject) => {
    other.once('error', reject)
    other.listen(port, '127.0.0.1', resolve)
  })
  stopping.push(() => new Promise(resolve => other.close(resolve)))
  return (other.address() as AddressInfo).port
}

test('a requested port that is in use is refused, with the next step', async () => {
  const taken = await occupy(0)
  await expect(start({ port: taken })).rejects.toMatchObject({
    message: `the page cannot listen: port ${taken} is taken`,
    next: expect.stringContaining('--page-port'),
  })
})

test('a default port that is in use does not stop the start, whether another process or the agent uses it', async () => {
  const pages = [await start(), await start(), await start({ agentPort: 5170 })]
  expect(new Set(pages.map(({ url }) => url)).size).toBe(3)
  expect(pages[1]?.url).not.toBe('http://127.0.0.1:5170')
  expect(pages[2]?.url).not.toBe('http://127.0.0.1:5170')
})

test('a page that connects later is shown the version served before', async () => {
  const page = await start({ port: 0 })
  const description = {
    name: 'Teller',
    url: 'http://127.0.0.1:3000',
    mode: '',
    wallet: '',
    capabilities: ['count'],
    lines: [],
    samples: [],
    sampled: [],
    next: [],
  }
  const declaration = { ...COUNTER, wallet: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65' }
  const serving: Serving = {
    kind: 'serving',
    port: 3000,
    logFormat: 'text',
    isDebugged: false,
    description,
    declaration,
    sources: { files: [] },
  }
  page.serving(serving)
  const stream = (await fetch(`${page.url}/events`)).body?.pipeThrough(new TextDecoderStream()).getReader()
  let told = ''
  while (!told.includes('event: lines')) told += (await stream?.read())?.value ?? ''
  await stream?.cancel()
  const view = JSON.parse(/event: view\ndata: (.*)\n/.exec(told)?.[1] ?? '') as object
  expect(view).toMatchObject({ version: 1, phase: 'serving', agent: { capabilities: [{ name: 'count' }] } })
})

test('without a served agent no job runs', async () => {
  const { url } = await start({ port: 0 })
  const job = { job_id: crypto.randomUUID(), capability: 'count', input: {} }
  const answer = await fetch(`${url}/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(job),
  })
  expect(answer.status).toBe(409)
  expect(await answer.json()).toEqual({ error: 'no version of the agent is served' })
})
