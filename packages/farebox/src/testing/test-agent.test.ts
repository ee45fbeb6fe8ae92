import { CapabilityError, DeadlineError, ValidationError } from '@farebox/protocol/errors/service-errors'
import { sleep } from '@farebox/protocol/time/clock'
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest'
import { defineAgent } from '../define-agent.ts'
import { createFakeClock } from './fake-clock.ts'
import { createTestAgent } from './test-agent.ts'

const declaration = defineAgent({
  service_version: '1.0',
  name: 'Words',
  description: 'Counts words.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 5,
  capabilities: {
    count: {
      description: 'Counts words.',
      pricing: { model: 'per_job', amount: '0.001', currency: 'USDC' },
      input_schema: {
        text: { type: 'string', required: true, minLength: 1 },
        times: { type: 'integer', default: 1 },
      },
      output_schema: { words: { type: 'integer' } },
    },
    wait: {
      description: 'Waits for a minute.',
      pricing: { model: 'per_job', amount: '0.001', currency: 'USDC' },
      input_schema: {},
      output_schema: {},
    },
  },
})

const clock = createFakeClock()
const agent = createTestAgent({
  declaration,
  clock,
  handlers: {
    count({ text, times }, { log }) {
      log('counting')
      if (text === 'bad') throw new ValidationError('text', 'is bad')
      if (text === 'worse') throw new TypeError('a secret')
      return { words: text.split(' ').length * times }
    },
    async wait() {
      await sleep(clock, 60_000)
      return {}
    },
  },
})
afterAll(async () => {
  const closed = agent.close()
  await clock.advance(60_000)
  await closed
})

describe('the test agent', () => {
  test('returns the output, typed from the declaration, after coercion and defaults', async () => {
    const output = await agent.call('count', { text: 'one two', times: '3' })
    expectTypeOf(output).toEqualTypeOf<{ words: number }>()
    expect(output).toEqual({ words: 6 })
  })

  test('answers a large body while the clock does not move', async () => {
    expect(await agent.call('count', { text: 'x '.repeat(50_000).trim() })).toEqual({ words: 50_000 })
  })

  test('D21 D26 throws the typed error that the caller would get', async () => {
    await expect(agent.call('count', { text: '' })).rejects.toThrow(
      'text: must be at least 1 character, got 0',
    )
    await expect(agent.call('count', { text: 'bad' })).rejects.toThrow('text: is bad')
    await expect(agent.call('count', { text: 'worse' })).rejects.toThrow(/^Internal error$/)
    await expect(agent.call('count', { text: 'bad' })).rejects.toBeInstanceOf(ValidationError)
    // @ts-expect-error a capability that is not declared is a mistake the compiler finds too
    await expect(agent.call('nope', {})).rejects.toBeInstanceOf(CapabilityError)
  })

  test('D17 ends a handler that hangs as a payment would, however late the deadline is', async () => {
    const late = expect(agent.call('wait', {}, { deadline: 4_102_444_800 })).rejects.toBeInstanceOf(
      DeadlineError,
    )
    await clock.advance(60_000)
    await late
  })

  test('D20 logs an output as valid only when it is', async () => {
    const wrong = createTestAgent({
      declaration,
      handlers: { count: () => ({ wrods: 1 }) as never, wait: () => ({}) },
    })
    expect(await wrong.call('count', { text: 'one' })).toEqual({ wrods: 1 })
    expect(wrong.logs().join('\n')).toMatch(/does not match output_schema: words: .*; production answers 500/)
    expect(wrong.logs().join('\n')).not.toContain('output valid')
    await wrong.close()
  })

  test('D17 answers at the deadline by the given clock', async () => {
    const late = expect(agent.call('wait', {})).rejects.toBeInstanceOf(DeadlineError)
    await clock.advance(5_000)
    await late
  })

  test('D22 returns the stored output for a known job_id', async () => {
    const jobId = '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'
    expect(await agent.call('count', { text: 'a b' }, { jobId })).toEqual({ words: 2 })
    expect(await agent.call('count', { text: 'a b c' }, { jobId })).toEqual({ words: 2 })
  })

  test('answers requests, and returns its log', async () => {
    const health = await agent.fetch(new Request('http://agent.test/health'))
    expect(await health.json()).toEqual({ name: 'Words', version: '1.0', status: 'ok' })
    expect(agent.logs().some(line => line.startsWith('counting job='))).toBe(true)
  })

  test('rejects the first call if its declaration cannot be served', async () => {
    const broken = createTestAgent({
      declaration: { ...declaration, name: '' },
      handlers: { count: () => ({ words: 1 }), wait: () => ({}) },
    })
    await expect(broken.call('wait', {})).rejects.toThrow(/^name: /)
  })
})
