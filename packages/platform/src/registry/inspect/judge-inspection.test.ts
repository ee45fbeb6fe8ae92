import { describe, expect, test } from 'vitest'
import { sampleDeclaration } from '../../test-setup/database/insert-agent.ts'
import { refuseProbe, type ProbeResult } from './probe-result.ts'
import {
  ABOUT_MISSING_MS,
  judgeInspection,
  type InspectedAgent,
  type CompetingRegistration,
} from './judge-inspection.ts'
import { nextInspection } from './next-inspection.ts'

const OWNER = `0x${'a1'.repeat(20)}`
const OTHER = `0x${'b2'.repeat(20)}`
const NOW = Date.UTC(2027, 0, 1)

const declares = (wallet: string): ProbeResult => ({
  kind: 'agent',
  declaration: sampleDeclaration(wallet),
  wallet,
})
const PHASE_1: ProbeResult = { kind: 'phase-1', name: 'Old' }
const DOWN = refuseProbe('health', 'cannot be reached')

const AGENT: InspectedAgent = {
  agentId: 1,
  standing: 'listed',
  owner: OWNER,
  name: 'Known',
  aboutMissingSinceMs: undefined,
  isEndpointBlocked: false,
}

function judge(
  standing: InspectedAgent['standing'],
  found: ProbeResult,
  competitors: readonly CompetingRegistration[] = [],
) {
  return judgeInspection({ ...AGENT, standing }, found, competitors, NOW)
}

const competitor = (
  standing: CompetingRegistration['standing'],
  owner = OTHER,
  agentId = 9,
): CompetingRegistration => ({
  agentId,
  standing,
  owner,
})

describe('with a declaration', () => {
  test.each(['waiting', 'refused', 'provisional', 'listed'] as const)(
    'D36 a %s one whose wallet is its owner is listed',
    standing => {
      expect(judge(standing, declares(OWNER))).toMatchObject({ standing: 'listed', displaced: [] })
    },
  )

  test.each(['waiting', 'refused', 'provisional'] as const)(
    'REG-01 a %s one that names another wallet is refused, and its declaration is not stored',
    standing => {
      const judgement = judge(standing, declares(OTHER))
      expect(judgement.standing).toBe('refused')
      expect(judgement.reason).toContain('not the address that staked')
      expect(judgement.declared).toBeUndefined()
    },
  )

  test('REG-04 a listed one that names another wallet stays listed with that wallet, which stops payments', () => {
    expect(judge('listed', declares(OTHER))).toMatchObject({
      standing: 'listed',
      declared: { wallet: OTHER },
    })
  })

  test.each(['provisional', 'listed'] as const)('D36 a %s one without that proof is displaced', standing => {
    const judgement = judge('waiting', declares(OWNER), [competitor(standing)])
    expect(judgement.standing).toBe('listed')
    expect(judgement.displaced).toEqual([{ agentId: 9, reason: 'agent 1 has proven to own this endpoint' }])
  })

  test('of two with one owner the listed one stays', () => {
    const judgement = judge('waiting', declares(OWNER), [competitor('listed', OWNER)])
    expect(judgement).toMatchObject({ standing: 'refused', displaced: [] })
    expect(judgement.reason).toContain('agent 9')
  })

  test('a taken-down endpoint is not listed under another number', () => {
    const blocked = { ...AGENT, isEndpointBlocked: true }
    expect(judgeInspection({ ...blocked, standing: 'waiting' }, declares(OWNER), [], NOW)).toMatchObject({
      standing: 'refused',
      reason: 'an agent with this endpoint was taken down by the operator',
    })
    expect(judgeInspection(blocked, declares(OWNER), [], NOW).standing).toBe('listed')
  })

  test('the number that was taken down no longer blocks an endpoint through its own row', () => {
    expect(judge('waiting', declares(OWNER), [competitor('taken-down')]).standing).toBe('listed')
  })
})

describe('without /about', () => {
  test('D36 a new one is provisional', () => {
    expect(judge('waiting', PHASE_1)).toMatchObject({ standing: 'provisional', declared: { name: 'Old' } })
  })

  test('a new one is refused if there is a listed one', () => {
    expect(judge('waiting', PHASE_1, [competitor('listed')]).standing).toBe('refused')
  })

  test.each(['waiting', 'refused'] as const)('a %s one is provisional without an earlier stake', standing => {
    const agent = { ...AGENT, agentId: 5, standing }
    const earlier = [competitor('provisional', OTHER, 4)]
    expect(judgeInspection(agent, PHASE_1, earlier, NOW)).toMatchObject({
      standing: 'refused',
      displaced: [],
    })
    const later = [competitor('provisional', OTHER, 6)]
    expect(judgeInspection(agent, PHASE_1, later, NOW)).toMatchObject({
      standing: 'provisional',
      displaced: [{ agentId: 6, reason: 'agent 5 is listed with this endpoint' }],
    })
  })

  test('a provisional one stays if another one is waiting', () => {
    expect(judge('provisional', PHASE_1, [competitor('waiting')]).standing).toBe('provisional')
  })

  test('a listed one keeps its declaration for seven days of 404, then becomes Phase 1', () => {
    const first = judgeInspection(AGENT, PHASE_1, [], NOW)
    expect(first).toMatchObject({
      standing: 'listed',
      aboutMissingSinceMs: NOW,
      problem: 'about: is missing',
    })
    expect(first.declared).toBeUndefined()
    const aboutMissingSinceMs = NOW - ABOUT_MISSING_MS
    const almost = judgeInspection(
      { ...AGENT, aboutMissingSinceMs: aboutMissingSinceMs + 1 },
      PHASE_1,
      [],
      NOW,
    )
    expect(almost.standing).toBe('listed')
    expect(judgeInspection({ ...AGENT, aboutMissingSinceMs }, PHASE_1, [], NOW).standing).toBe('provisional')
  })
})

describe('that fails', () => {
  test.each(['waiting', 'refused'] as const)('a %s one is refused with the reason', standing => {
    expect(judge(standing, DOWN)).toMatchObject({
      standing: 'refused',
      reason: 'health: cannot be reached',
    })
  })

  test.each(['provisional', 'listed'] as const)(
    'a %s one keeps its status, with the problem noted',
    standing => {
      const judgement = judge(standing, DOWN)
      expect(judgement).toMatchObject({ standing, problem: 'health: cannot be reached' })
      expect(judgement.declared).toBeUndefined()
    },
  )
})

describe('D34 an /about that fails in any way', () => {
  const BROKEN = refuseProbe('about', 'is not JSON')

  test('is tolerated for seven days; then the agent is Phase 1 under its last name', () => {
    const first = judgeInspection(AGENT, BROKEN, [], NOW)
    expect(first).toMatchObject({
      standing: 'listed',
      aboutMissingSinceMs: NOW,
      problem: 'about: is not JSON',
    })
    const aboutMissingSinceMs = NOW - ABOUT_MISSING_MS
    const almost = { ...AGENT, aboutMissingSinceMs: aboutMissingSinceMs + 1 }
    expect(judgeInspection(almost, BROKEN, [], NOW)).toMatchObject({ standing: 'listed' })
    for (const found of [BROKEN, DOWN, PHASE_1]) {
      const judgement = judgeInspection({ ...AGENT, aboutMissingSinceMs }, found, [], NOW)
      expect(judgement).toMatchObject({ standing: 'provisional', displaced: [] })
      expect(judgement.declared).toEqual({ name: found === PHASE_1 ? 'Old' : 'Known' })
      expect(judgement.aboutMissingSinceMs).toBeUndefined()
    }
  })

  test('counts as one failure, whatever the error is from day to day; a successful read ends it', () => {
    const since = NOW - 86_400_000
    const agent = { ...AGENT, aboutMissingSinceMs: since }
    for (const found of [BROKEN, DOWN, PHASE_1])
      expect(judgeInspection(agent, found, [], NOW).aboutMissingSinceMs).toBe(since)
    expect(judgeInspection(agent, declares(OWNER), [], NOW).aboutMissingSinceMs).toBeUndefined()
  })
})

describe('the next inspection', () => {
  const at = { nowMs: NOW, inspectedSinceMs: NOW, failures: 1, refreshIntervalMs: 86_400_000, random: 0.5 }

  test('is a day later, varied by up to a tenth', () => {
    expect(nextInspection({ standing: 'listed' }, at)).toBe(NOW + 86_400_000)
    expect(nextInspection({ standing: 'listed' }, { ...at, random: 0 })).toBe(NOW + 77_760_000)
    expect(nextInspection({ standing: 'provisional' }, { ...at, random: 1 })).toBe(NOW + 95_040_000)
  })

  test('is an hour later when the last one had a problem', () => {
    expect(nextInspection({ standing: 'listed', problem: 'p' }, at)).toBe(NOW + 3_600_000)
  })

  test('of a refused one is later each time, and after an hour no longer automatic', () => {
    const refused = { standing: 'refused', problem: 'p' } as const
    const waits = [1, 2, 3, 7, 8, 1_000].map(
      failures => Number(nextInspection(refused, { ...at, failures })) - NOW,
    )
    expect(waits).toEqual([15_000, 30_000, 60_000, 900_000, 900_000, 900_000])
    expect(nextInspection(refused, { ...at, inspectedSinceMs: NOW - 3_600_000 })).toBeUndefined()
  })
})
