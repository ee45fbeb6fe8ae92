import { describe, expect, test } from 'vitest'
import { encodeHeader } from './payment-header.ts'
import { readSpender } from './spender-extension.ts'

const CONTRACT = `0x${'11'.repeat(20)}`
const SPENDER = `0x${'aB'.repeat(20)}`
const TERMS = { agentId: 7, network: 'eip155:84532', contract: CONTRACT }
const OWN = { agent_id: '7', network: 'eip155:84532', contract: CONTRACT, spender: SPENDER }

const header = (entries: unknown): string => encodeHeader({ extensions: { 'farebox-spend': entries } })

describe('D45 the spender of an agent', () => {
  test.each([
    ['alone', [OWN]],
    ['after another network', [{ ...OWN, network: 'eip155:8453', agent_id: '3' }, OWN]],
    ['with more than is read', [{ ...OWN, since: 1 }]],
    ['with the contract in another case', [{ ...OWN, contract: CONTRACT.toUpperCase().replace('0X', '0x') }]],
  ])('is read %s', (_, entries) => {
    expect(readSpender(header(entries), TERMS)).toEqual({ ok: true, spender: SPENDER.toLowerCase() })
  })

  test.each<[string, string | null | undefined, string, string]>([
    ['no header', undefined, 'none', 'names no account'],
    ['an empty one', '', 'none', 'names no account'],
    ['a header that is none', '{', 'none', 'names no account'],
    ['a number', encodeHeader([7]), 'none', 'names no account'],
    ['no such extension', encodeHeader({ extensions: {} }), 'none', 'names no account'],
    ['no list', header(OWN), 'unusable', 'not say in a usable way'],
    ['no address', header([{ ...OWN, spender: '<b>' }]), 'unusable', 'not say in a usable way'],
    ['the zero address', header([{ ...OWN, spender: `0x${'00'.repeat(20)}` }]), 'unusable', 'usable way'],
    ['a number that is none', header([{ ...OWN, agent_id: 7 }]), 'unusable', 'usable way'],
    ['one good and one bad', header([OWN, null]), 'unusable', 'usable way'],
    ['nobody', header([]), 'other', 'spends on no network, not on eip155:84532'],
    [
      'another network',
      header([{ ...OWN, network: 'eip155:1' }]),
      'other',
      'spends on eip155:1, not on eip155:84532',
    ],
    ['another agent', header([{ ...OWN, agent_id: '8' }]), 'other', 'spends as agent 8, not as agent 7'],
    ['another contract', header([{ ...OWN, contract: SPENDER }]), 'other', 'through another contract'],
  ])('is not read from %s', (_, given, kind, reason) => {
    const read = readSpender(given, TERMS)
    expect(read).toMatchObject({ ok: false, kind, reason: expect.stringContaining(reason) as unknown })
  })
})
