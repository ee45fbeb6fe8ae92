import { expect, test } from 'vitest'
import { checkFlow } from '../check/check-flow.ts'
import { applyEdit, applyEdits } from '../edit/apply-edit.ts'
import { flowOf, jobStep } from '../test-setup/sample-flows.ts'
import type { Flow, Step } from './flow.ts'
import { readFlow } from './read-flow.ts'
import { withoutSecrets } from './without-secrets.ts'

const text = { type: 'string' } as const
const SEARCH = jobStep({ api_key: { ...text, required: true }, words: text }, { found: text })
const flow = applyEdits(
  flowOf(
    { words: text },
    {
      search: { ...SEARCH, constants: { api_key: 'k-1234', words: 'x' } },
      key: { kind: 'constant', value: 'k-5678' },
    },
    ['search.found > output.found', 'key.value > output.key'],
  ),
  [
    { edit: 'mark-secret', to: { step: 'search', port: 'api_key' }, secret: true },
    { edit: 'mark-secret', to: { step: 'key', port: 'value' }, secret: true },
  ],
)

test('a flow is shared without the values that are marked as secret, and the check names each', () => {
  const given = withoutSecrets(flow)
  expect(JSON.stringify(given)).not.toContain('k-')
  expect(given.steps['search']?.constants).toEqual({ words: 'x' })
  expect(readFlow(JSON.parse(JSON.stringify(given)))).toEqual({ ok: true, flow: given })
  expect(checkFlow(flow).ok).toBe(true)
  expect(
    checkFlow(given).findings.flatMap(({ severity, step, message }) =>
      severity === 'error' ? [[step, message]] : [],
    ),
  ).toEqual([
    ['search', '“api_key” is required, and nothing feeds it.'],
    ['key', 'Its value was left out when the flow was shared or exported. Enter a value.'],
  ])
})

test('a value that is filled in again stays marked, and is valid', () => {
  const filled = applyEdits(withoutSecrets(flow), [
    { edit: 'set-constant', to: { step: 'search', port: 'api_key' }, value: 'own' },
    { edit: 'replace-step', id: 'key', step: { kind: 'constant', value: 'own', secret: ['value'] } },
  ])
  expect(checkFlow(filled).ok).toBe(true)
  expect(JSON.stringify(withoutSecrets(filled))).not.toContain('own')
})

test('a mark moves with its constant, and can be removed', () => {
  const key = { step: 'search', port: 'api_key' }
  expect(applyEdit(flow, { edit: 'clear-constant', to: key }).steps['search']).not.toHaveProperty('secret')
  expect(
    applyEdit(flow, { edit: 'connect', from: { step: 'input', port: 'words' }, to: key }).steps['search'],
  ).not.toHaveProperty('secret')
  const open: Flow = applyEdit(flow, { edit: 'mark-secret', to: key, secret: false })
  expect(withoutSecrets(open).steps['search']?.constants).toEqual({ api_key: 'k-1234', words: 'x' })
})

test('a default value is removed like any other, and keeps its mark when its input is wired', () => {
  const secret = { kind: 'default', value: 'k-9', constants: { value: 'k-8' }, secret: ['value'] } as const
  const given = flowOf({ words: text }, { words: secret }, ['words.value > output.words'])
  expect(JSON.stringify(withoutSecrets(given))).not.toContain('k-')
  expect(checkFlow(withoutSecrets(given)).findings.map(({ step, message }) => [step, message])).toEqual([
    ['words', 'Its value was left out when the flow was shared or exported. Enter a value.'],
  ])
  const to = { step: 'words', port: 'value' }
  const joined = applyEdit(given, { edit: 'connect', from: { step: 'input', port: 'words' }, to })
  expect(JSON.stringify(joined)).toContain('k-9')
  expect(JSON.stringify(withoutSecrets(joined))).not.toContain('k-')
})

const HELD: { readonly [mark: string]: Step } = {
  text: { kind: 'template', text: 'k-1' },
  separator: { kind: 'join', separator: 'k-1' },
  question: { kind: 'approval', question: 'k-1' },
  path: { kind: 'pick', path: ['k-1'] },
  names: { kind: 'rename', names: { a: 'k-1' } },
  value: { kind: 'branch', condition: { is: 'equal-to', value: 'k-1' } },
  apikey: { ...SEARCH, constants: { api_key: 'k-1' } },
}

test.each(Object.entries(HELD))(
  'a mark on “%s”, which would be published, is an error with a repair',
  (mark, step) => {
    const held = flowOf({}, { held: { ...step, secret: [mark] } }, [])
    const found = checkFlow(held).findings.find(({ id }) => id === `secret held ${mark}`)
    expect([found?.severity, found?.message]).toEqual([
      'error',
      `“${mark}” is marked as secret but is not a value that is left out when the flow is shared.`,
    ])
    const mended = applyEdits(held, found?.repairs[0]?.edits ?? [])
    expect(checkFlow(mended).findings.map(({ id }) => id)).not.toContain(`secret held ${mark}`)
    expect(mended.steps['held']).not.toHaveProperty('secret')
  },
)

test('a flow without secrets is shared unchanged', () => {
  const plain = flowOf({ a: text }, { t: { kind: 'template', text: '{a}' } }, [
    'input.a > t.a',
    't.text > output.t',
  ])
  expect(withoutSecrets(plain)).toEqual(plain)
})
