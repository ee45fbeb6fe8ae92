import { describe, expect, test } from 'vitest'
import { HandlersError } from '../config/load-handlers.ts'
import { ConfigError } from '../config/read-config.ts'
import { EnvironmentError } from '../config/read-environment.ts'
import { DeclarationError } from '../serve-declaration.ts'
import { explainFailure, readOptions } from './command-options.ts'

describe('the words after a command', () => {
  test('D28 none: the config beside, the rest to be found', () => {
    expect(readOptions([])).toEqual({
      config: './agent.json',
      handlers: undefined,
      port: undefined,
      host: undefined,
    })
  })

  test('D28 all of them, in both spellings', () => {
    expect(
      readOptions(['--config=a.json', '--handlers', 'h.ts', '--port', '80', '--host=127.0.0.1']),
    ).toEqual({
      config: 'a.json',
      handlers: 'h.ts',
      port: '80',
      host: '127.0.0.1',
    })
  })

  test.each([[['--confg', 'x']], [['extra']], [['--port']]])(
    'an unknown or unfinished one is refused: %j',
    words => {
      expect(() => readOptions(words)).toThrow(TypeError)
    },
  )
})

describe('a refusal, as people read it', () => {
  test('the environment: what is wrong, then what to do', () => {
    expect(explainFailure(new EnvironmentError('PORT', 'must be a port', 'leave it unset'))).toBe(
      '✗ cannot start: PORT must be a port\n  leave it unset\n',
    )
  })

  test('a config with one problem, and with two', () => {
    const problem = { line: 3, column: 11, path: 'name', reason: 'must not be empty' }
    expect(explainFailure(new ConfigError('agent.json', [problem]))).toBe(
      '✗ agent.json:3:11 name: must not be empty\n',
    )
    expect(explainFailure(new ConfigError('agent.json', [problem, { ...problem, line: 4 }]))).toBe(
      '✗ 2 problems\n  agent.json:3:11 name: must not be empty\n  agent.json:4:11 name: must not be empty\n',
    )
  })

  test.each([
    new HandlersError('none.mjs: there is no such file'),
    new DeclarationError('wallet: has a wrong checksum'),
    new TypeError('handlers: no function for the declared wait'),
  ])('without a stack: %s', error => {
    expect(explainFailure(error)).toBe(`✗ ${error.message}\n`)
  })

  test('what nobody foresaw, with its stack', () => {
    expect(explainFailure(new RangeError('odd'))).toMatch(/^✗ RangeError: odd\n\s+at /)
    expect(explainFailure('odd')).toBe('✗ odd\n')
  })
})
