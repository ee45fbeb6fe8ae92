import {
  registrationCheck,
  registrationFailure,
  registrationHeaders,
  type RegistrationCheck,
  type RegistrationFailure,
} from '@farebox/platform-api/registration/registration-check'
import {
  registration,
  registrationPath,
  registrationRequest,
  type Registration as TravellingRegistration,
} from '@farebox/platform-api/registry'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route, type ServerEvent } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { encodeRegister, STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { openInSteps, openRegistration, type AskedRegistration } from './open-registration.ts'
import { readRegistrationStatus } from './registration-status.ts'
import { tellChecks } from './tell-checks.ts'
import { readRegistration, type Registration } from './registrations.ts'

/** Each inspection makes up to three calls to an untrusted host. */
const INSPECTIONS_PER_MINUTE = 10

/** The routes to open a registration, optionally with a stream of its checks, and to read it. */
export function registrationRoutes(parts: PlatformParts): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/registrations',
      summary: 'Opens the registration of an endpoint, or the one that was opened before',
      access: 'public',
      headers: registrationHeaders,
      body: registrationRequest,
      perMinute: INSPECTIONS_PER_MINUTE,
      answers: {
        200: {
          description:
            'The registration. Where `accept` names text/event-stream: an event `check` as each check ends, then ' +
            '`registration`, or `failure` where the endpoint is refused',
          schema: registration,
          events: { check: registrationCheck, registration, failure: registrationFailure },
        },
        400: { description: 'The endpoint cannot be listed; `error` says why', schema: registrationFailure },
        409: { description: 'An agent is listed with this endpoint', schema: registrationFailure },
      },
      async handle({ headers, body, caller }) {
        const signedIn = caller.kind === 'owner' ? caller.address : undefined
        const asked = { endpoint: body.endpoint, signedIn }
        if (headers.accept?.includes('text/event-stream') === true)
          return { events: signal => registrationEvents(parts, asked, signal) }
        return { body: await tell(parts, await openRegistration(parts, asked)) }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/registrations/:registrationId',
      summary: 'The state of a registration',
      access: 'public',
      params: registrationPath,
      answers: {
        200: { description: 'The registration', schema: registration },
        404: { description: 'There is nothing with this id' },
      },
      async handle({ params, caller }) {
        const found = await readRegistration(parts.database, params.registrationId)
        const signedIn = caller.kind === 'owner' ? caller.address : undefined
        const isForAnother = found?.inspectedFor !== undefined && found.inspectedFor !== signedIn
        if (found === undefined || isForAnother)
          throw new Refusal('not_found', 'registration: there is none of this id')
        return { body: await tell(parts, found) }
      },
    }),
  ]
}

async function* registrationEvents(
  parts: PlatformParts,
  asked: AskedRegistration,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const checks: RegistrationCheck[] = []
  const steps = openInSteps(parts, asked, signal)
  try {
    for (;;) {
      const step = await steps.next()
      if (step.done === true) {
        yield { event: 'registration', data: await tell(parts, step.value) }
        return
      }
      checks.push(step.value)
      yield { event: 'check', data: step.value }
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { type, message, details } = error
    const failed: RegistrationFailure = {
      ...details,
      status: 'failed',
      error_type: type,
      error: message,
      checks,
    }
    yield { event: 'failure', data: failed }
  }
}

async function tell(parts: PlatformParts, open: Registration): Promise<TravellingRegistration> {
  const { settings, network } = parts
  const { status, stakedByOthers } = await readRegistrationStatus(parts, open)
  return {
    registration_id: open.registrationId,
    endpoint: open.endpoint,
    found: open.found,
    examined_at: open.examinedAtMs / 1_000,
    checks: tellChecks(open.checks, status),
    stake_wei: STAKE_WEI.toString(),
    registry_address: settings.registryAddress,
    chain_id: network.chainId,
    call_data: encodeRegister(open.endpoint),
    register_page_url: `${settings.publicUrl}/register/${open.registrationId}`,
    status,
    staked_by_others: stakedByOthers,
  }
}
