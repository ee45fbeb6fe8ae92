import { describe, expect, test } from 'vitest'
import { readCommand, readDevReport } from './messages.ts'

const SERVING = {
  kind: 'serving',
  port: 3000,
  logFormat: 'text',
  isDebugged: false,
  description: {
    name: 'Echo',
    url: 'http://127.0.0.1:3000',
    mode: 'dev mode: payments are off',
    wallet: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
    capabilities: ['echo'],
    lines: [],
    sampled: [],
    samples: [],
    next: [],
  },
  sources: { files: ['/p/agent.json'], handlers: '/p/handlers.ts' },
}

describe('reports', () => {
  test.each([
    { kind: 'up' },
    { kind: 'warm' },
    { kind: 'leaving' },
    { kind: 'pong' },
    { kind: 'broken', text: 'x' },
    { kind: 'imported', files: ['/p/a.ts'] },
    { kind: 'reading', sources: { files: [] } },
    { kind: 'failed', text: 'x', isPortTaken: false, sources: { files: [] } },
    { kind: 'job', event: { event: 'completed', jobId: 'j', fields: { ms: 3, ok: true, at: 'x' }, atMs: 1 } },
    { kind: 'typed', file: '/p/agent.d.ts' },
    { kind: 'not typed', reason: 'x' },
    SERVING,
  ])('are accepted: $kind', report => {
    expect(readDevReport(report)).toEqual(report)
  })

  test.each([
    undefined,
    null,
    'serving',
    [],
    {},
    { kind: 'other' },
    { kind: 'broken' },
    { kind: 'imported', files: [1] },
    { kind: 'failed', text: 'x', sources: { files: [] } },
    { kind: 'job', event: { event: 'completed', jobId: 'j', fields: { deep: {} }, atMs: 1 } },
    { ...SERVING, port: '3000' },
    { ...SERVING, logFormat: 'xml' },
    { ...SERVING, description: { ...SERVING.description, lines: 'none' } },
    { ...SERVING, sources: { files: [], handlers: 5 } },
  ])('a message sent by a handler does not count as a report: %j', message => {
    expect(readDevReport(message)).toBeUndefined()
  })
})

test('commands are parsed, and invalid ones are ignored', () => {
  expect(readCommand({ kind: 'ping' })).toEqual({ kind: 'ping' })
  expect(readCommand({ kind: 'leave', hasSuccessor: true })).toEqual({ kind: 'leave', hasSuccessor: true })
  for (const none of [undefined, null, 5, {}, { kind: 'load' }, { cmd: 'NODE_CLUSTER' }])
    expect(readCommand(none)).toBeUndefined()
})
