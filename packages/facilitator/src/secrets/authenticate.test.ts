import { createHash } from 'node:crypto'
import { systemClock } from '@farebox/protocol/time/clock'
import { describe, expect, test } from 'vitest'
import { createMemoryLedger } from '../ledger/memory/memory-ledger.ts'
import { createAuthenticate, type Authenticate } from './authenticate.ts'
import { mintSecret } from './secret-form.ts'
import type { SecretStore } from './secret-store.ts'

async function openAuthenticate(): Promise<{
  readonly secret: string
  readonly id: string
  readonly secrets: SecretStore
  readonly authenticate: Authenticate
  readonly looks: () => number
  readonly notes: () => number
  pass(ms: number): void
}> {
  let nowMs = 1_800_000_000_000
  let [looks, notes] = [0, 0]
  const clock = { ...systemClock, nowMs: () => nowMs }
  const { secrets } = createMemoryLedger(clock)
  const { id, secret, hash } = mintSecret()
  await secrets.create({
    id,
    hash,
    owner: 'me',
    wallets: [],
    createdAt: 0,
    revokedAt: null,
    label: null,
    replaces: null,
    lastUsedAt: null,
  })
  const counted: SecretStore = {
    ...secrets,
    async find(wanted) {
      looks += 1
      return await secrets.find(wanted)
    },
    async change(wanted, change) {
      if ('lastUsedAt' in change) notes += 1
      return await secrets.change(wanted, change)
    },
  }
  return {
    secret,
    id,
    secrets,
    authenticate: createAuthenticate(counted, clock),
    looks: () => looks,
    notes: () => notes,
    pass(ms) {
      nowMs += ms
    },
  }
}

describe('a secret that is used repeatedly', () => {
  test('is looked up once in three seconds', async () => {
    const { authenticate, secret, id, looks, pass } = await openAuthenticate()
    for (let time = 0; time < 10; time += 1)
      expect(await authenticate(`Bearer ${secret}`)).toMatchObject({ id })
    expect(looks()).toBe(1)
    pass(3_000)
    expect(await authenticate(`Bearer ${secret}`)).toMatchObject({ id })
    expect(looks()).toBe(2)
  })

  test('is refused within five seconds of its revocation, and its new wallets count by then', async () => {
    const { authenticate, secret, id, secrets, pass } = await openAuthenticate()
    expect(await authenticate(`Bearer ${secret}`)).toMatchObject({ wallets: [] })
    await secrets.change(id, { wallets: ['0xa'] })
    pass(5_000)
    expect(await authenticate(`Bearer ${secret}`)).toMatchObject({ wallets: ['0xa'] })
    await secrets.change(id, { revokedAt: 1 })
    pass(5_000)
    expect(await authenticate(`Bearer ${secret}`)).toBeUndefined()
    expect(await authenticate(`Bearer ${secret}`)).toBeUndefined()
  })

  test('has its use recorded to the minute, at most once a minute, and only when it is valid', async () => {
    const { authenticate, secret, id, secrets, pass, notes } = await openAuthenticate()
    await authenticate(`Bearer fbx_${id}_${'A'.repeat(43)}00000000`)
    expect((await secrets.find(id))?.lastUsedAt).toBeNull()
    for (let time = 0; time < 20; time += 1) {
      await authenticate(`Bearer ${secret}`)
      pass(1_000)
    }
    expect((await secrets.find(id))?.lastUsedAt).toBe(1_800_000_000)
    expect(notes()).toBe(1)
    pass(60_000)
    await authenticate(`Bearer ${secret}`)
    expect((await secrets.find(id))?.lastUsedAt).toBe(1_800_000_060)
    expect(notes()).toBe(2)
  })

  test('is not accepted with its id alone, or without its end', async () => {
    const { authenticate, secret, id } = await openAuthenticate()
    expect(await authenticate(`Bearer ${secret}`)).toBeDefined()
    const body = `fbx_${id}_${'A'.repeat(43)}`
    const forged = body + createHash('sha256').update(body).digest('hex').slice(0, 8)
    for (const other of [forged, secret.slice(0, -1), `${secret}0`, secret.toUpperCase(), `fbx_${id}_`])
      expect(await authenticate(`Bearer ${other}`)).toBeUndefined()
    expect(await authenticate(`Bearer ${secret}`)).toBeDefined()
  })
})
