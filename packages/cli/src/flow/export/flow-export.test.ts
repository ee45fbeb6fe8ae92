import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { createAgent, type Agent, type JsonObject } from 'farebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { createTestWorld } from '../../testing/test-world.ts'

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))
const run = promisify(execFile)

let folder: string
const open: Agent[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-export-'))
})
afterEach(async () => {
  await Promise.all(open.splice(0).map(agent => agent.close()))
  await rm(folder, { recursive: true, force: true })
})

function job(takes: FieldMap, gives: FieldMap, more: object = {}): object {
  return {
    kind: 'job',
    agent_id: 3,
    capability: 'work',
    pinned: {
      agent_name: 'Text worker',
      hash: 'a'.repeat(64),
      price: '0.004',
      max_deadline_seconds: 10,
      input_schema: takes,
      output_schema: gives,
    },
    ...more,
  }
}

const TEXT: FieldMap = { text: { type: 'string', required: true } }
const GIVES: FieldMap = { text: { type: 'string' }, length: { type: 'integer' } }

/** A text is processed; a long result is processed again, a short one is not; each word is processed, too. */
const FLOW = {
  flow_version: 1,
  name: 'Long `texts` ${twice}',
  inputs: { article: { type: 'string', required: true }, 'top-line': { type: 'string', default: 'none' } },
  outputs: ['result', 'words', 'again'],
  steps: {
    work: job(TEXT, GIVES),
    beside: job(TEXT, GIVES, { agent_id: 4, constants: { text: "it's" } }),
    long: { kind: 'branch', condition: { is: 'greater-than', value: 10 } },
    again: job(TEXT, GIVES, { after: [{ step: 'long', port: 'then' }] }),
    either: { kind: 'first', count: 2 },
    line: { kind: 'template', text: '{{`${{x}}`}} {top}: {text} {other}' },
    parts: { kind: 'split', separator: ' ', most: 3 },
    each: job(TEXT, GIVES, { map: { port: 'text', most: 3 } }),
  },
  wires: [
    'input.article > work.text',
    'work.length > long.value',
    'work.text > again.text',
    'again.text > either.1',
    'work.text > either.2',
    'input.top-line > line.top',
    'either.value > line.text',
    'beside.text > line.other',
    'input.article > parts.text',
    'parts.list > each.text',
    'line.text > output.result',
    'each.length > output.words',
    'again.text > output.again',
  ].map(wire => {
    const [from, to] = wire.split(' > ').map(end => {
      const [step = '', port = ''] = end.split('.')
      return { step, port }
    })
    return { from, to }
  }),
}

async function exported(flow: unknown, ...words: string[]) {
  await writeFile(join(folder, 'flow.json'), JSON.stringify(flow))
  const { world, out, err } = createTestWorld({ folder })
  const code = await runCli(['flow', 'export', 'flow.json', '--agent', 'made', '--offline', ...words], world)
  return { code, out: out(), err: err() }
}

const file = (path: string): Promise<string> => readFile(join(folder, 'made', path), 'utf8')

async function startWorker(): Promise<string> {
  const agent = await createAgent({
    declaration: {
      service_version: '1.0',
      name: 'Text worker',
      description: 'Works.',
      wallet: '${AGENT_WALLET_ADDRESS}',
      max_deadline_seconds: 10,
      capabilities: {
        work: {
          description: 'Works.',
          pricing: { model: 'per_job', amount: '0.004', currency: 'USDC' },
          input_schema: TEXT,
          output_schema: GIVES,
        },
      },
    },
    handlers: { work: ({ text }: JsonObject) => ({ text: `${String(text)}!`, length: String(text).length }) },
    variables: {
      SERVICE_DEV_MODE: 'true',
      AGENT_WALLET_ADDRESS: '0x00000000000000000000000000000000000fa4e0',
      SERVICE_STORE: 'memory:',
    },
  })
  open.push(agent)
  return `http://127.0.0.1:${await agent.listen({ port: 0, host: '127.0.0.1' })}`
}

/** The results of the exported handlers, in dev mode, with agents that are hired over sockets. */
async function runMade(inputs: readonly object[]): Promise<unknown> {
  const url = await startWorker()
  await writeFile(
    join(folder, 'made', 'run-it.ts'),
    `import { readConfig } from 'farebox'
import { createTestAgent } from 'farebox/testing'
import handlers from './handlers.ts'

const agent = createTestAgent({ declaration: await readConfig('agent.json'), handlers })
const outputs: unknown[] = []
for (const input of ${JSON.stringify(inputs)}) outputs.push(await agent.call('run', input))
console.log(JSON.stringify(outputs))
await agent.close()
`,
  )
  const { stdout } = await run(
    process.execPath,
    ['--import', 'tsx', '--conditions=@farebox/source', 'run-it.ts'],
    {
      cwd: join(folder, 'made'),
      env: { PATH: process.env['PATH'], FLOW_AGENT_TEXT_WORKER_URL: url, FLOW_AGENT_TEXT_WORKER2_URL: url },
    },
  )
  return JSON.parse(stdout)
}

test('an exported flow is the project of an agent that compiles and does what the flow did', async () => {
  expect(await exported(FLOW)).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('✓ made written: an agent for 0.03 USDC a job') as string,
  })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'made', 'node_modules'))
  await run(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '--customConditions', '@farebox/source'],
    { cwd: join(folder, 'made') },
  ).catch((error: unknown) => {
    const { stdout = '' } = error as { readonly stdout?: string }
    // The errors in its own files; other tests check ours.
    expect(stdout.split('\n').filter(line => /^[\w-]+\.ts/.test(line))).toEqual([])
  })
  expect(await runMade([{ article: 'a longer text' }, { article: 'short' }])).toEqual([
    { result: "{`${x}`} none: a longer text!! it's!", words: [1, 6, 4], again: 'a longer text!!' },
    { result: "{`${x}`} none: short! it's!", words: [5] },
  ])
})

test('the handlers of an exported flow look handwritten', async () => {
  await exported(FLOW)
  const code = await file('handlers.ts')
  expect(code).toContain(`  const [work, beside] = await Promise.all([
    ctx.hire(AGENTS.textWorker, 'work', given({ text: input.article }), { key: 'work', maxPrice: '0.004' }),`)
  expect(code).toContain("given({ text: 'it\\'s' })")
  expect(code).toContain("const parts = listOf(text(input.article).split(' '), 3)")
  expect(JSON.parse(await file('package.json'))).toMatchObject({
    dependencies: { farebox: expect.any(String) as string },
  })
  expect(await file('.env.example')).toContain('# FLOW_AGENT_TEXT_WORKER_URL=')
  expect(await file('.env.example')).toContain('# HIRING_PRIVATE_KEY=')
})

test('a price that leaves a tenth to the agent is accepted, a lower one is not', async () => {
  expect(await exported(FLOW, '--price', '0.0266')).toMatchObject({
    code: 1,
    err: expect.stringContaining('its jobs cost 0.024 USDC') as string,
  })
  expect(await exported(FLOW, '--price', '0.0267')).toMatchObject({ code: 0 })
  expect(JSON.parse(await file('agent.json'))).toMatchObject({
    capabilities: { run: { pricing: { amount: '0.0267' } } },
  })
})

test('a flow that waits for a person cannot be exported, and no existing file is overwritten', async () => {
  const asks = {
    ...FLOW,
    steps: { ...FLOW.steps, ask: { kind: 'approval', question: 'Really?', constants: { value: 1 } } },
  }
  expect(await exported(asks)).toMatchObject({
    code: 1,
    err: expect.stringContaining('the step ask waits for a person') as string,
  })
  await exported(FLOW)
  const before = await file('handlers.ts')
  expect(await exported(FLOW)).toMatchObject({ code: 1, err: expect.stringContaining('already') as string })
  expect(await file('handlers.ts')).toBe(before)
})
