import type { Registration, RegistrationStatus } from '@farebox/platform-api/registry'
import { describe, expect, test } from 'vitest'
import type { Ask } from '../site/ask.ts'
import type { Wallet } from '../wallet/wallet.ts'
import {
  followRegistration,
  newestState,
  type Following,
  type RegistrationState,
} from './follow-registration.ts'
import { atOnce } from '../test-setup/at-once.ts'

const HASH = `0x${'ab'.repeat(32)}`
const KEPT = { from: '0xaa', walletName: 'Example Wallet', askedAt: 1, hash: HASH }
const WAITING: RegistrationStatus = { state: 'waiting_for_stake' }
const CONFIRMING: RegistrationStatus = {
  state: 'confirming',
  agent_id: 7,
  transaction: HASH,
  confirmations: 0,
  confirmations_wanted: 2,
}
const LISTED: RegistrationStatus = {
  state: 'listed',
  agent_id: 7,
  owner: '0xaa',
  transaction: HASH,
  profile_url: '/agents/7',
  provisional: false,
}

function registrationOf(status: RegistrationStatus, rest: Partial<Registration> = {}): Registration {
  return { registration_id: 'registration-1', examined_at: 1, status, ...rest } as Registration
}

const START = newestState(registrationOf(WAITING), undefined)

/** Follows a registration until these answers are used up; an undefined answer is a failed request. */
async function follow(
  answers: readonly (RegistrationStatus | undefined)[],
  rest: Partial<Following> = {},
): Promise<{ readonly states: readonly RegistrationState[]; readonly pauses: readonly number[] }> {
  const left = [...answers]
  const pauses: number[] = []
  const states: RegistrationState[] = []
  const leaving = new AbortController()
  const following: Following = {
    ask: (async () => {
      const status = left.shift()
      if (status === undefined) throw new Error('no answer')
      return registrationOf(status)
    }) as Ask,
    clock: atOnce(ms => {
      pauses.push(ms)
      if (left.length === 0 || pauses.length > 9) leaving.abort(new Error('the page was left'))
    }),
    chainId: 84_532,
    kept: undefined,
    wallet: undefined,
    isHidden: () => false,
    isHeldElsewhere: async () => false,
    ...rest,
  }
  const ended = followRegistration(START, following, leaving.signal, state => states.push(state))
  await ended.catch((error: unknown) => {
    if (error !== leaving.signal.reason) throw error
  })
  return { states, pauses }
}

/** A wallet whose chain has the transaction with this status; undefined: it is in no block. */
function walletWith(status: '0x0' | '0x1' | undefined): Wallet {
  const answers: { readonly [method: string]: unknown } = {
    eth_chainId: '0x14a34',
    eth_getTransactionByHash: { nonce: '0x1' },
    eth_getTransactionCount: '0x1',
    eth_getTransactionReceipt: status === undefined ? null : { status },
  }
  return { readChain: async (method: string) => answers[method] } as unknown as Wallet
}

describe('following a registration', () => {
  test('reads it until it is listed, every two seconds once there is a stake', async () => {
    const { states, pauses } = await follow([WAITING, CONFIRMING, LISTED])
    expect(states.map(({ registration }) => registration.status.state)).toEqual([
      'waiting_for_stake',
      'confirming',
      'listed',
    ])
    expect(pauses).toEqual([3_000, 3_000, 2_000])
  })

  test('keeps the last status while the platform does not answer', async () => {
    const { states } = await follow([CONFIRMING, undefined, CONFIRMING])
    expect(states.map(({ isAway }) => isAway)).toEqual([false, true, false])
    expect(states[1]?.registration.status).toEqual(CONFIRMING)
  })

  test('does not read it on a hidden page before a stake, but does after one', async () => {
    expect((await follow([WAITING], { isHidden: () => true })).states).toEqual([])
    expect((await follow([WAITING], { isHidden: () => true, kept: KEPT })).states).toHaveLength(1)
  })

  test('reports that another tab holds the lock of its stake', async () => {
    const { states } = await follow([WAITING], { isHeldElsewhere: async () => true })
    expect(states[0]?.isHeld).toBe(true)
  })

  test('works in a browser without locks', async () => {
    const { states } = await follow([WAITING], {
      isHeldElsewhere: () => Promise.reject(new TypeError('none')),
    })
    expect(states[0]?.isHeld).toBe(false)
  })

  test.each([
    ['0x0', 'reverted'],
    ['0x1', 'open'],
    [undefined, 'open'],
  ] as const)(
    'asks the wallet’s chain about a stake that the platform has not seen: %s',
    async (status, outcome) => {
      const { states } = await follow([WAITING], { kept: KEPT, wallet: walletWith(status) })
      expect(states[0]?.sent).toEqual({ hash: HASH, outcome })
    },
  )

  test('does not ask the wallet’s chain once the platform has seen the stake', async () => {
    const { states } = await follow([CONFIRMING], { kept: KEPT, wallet: walletWith('0x0') })
    expect(states[0]?.sent).toBeUndefined()
  })

  test('stops when the status no longer changes by itself', async () => {
    const refused: RegistrationStatus = {
      state: 'refused',
      agent_id: 7,
      reason: 'it is gone',
      retried: false,
    }
    for (const status of [LISTED, refused]) {
      const read: RegistrationState[] = []
      const start = newestState(registrationOf(status), undefined)
      await followRegistration(start, {} as Following, new AbortController().signal, state =>
        read.push(state),
      )
      expect(read).toEqual([])
    }
  })
})

describe('the newest state of a registration', () => {
  const read: RegistrationState = { ...START, isAway: true, registration: registrationOf(CONFIRMING) }

  test('is the state that was read, until its endpoint is checked again', () => {
    expect(newestState(registrationOf(WAITING), read)).toBe(read)
    const checked = registrationOf(WAITING, { examined_at: 2 })
    expect(newestState(checked, read)).toEqual({ ...read, registration: checked })
  })

  test('contains nothing of another registration', () => {
    const other = registrationOf(LISTED, { registration_id: 'registration-2' })
    expect(newestState(other, read)).toEqual({
      registration: other,
      isAway: false,
      isHeld: false,
      isFollowed: false,
      sent: undefined,
    })
  })
})
