import type { RegistrationStatus } from '@farebox/platform-api/registry'
import { describe, expect, test } from 'vitest'
import type { RegistrationState } from './follow-registration.ts'
import { StakeProblem } from './stake-problem.ts'
import { endOfStake, viewStake } from './stake-view.ts'

const HASH = `0x${'ab'.repeat(32)}`
const ASKED = { from: '0xaa', walletName: 'Example Wallet', askedAt: 1 }
const SENT = { ...ASKED, hash: HASH }
const NOTHING = { kept: undefined, hasStaked: false, attempt: { step: 'idle' } } as const
const LISTED = {
  state: 'listed',
  agent_id: 7,
  owner: '0xaa',
  transaction: HASH,
  profile_url: '/agents/7',
  provisional: false,
} as const

function stateOf(status: RegistrationStatus, rest: Partial<RegistrationState> = {}): RegistrationState {
  const registration = { status } as RegistrationState['registration']
  return { registration, isAway: false, isHeld: false, isFollowed: false, sent: undefined, ...rest }
}

const WAITING = stateOf({ state: 'waiting_for_stake' })

describe('the view of a stake', () => {
  test('offers the stake if nothing was sent, with the problem of the last attempt', () => {
    expect(viewStake(WAITING, NOTHING)).toEqual({ at: 'offer', problem: undefined })
    const problem = new StakeProblem('Declined.', 'Nothing was sent.')
    expect(viewStake(WAITING, { ...NOTHING, attempt: { step: 'stopped', problem } })).toEqual({
      at: 'offer',
      problem,
    })
  })

  test('shows the wallet’s request, even while another tab holds the lock', () => {
    const attempt = { step: 'asking', words: 'Confirm the stake' } as const
    const held = { ...WAITING, isHeld: true }
    expect(viewStake(held, { ...NOTHING, attempt })).toEqual({ at: 'asking', words: 'Confirm the stake' })
    expect(viewStake(held, NOTHING)).toEqual({ at: 'elsewhere' })
  })

  test('REG-06 offers no second stake while the wallet was asked and has not answered', () => {
    expect(viewStake(WAITING, { ...NOTHING, kept: ASKED })).toEqual({
      at: 'doubt',
      kept: ASKED,
      problem: undefined,
    })
  })

  test('says whether the transaction of a sent stake was replaced', () => {
    const sent = { hash: HASH, outcome: 'replaced' } as const
    const browser = { ...NOTHING, kept: SENT }
    expect(viewStake(WAITING, browser)).toEqual({ at: 'sent', kept: SENT, isReplaced: false })
    expect(viewStake({ ...WAITING, sent }, browser)).toMatchObject({ isReplaced: true })
    const other = { ...sent, hash: `0x${'cd'.repeat(32)}` }
    expect(viewStake({ ...WAITING, sent: other }, browser)).toMatchObject({ isReplaced: false })
  })

  test('uses the platform’s status before what this browser has sent', () => {
    expect(viewStake(stateOf(LISTED, { isFollowed: true }), { ...NOTHING, kept: SENT }).at).toBe('listed')
  })

  test('distinguishes an agent listed before from one that this browser has staked for or followed', () => {
    expect(viewStake(stateOf(LISTED), NOTHING).at).toBe('already')
    expect(viewStake(stateOf(LISTED), { ...NOTHING, hasStaked: true }).at).toBe('listed')
    expect(viewStake(stateOf(LISTED, { isFollowed: true }), NOTHING).at).toBe('listed')
  })
})

test('a stake is not stored once its registration is over or the contract has refused it', () => {
  const reverted = { ...WAITING, sent: { hash: HASH, outcome: 'reverted' } as const }
  expect(endOfStake(WAITING, SENT)).toBeUndefined()
  expect(endOfStake(stateOf(LISTED), SENT)).toBe('over')
  expect(endOfStake(reverted, SENT)).toBe('reverted')
  expect(endOfStake(reverted, undefined)).toBeUndefined()
})
