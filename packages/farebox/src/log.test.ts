import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { createRedactor } from '@farebox/payments/src/redact'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLog, GATHER_MS, type Log, type LogFormat } from './log.ts'

const JOB = '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'

function startLog(format: LogFormat = 'text'): { readonly log: Log; readonly written: string[] } {
  const written: string[] = []
  return {
    log: createLog({ format, write: lines => written.push(lines), nowMs: () => Date.UTC(2027, 0, 1) }),
    written,
  }
}

/** The written text of one event. */
function lineOf(event: (log: Log) => void, format: LogFormat = 'text'): string {
  const { log, written } = startLog(format)
  event(log)
  log.flush()
  return written.join('')
}

describe('the lines', () => {
  test('D27 begin with the event names of the interface, and contain the job', () => {
    expect(lineOf(log => log.job('execute', JOB, { capability: 'count' }))).toBe(
      `execute job=${JOB} capability=count\n`,
    )
    expect(lineOf(log => log.job('payment verified', JOB))).toBe(`payment verified job=${JOB}\n`)
    expect(lineOf(log => log.job('input valid', JOB))).toBe(`input valid job=${JOB}\n`)
    expect(lineOf(log => log.job('output valid', JOB, { ms: 12 }))).toBe(`output valid ms=12 job=${JOB}\n`)
    expect(lineOf(log => log.job('completed', JOB))).toBe(`completed job=${JOB}\n`)
    expect(lineOf(log => log.job('handler error: no such city', JOB))).toBe(
      `handler error: no such city job=${JOB}\n`,
    )
    expect(lineOf(log => log.job('payment verified', JOB, { amount: '0.002' }))).toBe(
      `payment verified job=${JOB} amount=0.002\n`,
    )
  })

  test('a warning is marked as such; a note is not', () => {
    expect(lineOf(log => log.warn('odd', { cause: 'x', times: 2, job: JOB }))).toBe(
      `warning: odd cause=x times=2 job=${JOB}\n`,
    )
    expect(lineOf(log => log.note('started'))).toBe('started\n')
  })

  test('D27 the event of a JSON line has the same name', () => {
    expect(JSON.parse(lineOf(log => log.job('output valid', JOB, { ms: 12 }), 'json'))).toEqual({
      time: '2027-01-01T00:00:00.000Z',
      level: 'info',
      event: 'output valid',
      ms: 12,
      job: JOB,
    })
    expect(JSON.parse(lineOf(log => log.warn('odd'), 'json'))).toMatchObject({ level: 'warn', event: 'odd' })
  })
})

describe('text from others', () => {
  test.each([
    ['\n', '\\u000a'],
    ['\r', '\\u000d'],
    ['\u0000', '\\u0000'],
    ['\u001b[2J', '\\u001b[2J'],
    ['\u0085', '\\u0085'],
    ['\u2028', '\\u2028'],
    ['\u2029', '\\u2029'],
    ['\u202e', '\\u202e'],
    ['\u007f', '\\u007f'],
    ['\t', '\\u0009'],
  ])('VAL-09 %j cannot end a line or move a cursor', (text, escaped) => {
    expect(lineOf(log => log.job(`handler error: a${text}b`, JOB))).toBe(
      `handler error: a${escaped}b job=${JOB}\n`,
    )
  })

  test.each([
    ['two words', '"two words"'],
    ['', '""'],
    ['says "no"', '"says \\"no\\""'],
    ['x job=1', '"x job=1"'],
    ['a\\" job=1 b="', '"a\\\\\\" job=1 b=\\""'],
    ['tab\there', '"tab\\u0009here"'],
    ['plain-0x1', 'plain-0x1'],
  ])('VAL-09 a value that is not one word is quoted, and cannot look like a field: %j', (value, written) => {
    expect(lineOf(log => log.warn('odd', { value }))).toBe(`warning: odd value=${written}\n`)
  })

  test('VAL-09 a forged line stays within its own line', () => {
    const line = lineOf(log => log.job('execute', JOB, { capability: `x\ncompleted job=${JOB}` }))
    expect(line.split('\n')).toHaveLength(2)
    expect(line).not.toMatch(/^completed/m)
  })

  test.each(['text', 'json'] as const)(
    'VAL-09 one event is one line of %s, whatever its characters are',
    format => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (event, value) => {
          const lines = lineOf(log => log.warn(event, { value }), format)
          // eslint-disable-next-line no-control-regex -- control characters are what must not be there
          expect(lines).toMatch(/^[^\u0000-\u001f]+\n$/)
        }),
      )
    },
  )

  test('is truncated when it is long', () => {
    expect(lineOf(log => log.warn('x'.repeat(1e6))).length).toBeLessThan(2_100)
    expect(lineOf(log => log.warn('odd', { cause: 'x'.repeat(1e6) }), 'json').length).toBeLessThan(2_200)
  })
})

describe('OPS-08 the last filter', () => {
  const hide = createRedactor(['planted-secret "1"'])

  test.each(['text', 'json'] as const)(
    'hides a secret anywhere in a line of %s, also where a value is truncated',
    format => {
      const written: string[] = []
      const log = createLog({ format, write: lines => written.push(lines), nowMs: () => 0, hide })
      log.job('handler error: planted-secret "1"', JOB, { at: 'planted-secret "1"' })
      log.warn(`${'x'.repeat(1_990)} planted-secret "1"`, {
        cause: `${'y'.repeat(1_990)} planted-secret "1"`,
      })
      log.flush()
      expect(written.join('')).not.toContain('planted')
      expect(written.join('').match(/\[hid/g)).toHaveLength(4)
    },
  )
})

describe('writing', () => {
  test('several lines are written together, in order', async () => {
    const { log, written } = startLog()
    log.note('one')
    log.job('two', JOB)
    log.warn('three')
    expect(written).toEqual([])
    await new Promise(resolve => setImmediate(resolve))
    expect(written).toEqual([`one\ntwo job=${JOB}\nwarning: three\n`])
    log.note('four')
    await new Promise(resolve => setImmediate(resolve))
    expect(written.at(-1)).toBe('four\n')
  })

  describe('the steps of successful jobs', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    test('are buffered for some milliseconds', async () => {
      const { log, written } = startLog()
      log.job('execute', JOB)
      await vi.advanceTimersByTimeAsync(GATHER_MS - 1)
      log.job('completed', JOB)
      expect(written).toEqual([])
      await vi.advanceTimersByTimeAsync(1)
      expect(written).toEqual([`execute job=${JOB}\ncompleted job=${JOB}\n`])
    })
  })

  test.each([
    ['a warning', (log: Log) => log.warn('odd'), 'warning: odd\n'],
    [
      'an error of a handler',
      (log: Log) => log.job('handler error: no', JOB),
      `handler error: no job=${JOB}\n`,
    ],
    ['a refusal', (log: Log) => log.job('refused', JOB, { status: 400 }), `refused job=${JOB} status=400\n`],
  ])('%s is written in its own turn of the event loop, after the steps before it', async (_, tell, line) => {
    const { log, written } = startLog()
    log.job('execute', JOB)
    tell(log)
    await new Promise(resolve => setImmediate(resolve))
    expect(written).toEqual([`execute job=${JOB}\n${line}`])
  })

  test('flush writes at once, and only once', async () => {
    const { log, written } = startLog()
    log.note('one')
    log.flush()
    log.flush()
    await new Promise(resolve => setImmediate(resolve))
    expect(written).toEqual(['one\n'])
  })

  test.each([
    ['exits', 'process.exit(0)'],
    ['ends by an error that nobody caught', "throw new Error('broken')"],
    ['has nothing left to do', ''],
  ])('a process that %s writes its buffered lines, even to a pipe', (_, end) => {
    const { stdout } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--conditions=@farebox/source', '-e', programThatLogs(end)],
      { encoding: 'utf8' },
    )
    expect(stdout).toBe(`execute job=${JOB}\n`)
  })

  test('leaves no listeners', () => {
    const before = process.listenerCount('exit')
    const { log } = startLog()
    for (let job = 0; job < 20; job += 1) {
      log.job('execute', JOB)
      log.flush()
    }
    expect(process.listenerCount('exit')).toBe(before)
  })
})

function programThatLogs(end: string): string {
  return `
    import { createLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)}
    const log = createLog({ format: 'text', write: lines => process.stdout.write(lines), nowMs: () => 0 })
    log.job('execute', '${JOB}')
    ${end}`
}
