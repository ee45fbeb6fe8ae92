import type { Flow } from '@farebox/flows/document/flow'
import { failure } from '@farebox/platform-api/errors'
import { flowChecked, flowCheckRequest } from '@farebox/platform-api/flows/flow-check'
import { dryRunAnswer, dryRunRequest } from '@farebox/platform-api/flows/saved-flows'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { callerKey } from '../http/caller-key.ts'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { createWalletBalances } from '../wallets/wallet-balances.ts'
import { driftRoute } from './drift/drift-route.ts'
import { MAX_FLOW_BYTES } from './flow-limits.ts'
import { capabilitiesRoute } from './capabilities/capabilities-route.ts'
import { readCatalog } from './read-catalog.ts'
import { refuseBusy } from './refuse-busy.ts'
import { savedFlowRoutes } from './saved/saved-flow-routes.ts'
import { shareRoutes } from './share/share-routes.ts'
import { templatesRoute } from './templates/templates-route.ts'

const CHECKS_PER_MINUTE = 300
const DRY_RUNS_PER_MINUTE = 60

/** The routes for flows: check, dry run, storage, sharing, and the capabilities for steps. */
export function flowRoutes(parts: PlatformParts): readonly Route[] {
  return [
    capabilitiesRoute(parts),
    templatesRoute(parts),
    driftRoute(parts),
    dryRunRoute(parts),
    ...savedFlowRoutes(parts),
    ...shareRoutes(parts),
    checkRoute(parts),
  ]
}

function dryRunRoute({ checker }: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/flows/dry-run',
    summary: 'Runs a flow on sample data: no agent is called, nothing is paid and nothing is stored',
    access: 'public',
    body: dryRunRequest,
    perMinute: DRY_RUNS_PER_MINUTE,
    maxBodyBytes: 2 * MAX_FLOW_BYTES,
    answers: {
      200: { description: 'What each step would come to', schema: dryRunAnswer },
      400: { description: 'The flow cannot be run, or the input does not match its fields', schema: failure },
      503: { description: 'Too many checks are running', schema: failure },
    },
    async handle({ body, caller }) {
      // Safe: the body was parsed from JSON.
      const input = body.input as JsonObject | undefined
      const given = { flow: body.flow, ...(input !== undefined && { input }) }
      const result = await checker
        .run('dry-run', given, `dry runs of ${callerKey(caller.ip)}`)
        .catch(refuseBusy)
      if (!result.ok) throw new Refusal('validation', `${result.part}: ${result.reason}`)
      const { input: taken, steps, output } = result.played
      return { body: { input: taken, steps, output } }
    },
  })
}

function checkRoute(parts: PlatformParts): Route {
  const { database, checker } = parts
  const balances = createWalletBalances(parts)
  return defineRoute({
    method: 'POST',
    path: '/v1/flows/check',
    summary: 'Checks a flow: its cost, its duration and its problems; nothing is stored',
    access: 'public',
    body: flowCheckRequest,
    perMinute: CHECKS_PER_MINUTE,
    maxBodyBytes: MAX_FLOW_BYTES,
    answers: {
      200: { description: 'What was found', schema: flowChecked },
      400: { description: 'It is not a flow', schema: failure },
      503: { description: 'Too many checks are running; nothing was stored', schema: failure },
    },
    async handle({ body, caller }) {
      const flow = body.flow as Flow
      const [capabilities, balance] = await Promise.all([
        readCatalog(database, flow),
        body.payer === undefined ? undefined : balances.read(body.payer),
      ])
      const given = { flow, capabilities, ...(balance !== undefined && { balance: balance.usdc }) }
      const result = await checker.run('flow', given, `flows of ${callerKey(caller.ip)}`).catch(refuseBusy)
      if (!result.ok) throw new Refusal('validation', `flow: ${result.reason}`)
      return { body: result.checked }
    },
  })
}
