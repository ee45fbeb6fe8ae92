import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { createTestWorld } from '../../testing/test-world.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-export-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

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

const GIVES: FieldMap = { text: { type: 'string' }, length: { type: 'integer' } }

async function exported(flow: unknown) {
  await writeFile(join(folder, 'flow.json'), JSON.stringify(flow))
  const { world, out, err } = createTestWorld({ folder })
  const code = await runCli(['flow', 'export', 'flow.json', '--agent', 'made', '--offline'], world)
  return { code, out: out(), err: err() }
}

const file = (path: string): Promise<string> => readFile(join(folder, 'made', path), 'utf8')

describe('a flow of an untrusted author', () => {
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
  /** Of a job by an untrusted agent. */
  const named = (agent_name: string, more: object): object => {
    const made = job(KEY, GIVES, { constants: { key: 'x' }, ...more }) as { readonly pinned: object }
    return { ...made, pinned: { ...made.pinned, agent_name } }
  }
  const variablesOf = (text: string): readonly string[] => text.match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g) ?? []

  test('cannot choose environment variables: its names get a fixed prefix', async () => {
    const hostile = flow({
      hiring_private: named('Facilitator', { secret: ['key'] }),
      agent: { kind: 'constant', value: 'x', secret: ['value'] },
      beside: named('HIRING_private', { agent_id: 4 }),
    })
    expect(await exported(hostile)).toMatchObject({ code: 0, err: '' })
    const secrets = ['FLOW_SECRET_AGENT_VALUE', 'FLOW_SECRET_HIRING_PRIVATE_KEY']
    expect(variablesOf(await file('handlers.ts')).toSorted()).toEqual(secrets)
    const urls = ['FLOW_AGENT_FACILITATOR_URL', 'FLOW_AGENT_H_I_R_I_N_G_PRIVATE_URL']
    expect(new Set(variablesOf(await file('agents.ts')))).toEqual(new Set(urls))
    const [, added = ''] = (await file('.env.example')).split('# Of the flow that this was.')
    expect(variablesOf(added).toSorted()).toEqual([...urls, ...secrets])
  })

  test('gets a variable for each of its secrets, although their names are alike', async () => {
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

  test('writes no hidden characters into the code: templates, constants and their names are escaped', async () => {
    const value = { 'a\u202eb': ['\u2066', "it's", 1, null], c: { d: '\ud800' } }
    const text = 'é 🎫\n`${{x}}` \\ {top}\u202e\u2028\r'
    const wire = (from: string, to: string, port: string): object => ({
      from: { step: from, port: 'value' },
      to: { step: to, port },
    })
    const hostile = flow(
      {
        top: { kind: 'constant', value: 't' },
        made: { kind: 'constant', value },
        line: { kind: 'template', text },
      },
      [wire('top', 'line', 'top')],
    )
    expect(await exported(hostile)).toMatchObject({ code: 0, err: '' })
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
