import { expect, test } from 'vitest'
import { COUNTER } from '../../testing/served-agent.ts'
import type { Serving } from '../messages/messages.ts'
import { readServedAgent } from './served-agent.ts'

function serving(declaration: unknown): Serving {
  return {
    kind: 'serving',
    port: 3000,
    logFormat: 'text',
    isDebugged: false,
    description: {
      name: 'Teller',
      url: 'http://127.0.0.1:3000',
      mode: 'dev mode: payments are off',
      wallet: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
      capabilities: ['count'],
      lines: [],
      samples: [],
      sampled: ['count'],
      next: [],
    },
    declaration,
    sources: { files: [] },
  }
}

const declaration = { ...COUNTER, wallet: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65' }

test('an agent is shown with its capabilities, its prices, and which handlers are samples', () => {
  expect(readServedAgent(serving(declaration), false)?.served).toMatchObject({
    url: 'http://127.0.0.1:3000',
    is_paid: false,
    capabilities: [{ name: 'count', price: '0.002', is_sample: true }],
  })
})

test.each([undefined, null, 'Teller', {}, { ...declaration, capabilities: { count: { input_schema: 7 } } }])(
  'a handler’s message in place of a declaration is not shown: %j',
  value => {
    expect(readServedAgent(serving(value), false)).toBeUndefined()
  },
)
