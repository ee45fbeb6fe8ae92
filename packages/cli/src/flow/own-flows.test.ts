import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentDrift } from '@farebox/platform-api/flows/drift'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openRegistrationJournal } from '../register/platform/registration-journal.ts'
import { runCli } from '../run-cli.ts'
import { createTestWorld } from '../testing/test-world.ts'

const DECLARATION = {
  service_version: '1.0',
  name: 'Text statistics',
  description: 'Counts what is in a text.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 5,
  capabilities: {
    count: {
      description: 'Words of a text.',
      pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true } },
      output_schema: { words: { type: 'integer' } },
    },
  },
}

const BREAKS: AgentDrift = {
  flows: 12,
  changed: [
    { capability: 'count', change: 'changed', flows: 10 },
    { capability: 'reading', change: 'gone', flows: 2 },
    { capability: 'frequent', change: 'changed', flows: 3 },
  ],
  examined: 12,
  affected: 9,
  broken: [
    { capability: 'count', flows: 7, reason: 'it gives no “words” any more' },
    { capability: 'count', flows: 1, reason: 'it requires “language”, which they do not give' },
    { capability: 'reading', flows: 2, reason: 'it is not offered any more' },
  ],
}
const SAME: AgentDrift = { flows: 12, changed: [], examined: 0, affected: 0, broken: [] }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-own-flows-'))
  await writeFile(join(folder, 'agent.json'), JSON.stringify(DECLARATION))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A platform that sends this response and records the requests. */
async function platformThatSays(drift: AgentDrift): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      if (text !== '') asked.push(text)
      const answer = request.url?.startsWith('/v1/agents/at') === true ? { agent_id: 7, name: 'Me' } : drift
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

async function check(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const { world, out, err } = createTestWorld({ folder })
  return { code: await runCli(['check', '--flows', ...words], world), out: out(), err: err() }
}

test('each changed capability is listed with the flows that use it, and what would break them', async () => {
  const { url, asked } = await platformThatSays(BREAKS)
  expect(await check('--agent-id', '3', '--platform', url)).toEqual({
    code: 1,
    err: '',
    out: `Text statistics   agent 3, 12 flows order from it

  ✗ count     changed  10 flows
    7  it gives no “words” any more
    1  it requires “language”, which they do not give
  ✗ reading   gone     2 flows
    2  it is not offered any more
  ✓ frequent  changed  3 flows

✗ 9 of 12 flows that were checked could not be run any more
  keep what they use, and add beside it; or give the new one another name
`,
  })
  expect(asked).toEqual(['POST /v1/agents/3/drift', JSON.stringify({ declaration: DECLARATION })])
})

test('the exit code is 0 when nothing breaks', async () => {
  const { url } = await platformThatSays(SAME)
  expect(await check('--agent-id', '3', '--platform', url)).toEqual({
    code: 0,
    err: '',
    out: `Text statistics   agent 3, 12 flows order from it

✓ nothing changes for them
`,
  })
})

test('the agent is the one at the URL, else the only one registered from this machine', async () => {
  const { url, asked } = await platformThatSays(SAME)
  await check('https://agent.example/a', '--platform', url)
  expect(asked[0]).toBe('GET /v1/agents/at?endpoint=https%3A%2F%2Fagent.example%2Fa')
  expect(asked[1]).toBe('POST /v1/agents/7/drift')
  expect((await check('--platform', url)).err).toContain('which agent? none was registered from here')

  const journal = openRegistrationJournal(join(folder, '.home'))
  const record = { version: 1, platform: url, registrationId: 'a', startedAt: 1 } as const
  await journal
    .registration({ ...record, endpoint: 'https://one.example' })
    .write({ ...record, endpoint: 'https://one.example', agentId: 4 })
  await journal
    .registration({ ...record, endpoint: 'https://old.example' })
    .write({ ...record, endpoint: 'https://old.example', agentId: 5, endedAt: 2 })
  expect((await check('--platform', url)).code).toBe(0)
  expect(asked.at(-2)).toBe('POST /v1/agents/4/drift')
  await journal
    .registration({ ...record, endpoint: 'https://two.example' })
    .write({ ...record, endpoint: 'https://two.example', agentId: 6 })
  const { code, err } = await check('--platform', url)
  expect([code, err]).toEqual([2, expect.stringContaining('which agent? 2 were registered from here')])
})

test('--json prints the platform’s response, also when it is negative', async () => {
  const { url } = await platformThatSays(BREAKS)
  const { code, out } = await check('--agent-id', '3', '--platform', url, '--json')
  expect([code, JSON.parse(out)]).toEqual([1, { ok: false, agent_id: 3, ...BREAKS }])
  await writeFile(join(folder, 'agent.json'), '{"name": 3}')
  const refused = await check('--agent-id', '3', '--platform', url, '--json')
  expect([refused.code, JSON.parse(refused.out)]).toMatchObject([
    1,
    { ok: false, problems: expect.arrayContaining([expect.objectContaining({ path: 'name' })]) as unknown },
  ])
})

test('options of one check are refused by the other', async () => {
  expect(await check('--agent-id', '3', '--max-price', '0.1')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--max-price is about a running agent') as unknown,
  })
  const { world, err } = createTestWorld({ folder })
  expect(await runCli(['check', 'https://agent.example', '--agent-id', '3'], world)).toBe(2)
  expect(err()).toContain('--agent-id goes with --flows')
})
