import { createApp } from '@farebox/platform/src/app/create-app'
import { ownersRoutes } from '@farebox/platform/src/owners/owners-routes'
import { makeWallet, signInMessage, type TestWallet } from '@farebox/platform/src/test-setup/sign-in'
import { stagePlatform } from '@farebox/platform/src/test-setup/stage-platform'
import type { Attack } from '../attack.ts'

/** Changes the last byte of a signature, v. */
const FORMS = {
  'v as 27 or 28': (v: number) => v,
  'v as 0 or 1': (v: number) => v - 27,
  'the other v': (v: number) => 55 - v,
  'v of another range': (v: number) => v + 8,
} as const

/** Wallets that write v as 0 or 1 sign in as any other; no other v is taken for theirs (row 24). */
export const walletSignatures: Attack = {
  name: 'forms of v at a sign-in',
  before: 'v as 0 or 1: 4 of 4 wallets answered 401 (small form)',
  async run({ size }) {
    const stage = await stagePlatform({ realTime: true })
    const app = createApp(stage.parts, ownersRoutes(stage.parts))
    try {
      const rounds = size === 'small' ? 4 : 20
      const seen = new Map<string, Set<number>>()
      for (let round = 0; round < rounds; round += 1) {
        const wallet = makeWallet(stage.parts.crypto)
        const remoteAddress = `192.0.2.${round + 1}`
        for (const [form, change] of Object.entries(FORMS)) {
          const terms = await app.inject({
            method: 'POST',
            url: '/v1/sessions/nonces',
            payload: {},
            remoteAddress,
          })
          const message = signInMessage(wallet, terms.json())
          const payload = { message, signature: signed(wallet, message, change) }
          const { statusCode } = await app.inject({
            method: 'POST',
            url: '/v1/sessions',
            payload,
            remoteAddress,
          })
          seen.set(form, (seen.get(form) ?? new Set()).add(statusCode))
        }
      }
      const statusesOf = (form: string): string => [...(seen.get(form) ?? [])].join(', ')
      const taken = ['v as 27 or 28', 'v as 0 or 1'].map(statusesOf)
      const refused = ['the other v', 'v of another range'].map(statusesOf)
      return [
        {
          test: `${rounds} wallets, v as 27 or 28 and as 0 or 1`,
          reached: `HTTP ${taken.join(' and ')}`,
          target: '201 and 201',
          isMet: taken.every(status => status === '201'),
        },
        {
          test: 'the v of another signer, and a v that no wallet writes',
          reached: `HTTP ${refused.join(' and ')}`,
          target: '401 and 401',
          isMet: refused.every(status => status === '401'),
        },
      ]
    } finally {
      await app.close()
      await stage.close()
    }
  },
}

function signed(wallet: TestWallet, message: string, change: (v: number) => number): string {
  const signature = wallet.personalSign(message)
  const v = change(Number.parseInt(signature.slice(-2), 16))
  return `${signature.slice(0, -2)}${v.toString(16).padStart(2, '0')}`
}
