import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { defineRoute, type Route, type RouteAnswer } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { readRegistration } from '../registry/registrations.ts'
import { readRegistrationStatus } from '../registry/registration-status.ts'
import { readPageFiles } from './page-files.ts'
import { renderMissing, renderStakePage } from './render-stake-page.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const path = z.strictObject({ registrationId: z.string() })

/** The page where an owner stakes with a browser wallet: `GET /stake/:registrationId`. */
export function stakePageRoutes(parts: PlatformParts): readonly Route[] {
  const files = readPageFiles()
  return [
    defineRoute({
      method: 'GET',
      path: '/stake/:registrationId',
      summary: 'A page that stakes for a registration with a browser wallet',
      access: 'public',
      params: path,
      answers: {
        200: { description: 'The page, HTML' },
        404: { description: 'A page that says there is no such registration' },
      },
      async handle({ params }) {
        const nonce = randomBytes(16).toString('base64')
        const { registrationId: id } = params
        const registration = UUID.test(id)
          ? await readRegistration(parts.database, id.toLowerCase())
          : undefined
        if (registration === undefined) return answer(404, nonce, renderMissing(files, nonce).html)
        const { status } = await readRegistrationStatus(parts, registration)
        return answer(200, nonce, renderStakePage(parts, { registration, status }, files, nonce).html)
      },
    }),
  ]
}

/** Nothing from elsewhere, nothing inline that is not ours, in nobody's frame: who signs here must see this page. */
function answer(status: number, nonce: string, body: string): RouteAnswer {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    // Wallets bring their icons as data: URLs (EIP-6963).
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    },
    body,
  }
}
