import { availableParallelism } from 'node:os'
import { describe, expect, test } from 'vitest'
import { readStartOptions, readValidateOptions } from './command-options.ts'
import { UsageError } from './usage-error.ts'

function refusalOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof UsageError) return error.message
  }
  throw new Error('it was taken')
}

describe('farebox start', () => {
  test('D28 without arguments: the config in the current folder, the handlers beside it, one process', () => {
    expect(readStartOptions([])).toEqual({
      config: './agent.json',
      handlers: undefined,
      port: undefined,
      host: undefined,
      workers: 1,
    })
  })

  test('D28 all options, in both spellings', () => {
    const args = [
      '--config=a.json',
      '--handlers',
      'h.ts',
      '--port',
      '80',
      '--host=127.0.0.1',
      '--workers',
      '4',
    ]
    expect(readStartOptions(args)).toEqual({
      config: 'a.json',
      handlers: 'h.ts',
      port: '80',
      host: '127.0.0.1',
      workers: 4,
    })
  })

  test('--workers auto: one per core', () => {
    expect(readStartOptions(['--workers=auto']).workers).toBe(availableParallelism())
  })

  test.each([
    [['--confg', 'x'], '--confg is not an option, did you mean --config?'],
    [['--conf', 'x'], '--conf is not an option, did you mean --config?'],
    [['-p', '80'], '-p is not an option'],
    [['--colour'], '--colour is not an option'],
    [['extra'], '"extra" is unexpected'],
    [['--port'], '--port needs a value: --port <port>'],
    [['--config', '--port', '80'], '--config needs a value: --config <file>'],
    [['--port', 'http'], '--port must be a port number from 0 to 65535, got "http"'],
    [['--port=70000'], '--port must be a port number from 0 to 65535, got "70000"'],
    [['--workers=0'], '--workers must be a number from 1 to 256, or auto, got "0"'],
    [['--workers', '2.5'], '--workers must be a number from 1 to 256, or auto, got "2.5"'],
    [['--workers=1000'], '--workers must be a number from 1 to 256, or auto, got "1000"'],
  ])('%j is refused', (args, sentence) => {
    expect(refusalOf(() => readStartOptions(args))).toBe(`farebox start: ${sentence}`)
  })
})

describe('farebox validate', () => {
  test('takes the file as an argument, or after --config', () => {
    expect(readValidateOptions([])).toEqual({ config: './agent.json', json: false })
    expect(readValidateOptions(['a.json', '--json'])).toEqual({ config: 'a.json', json: true })
    expect(readValidateOptions(['--config', 'a.json'])).toEqual({ config: 'a.json', json: false })
  })

  test.each([
    [['a.json', 'b.json'], 'one config at a time'],
    [['--config=a.json', 'b.json'], 'one config at a time'],
    [['--json=yes'], '--json takes no value'],
    [['--jsn'], '--jsn is not an option, did you mean --json?'],
  ])('%j is refused', (args, sentence) => {
    expect(refusalOf(() => readValidateOptions(args))).toBe(`farebox validate: ${sentence}`)
  })
})
