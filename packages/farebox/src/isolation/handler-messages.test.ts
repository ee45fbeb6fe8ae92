import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readHandlerReport } from './handler-messages.ts'

test('a report is parsed as it was sent', () => {
  const checked = { violation: undefined, dropped: ['more'], json: '{}', unwritable: undefined }
  const failure = {
    logText: 'no',
    at: 'a.ts:1:1',
    typed: { errorType: 'validation', message: 'no' },
  } as const
  for (const report of [
    { kind: 'loaded' },
    { kind: 'log', run: 1, message: 'x' },
    { kind: 'returned', run: 1, checked, clean: true },
    { kind: 'threw', run: 1, failure, clean: false },
    { kind: 'clean', run: 1 },
    { kind: 'stray', run: undefined, jobId: undefined, failure },
  ])
    expect(readHandlerReport(report)).toEqual(report)
})

test('any JSON output with a violation is accepted, for dev mode; without one it must be an object', () => {
  const checked = { dropped: [], unwritable: undefined }
  const violation = { field: 'output', reason: 'must be an object, got null' }
  for (const json of ['null', '"x"', '5', '[1]']) {
    const returned = { kind: 'returned', run: 1, clean: true }
    const broken = { ...returned, checked: { ...checked, violation, json } }
    expect(readHandlerReport(broken)).toMatchObject({ checked: { violation, json } })
    expect(readHandlerReport({ ...returned, checked: { ...checked, json } })).toMatchObject({
      checked: { json: undefined },
    })
  }
  const notJson = { kind: 'returned', run: 1, clean: true, checked: { ...checked, violation, json: '{' } }
  expect(readHandlerReport(notJson)).toMatchObject({ checked: { json: undefined } })
})

test('an unknown error type makes an untyped failure', () => {
  const failure = { logText: 'x', typed: { errorType: 'toString', message: 'x' } }
  expect(readHandlerReport({ kind: 'threw', run: 1, failure })).toMatchObject({
    failure: { typed: undefined },
  })
})

test('every message of a handler is a report or undefined, and never throws', () => {
  const kinds = fc.constantFrom('loaded', 'not-loaded', 'log', 'returned', 'threw', 'clean', 'stray', 'x')
  const message = fc.oneof(
    fc.anything(),
    fc.record(
      {
        kind: kinds,
        run: fc.anything(),
        checked: fc.anything(),
        failure: fc.anything(),

        clean: fc.anything(),
        message: fc.anything(),
      },
      { requiredKeys: ['kind'] },
    ),
  )
  fc.assert(
    fc.property(message, sent => {
      const report = readHandlerReport(sent)
      if (report === undefined) return
      if (report.kind === 'log') expect(typeof report.message).toBe('string')
      if (report.kind === 'returned') expect(['string', 'undefined']).toContain(typeof report.checked.json)
      if (report.kind === 'threw' || report.kind === 'stray')
        expect(typeof report.failure.logText).toBe('string')
    }),
  )
})
