import type { OwnedAgents } from '@farebox/platform-api/owners'
import { expect, test } from 'vitest'
import { listPayeeWallets } from './payee-wallets.ts'

type Agent = OwnedAgents['agents'][number]

function agent(name: string, rest: Partial<Agent>): Agent {
  return {
    agent_id: 1,
    name,
    endpoint: null,
    standing: 'listed',
    standing_reason: null,
    is_offline: false,
    badge: 'none',
    wallet: '0xbb',
    wallet_proven: true,
    registered_at: 0,
    ...rest,
  }
}

test('a secret can be for the owner’s address and the proven wallets of their listed agents, each listed once', () => {
  const agents = [
    agent('Count', {}),
    agent('Summary', {}),
    agent('At home', { wallet: '0xaa' }),
    agent('Unproven', { wallet: '0xcc', wallet_proven: false }),
    agent('Refused', { wallet: '0xdd', standing: 'refused' }),
    agent('Phase 1', { wallet: null }),
  ]
  expect(listPayeeWallets('0xaa', agents)).toEqual([
    { address: '0xaa', agents: ['At home'] },
    { address: '0xbb', agents: ['Count', 'Summary'] },
  ])
})
