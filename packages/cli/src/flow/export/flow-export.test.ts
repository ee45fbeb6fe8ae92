import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { createAgent, type Agent, type JsonObject } from 'farebox'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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

/** A text is worked on; a long result is worked on again, a short one is not; each word is worked on, too. */
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

/** What the exported handlers give, in dev mode, with agents that are hired over sockets. */
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
    // What is wrong in its own files; ours are checked as they want it elsewhere.
    expect(stdout.split('\n').filter(line => /^[\w-]+\.ts/.test(line))).toEqual([])
  })
  expect(await runMade([{ article: 'a longer text' }, { article: 'short' }])).toEqual([
    { result: "{`${x}`} none: a longer text!! it's!", words: [1, 6, 4], again: 'a longer text!!' },
    { result: "{`${x}`} none: short! it's!", words: [5] },
  ])
})

test('the handlers of an exported flow read as a person would write them', async () => {
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

test('a price is taken that leaves a tenth to the agent, and no lower one', async () => {
  expect(await exported(FLOW, '--price', '0.0266')).toMatchObject({
    code: 1,
    err: expect.stringContaining('its jobs cost 0.024 USDC') as string,
  })
  expect(await exported(FLOW, '--price', '0.0267')).toMatchObject({ code: 0 })
  expect(JSON.parse(await file('agent.json'))).toMatchObject({
    capabilities: { run: { pricing: { amount: '0.0267' } } },
  })
})

test('a flow that waits for a person is no agent, and nothing is written over what is there', async () => {
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

describe('a flow of a stranger', () => {
  const KEY: FieldMap = { key: { type: 'string', required: true } }
  const output = { from: { step: 'hiring_private', port: 'text' }, to: { step: 'output', port: 'result' } }
  const flow = (steps: object, wires: readonly object[] = []): object => ({
    flow_version: 1,
    name: 'Nice flow',
    inputs: {},
    outputs: ['result'],
    steps: { hiring_private: job(KEY, GIVES, { constants: { key: 'x' } }), ...steps },
    wires: [output, ...wires],
  })
  /** Of a job that is a stranger's as well. */
  const named = (agent_name: string, more: object): object => {
    const made = job(KEY, GIVES, { constants: { key: 'x' }, ...more }) as { readonly pinned: object }
    return { ...made, pinned: { ...made.pinned, agent_name } }
  }
  const variablesOf = (text: string): readonly string[] => text.match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g) ?? []

  test('chooses no variable of the environment: its words stand behind prefixes of their own', async () => {
    const stranger = flow({
      hiring_private: named('Facilitator', { secret: ['key'] }),
      agent: { kind: 'constant', value: 'x', secret: ['value'] },
      beside: named('HIRING_private', { agent_id: 4 }),
    })
    expect(await exported(stranger)).toMatchObject({ code: 0, err: '' })
    const secrets = ['FLOW_SECRET_AGENT_VALUE', 'FLOW_SECRET_HIRING_PRIVATE_KEY']
    expect(variablesOf(await file('handlers.ts')).toSorted()).toEqual(secrets)
    const urls = ['FLOW_AGENT_FACILITATOR_URL', 'FLOW_AGENT_H_I_R_I_N_G_PRIVATE_URL']
    expect(new Set(variablesOf(await file('agents.ts')))).toEqual(new Set(urls))
    const [, added = ''] = (await file('.env.example')).split('# Of the flow that this was.')
    expect(variablesOf(added).toSorted()).toEqual([...urls, ...secrets])
  })

  test('gets a variable for each of its secrets, although their words are alike', async () => {
    const one = { b_c: { type: 'string', required: true } } as const
    const other = { c: { type: 'string', required: true } } as const
    await exported(
      flow({
        a: job(one, GIVES, { secret: ['b_c'], constants: { b_c: 'x' } }),
        a_b: job(other, GIVES, { secret: ['c'], constants: { c: 'x' } }),
      }),
    )
    const code = await file('handlers.ts')
    expect(code).toContain("given({ b_c: secret('FLOW_SECRET_A_B_C') })")
    expect(code).toContain("given({ c: secret('FLOW_SECRET_A_B_C2') })")
  })

  test('writes nothing unseen into the code: templates, constants and their names are escaped', async () => {
    const value = { 'a\u202eb': ['\u2066', "it's", 1, null], c: { d: '\ud800' } }
    const text = 'é 🎫\n`${{x}}` \\ {top}\u202e\u2028\r'
    const wire = (from: string, to: string, port: string): object => ({
      from: { step: from, port: 'value' },
      to: { step: to, port },
    })
    const stranger = flow(
      {
        top: { kind: 'constant', value: 't' },
        made: { kind: 'constant', value },
        line: { kind: 'template', text },
      },
      [wire('top', 'line', 'top')],
    )
    expect(await exported(stranger)).toMatchObject({ code: 0, err: '' })
    const code = await file('handlers.ts')
    expect(code).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u)
    const line = /const line = (`[^]*?[^\\]`)\n/.exec(code)?.[1]
    expect(line).toContain(String.raw`\u202e\u2028\u000d`)
    const made = /const made = (.*)\n/.exec(code)?.[1]
    const evaluate = (source = ''): unknown => runInNewContext(`(${source})`, { text: String, top: 't' })
    expect(evaluate(line)).toBe('é 🎫\n`${x}` \\ t\u202e\u2028\r')
    expect(JSON.stringify(evaluate(made))).toBe(JSON.stringify(value))
  })
})
