import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { createTestWorld } from '../../testing/test-world.ts'

const FLOW = {
  flow_version: 1,
  name: 'Summarise',
  inputs: { article: { type: 'string', required: true } },
  outputs: ['summary'],
  steps: {
    summary: {
      kind: 'job',
      agent_id: 3,
      capability: 'summarize',
      pinned: {
        agent_name: 'Summary',
        hash: 'a'.repeat(64),
        price: '0.01',
        max_deadline_seconds: 30,
        input_schema: { text: { type: 'string', required: true } },
        output_schema: { summary: { type: 'string' } },
      },
    },
  },
  wires: [
    { from: { step: 'input', port: 'article' }, to: { step: 'summary', port: 'text' } },
    { from: { step: 'summary', port: 'summary' }, to: { step: 'output', port: 'summary' } },
  ],
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-flow-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function check(flow: unknown, ...words: string[]) {
  await writeFile(join(folder, 'flow.json'), JSON.stringify(flow))
  const { world, out, err } = createTestWorld({ folder })
  return { code: await runCli(['flow', 'check', 'flow.json', ...words], world), out: out(), err: err() }
}

test('a flow that can be run shows its price and its time', async () => {
  expect(await check(FLOW, '--offline')).toEqual({
    code: 0,
    err: '',
    out: `Summarise   1 step, 1 paid job

  price  0.01 USDC
  time   60 s at most
  gives  summary

✓ it can be run
`,
  })
})

test('a problem is shown at its step, with its fix; the exit code is 1', async () => {
  const { code, out } = await check({ ...FLOW, wires: FLOW.wires.slice(1) }, '--offline')
  expect(code).toBe(1)
  expect(out).toContain(`  ✗ summary.text
    “text” is required, and nothing feeds it.
    → Use “article” from the flow’s input
`)
  expect(out).toContain('✗ it cannot be run: 1 error\n')
})

test('--json is the platform’s answer', async () => {
  const { code, out } = await check(FLOW, '--offline', '--json')
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    { ok: true, price: { at_least: '0.01', at_most: '0.01' } },
  ])
})

test('the platform is asked for the current state of its agents', async () => {
  const asked: unknown[] = []
  const answer = {
    ok: false,
    findings: [
      {
        id: 'offline summary',
        severity: 'error',
        step: 'summary',
        message: 'Summary is offline.',
        repairs: [],
      },
    ],
    wires: [],
    price: { at_least: '0.01', at_most: '0.02' },
    duration: { seconds: 600, path: [], waits_for: ['person'] },
    input_schema: {},
    output_schema: {},
  }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      asked.push(request.url, JSON.parse(text))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, out } = await check(FLOW, '--platform', url)
  expect(code).toBe(1)
  expect(asked).toEqual(['/v1/flows/check', { flow: FLOW }])
  expect(out).toContain('price  0.01 to 0.02 USDC\n  time   10 min at most, and what a person takes\n')
})

test.each([
  [{ ...FLOW, steps: { a: { kind: 'code' } } }, /this is not a flow\n {2}steps\.a\.kind: /],
  ['', /this is not a flow/],
])('%o is refused by its field', async (flow, expected) => {
  const { code, err } = await check(flow, '--offline')
  expect([code, err]).toEqual([1, expect.stringMatching(expected)])
})
